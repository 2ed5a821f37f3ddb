import { resolve } from "node:path/posix";
import * as fc from "fast-check";
import { expect } from "vitest";
import { CWD, guard, judged } from "./guard.ts";
import { TABLE } from "./table.ts";
import { WINDOWS } from "./table-windows.ts";
import type { Row } from "./rows.ts";
import { isSlowRun, quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";

/** Of the table, what is one command of a POSIX shell written plainly: words without quotes, variables and the like. */
const PLAIN = TABLE.filter(
  ({ level, line, trick }) =>
    level === "default" &&
    trick !== "what cannot be read" &&
    !WINDOWS.some((group) => group.trick === trick) &&
    // Cmdlets, of which a POSIX shell runs nothing.
    !/^[A-Z][a-z]+-[A-Z]/.test(line) &&
    /^[\w ./:=,@+-]+$/.test(line),
);
/** Refused or asked about, so that what hides it must not hide it. */
const refused = fc.constantFrom(...PLAIN.filter(({ verdict }) => verdict === "refuse"));

type Change = (line: string) => string;

const quoted = (line: string): string => `'${line.replaceAll("'", String.raw`'\''`)}'`;

const TICK = "`";

/** Around a command, and none of it changes what the command does. */
const AROUND: Readonly<Record<string, Change>> = {
  "sh -c": (line) => `sh -c ${quoted(line)}`,
  "bash -lc": (line) => `bash -lc ${quoted(line)}`,
  "/bin/bash -ec": (line) => `/bin/bash -ec "${line}"`,
  eval: (line) => `eval ${quoted(line)}`,
  env: (line) => `env A=1 ${line}`,
  "env -u": (line) => `env -u A ${line}`,
  sudo: (line) => `sudo ${line}`,
  "sudo -u": (line) => `sudo -u root ${line}`,
  nice: (line) => `nice -n 5 ${line}`,
  nohup: (line) => `nohup ${line}`,
  timeout: (line) => `timeout 10 ${line}`,
  "an assignment": (line) => `A=1 ${line}`,
  command: (line) => `command ${line}`,
  "( )": (line) => `( ${line} )`,
  "{ }": (line) => `{ ${line}; }`,
  "$( )": (line) => `echo $( ${line} )`,
  '"$( )"': (line) => `echo "$( ${line} )"`,
  backticks: (line) => `x=${TICK}${line.replace(/[`$\\]/g, String.raw`\$&`)}${TICK}`,
  "true &&": (line) => `true && ${line}`,
  "cd . &&": (line) => `cd . && ${line}`,
  time: (line) => `time ${line}`,
  "!": (line) => `! ${line}`,
  "; true": (line) => `${line}; true`,
  "|| true": (line) => `${line} || true`,
  "&": (line) => `${line} & wait`,
  if: (line) => `if true; then ${line}; fi`,
  for: (line) => `for i in 1; do ${line}; done`,
  function: (line) => `f() { ${line}; }; f`,
  "a here-document": (line) => `sh <<'X'\n${line}\nX`,
  "a pipe": (line) => `echo ${quoted(line)} | sh`,
  "<( )": (line) => `cat <(${line})`,
  "an array": (line) => `a=(${line}); "\${a[@]}"`,
  CRLF: (line) => `${line}\r\n`,
  blanks: (line) => `  ${line.replaceAll(" ", "   ")}\t`,
  "a line break": (line) => line.replaceAll(" ", " \\\n"),
};

/** Shells, which read what stands behind them, builtins, which programs cannot start, and lines that begin with a wrapper's own grammar. */
const BUILTIN =
  /^(?:bash|sh|zsh|cd|\.|source|eval|exec|command|history|unset|export|trap|alias|read|time|kill|f|env|pushd|coproc|:|cmd|del|cat|ls|x|exit|echo|test)\b/;
const around = fc.constantFrom(...Object.entries(AROUND));

async function same(
  row: Row,
  line: string,
  orcs: Awaited<ReturnType<typeof guard>>,
): Promise<void> {
  const { verdict } = await judged(orcs, { command: line });
  expect(verdict, `${row.line} → ${line}`).toBe(row.verdict);
}

/** Cmdlets, which are nothing in a POSIX shell. */
const CMDLET = /^[A-Z][a-z]+-[A-Z]/;

/** A path before it would be a part of the variable's name. */
const ASSIGNMENT = /^\w+=/;
const commands = PLAIN.filter(
  ({ line }) => !BUILTIN.test(line) && !CMDLET.test(line) && !ASSIGNMENT.test(line),
);

test("the shell-guard table has enough plain lines to vary", () => {
  expect(PLAIN.filter(({ verdict }) => verdict === "refuse").length).toBeGreaterThan(150);
  expect(PLAIN.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(150);
});

repeatedTest("shell-guard: a denied line stays denied with anything around it", async () => {
  const orcs = await guard();
  const dangerous = commands.filter(({ verdict }) => verdict === "refuse");
  // All of them against all lines is more than is needed.
  const apart = isSlowRun ? 5 : 41;
  for (const [at, row] of dangerous.entries()) {
    for (const [n, change] of Object.values(AROUND).entries()) {
      if ((at + n) % apart === 0) await same(row, change(row.line), orcs);
    }
  }
});

repeatedTest("shell-guard: wrappers around a command, nested, change no verdict", async () => {
  const orcs = await guard();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...commands),
      fc.array(around, { minLength: 1, maxLength: 3 }),
      async (row, changes) => {
        let { line } = row;
        for (const [name, change] of changes) {
          // Behind the end of a here-document, or of a line, nothing may stand.
          if (/<<|\r/.test(line)) break;
          // What echo makes of a backslash is not the same everywhere.
          if (name === "a pipe" && line.includes("\\")) continue;
          // The line writes the input then, and it is at its end.
          const isInput = name === "a here-document" || name === "a pipe";
          if (isInput && row.trick === "input that nothing in the line writes") continue;
          // What stands behind && does not run then, so that an array in it has no words.
          if (name === "!" && line.includes("&&")) continue;
          // What is no single command any more cannot stand behind a wrapper.
          const simple = !/[;&|(){}<>`"'\\\n\r]|^(?:!|time|A=1|if|for) /.test(line);
          const needsSimple =
            /^(?:env|sudo|nice|nohup|timeout|an |command|a line|blanks|\/bin|a here|CRLF)/.test(
              name,
            );
          if (simple || !needsSimple) line = change(line);
        }
        await same(row, line, orcs);
      },
    ),
    { numRuns: runCount(400) },
  );
});

