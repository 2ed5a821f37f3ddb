import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FEATURES, LIBRARY_FEATURES } from "../../../../scripts/generate/library-features.ts";

/** Titles of the tests of a file that run: no `skip`, no `todo`, none that is the only one. */
function titles(code: string): Set<string> {
  if (/\b(?:test|describe)\.(?:only|skip|skipIf|runIf|todo|fails)\b/.test(code)) return new Set();
  const lines = code.split("\n").filter((line) => !line.trimStart().startsWith("//"));
  const found = lines.join("\n").matchAll(/(?:\btest\(|\]\)\()\s*(?:"([^"]+)"|'([^']+)')/g);
  return new Set([...found].map(([, double, single]) => double ?? single ?? ""));
}

describe("the table of what hooks govern in a library", () => {
  const claims = LIBRARY_FEATURES.flatMap(({ label, file, cells }) =>
    FEATURES.map((feature) => {
      const { text, test: title, file: own = file } = cells[feature];
      return { name: `${label}: ${feature}`, file: own, text, title };
    }),
  );

  test.each(claims.filter((claim) => claim.title !== undefined))("$name has a test", (claim) => {
    const code = readFileSync(new URL(claim.file, import.meta.url), "utf8");
    expect([...titles(code)]).toContain(claim.title);
  });

  test("what no test proves is not claimed with a yes", () => {
    const bare = claims.filter((claim) => claim.title === undefined && claim.text === undefined);
    expect(bare).toEqual([]);
  });

  test("a test that does not run proves nothing", () => {
    expect([...titles('test("a", async () => {});\n test.each([1])("b", () => {});')]).toEqual([
      "a",
      "b",
    ]);
    expect([...titles('test.skip("a", () => {});')]).toEqual([]);
    expect([...titles('  // test("a", () => {});')]).toEqual([]);
  });
});
