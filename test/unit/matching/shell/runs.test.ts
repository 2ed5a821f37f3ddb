import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { ShellCommand } from "../../../../src/core/shell.ts";
import { quoteWords } from "../../../../src/core/shell-words.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { RUNS_FLAGS } from "../../../../src/matching/shell/flags.ts";
import { compileRuns } from "../../../../src/matching/shell/match-command.ts";
import { patternTable } from "./pattern-table.ts";
import { quickTest as it, repeatedTest, runCount } from "../../../slow-test.ts";

/**
 * A command from its words, parted by blanks: `$…` is a word that is not known, and one that holds a `$` is not wholly
 * known. The pattern side alone is tested here, whatever the reader makes of a line.
 */
function command(text: string, more: Partial<ShellCommand> = {}): ShellCommand {
  const argv = text.split(" ").filter((word) => word !== "");
  const unknown = [...argv.keys()].filter((at) => argv[at]?.includes("$"));
  const isOpaque = unknown.includes(0) || argv.length === 0;
  return {
    argv,
    unknown,
    program: isOpaque ? "" : (argv[0]?.split("/").at(-1) ?? ""),
    redirects: [],
    via: [],
    from: [],
    cwd: ".",
    dynamic: unknown.length > 0 || isOpaque,
    opaque: isOpaque,
    ...more,
  };
}
const holds = (pattern: string | readonly string[], text: string): boolean =>
  compileRuns([pattern].flat())([command(text)]);

const TABLE = patternTable("runs");

describe.each(Object.entries(TABLE))("%s", (pattern, { yes, no }) => {
  it.each(yes)("holds for %s", (text) => expect(holds(pattern, text)).toBe(true));
  it.each(no)("does not hold for %s", (text) => expect(holds(pattern, text)).toBe(false));
});

describe("match.runs: an unknown word may be anything", () => {
  it("adding words or unknown words to a matching line keeps it matching", () => {
    const stopped: string[] = [];
    for (const [pattern, { yes }] of Object.entries(TABLE)) {
      const runs = compileRuns([pattern]);
      const expectHeld = (text: string): void => {
        if (!runs([command(text)])) stopped.push(`${pattern}: ${text}`);
      };
      // Where the program is not known either, a word that is known has to match.
      for (const text of yes.filter((each) => !each.startsWith("$"))) {
        for (const more of ["x", "-q", "--zz", "-- y", "$X", "-$X"]) expectHeld(`${text} ${more}`);
        const words = text.split(" ");
        for (const [at, word] of words.entries()) {
          if (at === 0) continue;
          for (let kept = 0; kept <= word.length; kept++) {
            expectHeld(words.with(at, `${word.slice(0, kept)}$X`).join(" "));
          }
        }
      }
    }
    expect(stopped).toEqual([]);
  });

  it("but not a flag in a find -exec argument", () => {
    const found = (text: string, via: string[]): boolean =>
      compileRuns(["rm -r*"])([
        { ...command(text), unknown: [text.split(" ").indexOf("{}")], via },
      ]);
    expect(found("rm -f {}", ["find"])).toBe(false);
    expect(found("rm -rf {}", ["find"])).toBe(true);
    expect(found("rm -f {}", ["xargs"])).toBe(true);
    expect(found("rm -f {}", ["find", "sh"])).toBe(true);
  });
});

describe("match.runs: a command with an unknown name", () => {
  it.each([
    ["?", "$X", true],
    ["?", "$X -rf .", true],
    ["?", "", true],
    ["?", "ls $X", false],
    [" ? ", "$X", true],
  ])("%s and %j: %s", (pattern, text, expected) => {
    expect(holds(pattern, text)).toBe(expected);
  });

  it("? matches it", () => {
    const shell = command("sh", { opaque: true, dynamic: true });
    expect(compileRuns(["?"])([shell])).toBe(true);
    expect(compileRuns(["rm -r*"])([shell])).toBe(false);
    expect(compileRuns(["sh"])([shell])).toBe(true);
    const glob = command("/bin/r? -rf .", { program: "", opaque: true, dynamic: true });
    expect(compileRuns(["rm -r*"])([glob])).toBe(true);
  });
});