/** Ways to write a word that the shell reads as the same word. */
const spelling = fc.constantFrom<Change>(
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `${word.slice(0, 1)}'${word.slice(1)}'`,
  (word) => `"${word.slice(0, -1)}"${word.slice(-1)}`,
  (word) => word.replace(/[a-z]/, String.raw`\$&`),
  (word) => `$'${word}'`,
  (word) => `$'${word.replace(/./g, (char) => String.raw`\x` + char.charCodeAt(0).toString(16))}'`,
);

repeatedTest("shell-guard: quotes around parts of words change no verdict", async () => {
  const orcs = await guard();
  await fc.assert(
    fc.asyncProperty(
      // A tilde, an assignment and a brace mean something without quotes alone.
      fc.constantFrom(...commands.filter(({ line }) => !/[~=]/.test(line))),
      fc.array(spelling, { minLength: 12, maxLength: 12 }),
      async (row, spellings) => {
        const words = row.line.split(/ +/).filter(Boolean);
        await same(
          row,
          words.map((word, at) => (spellings[at % 12] ?? String)(word)).join(" "),
          orcs,
        );
      },
    ),
    { numRuns: runCount(400) },
  );
});

/** Groups of short options that may be written apart, together and in any order. */
const CLUSTERS = [
  { line: (flags: string) => `rm ${flags} /`, letters: ["r", "f", "v"], needed: ["r"] },
  { line: (flags: string) => `rm ${flags} ../x`, letters: ["R", "f", "I"], needed: ["R"] },
  { line: (flags: string) => `git clean ${flags}`, letters: ["f", "d", "x", "q"], needed: ["f"] },
  {
    line: (flags: string) => `git push ${flags} origin main`,
    letters: ["f", "u", "v", "q"],
    needed: ["f"],
  },
  { line: (flags: string) => `git branch ${flags} topic`, letters: ["D", "q"], needed: ["D"] },
  {
    line: (flags: string) => `git branch ${flags} topic`,
    letters: ["d", "f", "q"],
    needed: ["d", "f"],
  },
  { line: (flags: string) => `chmod ${flags} 755 /etc`, letters: ["R", "v", "c"], needed: ["R"] },
] as const;

