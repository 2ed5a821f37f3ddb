import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exactWords, readExactWords } from "../../src/core/shell-words.ts";
import { GrantBook } from "../../src/engine/auth/grants.ts";
import { checkCommand, narrowed } from "../../src/engine/auth/policy.ts";
import { OrcsError } from "../../src/core/errors.ts";
import type { Authority, GrantKind } from "../../src/core/permission.ts";
import { ALL_CAPABILITIES, CAPABILITIES } from "../../src/core/permission.ts";
import { partOf, runCount } from "../slow-test.ts";

const OPERATORS = [";", "&", "|", "<", ">", "(", ")", "\n", "\r", "$", "`"];
const NAMES = ["git", "status", "push", "x"];

/** What makes trouble, one after the other without order. */
const PIECES = [
  ...NAMES,
  ...OPERATORS,
  ..." |\t|'|\"|\\|''|\"\"|#|!|{|}|*|?|[|]|~|=|X=1|-s|if|é|😀|\u00a0|\v|\0|\\\n".split("|"),
  "$(x)",
  "`x`",
  "&&",
  "||",
  "2>",
  "'a;b'",
  '"a b"',
  '"\\$"',
  "\\;",
  "\\'",
];
const text = fc
  .array(fc.constantFrom(...PIECES, " ", " ", "git status"), { maxLength: 12 })
  .map((pieces) => pieces.join(""));

/** A word, and one of the ways to write it so that the shell passes on just that. */
const written = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        ...NAMES,
        "",
        "if",
        "X=1",
        "a;b",
        "*",
        "~",
        "$(x)",
        "#",
        "!",
        "it's",
        '"',
        "\\",
      ),
      fc.string({ unit: "binary" }),
    ),
    fc.array(fc.constantFrom("single", "double", "backslash"), { minLength: 1, maxLength: 4 }),
  )
  .map(([raw, styles]) => {
    const word = raw.replaceAll("\0", "");
    return {
      word,
      text:
        Array.from(word, (char, at) => write(char, styles[at % styles.length])).join("") || "''",
    };
  });

function write(char: string, style: string | undefined): string {
  if (style === "double" && !"\n!".includes(char)) return `"${char.replace(/["\\$`]/, "\\$&")}"`;
  if (style === "backslash" && char !== "\n") return `\\${char}`;
  return char === "'" ? `"'"` : `'${char}'`;
}

function granting(...patterns: string[]): GrantBook {
  const book = new GrantBook();
  for (const pattern of patterns) book.add(pattern, "persistent");
  return book;
}

