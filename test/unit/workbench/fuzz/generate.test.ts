import { describe, expect, it } from "vitest";
import { forbiddenPatterns, forbiddenPredicate } from "../../../../src/workbench/fuzz/forbidden.ts";
import { RULES, shrink, spelling, spellings } from "../../../../src/workbench/fuzz/generate.ts";
import type { Spelling } from "../../../../src/workbench/fuzz/generate.ts";
import { errorOf } from "../../engine/orcs/engine.ts";

const PUSH = forbiddenPatterns(["git push --force"]);
const isPush = (argv: readonly string[]): boolean => PUSH.matches(argv, {});

function first(count: number, seed: number): Spelling[] {
  const made: Spelling[] = [];
  for (const each of spellings(PUSH.commands, seed, isPush)) {
    made.push(each);
    if (made.length === count) break;
  }
  return made;
}

/** What one rule makes of the command, with the first seed at which it applies. */
function by(name: string): string | undefined {
  const rule = RULES.find((each) => each.name === name);
  if (!rule) throw new Error(`no rule is named ${name}`);
  for (let seed = 0; seed < 20; seed++) {
    const made = spelling(["git", "push", "--force"], [{ rule, seed }], isPush);
    if (made.steps.length > 0) return made.line;
  }
  return undefined;
}

describe("spellings", () => {
  it("are the same for the same seed, and others for another", () => {
    const lines = (seed: number): string[] => first(700, seed).map(({ line }) => line);
    expect(lines(4)).toEqual(lines(4));
    expect(lines(5)).not.toEqual(lines(4));
  });

  it("begin with the command itself", () => {
    expect(first(1, 9)[0]).toMatchObject({ line: "git push --force", steps: [] });
  });

  it("use every rule that applies to the command", () => {
    const used = new Set(first(2000, 1).flatMap(({ steps }) => steps.map(({ rule }) => rule.name)));
    const unused = RULES.filter(({ name }) => !used.has(name)).map(({ name }) => name);
    // There is no letter in `git push --force` for them, and `-F` is not its flag.
    expect(unused).toEqual([
      "letters apart",
      "letters in another order",
      "a letter more",
      "an abbreviated flag",
      "the capital of a long flag",
      "a long flag for a letter",
      "${x^^}",
    ]);
  });

  it("have rules with names of their own", () => {
    const names = RULES.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each([
    ["git -C", "git -C . push --force"],
    ["the letter of a long flag", "git push -f"],
    ["git +branch", "git push origin +main"],
    ["{a,b}", "{git,push,--force}"],
    ['"$@"', 'set -- git push --force; "$@"'],
    ["xargs -I", "echo x | xargs -I '{}' git push --force '{}'"],
    ["find -exec", "find . -maxdepth 0 -exec git push --force ';'"],
    ["env -S", String.raw`env -S 'bash -c '\''git push --force'\'''`],
    ["function", "f() { git push --force; }; f"],
    ["here-document", "bash <<'EOF'\ngit push --force\nEOF"],
    ["> inside", "git >/dev/null push --force"],
  ])("by the rule %s", (name, line) => {
    expect(by(name)).toBe(line);
  });
});

describe("what is forbidden", () => {
  it("is a command that the pattern describes", () => {
    expect(forbiddenPatterns(["rm -r*", "git push *"]).commands).toEqual([
      ["rm", "-r"],
      ["git", "push"],
    ]);
  });

  it.each([["?"], ["git | sh"]])("is not %s", async (pattern) => {
    expect((await errorOf(() => forbiddenPatterns([pattern]))).code).toBe("ORCS1012");
  });

  it("needs a command for which a function returns true", async () => {
    const isRm = (argv: readonly string[]): boolean => argv[0] === "rm";
    const whyOf = async (lines: readonly string[]): Promise<string> =>
      (await errorOf(() => forbiddenPredicate(isRm, lines))).message;
    expect(await whyOf([])).toContain("at least one command");
    expect(await whyOf(["ls"])).toContain("does not return true");
    expect(await whyOf(["rm $X"])).toContain("one simple command");
    expect(forbiddenPredicate(isRm, ["rm 'a b'"]).commands).toEqual([["rm", "a b"]]);
  });
});

describe("shrinking", () => {
  it("leaves out each step that a hole does not need", async () => {
    const named = (name: string, seed = 3) => ({
      rule: RULES.find((rule) => rule.name === name)!,
      seed,
    });
    const long = spelling(
      ["git", "push", "--force"],
      [
        named("git -C"),
        named("nice"),
        named("double quotes"),
        named("if"),
        named("bash -c"),
        named("&"),
      ],
      isPush,
    );
    expect(long.steps).toHaveLength(6);
    const holes = async (all: readonly Spelling[]): Promise<readonly Spelling[]> =>
      all.filter(({ line }) => line.includes("bash -c") && line.includes("nice"));
    const { line, steps } = await shrink(long, isPush, holes);
    expect(line).toBe("bash -c 'nice git push --force'");
    expect(steps.map(({ rule }) => rule.name)).toEqual(["nice", "bash -c"]);
  });
});