repeatedTest("shell-guard: short options match together and apart, in any order", async () => {
  const orcs = await guard();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CLUSTERS).chain((cluster) =>
        fc.record({
          cluster: fc.constant(cluster),
          letters: fc.shuffledSubarray([...cluster.letters]),
          together: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        }),
      ),
      async ({ cluster, letters, together }) => {
        let flags = "";
        for (const [at, letter] of letters.entries()) {
          flags += at > 0 && together[at] ? letter : `${at > 0 ? " " : ""}-${letter}`;
        }
        const { verdict } = await judged(orcs, { command: cluster.line(flags) });
        const dangerous = cluster.needed.every((letter) => (letters as string[]).includes(letter));
        expect(verdict, cluster.line(flags)).toBe(dangerous ? "refuse" : "pass");
      },
    ),
    { numRuns: runCount(300) },
  );
});

const LONG = [
  { before: "git reset", option: "--hard", shortest: 3 },
  { before: "git push", option: "--mirror", shortest: 3 },
  { before: "git clean", option: "--force", shortest: 3 },
  { before: "git switch main", option: "--discard-changes", shortest: 5 },
  { before: "git checkout main", option: "--force", shortest: 4 },
  { before: "rm /etc/x", option: "--recursive", shortest: 3 },
  { before: "chmod 755 /etc", option: "--recursive", shortest: 5 },
] as const;

test("shell-guard: long options match from the shortest unambiguous prefix", async () => {
  const orcs = await guard();
  for (const { before, option, shortest } of LONG) {
    for (let length = shortest; length <= option.length; length++) {
      const command = `${before} ${option.slice(0, length)}`;
      expect((await judged(orcs, { command })).verdict, command).toBe("refuse");
    }
  }
});

repeatedTest("shell-guard: a program matches by its path and with a backslash", async () => {
  const orcs = await guard();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...commands),
      fc.constantFrom("/bin/", "/usr/bin/", "/usr/local/bin/../bin/", "./", "\\"),
      async (row, path) => same(row, path + row.line, orcs),
    ),
    { numRuns: runCount(200) },
  );
});

repeatedTest(
  "shell-guard: a denied line is denied from any folder of the project, and as an argument list",
  async () => {
    const orcs = await guard();
    await fc.assert(
      fc.asyncProperty(refused, async (row) => {
        const words = row.line.split(/ +/).filter(Boolean);
        if (BUILTIN.test(row.line) || CMDLET.test(row.line)) return;
        for (const args of [
          { command: ["bash", "-lc", row.line] },
          { cmd: row.line },
          { script: row.line },
        ]) {
          expect((await judged(orcs, args)).verdict, JSON.stringify(args)).toBe("refuse");
        }
        if (words.every((word) => !/[~*?{=;]/.test(word))) {
          expect((await judged(orcs, { command: words })).verdict, row.line).toBe("refuse");
        }
      }),
      { numRuns: runCount(150) },
    );
  },
);

repeatedTest("shell-guard: no text makes it fail", async () => {
  const orcs = await guard();
  const pieces = fc.constantFrom(
    "rm",
    "-rf",
    "/",
    "git",
    "push",
    "-f",
    "find",
    "(",
    ")",
    "-exec",
    ";",
    "|",
    "$X",
    "$(",
    "`",
    "'",
    '"',
    "&&",
    "{",
    "}",
    "<<",
    "\n",
    " ",
    "--",
    "\0",
    "é",
    "*",
    "~",
    "chmod",
    "-R",
    "kill",
    "-1",
    "xargs",
    "sh",
    "-c",
    "eval",
    "python",
    "=",
    "\\",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(pieces, fc.string({ maxLength: 4, unit: "binary" })), { maxLength: 30 }),
      async (parts) => {
        const { reason } = await judged(orcs, { command: parts.join(" ") });
        expect(reason ?? "").not.toMatch(/failed/);
      },
    ),
    { numRuns: runCount(300) },
  );
});

repeatedTest("shell-guard: a path is judged by its target, in every spelling", async () => {
  const orcs = await guard();
  const part = fc.constantFrom("..", ".", "a", "b", "project", "work", "");
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (parts, absolute) => {
        const path = (absolute ? "/" : "./") + parts.join("/");
        const leads = resolve(CWD, path);
        const { verdict } = await judged(orcs, { command: `rm -rf ${path}` });
        expect(verdict, `${path} leads to ${leads}`).toBe(
          leads.startsWith(`${CWD}/`) ? "pass" : "refuse",
        );
      },
    ),
    { numRuns: runCount(300) },
  );
});
