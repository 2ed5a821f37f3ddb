import * as fc from "fast-check";
import { expect, test } from "vitest";
import { NameRules } from "../../../../src/matching/patterns/name-rules.ts";

const name = fc
  .array(fc.constantFrom("a", "b", ".", "-"), { minLength: 1, maxLength: 8 })
  .map((letters) => letters.join(""));
const rule = fc
  .array(fc.constantFrom("a", "b", "*", "-"), { minLength: 1, maxLength: 6 })
  .map((letters) => letters.join(""));

/** What a rule of one name means, slowly. */
function fits(written: string, text: string): boolean {
  if (written === "") return text === "";
  if (written.startsWith("*"))
    return fits(written.slice(1), text) || (text !== "" && fits(written, text.slice(1)));
  return text.startsWith(written.charAt(0)) && fits(written.slice(1), text.slice(1));
}

test("a rule matches the names that its letters and stars stand for", () => {
  fc.assert(
    fc.property(rule, name, (written, text) => {
      // Dots at the end of a name are none on every disk.
      fc.pre(!text.endsWith("."));
      const found = new NameRules([written]).match(text);
      expect(found).toBe(fits(written, text) ? written : undefined);
    }),
  );
});
