import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createShellReader } from "../../../../src/matchers/shell/reader.ts";

const MAX = 65_536;

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("");
}

/** Lines that cannot be read, or that nobody should have to read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  "a quote without an end": "rm 'a",
  "a double quote without an end": 'echo "rm',
  "a substitution without an end": "rm $(ls",
  "a backtick without an end": "rm `ls",
  "a brace without an end": "{ rm a",
  "an if without an end": "if a; then rm b",
  "a parenthesis too many": "rm a)",
  "no command between pipes": "a | | rm b",
  NUL: "rm\0 -rf /",
  "NUL in quotes": "rm 'a\0b'",
  "a script within with a mistake": `sh -c "rm 'a"`,
  "an unfinished script in eval": "eval 'if rm a'",
  "more than is read": "a".repeat(MAX + 1),
  parentheses: "(".repeat(MAX),
  substitutions: "$(".repeat(MAX / 2),
  braces: "{ ".repeat(MAX / 2),
  ifs: "if ".repeat(MAX / 4),
  backticks: "`".repeat(MAX - 1),
  quotes: '"'.repeat(MAX - 1),
  "nested substitutions": `${"$(a ".repeat(300)}${")".repeat(300)}`,
  "nested subshells": `${"(".repeat(300)}a${")".repeat(300)}`,
  "variables that double": `a=xxxxxxxxxxxxxxxx;${"a=$a$a;".repeat(60)}$a`,
  "functions that call two others": `${many(60, (at) => `f${at}(){ f${at + 1};f${at + 1}; };`)}f0`,
  "aliases that double": `${many(60, (at) => `alias a${at}='a${at + 1};a${at + 1}';`)}a0`,
  "nested loops": `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(30)}a;${"done;".repeat(30)}`,
  "braces in braces": "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b};".repeat(1_700),
  evals: "eval ".repeat(13_000),
  "here-documents": "<<A ".repeat(300),
};

describe("what cannot be read", () => {
  test.each(Object.entries(UNREADABLE))("%s: opaque as a whole", (_, line) => {
    const commands = createShellReader().read(line);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({
      argv: [],
      program: "",
      cwd: undefined,
      dynamic: true,
      opaque: true,
    });
  });
});

/** Long lines that can be read, and how many commands they list. */
const LONG: Readonly<Record<string, readonly [line: string, commands: number]>> = {
  "10,000 pipes": [`a${"| b".repeat(10_000)}`, 10_001],
  "many programs in a pipe": [many(9_000, (at) => `p${at}|`).concat("q"), 9_001],
  lists: ["a;".repeat(MAX / 2), MAX / 2],
  "and-lists": [`${"a&&".repeat(21_000)}a`, 21_001],
  words: ["a ".repeat(MAX / 2), 1],
  "unclosed here-document": ["cat <<EOF\nrm", 1],
  "a long here-document for a shell": [`bash <<E\n${"rm x\n".repeat(12_000)}E`, 12_001],
  "250 here-documents": [many(250, () => "sh <<E\nrm\nE\n"), 500],
  CRLF: ["a\r\n".repeat(20_000), 20_000],
  "look-alikes": ["rм -rf /; ｒｍ x; rm\u00A0x", 3],
  "other letters": ["é".repeat(MAX), 1],
  backslashes: ["\\".repeat(MAX - 2), 1],
  folders: ["cd a;".repeat(13_000), 13_000],
  conditions: ["if a;then x=1;else x=2;fi;".repeat(2_500), 2_500],
  "loops in loops": [`${"while a; do x=1;".repeat(60)}${"done;".repeat(60)}`, 120],
  traps: ["trap 'rm $X' INT;".repeat(3_800), 11_400],
  coprocesses: ["coproc a;".repeat(7_000), 7_000],
  outputs: ["tee >(a) ".repeat(7_000), 7_001],
  parameters: [`set -- ${"a ".repeat(5_000)};${"x;".repeat(20_000)}`, 20_001],
};