describe("grants and command words", () => {
  it("words round-trip in any quoting and are granted by prefixes only", () => {
    const words = fc.array(written, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        words,
        words,
        fc.nat(5),
        fc.constantFrom(" ", "\t", "  "),
        (one, other, cut, blank) => {
          const command = one.map((word) => word.text).join(blank);
          expect(exactWords(command)).toEqual(one.map(({ word }) => word));
          for (const prefix of [one.slice(0, cut + 1), other, [...one, ...other]]) {
            const book = granting(prefix.map((word) => word.text).join(" "));
            const begins = prefix.every(({ word }, at) => one[at]?.word === word);
            expect(book.covers(command)).toBe(begins);
            expect(book.below().use(command)).toBe(begins);
          }
        },
      ),
      { numRuns: runCount(5_000) },
    );
  });

  it("a covered command has no unquoted operator", () => {
    const book = granting("git", "x", "status", "''", "é");
    let covered = 0;
    fc.assert(
      fc.property(text, (command) => {
        if (!book.covers(command)) return;
        covered++;
        // A second opinion: put a letter for what is quoted; single quotes hold backslashes, double ones escapes.
        const bare = command.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, "q");
        expect(bare).not.toMatch(/[;&|<>()\n\r$`'"\\\0]|(?:^|[ \t])#/);
        const doubles = command.replaceAll(/\\[^]|'[^']*'/g, (quoted) =>
          quoted[0] === "'" ? "''" : "",
        );
        if (!command.includes("'")) expect(doubles).not.toMatch(/[$`]/);
        expect(command).not.toMatch(/^[ \t]*[*?[{}!~#]/);
      }),
      // Few of them are covered.
      { numRuns: 20_000 },
    );
    // Else the property says little.
    expect(covered).toBeGreaterThan(100);
  });

  it("words with an operator between them are not covered", () => {
    const blank = fc.constantFrom("", " ");
    const begin = fc.constantFrom("git", "git status", '"git"  status', "git status -s");
    const rest = fc.array(
      fc.oneof(
        written.map((word) => word.text),
        fc.constantFrom("rm", "-rf", "*.ts"),
      ),
    );
    fc.assert(
      fc.property(
        begin,
        rest,
        rest,
        fc.constantFrom(...OPERATORS),
        blank,
        blank,
        (start, some, more, operator, before, after) => {
          const command = [start, ...some].join(" ") + before + operator + after + more.join(" ");
          for (const grant of ["git", "git status"]) {
            expect(granting(grant).covers(command)).toBe(false);
            expect(granting(grant).use(command)).toBe(false);
          }
          expect(granting("git").covers(operator + command)).toBe(false);
        },
      ),
      { numRuns: runCount(5_000) },
    );
  });

  it("a command that is not plain is no pattern, and a pattern covers itself", () => {
    fc.assert(
      fc.property(text, (pattern) => {
        const words = readExactWords(pattern);
        const book = new GrantBook();
        if (words?.every((word) => word.literal)) {
          book.add(pattern, "one_time");
          expect(book.use(`${pattern} x`)).toBe(true);
        } else {
          expect(() => book.add(pattern, "persistent")).toThrow(OrcsError);
        }
        expect(book.covers(pattern)).toBe(false);
      }),
      { numRuns: runCount(10_000) },
    );
  });
});

it("a suggested grant pattern covers its command, or no pattern can", () => {
  const commands = fc.oneof(
    text,
    fc.array(written, { minLength: 1 }).map((words) => words.map((word) => word.text).join(" ")),
  );
  fc.assert(
    fc.property(commands, (command) => {
      const who = someone(ALL_CAPABILITIES, false);
      const permission = checkCommand(command, who);
      expect(permission.status).toBe("requires_approval");
      if (permission.status !== "requires_approval") return;
      if (permission.grant_pattern === "") {
        expect(readExactWords(command)?.[0]?.literal ?? false).toBe(false);
        return;
      }
      who.grants.add(permission.grant_pattern, "persistent");
      expect(checkCommand(command, who)).toEqual({ status: "allowed" });
    }),
    { numRuns: runCount(10_000) },
  );
});

/** The shells there are; `sh` is what commands are run with. */
const SHELLS = ["sh", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);

// In CI with one of them: what is written for a shell is for both.
describe.each(partOf(SHELLS, 2))("the shell %s", (shell) => {
  let place = "";

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "orcs-grants-"));
    mkdirSync(join(place, "bin"));
    // Each command says with what it was called: how many words, its own name, the words.
    const script = `#!/bin/sh\nprintf '%s\\0' "$#" "\${0##*/}" "$@"\n`;
    for (const name of [...NAMES, "if", "é"]) {
      writeFileSync(join(place, "bin", name), script);
      chmodSync(join(place, "bin", name), 0o755);
    }
    // So that globs find something, the words of a grant first of all.
    for (const name of [...NAMES, "X=1", "a"]) writeFileSync(join(place, name), "");
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  /** The calls that a command line makes. */
  function callsOf(command: string): string[][] {
    const env = { PATH: join(place, "bin"), HOME: place, LC_ALL: "C.UTF-8" };
    const { stdout } = spawnSync(findShell(shell), ["-c", command], {
      cwd: place,
      env,
      encoding: "utf8",
    });
    const said = stdout.split("\0").slice(0, -1);
    const calls: string[][] = [];
    while (said.length > 0) calls.push(said.splice(0, Number(said.shift()) + 1));
    return calls;
  }

  it("reports its calls to this test", () => {
    expect(callsOf(`git "a b" ''; x`)).toEqual([["git", "a b", ""], ["x"]]);
    expect(callsOf("git st*")).toEqual([["git", "status"]]);
    expect(callsOf("X=1 git status")).toEqual([["git", "status"]]);
  });

  it.each([
    "git status",
    "  git\tstatus -s ",
    `"git" status`,
    `g\\it st''at"us"`,
    "git status 'a; x'",
    "git status \\; x",
    `git status "\\$x \\\`x\\\` \\" \\\\ \\a"`,
    "git status a#b ''# \\#",
    "git status '$(x)' '`x`'",
    "git status ! { } if",
    "git status 'a\nx' \"a\nx\"",
    "git status '\r' \"\r\" \\\r",
    "git status \u00a0 \v \u2028 é 😀 \\😀",
    "git status X=1 --a=b =x",
    "git status '*' \\? \"[a]\" '~' \\{a,b}",
    "'git' 'status' '' \"\"",
    "\\if x",
    "'if' x",
    "é x",
  ])("makes one call with the words of %j", (command) => {
    // A lone brace is what it says, so `literal` is no matter here.
    expect(callsOf(command)).toEqual([exactWords(command)]);
  });

  it("makes one call that begins with the grant's words", () => {
    const begin = fc.constantFrom(
      "git",
      "git ",
      "git status",
      '"git" status ',
      "g\\it 'status'",
      "git st",
      "x ",
    );
    const rest = fc.array(
      fc.constantFrom(...PIECES.filter((piece) => !OPERATORS.includes(piece)), " ", " "),
      { maxLength: 10 },
    );
    const grants = [["git", "status"], ["git"], ["x"]];
    const commands = fc
      .sample(fc.tuple(begin, rest), 3_000)
      .map(([start, pieces]) => start + pieces.join(""))
      .filter((command) => granting("git", "x").covers(command))
      .slice(0, 150);
    expect(commands.length).toBeGreaterThan(50);
    for (const command of commands) {
      const calls = callsOf(command);
      expect(calls, JSON.stringify(command)).toHaveLength(1);
      for (const grant of grants) {
        if (!granting(grant.join(" ")).covers(command)) continue;
        expect(calls[0]?.slice(0, grant.length), JSON.stringify(command)).toEqual(grant);
      }
      const words = readExactWords(command);
      if (words?.every((word) => word.literal))
        expect(calls[0], JSON.stringify(command)).toEqual(words.map((word) => word.text));
    }
  });

  it("passes words on as they were quoted", () => {
    const words = fc.array(written, { minLength: 1, maxLength: 8 });
    for (const some of fc.sample(words, 60)) {
      // Lone surrogates are no text that a process can be given.
      if (!some.every(({ word }) => Buffer.from(word).toString() === word)) continue;
      const command = `git ${some.map((word) => word.text).join(" ")}`;
      expect(callsOf(command), JSON.stringify(command)).toEqual([
        ["git", ...some.map(({ word }) => word)],
      ]);
    }
  });
});

