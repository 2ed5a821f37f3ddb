import { describe, expect, it } from "vitest";
import {
  exactWords,
  firstWord,
  MAX_COMMAND,
  quoteWord,
  quoteWords,
  readExactWords,
  RESERVED_WORDS,
  xargsWords,
} from "../../../src/core/shell-words.ts";

/** Every character that means something to a shell when it is not quoted. */
const OPERATORS = [";", "&", "|", "<", ">", "(", ")", "\n", "\r", "$", "`"];

describe("exactWords of one plain command", () => {
  it.each<[command: string, words: string[]]>([
    ["git", ["git"]],
    ["git status", ["git", "status"]],
    ["  git \t  status\t", ["git", "status"]],
    [`"git" status`, ["git", "status"]],
    ["'git' status", ["git", "status"]],
    [`g"i"'t' st\\atus`, ["git", "status"]],
    ["git 'status; rm'", ["git", "status; rm"]],
    [`git "status; rm"`, ["git", "status; rm"]],
    ["git status\\;", ["git", "status;"]],
    ["git\\ status", ["git status"]],
    [`"git status"`, ["git status"]],
    [`git ""`, ["git", ""]],
    ["'' git", ["", "git"]],
    [`""''`, [""]],
    [`a""b`, ["ab"]],
    [`"a"'b'c\\d`, ["abcd"]],
    ["X=1 git status", ["X=1", "git", "status"]],
    ["git -C x status", ["git", "-C", "x", "status"]],
    ["grep 'a$b`c`$(d)'", ["grep", "a$b`c`$(d)"]],
    ["grep \\$x \\`y\\`", ["grep", "$x", "`y`"]],
    [`echo "\\$x \\\`y\\\` \\"z\\" \\\\ \\a \\'"`, ["echo", '$x `y` "z" \\ \\a \\\'']],
    ["echo '\\'", ["echo", "\\"]],
    ["echo \\\\", ["echo", "\\"]],
    ["echo \\'x\\'", ["echo", "'x'"]],
    [`echo "it's"`, ["echo", "it's"]],
    ["echo 'a\nb\r'", ["echo", "a\nb\r"]],
    [`echo "a\nb\r"`, ["echo", "a\nb\r"]],
    ["echo \\\r", ["echo", "\r"]],
    ["echo a#b ''# \\# '#'", ["echo", "a#b", "#", "#", "#"]],
    ["echo a ! { }", ["echo", "a", "!", "{", "}"]],
    ["'!' x", ["!", "x"]],
    ["\\if x", ["if", "x"]],
    [`i"f" x`, ["if", "x"]],
    ["ifx", ["ifx"]],
    ["!x y", ["!x", "y"]],
    ["echo if", ["echo", "if"]],
    // No blanks to a shell.
    ["git\u00a0status", ["git\u00a0status"]],
    ["git\vstatus\fx", ["git\vstatus\fx"]],
    ["git\u2028status", ["git\u2028status"]],
    ["écho 😀 \\😀 '😀'", ["écho", "😀", "😀", "😀"]],
    ["/usr/bin/git", ["/usr/bin/git"]],
    ["git statuſ", ["git", "statuſ"]],
    ["ls *.ts ~ {a,b}", ["ls", "*.ts", "~", "{a,b}"]],
  ])("reads %j", (command, words) => {
    expect(exactWords(command)).toEqual(words);
  });

  it.each([
    "",
    " ",
    "\t \t",
    "git status; rm",
    ";git",
    "git status;",
    "git status && rm",
    "git status&",
    "git status | sh",
    "git status || rm",
    "git status|sh",
    "git status > f",
    "git status 2>&1",
    "git status <f",
    "git status <<EOF",
    "git status <(rm x)",
    "(git status)",
    "git() { rm; }",
    "{ git status",
    "{ git status; }",
    "}",
    "{",
    "! git status",
    "!",
    "git status\n",
    "git status\nrm x",
    "\ngit status",
    "git status\r",
    "git status\r\nrm",
    "git $(rm x)",
    "git `rm x`",
    "git $x",
    "git ${x}",
    "git a$",
    "$x",
    `git "$(rm x)"`,
    'git "`rm x`"',
    `git "$x"`,
    `git "\\\\$x"`,
    "git \\\\$x",
    "git $'a'",
    `git $"a"`,
    "git 'a",
    `git "a`,
    `git "a\\"`,
    `git 'a\\' b'`,
    "'",
    `"`,
    "git \\",
    "\\",
    `git "\\`,
    "git \\\n status",
    "git sta\\\ntus",
    `git "sta\\\ntus"`,
    "git\0",
    "git '\0'",
    "git \\\0",
    `git "\\\0"`,
    "# git",
    "#",
    "git #status",
    "git status # x",
    "git\t#",
  ])("rejects %j", (command) => {
    expect(exactWords(command)).toBeUndefined();
    expect(readExactWords(command)).toBeUndefined();
  });

  it.each(RESERVED_WORDS.map((word) => [word]))("rejects a command that begins with %j", (word) => {
    expect(exactWords(word)).toBeUndefined();
    expect(exactWords(`  ${word} git`)).toBeUndefined();
    expect(exactWords(`'${word}' git`)).toEqual([word, "git"]);
    expect(exactWords(`git ${word}`)).toEqual(["git", word]);
  });

  it.each(OPERATORS.map((operator) => [operator]))(
    "rejects an unquoted %j anywhere",
    (operator) => {
      for (const at of ["# git a", "g#it a", "git# a", "git # a", "git #a", "git a#", "git a #"]) {
        expect(exactWords(at.replace("#", () => operator)), at).toBeUndefined();
        expect(exactWords(`${at.replace("#", () => operator)} 'b'`), at).toBeUndefined();
        expect(exactWords(`'b' ${at.replace("#", () => operator)}`), at).toBeUndefined();
      }
      expect(exactWords(`git '${operator}'`)).toEqual(["git", operator]);
    },
  );
});

