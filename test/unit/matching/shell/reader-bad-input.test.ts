import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { cpuMs } from "../../../cpu-time.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { quickTest as test, repeatedTest, runCount, slowTest } from "../../../slow-test.ts";

const MAX = 65_536;

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("");
}

const TOO_DEEP = "it is nested too deeply";
const TOO_MUCH = "its expansion is too large";

/** Lines of which a part cannot be read: what is read of them, and why it is not all. */
const UNREADABLE: Readonly<
  Record<string, readonly [line: string, read: readonly string[], why: string]>
> = {
  "a quote without an end": ["rm 'a", ["rm"], "syntax error: unterminated single quote"],
  "a double quote without an end": [
    'echo a; rm "b',
    ["echo a", "rm"],
    "syntax error: unterminated double quote",
  ],
  "a substitution without an end": [
    "rm $(ls",
    ["rm"],
    "syntax error: unterminated command substitution",
  ],
  "a backtick without an end": ["rm `ls", ["rm"], "syntax error: unterminated backtick"],
  "a brace without an end": ["{ rm a", ["rm a"], "syntax error: expected '}' to close brace group"],
  "an if without an end": [
    "if a; then rm b",
    ["a", "rm b"],
    "syntax error: expected 'fi' to close 'if'",
  ],
  "an end without an if": ["rm a\nfi", ["rm a"], "syntax error: unexpected token 'fi'"],
  "a parenthesis too many": ["rm a)", ["rm a"], "syntax error: unexpected token ')'"],
  "a parenthesis too many in a line of its own": [
    "rm a\n)\nrm b",
    ["rm a", "rm b"],
    "syntax error: unexpected token ')'",
  ],
  "no command between pipes": ["a | | rm b", ["a"], "syntax error: expected command after '|'"],
  NUL: ["rm a\0 -rf /", ["rm a"], "it contains a NUL byte"],
  "NUL in quotes": ["rm 'a\0b'", ["rm"], "it contains a NUL byte"],
  "a script within with a mistake": [
    `sh -c "rm 'a"; ls`,
    ["sh -c rm 'a", "sh: rm", "ls"],
    "syntax error: unterminated single quote",
  ],
  "an unfinished script in eval": [
    "eval 'if rm a'; ls",
    ["eval if rm a", "eval: rm a", "ls"],
    "syntax error: expected 'then'",
  ],
  "a cmdlet of PowerShell": [
    "Get-ChildItem x; rm a",
    ["Get-ChildItem x", "rm a"],
    "it is not in POSIX shell syntax",
  ],
  "another standard input": [
    "exec < <(a); rm b",
    ["<(): a", "exec", "rm b"],
    "exec redirects the input of the shell",
  ],
  "a name that stands for another": [
    "rm a; declare -n x=y; rm b",
    ["rm a", "declare -n x=y", "rm b"],
    "declare -c, -l, -n or -u",
  ],
  "more than is read": ["a".repeat(MAX + 1), [], "it is longer than 65536 characters"],
  "a long comment": [`rm a #${"x ".repeat(MAX)}`, ["rm a"], "it is longer than 65536 characters"],
  "a long line behind another": [
    `rm a\nrm b ${"'".repeat(MAX)}`,
    ["rm a", "rm b"],
    "it is longer than 65536 characters",
  ],
  parentheses: ["(".repeat(MAX), [], TOO_DEEP],
  substitutions: ["$(".repeat(MAX / 2), [], TOO_DEEP],
  braces: [`rm a;${"{ ".repeat(MAX / 4)}`, ["rm a"], TOO_DEEP],
  "sums in sums": [
    `rm a; echo ${"$((".repeat(5_000)}1${"))".repeat(5_000)}`,
    ["rm a", "echo"],
    TOO_DEEP,
  ],
  ifs: ["if ".repeat(MAX / 4), [], "syntax error: maximum if nesting depth exceeded"],
  functions: [`rm a\n${"f() ".repeat(MAX / 5)}`, ["rm a"], TOO_DEEP],
  coprocesses: [`rm a; ${"coproc ".repeat(MAX / 8)}`, ["rm a"], TOO_DEEP],
  quotes: ['"'.repeat(MAX - 1), [], "syntax error: unterminated double quote"],
  "nested subshells": [
    `${"( ".repeat(300)}a${" )".repeat(300)}`,
    [],
    "syntax error: maximum subshell nesting depth exceeded",
  ],
  "variables that double": [`a=xxxxxxxxxxxxxxxx;${"a=$a$a;".repeat(60)}$a`, [], TOO_MUCH],
  "here-documents": [
    `rm a; ${"<<A ".repeat(300)}`,
    ["rm a"],
    "it has more than 256 here-documents",
  ],
};