function findShell(shell: string): string {
  return spawnSync("sh", ["-c", `command -v ${shell}`], { encoding: "utf8" }).stdout.trim();
}

describe("grant books above and below", () => {
  /** One line of books; the same in lists, as simply as can be. */
  const step = fc.record({
    book: fc.nat(3),
    act: fc.constantFrom("add", "add", "use", "covers"),
    pattern: fc.constantFrom("git", "git status", "git status x", "x"),
    kind: fc.constantFrom<GrantKind[]>("persistent", "one_time", "one_time"),
  });

  it("agree with lists of prefixes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const books = [new GrantBook()];
        while (books.length < 4) books.push((books.at(-1) as GrantBook).below());
        const lists: { pattern: string; kind: GrantKind }[][] = books.map(() => []);
        for (const { book, act, pattern, kind } of steps) {
          const own = lists[book] ?? [];
          const reach = lists.slice(0, book + 1).reverse();
          const covering = reach.flatMap((list) =>
            list
              .filter((grant) => `${pattern} `.startsWith(`${grant.pattern} `))
              .sort((a, b) => b.pattern.length - a.pattern.length),
          );
          if (act === "add") {
            books[book]?.add(pattern, kind);
            const again = own.some((grant) => grant.pattern === pattern && grant.kind === kind);
            if (kind === "one_time" || !again) own.push({ pattern, kind });
          } else {
            expect(books[book]?.[act](pattern)).toBe(covering.length > 0);
          }
          if (act === "use" && !covering.some((grant) => grant.kind === "persistent")) {
            const list = reach.find((grants) => grants.includes(covering[0] as never));
            list?.splice(list.indexOf(covering[0] as never), 1);
          }
          const sorted = (grants: readonly { pattern: string; kind: GrantKind }[] | undefined) =>
            (grants ?? []).map((grant) => JSON.stringify([grant.kind, grant.pattern])).sort();
          expect(books.map((each) => sorted(each.list()))).toEqual(lists.map(sorted));
        }
      }),
      { numRuns: runCount(2_000) },
    );
  });
});

