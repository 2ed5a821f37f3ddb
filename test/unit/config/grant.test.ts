import { describe, expect } from "vitest";
import { RESERVED_WORDS } from "../../../src/core/shell-words.ts";
import { GrantBook } from "../../../src/engine/auth/grants.ts";
import { grant, grantsNothingMore } from "../../../src/config/settings.ts";
import { errorOf, loadToml, reportOn } from "./folder.ts";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";

import * as fc from "fast-check";

const accepts = (pattern: string): boolean => grant.safeParse(pattern).success;

describe("a grant pattern is a plain prefix of words", () => {
  test.each([
    "git status",
    "ls",
    "npm run check:types",
    "a/b.sh -x --y=1 z#",
    "git  status ",
    "été",
  ])("%j is accepted", (pattern) => expect(accepts(pattern)).toBe(true));

  const WRONG: readonly [string, string][] = [
    ["", "it is empty"],
    ["   ", "it is empty"],
    ["git status; rm -rf x", "; has a special meaning"],
    ["a & b", "& has a special meaning"],
    ["a | b", "| has a special meaning"],
    ["a > b", "> has a special meaning"],
    ["a < b", "< has a special meaning"],
    ["(a)", "( has a special meaning"],
    ["a)", ") has a special meaning"],
    ["echo $HOME", "$ has a special meaning"],
    ["echo `id`", "` has a special meaning"],
    ["echo 'a'", "' has a special meaning"],
    ['echo "a"', '" has a special meaning'],
    ["echo \\a", "\\ has a special meaning"],
    ["rm *", "* has a special meaning"],
    ["rm a?", "? has a special meaning"],
    ["rm [ab]", "[ has a special meaning"],
    ["rm {a,b}", "{ has a special meaning"],
    ["ls ~", "~ has a special meaning"],
    ["a\nb", "words are separated by spaces only"],
    ["a\rb", "words are separated by spaces only"],
    ["a\tb", "words are separated by spaces only"],
    ["a\0b", "words are separated by spaces only"],
    ["a\u00a0b", "words are separated by spaces only"],
    ["a\u2028b", "words are separated by spaces only"],
    ["a\u001bb", "words are separated by spaces only"],
    ["# all", "# begins a comment"],
    ["a #b", "# begins a comment"],
    ["PATH=. ls", "PATH=. may be a variable assignment"],
    ["! ls", "a plain command does not begin with !"],
    ["while true", "a plain command does not begin with while"],
    ["a".repeat(1001), "it is longer than 1000 characters"],
  ];
  test.each(WRONG)("%j is rejected", (pattern, why) => {
    const [issue] = grant.safeParse(pattern).error?.issues ?? [];
    expect(issue?.message).toMatch(/^invalid grant "/);
    expect(issue?.message).toContain(`": ${why}`);
  });

  repeatedTest("a pattern accepted in a configuration is accepted by grant_command", () => {
    const word = fc.oneof(
      fc.constantFrom(...RESERVED_WORDS, "git", "a=b", "#", "-x", ""),
      fc.string({ unit: "binary-ascii", maxLength: 4 }),
      fc.string({ maxLength: 4 }),
    );
    const pattern = fc
      .array(word, { maxLength: 4 })
      .map((words) => words.join(" "))
      .filter(accepts);
    fc.assert(
      fc.property(pattern, (text) => {
        const book = new GrantBook();
        book.add(text, "persistent");
        expect(book.covers(text)).toBe(true);
      }),
      { numRuns: runCount(500) },
    );
  });
});

describe("grantsNothingMore", () => {
  const CASES: readonly [string[], string[], boolean][] = [
    [[], [], true],
    [[], ["git"], true],
    [["git"], [], false],
    [["git"], ["git"], true],
    [["git status"], ["git"], true],
    [["git"], ["git status"], false],
    [["gits"], ["git"], false],
    [["git statusx"], ["git status"], false],
    [["git  status "], ["git status"], true],
    [["ls", "git status"], ["git", "ls"], true],
    [["ls", "rm"], ["git", "ls"], false],
  ];
  test.each(CASES)("%j below %j: %s", (found, held, nothingMore) => {
    expect(grantsNothingMore(found, held)).toBe(nothingMore);
  });
});

describe("permissions.grants in orcs.toml", () => {
  test("absent, empty and given are distinct", async () => {
    const grants = async (toml: string) => (await loadToml(toml)).settings.permissions.grants;
    expect(await grants("")).toBeUndefined();
    expect(await grants("permissions.grants = []")).toEqual([]);
    expect(await grants('permissions.grants = ["git status"]')).toEqual(["git status"]);
  });

  test("an invalid entry is an error with its position", async () => {
    const toml = `[permissions]\ngrants = ["ls", "git status; rm -rf x", 5]\n`;
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:2:17: error ORCS6012: grants[1]: invalid grant "git status; rm -rf x": ; has a special meaning in a shell
       2 | grants = ["ls", "git status; rm -rf x", 5]
         |                 ^^^^^^^^^^^^^^^^^^^^^^

      orcs.toml:2:41: error ORCS1004: grants[2]: expected a string, got 5
       2 | grants = ["ls", "git status; rm -rf x", 5]
         |                                         ^"
    `);
    expect((await errorOf(loadToml(toml))).diagnostics.map(({ code }) => code)).toEqual([
      "ORCS6012",
      "ORCS1004",
    ]);
  });
});