describe("match.runs: a list of patterns", () => {
  it("matches if one pattern matches one command", () => {
    const runs = compileRuns(["git push --force", "rm -r*", "mkfs*", "git reset --hard"]);
    const line = (...texts: string[]): boolean => runs(texts.map((text) => command(text)));
    expect(line()).toBe(false);
    expect(line("ls", "git push")).toBe(false);
    expect(line("ls", "git push -f", "ls")).toBe(true);
    expect(line("git reset --hard")).toBe(true);
    expect(line("ls", "mkfs.ext4 x")).toBe(true);
    // What one command lacks is not made up for by another.
    expect(line("git push", "git pull --force")).toBe(false);
  });

  it("is not confused by names of object properties", () => {
    for (const name of ["constructor", "__proto__", "valueOf", "hasOwnProperty"]) {
      expect(holds("rm -r*", `${name} -r`)).toBe(false);
      expect(holds(name, `${name} -r`)).toBe(true);
      expect(holds(`git ${name}`, `git ${name} x`)).toBe(true);
      expect(holds(`${name} --${name}`, `${name} x`)).toBe(false);
      expect(holds(`${name} --${name}`, `${name} --${name}=1`)).toBe(true);
    }
  });
});

describe("match.runs: invalid patterns", () => {
  it.each([
    ["", "does not begin with a program name"],
    ["  ", "does not begin with a program name"],
    ["''", "does not begin with a program name"],
    ["*", "only a final * is"],
    ["git 'push", "is not closed"],
    ['git "push', "is not closed"],
    ['git "pu\\"', "is not closed"],
    ["git push \\", "ends with a backslash"],
    ["git push | cat", "write one pattern for each"],
    ["git push; ls", "write one pattern for each"],
    ["git push && ls", "write one pattern for each"],
    ["(git push)", "write one pattern for each"],
    ["git push\nls", "write one pattern for each"],
    ["git push > x", "redirection"],
    ["git push 2>&1", "redirection"],
    ["git push $BRANCH", "write the value"],
    ["git push ${BRANCH}", "write the value"],
    ['git push "$BRANCH"', "write the value"],
    ['git push "a`x`"', "write the value"],
    ["git push `x`", "write the value"],
    ["git * --force", "only a final * is"],
    ["git p*h", "only a final * is"],
    ["rm -r**", "only a final * is"],
    ["rm ?", "is not a wildcard"],
    ["rm [ab]", "is not a wildcard"],
    ["rm {a,b}", "write one pattern for each"],
    ["rm {1..3}", "write one pattern for each"],
    ["rm -r ~", "write the full directory"],
    ["rm -r ~/x", "write the full directory"],
    ["git push # x", "begins a comment"],
    ["A=1 git push", "begins with the program"],
    ["rm -*", "is not a flag"],
    ["rm --*", "is not a flag"],
    ["rm \0", "is not allowed in a command"],
    ["x".repeat(5_000), "longer than"],
    ["x ".repeat(65), "more than 64 words"],
  ])("%j: %s", (pattern, why) => {
    const compile = (): unknown => compileRuns(["ls", pattern]);
    expect(compile).toThrow(why);
    expect(compile).toThrow(
      expect.objectContaining({ code: "ORCS1012", fields: { key: "runs", pattern } }),
    );
  });

  it("look-alikes are accepted", () => {
    for (const pattern of [
      "a '|' \\; \"&\"",
      "stash@{0}",
      "a~b c#d",
      "a b=c",
      "x 5$ '$A' \\$A",
      "{} {a}",
      "a !",
    ]) {
      expect(() => compileRuns([pattern])).not.toThrow();
    }
  });

  it("an empty list is rejected", () => {
    expect(() => compileRuns([])).toThrow(expect.objectContaining({ code: "ORCS1012" }));
  });

  repeatedTest("no other error is thrown for any pattern", () => {
    const char = fc.constantFrom(...Array.from("ab -*?'\"\\$`|{},=~#@+:/\0\n"));
    fc.assert(
      fc.property(fc.string({ unit: char, maxLength: 20 }), (pattern) => {
        try {
          compileRuns([pattern])([command("a -b $c"), command("")]);
        } catch (thrown) {
          if (!(thrown instanceof OrcsError) || thrown.code !== "ORCS1012") throw thrown;
        }
      }),
      { numRuns: runCount(2_000) },
    );
  });
});

it("each flag letter of a program is listed once", () => {
  for (const [program, flags] of Object.entries(RUNS_FLAGS)) {
    const entries = flags.split(" ");
    for (const entry of entries) expect(entry, program).toMatch(/^\w?[=:]([\w-]+([,|][\w-]+)*)?$/);
    const letters = entries.flatMap((entry) => /^\w(?=[=:])/.exec(entry) ?? []);
    expect(new Set(letters).size, program).toBe(letters.length);
  }
});

