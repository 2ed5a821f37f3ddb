import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../../../src/core/text.ts";

describe("nearest", () => {
  it.each([
    ["priorty", "priority"],
    ["prority", "priority"],
    ["proirity", "priority"],
    ["PRIORITY", "priority"],
    ["enable", "enabled"],
    ["enabledd", "enabled"],
    ["metod", "method"],
  ])("suggests for %s: %s", (written, meant) => {
    expect(nearest(written, ["enabled", "priority", "method", "timeout_ms"])).toBe(meant);
  });

  it("suggests nothing if more than a third differs", () => {
    expect(nearest("abcdef", ["abcxyz"])).toBeUndefined();
    expect(nearest("xyz", ["priority"])).toBeUndefined();
    expect(nearest("", ["priority"])).toBeUndefined();
    expect(nearest("priority", [])).toBeUndefined();
  });

  it("suggests the nearest, and the first of equals", () => {
    expect(nearest("prior", ["priory", "prior1x"])).toBe("priory");
    expect(nearest("priorx", ["priory", "priorz"])).toBe("priory");
  });

  it("returns the name itself when it is a candidate", () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 10 }), {
      minLength: 1,
      maxLength: 6,
      selector: (name) => name.toLowerCase(),
    });
    fc.assert(
      fc.property(names, fc.nat(), (candidates, pick) => {
        const written = candidates[pick % candidates.length] as string;
        expect(nearest(written, candidates)).toBe(written);
      }),
    );
  });

  it("agrees with a naive edit distance", () => {
    const naive = (a: string, b: string): number => {
      if (a === "" || b === "") return a.length + b.length;
      if (a[0] === b[0]) return naive(a.slice(1), b.slice(1));
      const [x, y] = [a.slice(1), b.slice(1)];
      return 1 + Math.min(naive(x, b), naive(a, y), naive(x, y));
    };
    const short = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(short, short, (written, candidate) => {
        const near =
          naive(written, candidate) <= Math.ceil(Math.max(written.length, candidate.length) / 3);
        expect(nearest(written, [candidate])).toBe(near ? candidate : undefined);
      }),
    );
  });
});