describe("long lines", () => {
  test.each(Object.entries(LONG))("%s", (_, [line, count]) => {
    const commands = createShellReader().read(line);
    expect(commands).toHaveLength(count);
    expect(commands.every(({ opaque }) => !opaque)).toBe(true);
  });
});

test("a line is as long as it may be, and no longer", () => {
  const reader = createShellReader();
  expect(reader.read("a".repeat(MAX))[0]?.opaque).toBe(false);
  expect(reader.read("a".repeat(MAX + 1))[0]?.opaque).toBe(true);
});

test("CRLF ends a line as LF does", () => {
  const reader = createShellReader();
  expect(reader.read("rm a\r\nif b; then\r\nrm c\r\nfi\r\n").map(({ argv }) => argv)).toStrictEqual(
    [["rm", "a"], ["b"], ["rm", "c"]],
  );
});

test("look-alikes are other programs", () => {
  expect(
    createShellReader()
      .read("гm x; rm\u00A0x")
      .map(({ program }) => program),
  ).toStrictEqual(["гm", "rm\u00A0x"]);
});

test("the character that marks what is not known cannot be used to hide something", () => {
  const [command] = createShellReader().read("rm \uFDD0/");
  expect(command?.unknown).toStrictEqual([1]);
  expect(createShellReader().read("\uFDD0rm /")[0]?.opaque).toBe(true);
});

test("what a line lists is the same when it is read again, and in another order", () => {
  const reader = createShellReader({ home: "/h" });
  const lines = [
    "X=rm; $X a",
    "$X a",
    "f() { rm a; }; f",
    "f",
    "cd /x; rm a",
    "rm a",
    "alias ls=rm; ls",
    "ls",
  ];
  const first = lines.map((line) => reader.read(line));
  const again = lines.toReversed().map((line) => reader.read(line));
  expect(again.toReversed()).toStrictEqual(first);
  const fresh = lines.map((line) => createShellReader({ home: "/h" }).read(line));
  expect(first).toStrictEqual(fresh);
});

test("directories do not mix when a line is read in several", () => {
  const reader = createShellReader();
  expect(reader.read("rm a", "/x")[0]?.cwd).toBe("/x");
  expect(reader.read("rm a", "/y")[0]?.cwd).toBe("/y");
  expect(reader.read("rm a")[0]?.cwd).toBe(".");
  expect(reader.read("/x\0rm a")[0]?.opaque).toBe(true);
});

const PIECES = [
  "rm",
  "a",
  " ",
  "\n",
  ";",
  "|",
  "&",
  "&&",
  "||",
  "(",
  ")",
  "{ ",
  " }",
  "$(",
  "`",
  "'",
  '"',
  "\\",
  "$X",
  "${X:-",
  "}",
  "X=",
  "<<E\n",
  "E\n",
  ">",
  "<(",
  ">(",
  "if ",
  "then ",
  "fi",
  "for x in ",
  "do ",
  "done",
  "case ",
  " in ",
  "esac",
  "[[ ",
  " ]]",
  "((",
  "))",
  "f() ",
  "sh -c ",
  "eval ",
  "sudo ",
  "env ",
  "xargs ",
  "find . -exec ",
  " \\;",
  "trap ",
  "alias ",
  "set -- ",
  '"$@"',
  "{a,b}",
  "{1..3}",
  "*",
  "~",
  "#",
  "!",
  "=",
  "\r\n",
  "\t",
  "é",
  "${a[@]}",
  "$((",
  "git -c ",
  "ssh h ",
];

test("any text is read: one opaque command, or commands whose parts agree", () => {
  const reader = createShellReader({ home: "/h" });
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "grapheme" })), (line) => {
      for (const { argv, unknown, program, redirects, dynamic, opaque } of reader.read(line)) {
        expect(unknown.every((at) => at < argv.length)).toBe(true);
        if (opaque || unknown.length > 0 || redirects.some((file) => file.dynamic))
          expect(dynamic).toBe(true);
        if (!opaque && /[^/]$/.test(argv[0] ?? "")) expect(program).not.toBe("");
        expect(argv.join("").includes("\uFDD0")).toBe(false);
      }
    }),
    { numRuns: 3_000 },
  );
});