/** Lines of which what is read of them is of no interest. */
const ENDLESS: Readonly<Record<string, readonly [line: string, why: string]>> = {
  backticks: ["`".repeat(MAX - 1), "syntax error: unterminated backtick"],
  "nested substitutions": [
    `${"$(a ".repeat(300)}${")".repeat(300)}`,
    "syntax error: maximum command substitution nesting depth exceeded",
  ],
  "functions that call two others": [
    `${many(60, (at) => `f${at}(){ f${at + 1};f${at + 1}; };`)}f0`,
    TOO_DEEP,
  ],
  "aliases that double": [
    `${many(60, (at) => `alias a${at}='a${at + 1};a${at + 1}';`)}a0`,
    TOO_DEEP,
  ],
  "nested loops": [
    `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(30)}a;${"done;".repeat(30)}`,
    TOO_MUCH,
  ],
  "braces in braces": ["echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b};".repeat(1_700), TOO_MUCH],
  evals: ["eval ".repeat(13_000), TOO_MUCH],
  wrappers: ["env ".repeat(300), TOO_MUCH],
};

describe("shell reader: unreadable input", () => {
  test.each(Object.entries(UNREADABLE))("%s: the rest is read", (_, [line, read, why]) => {
    const { commands, unread } = createShellReader().read(line);
    expect(unread).toBe(why);
    expect(
      commands.map(({ argv, via }) =>
        [...(via.length > 0 ? [`${via.join()}:`] : []), ...argv].join(" "),
      ),
    ).toStrictEqual(read);
  });

  test.each(Object.entries(ENDLESS))("%s", (_, [line, why]) => {
    expect(createShellReader().read(line).unread).toBe(why);
  });

  test("commands before and after a too deeply nested one are read", () => {
    const deep = `echo ${"$(".repeat(60)}a${")".repeat(60)}`;
    const { commands, unread } = createShellReader().read(`rm a; ${deep}; rm b`);
    expect(unread).toBe(TOO_DEEP);
    expect(commands.filter(({ program }) => program === "rm")).toHaveLength(2);
  });

  // Each of them was read as often as they are nested.
  slowTest("an unclosed construct takes no more time than a closed one", () => {
    const cpuOf = (line: string): number => cpuMs(() => createShellReader().read(line), 2);
    const closed = cpuOf(`${"$(".repeat(39)}${"a ".repeat(30_000)}${")".repeat(39)}`);
    for (const piece of ["$(", '"$(', "$((", "<(", "${x:-", "((", "`"]) {
      const line = piece.repeat(Math.floor(MAX / piece.length));
      expect(cpuOf(line), piece).toBeLessThan(2 * closed + 100);
    }
  });
});

/** Long lines that can be read, and how many commands they list. */
const LONG: Readonly<Record<string, readonly [line: string, commands: number]>> = {
  "1,000 pipes": [`a${"| b".repeat(1_000)}`, 1_001],
  "many programs in a pipe": [many(900, (at) => `p${at}|`).concat("q"), 901],
  lists: ["a;".repeat(1_000), 1_000],
  words: ["a ".repeat(8_000), 1],
  "unclosed here-document": ["cat <<EOF\nrm", 1],
  "a long here-document": [`cat >f <<E\n${"rm x\n".repeat(12_000)}E`, 1],
  "250 here-documents": [many(250, () => "sh <<E\nrm\nE\n"), 500],
  CRLF: ["a\r\n".repeat(1_000), 1_000],
  "look-alikes": ["rм -rf /; ｒｍ x; rm\u00A0x", 3],
  "other letters": ["é".repeat(MAX), 1],
  backslashes: ["\\".repeat(MAX - 2), 1],
  folders: ["cd a;".repeat(1_000), 1_000],
  conditions: ["if a;then x=1;else x=2;fi;".repeat(600), 600],
  "loops in loops": [`${"while a; do x=1;".repeat(60)}${"done;".repeat(60)}`, 120],
  traps: ["trap 'rm $X' INT;".repeat(200), 600],
  coprocesses: ["coproc a;".repeat(1_000), 1_000],
  outputs: ["tee >(a) ".repeat(700), 701],
};