it.each<[command: string, literal: boolean[]]>([
  ["git status", [true, true]],
  ["git status *.ts", [true, true, false]],
  ["gi? status", [false, true]],
  ["[g]it x] [x", [false, false, false]],
  ["{git,rm} -{a,b}", [false, false]],
  ["~/git a~b ~", [false, false, false]],
  ["'*' \"?\" \\[ '~'/x \\{a,b\\}", [true, true, true, true, true]],
  ["'a'* *'b' \"a\"?'b'", [false, false, false]],
  ["X=1 git --a=b", [false, true, true]],
  ["X+=1 git", [false, true]],
  ["=git x", [false, true]],
  ['X="1" git', [false, true]],
  ["'X=1' X\\=1", [true, true]],
  ["X'='1 Y=2", [true, true]],
])("readExactWords marks words that a shell may expand %j", (command, literal) => {
  expect(readExactWords(command)?.map((word) => word.literal)).toEqual(literal);
});

describe("the size limit of readExactWords", () => {
  it("is 65,536 characters", () => {
    const longest = `git ${"x".repeat(MAX_COMMAND - 4)}`;
    expect(longest).toHaveLength(65_536);
    expect(exactWords(longest)).toHaveLength(2);
    expect(exactWords(`${longest}x`)).toBeUndefined();
    expect(exactWords(`${longest.slice(0, -1)} x`)).toBeUndefined();
  });

  it.each([
    ["blanks", " ", " "],
    ["short words", "a ", ""],
    ["empty quotes", "''", ""],
    ["double quotes", '""', ""],
    ["mixed quotes", `"a"'b'`, ""],
    ["backslashes", "\\a", ""],
    ["an open quote", "'", "a"],
    ["an open double quote", '"', "a"],
    ["an open double quote with backslashes", '"', "\\\\"],
    ["an open double quote with escaped quotes", '"', '\\"'],
    ["a closed quote and backslashes", '""', "\\\\"],
    ["open quotes after words", 'a "b" ', '\\"'],
    ["globs", "*", "*"],
    ["one operator at the end", "x", ""],
  ])("%s are read in linear time", (_, first, then) => {
    const rest = then === "" ? first : then;
    const text = (first + rest.repeat(MAX_COMMAND)).slice(0, MAX_COMMAND - 1);
    const begun = performance.now();
    for (const end of ["", "'", '"', "\\", ";"]) exactWords(text + end);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

it.each<[text: string, words: string[] | undefined]>([
  ["", []],
  ["a b\nc\td", ["a", "b", "c", "d"]],
  ["rm $1; echo | (x)", ["rm", "$1;", "echo", "|", "(x)"]],
  [`'a b' "c d"e \\$f`, ["a b", "c de", "$f"]],
  [`""`, [""]],
  ["# no comment", ["#", "no", "comment"]],
  ["if x", ["if", "x"]],
  ["'open", undefined],
  [`"a\\nb"`, undefined],
  ["a\\nb", undefined],
  ["a\\", undefined],
])("words as xargs and env -S read them %j", (text, words) => {
  expect(xargsWords(text)).toEqual(words);
});

it.each<[command: string, text: string | undefined, rest: string]>([
  ["a b", "a", " b"],
  [`'a b'c\\'d" e" $X`, "a bc'd e", " $X"],
  ["/x/orcs-hook;rm", undefined, ""],
  ["'open", undefined, ""],
  ["", undefined, ""],
])("the first word of %j", (command, text, rest) => {
  const word = firstWord(command);
  expect(word?.text).toBe(text);
  if (word) expect(command.slice(word.end)).toBe(rest);
});

describe("a quoted word", () => {
  it.each(["", "a b", "it's", "$X", "a*", "#", "if", "A=1", "~", "plain/word.txt", "\\", "a\nb"])(
    "%j is read back as it was",
    (text) => {
      expect(exactWords(`x ${quoteWord(text)}`)).toEqual(["x", text]);
      expect(exactWords(quoteWords([text, text]))).toEqual([text, text]);
    },
  );

  it("stands bare where no shell changes it", () => {
    expect(quoteWord("/usr/bin/a-b_c.d:e,f@g%h+i=j")).toBe("/usr/bin/a-b_c.d:e,f@g%h+i=j");
  });
});
