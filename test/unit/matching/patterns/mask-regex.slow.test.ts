import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import { compileMask } from "../../../../src/matching/patterns/regex.ts";
import { cpuMs } from "../../../cpu-time.ts";

const M = "[redacted]";

describe("compileMask", () => {
  test.each([
    ["acme-[0-9]+", "an acme-1, an acme-22 and acme-", `an ${M}, an ${M} and acme-`],
    ["a|b", "xabx", `x${M}x`],
    ["x*", "aaxxaxa", `aa${M}a${M}a`],
    ["", "abc", undefined],
    ["(?i)secret", "SeCrEt", M],
    ["^a", "aa\na", `${M}a\na`],
    ["(?m)^a", "aa\na", `${M}a\n${M}`],
    ["a$", "aa", `a${M}`],
    ["\\ba", "a ba a", `${M} ba ${M}`],
    ["(?s).*", "a\nb", M],
    ["é+", "caféé", `caf${M}`],
    [".", "😀", M],
    ["redacted", "a [redacted] b", "a [redacted] b"],
    ["[a-z]+", "a [redacted] b", `${M} [redacted] ${M}`],
    ["b \\[", "ab [redacted]c", `a${M}c`],
    ["\\]c", "ab [redacted]cd", `ab ${M}d`],
    ["b.*c", "ab [redacted]cd", `a${M}d`],
    ["\\[redacted\\]", "[redacted]", "[redacted]"],
    ["b", "aaa", "aaa"],
  ])("%j in %j", (pattern, text, masked) => {
    if (masked === undefined) {
      expect(() => compileMask("redact", pattern)).toThrow(OrcsError);
      return;
    }
    expect(compileMask("redact", pattern)(text)).toBe(masked);
  });

  test("with a pattern that matches only the empty text masks nothing", () => {
    for (const pattern of ["a*", "^", "$", "\\b", "(?:)", "(?m)^", "x?"]) {
      const text = "lorem ipsum\n".repeat(2_000);
      expect(compileMask("redact", pattern)(text.replaceAll(/[ax]/g, "")), pattern).toBe(
        text.replaceAll(/[ax]/g, ""),
      );
    }
  });

  test.each(["(", "[", "a{1000}{1000}", "a".repeat(4_097), "\\1", "(?=a)"])(
    "rejects %s",
    (pattern) => {
      expect(() => compileMask("redact", pattern)).toThrow(
        expect.objectContaining({ code: "ORCS1012" }),
      );
    },
  );

  test("gives the same result for long texts as for short ones", () => {
    const mask = compileMask("redact", "acme-[0-9]{4}");
    fc.assert(
      fc.property(fc.array(fc.nat(9_000), { maxLength: 6 }), fc.nat(50), (gaps, shift) => {
        const text = gaps.map((gap) => `${".".repeat(gap + shift)}acme-1234`).join("");
        expect(mask(text)).toBe(text.replaceAll(/acme-[0-9]{4}/g, M));
      }),
      { numRuns: 30 },
    );
  });

  test("masks a match of a megabyte once", () => {
    expect(compileMask("redact", "\\S+")(`x ${"a".repeat(1 << 20)} y`)).toBe(`${M} ${M} ${M}`);
  });

  test("keeps the meaning of anchors in long texts", () => {
    const text = "ab".repeat(10_000);
    expect(compileMask("redact", "^ab")(text)).toBe(`${M}${text.slice(2)}`);
    expect(compileMask("redact", "\\bab")(text)).toBe(`${M}${text.slice(2)}`);
  });

  test("takes linear time with many candidate matches", () => {
    const mask = compileMask("redact", "a.*b|c");
    // The first is one piece and the second fifteen; to search eight times as far from each place takes 64 times.
    const [small, large] = ["ca".repeat(1 << 11), "ca".repeat(1 << 14)] as const;
    cpuMs(() => mask(small), 1);
    expect(cpuMs(() => mask(large), 2)).toBeLessThan(cpuMs(() => mask(small)) * 40);
  });
});
