import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { createShellReader, replaceWords } from "../../../../src/matching/shell/shell.ts";

const { read } = createShellReader({ home: "/home/me" });
const spans = (line: string) => read(line, undefined, { spans: true }).commands;

/** Each command of a line, as the text that stands at the places of its words. */
function placed(line: string): string[][] {
  return spans(line).map(({ spans: at = [] }) =>
    at.map((span) => (span ? line.slice(span.begin, span.end) : "-")),
  );
}

describe("spans", () => {
  test("are the places of words as they are written", () => {
    expect(placed(`X=1 git 'a b' "$Y"'z' >f ~/x`)).toEqual([["git", "'a b'", `"$Y"'z'`, "~/x"]]);
    expect(placed("é; sudo -u x npm install")).toEqual([
      ["é"],
      ["sudo", "-u", "x", "npm", "install"],
      ["npm", "install"],
    ]);
  });

  test("in substitutions, groups, loops and functions", () => {
    expect(placed('echo "$(rm a)" `rm b`')).toContainEqual(["rm", "a"]);
    expect(placed("(cd a && { ls b; })")).toContainEqual(["ls", "b"]);
    expect(placed("for i in 1 2; do rm c; done")).toContainEqual(["rm", "c"]);
    expect(placed("f() { rm d; }; f")).toContainEqual(["rm", "d"]);
  });

  test("not of words from elsewhere", () => {
    expect(placed("sh -c 'rm a'")).toEqual([
      ["sh", "-c", "'rm a'"],
      ["-", "-"],
    ]);
    expect(placed("eval 'f() { rm x; }'; f").at(-1)).toEqual(["-", "-"]);
    expect(placed("rm {a,b} c")).toEqual([["rm", "-", "-", "c"]]);
    expect(placed("echo a\r\nrm b").flat()).toEqual(["-", "-", "-", "-"]);
  });

  test("not unless they are requested", () => {
    expect(read("ls").commands[0]).not.toHaveProperty("spans");
  });
});

describe("replaceWords", () => {
  const first = (line: string, at: number) => spans(line)[0]?.spans?.[at] ?? { begin: -1, end: -1 };

  test("leaves everything else as it is", () => {
    const line = "  npm  'install'   # later";
    const edits = [{ span: first(line, 1), words: ["ci", "--no-audit"] }];
    expect(replaceWords(line, edits)).toBe("  npm  ci --no-audit   # later");
  });

  test("the command that is read back has the new words, whatever they are", () => {
    const word = string({ unit: constantFrom(..."ab=$`'\"\\ \n;|&(){}<>*?~#!-éif".split("")) });
    assert(
      property(array(word, { minLength: 1, maxLength: 3 }), (words) => {
        for (const line of ["x a b", "true && x a b | cat", "sudo x a b", "$(x a b)"]) {
          const found = spans(line).find(({ program }) => program === "x");
          const span = found?.spans?.[1];
          if (!span) throw new Error(line);
          const again = read(replaceWords(line, [{ span, words }]));
          const now = again.commands.find(({ program }) => program === "x");
          expect(now?.argv).toEqual(["x", ...words, "b"]);
          expect(again.unread).toBeUndefined();
        }
      }),
    );
  });

  test("a new name is a name, also if it is a keyword or looks like an assignment", () => {
    for (const name of ["if", "X=1", "time", "a b", "~"]) {
      const line = replaceWords("x a", [{ span: first("x a", 0), words: [name] }]);
      expect(read(line).commands[0]?.argv).toEqual([name, "a"]);
    }
  });

  test("equal edits are one; others that overlap are an error", () => {
    const line = "for i in 1 2; do x a; done";
    const span = { begin: 19, end: 20 };
    expect(
      replaceWords(line, [
        { span, words: ["b"] },
        { span, words: ["b"] },
      ]),
    ).toContain("x b;");
    const clash = [
      { span, words: ["b"] },
      { span, words: ["c"] },
    ];
    expect(() => replaceWords(line, clash)).toThrow("two edits overlap");
  });

  test("refuses what the line cannot contain, and places that it does not have", () => {
    const span = { begin: 6, end: 7 };
    expect(() => replaceWords("echo `x a`", [{ span, words: ["$b"] }])).toThrow(/cannot contain/);
    expect(() => replaceWords("echo x", [{ span, words: ["a\0"] }])).toThrow();
    for (const [begin, end] of [
      [-1, 1],
      [1, 1],
      [0, 99],
      [0.5, 1],
      [Number.NaN, 1],
    ] as const) {
      expect(() => replaceWords("x a", [{ span: { begin, end }, words: ["b"] }])).toThrow(
        RangeError,
      );
    }
  });
});