describe("the table of docs/reference/matchers.md", () => {
  const page = readFileSync(
    new URL("../../../../docs/reference/matchers.md", import.meta.url),
    "utf8",
  );
  const [, table = ""] = /^\| pattern \| holds for .*\n\|[- |]*\n((?:\|.*\n)*)/m.exec(page) ?? [];
  const spans = (cell = ""): string[] =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code.replaceAll("\\|", "|"));
  const rows = table
    .trimEnd()
    .split("\n")
    .map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
  const shell = createShellReader();

  it("has rows", () => expect(rows.length).toBeGreaterThan(15));

  it.each(rows)("%s", (pattern, yes, no) => {
    const runs = compileRuns(spans(pattern));
    const [held, not] = [spans(yes), spans(no)];
    const holds = (line: string): boolean => {
      const { commands, unread } = shell.read(line);
      return runs(commands, unread);
    };
    expect(held.filter(holds)).toEqual(held);
    expect(not.filter((line) => !holds(line))).toEqual(not);
    expect(held.length * not.length).toBeGreaterThan(0);
  });
});

describe("match.runs is independent of spelling", () => {
  const shell = createShellReader({ home: "/home/me" });
  const runs = compileRuns(["git push --force", "rm -rf*", "git branch -D", "docker rm -f"]);
  const lineHolds = (words: readonly string[], wrap: (line: string) => string): boolean =>
    runs(shell.read(wrap(words.join(" "))).commands);

  const word = fc.constantFrom(
    "x",
    "main",
    "origin",
    "-v",
    "-f",
    "-r",
    "-d",
    "-D",
    "--force",
    "--",
    "a.b",
  );
  const head = fc.constantFrom("git push", "rm", "git branch", "docker rm", "git log", "ls");
  const line = fc
    .tuple(head, fc.array(word, { maxLength: 5 }))
    .map(([first, rest]) => first.split(" ").concat(rest));

  const quotes: fc.Arbitrary<(text: string) => string> = fc.constantFrom(
    (text: string) => text,
    (text: string) => `'${text}'`,
    (text: string) => `"${text}"`,
    (text: string) => `${text.slice(0, 1)}''${text.slice(1)}`,
    (text: string) => text.replaceAll(/(.)/g, "\\$1"),
  );
  it("of quotes", () => {
    fc.assert(
      fc.property(line, fc.array(quotes, { minLength: 8, maxLength: 8 }), (words, how) => {
        const quoted = words.map((each, at) => how[at]?.(each) ?? each);
        expect(lineHolds(quoted, (text) => text)).toBe(lineHolds(words, (text) => text));
      }),
    );
  });

  const WRAPS: Readonly<Record<string, (line: string) => string>> = {
    "sh -c": (text) => `sh -c ${quoteWords([text])}`,
    "bash -lc, twice": (text) => `bash -lc ${quoteWords([`sh -c ${quoteWords([text])}`])}`,
    env: (text) => `env A=1 ${text}`,
    sudo: (text) => `sudo -n ${text}`,
    nohup: (text) => `nohup ${text} &`,
    timeout: (text) => `timeout -k 1 5 ${text}`,
    "( )": (text) => `(${text})`,
    "{ }": (text) => `{ ${text}; }`,
    "$( )": (text) => `echo "$(${text})"`,
    "a pipe": (text) => `true | ${text} | cat`,
    "a list": (text) => `cd x && ${text} || true`,
    eval: (text) => `eval ${quoteWords([text])}`,
    redirects: (text) => `2>&1 ${text} > out`,
    assignments: (text) => `A=1 B=2 ${text}`,
  };
  it.each(Object.entries(WRAPS))("%s", (_name, wrap) => {
    fc.assert(
      fc.property(line, (words) => {
        expect(lineHolds(words, wrap)).toBe(lineHolds(words, (text) => text));
      }),
    );
  });

  repeatedTest("of the order and form of flags", () => {
    const flags = fc.shuffledSubarray(["r", "f", "v", "i"], { minLength: 1 });
    const longs: Readonly<Record<string, string>> = {
      r: "--recursive",
      f: "--force",
      v: "--verbose",
    };
    const together = (letters: readonly string[]): string => `-${letters.join("")}`;
    fc.assert(
      fc.property(flags, fc.nat(4), fc.nat(4), fc.boolean(), (letters, cut, at, inWords) => {
        const spelt = [letters.slice(0, cut), letters.slice(cut)]
          .filter((group) => group.length > 0)
          .flatMap((group) =>
            inWords ? group.map((each) => longs[each] ?? `-${each}`) : together(group),
          );
        const words = ["x", "y"];
        words.splice(Math.min(at, 2), 0, ...spelt);
        const expected = letters.includes("r") && letters.includes("f");
        expect(holds("rm -rf x", `rm ${words.join(" ")}`)).toBe(expected);
        // Nor does the pattern's own.
        expect(holds(`rm ${spelt.join(" ")}`, "rm -rvif x")).toBe(true);
      }),
      { numRuns: runCount(500) },
    );
  });
});