function someone(capabilities: number, elevated: boolean): Authority {
  return {
    capabilities,
    sandboxRoot: "/box",
    session: { id: "s", elevated },
    grants: new GrantBook(),
  };
}

describe("a line of narrowed children", () => {
  const asked = fc.record({
    capabilities: fc.oneof(fc.nat(ALL_CAPABILITIES), fc.integer(), fc.double()),
    elevated: fc.option(fc.boolean(), { nil: undefined }),
    session: fc.constantFrom("t", "u"),
    granted: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
  });

  it("never gains permissions, and a child's grant does not apply to its parents", () => {
    const RANK = { denied: 0, requires_approval: 1, allowed: 2 };
    const line = fc.array(asked, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.nat(ALL_CAPABILITIES),
        fc.boolean(),
        line,
        fc.boolean(),
        (bits, elevated, children, execute) => {
          const top = someone(execute ? bits | CAPABILITIES.EXECUTE : bits, elevated);
          const all = [top];
          const ownGrants = [""];
          for (const child of children) {
            const parent = all.at(-1) as Authority;
            if (child.elevated === true && !parent.session.elevated) {
              expect(() => narrowed(parent, child)).toThrow("ORCS6015");
              continue;
            }
            const next = narrowed(parent, child);
            expect(next.capabilities & ~parent.capabilities).toBe(0);
            expect(next.capabilities & ~child.capabilities).toBe(0);
            expect(next.session.elevated && !parent.session.elevated).toBe(false);
            expect(next.session.elevated && child.elevated === false).toBe(false);
            expect(next.sandboxRoot).toBe(top.sandboxRoot);
            for (const command of ["other", "other; x", ""]) {
              const [above, below] = [checkCommand(command, parent), checkCommand(command, next)];
              expect(RANK[below.status]).toBeLessThanOrEqual(RANK[above.status]);
            }
            for (const cwd of ["..", "/", "/boxes"])
              expect(checkCommand("git", next, cwd).status).toBe("denied");
            if (child.granted !== undefined) next.grants.add(child.granted, "persistent");
            all.push(next);
            ownGrants.push(child.granted ?? "");
          }
          for (const [at, who] of all.entries()) {
            for (const name of NAMES)
              expect(who.grants.covers(name)).toBe(ownGrants.slice(0, at + 1).includes(name));
          }
        },
      ),
      { numRuns: runCount(2_000) },
    );
  });
});
