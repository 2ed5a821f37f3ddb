import { expect, it } from "vitest";
import { PatternBudget } from "../../../../../src/engine/lua/patterns/matcher.ts";
import { ByteSets } from "../../../../../src/engine/lua/patterns/byte-sets.ts";
import { Matcher } from "../../../../../src/engine/lua/patterns/matcher.ts";
import { compilePattern } from "../../../../../src/engine/lua/patterns/compile.ts";

const sets = new ByteSets();

/** Start and end of the first match in the part of `text` between the bars. */
function search(text: string, pattern: string): [number, number] | undefined {
  const memory = Buffer.from(text.replaceAll("|", ""), "latin1");
  const from = text.indexOf("|");
  const to = text.lastIndexOf("|") - 1;
  const matcher = new Matcher({
    budget: new PatternBudget(() => {}),
    raise(message) {
      throw new Error(message);
    },
  });
  matcher.prepare(
    compilePattern(Buffer.from(pattern, "latin1"), true, sets, () => {}),
    memory,
    from,
    to,
  );
  const start = matcher.search(from);
  return start < 0 ? undefined : [start - from, matcher.end - from];
}

it.each([
  ["a|abc|a", "%f[a]", [0, 0]],
  ["x|abc|x", "c%f[%z]", [2, 3]],
  ["x|abc|x", "c%f[x]", undefined],
  ["a|abc|c", "c+", [2, 3]],
  ["a|abc|c", "c-$", [2, 3]],
  ["a|abc|c", "bcc", undefined],
  ["a|abc|c", "bc?c?c?$", [1, 3]],
  ["a|abc|d", "c.", undefined],
  ["a|abc|d", "c[d]", undefined],
  ["a|abc|d", "cd", undefined],
  ["a|a(bc|)", "%b()", undefined],
  ["a|aba|b", "(ab)%1", undefined],
  ["a|abc|d", "^.*d", undefined],
  ["a|abc|d", "^.-d", undefined],
  ["a|abc|d", "^%a-d", undefined],
  ["a||d", "", [0, 0]],
  ["a||d", "d*$", [0, 0]],
  ["a||d", ".", undefined],
  ["a||d", "[^x]", undefined],
] as const)("search does not read outside the subject %s %s", (text, pattern, found) => {
  expect(search(text, pattern)).toEqual(found);
});