/** Lines with more commands than are read: the first of them are listed, and the rest is said to be unread. */
const TOO_MANY: readonly string[] = [
  `a${"| b".repeat(10_000)}`,
  many(9_000, (at) => `p${at}|`).concat("q"),
  "a;".repeat(MAX / 2),
  `${"a&&".repeat(21_000)}a`,
  `bash <<E\n${"rm x\n".repeat(12_000)}E`,
  "a\r\n".repeat(20_000),
  "a $(b);".repeat(9_000),
  "sh -c 'a';".repeat(6_000),
  "traps; trap 'rm $X' INT;".repeat(2_700),
  "coproc a;".repeat(7_000),
  `set -- ${"a ".repeat(5_000)};${"x;".repeat(20_000)}`,
];

describe("shell reader: long lines", () => {
  test.each(Object.entries(LONG))("%s", (_, [line, count]) => {
    const { commands, unread } = createShellReader().read(line);
    expect(unread).toBeUndefined();
    expect(commands).toHaveLength(count);
    expect(commands.every(({ opaque }) => !opaque)).toBe(true);
  });
});

test.each(TOO_MANY)("shell reader: more commands than are read: %.20s", (line) => {
  const { commands, unread } = createShellReader().read(line);
  expect(unread).toBe(TOO_MUCH);
  expect(commands.length).toBeGreaterThan(400);
  expect(commands.length).toBeLessThan(2_500);
});

test("shell reader: the maximum line length", () => {
  const reader = createShellReader();
  expect(reader.read("a".repeat(MAX)).unread).toBeUndefined();
  expect(reader.read("a".repeat(MAX + 1)).unread).toBe("it is longer than 65536 characters");
});

test("shell reader: CRLF ends a line like LF", () => {
  const reader = createShellReader();
  const { commands } = reader.read("rm a\r\nif b; then\r\nrm c\r\nfi\r\n");
  expect(commands.map(({ argv }) => argv)).toStrictEqual([["rm", "a"], ["b"], ["rm", "c"]]);
});

test("shell reader: look-alike characters make other program names", () => {
  expect(
    createShellReader()
      .read("гm x; rm\u00A0x")
      .commands.map(({ program }) => program),
  ).toStrictEqual(["гm", "rm\u00A0x"]);
});

test("shell reader: the marker character for unknown text in the input hides nothing", () => {
  const [command] = createShellReader().read("rm \uFDD0/").commands;
  expect(command?.unknown).toStrictEqual([1]);
  expect(createShellReader().read("\uFDD0rm /").commands[0]?.opaque).toBe(true);
});

test("shell reader: results do not depend on lines read before", () => {
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

test("shell reader: reads with different directories are independent", () => {
  const reader = createShellReader();
  expect(reader.read("rm a", "/x").commands[0]?.cwd).toBe("/x");
  expect(reader.read("rm a", "/y").commands[0]?.cwd).toBe("/y");
  expect(reader.read("rm a").commands[0]?.cwd).toBe(".");
  expect(reader.read("/x\0rm a")).toMatchObject({
    commands: [{ argv: ["/x"], cwd: "." }],
    unread: "it contains a NUL byte",
  });
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

repeatedTest("shell reader: any text gives consistent commands", () => {
  const reader = createShellReader({ home: "/h" });
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "grapheme" })), (line) => {
      const { commands } = reader.read(line);
      for (const { argv, unknown, program, redirects, dynamic, opaque } of commands) {
        expect(unknown.every((at) => at < argv.length)).toBe(true);
        if (opaque || unknown.length > 0 || redirects.some((file) => file.dynamic))
          expect(dynamic).toBe(true);
        if (!opaque && /[^/]$/.test(argv[0] ?? "")) expect(program).not.toBe("");
        expect(argv.join("").includes("\uFDD0")).toBe(false);
      }
    }),
    { numRuns: runCount(3_000) },
  );
});
