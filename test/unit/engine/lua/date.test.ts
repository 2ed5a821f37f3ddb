import { execFileSync } from "node:child_process";
import { assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDate } from "../../../../src/engine/lua/date.ts";

const LETTERS = "AaBbDdFHIjMmpRSTuwYyz%".split("");
const FORMAT = LETTERS.map((letter) => `%${letter}`).join(" ");

/** What the C library of the system writes. */
function written(seconds: number, TZ: string): string {
  const env = { ...process.env, TZ, LC_ALL: "C" };
  return execFileSync("date", ["-d", `@${seconds}`, `+${FORMAT}`], {
    env,
    encoding: "utf8",
  }).trim();
}

describe("formatDate", () => {
  test("writes what strftime writes", () => {
    const time = integer({ min: 0, max: Date.UTC(2400, 0, 1) / 1000 });
    assert(
      property(time, (seconds) => {
        expect(formatDate(`!${FORMAT}`, seconds, false)).toBe(written(seconds, "UTC"));
      }),
      { numRuns: 20, examples: [[0], [951_782_400], [4_107_542_399]] },
    );
  });

  test("in the local time zone, unless the clock is in UTC", () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const seconds of [1_764_000_000, 1_780_000_000]) {
      expect(formatDate(FORMAT, seconds, false)).toBe(written(seconds, zone));
      expect(formatDate(FORMAT, seconds, true)).toBe(written(seconds, "UTC"));
    }
  });

  test("gives the parts for *t", () => {
    const parts = { year: 2026, month: 11, day: 24, hour: 1, min: 2, sec: 3, wday: 3, yday: 328 };
    expect(formatDate("!*t", Date.UTC(2026, 10, 24, 1, 2, 3) / 1000, false)).toEqual({ parts });
  });

  test("refuses what it does not know", () => {
    expect(formatDate("%Y %Q", 0, true)).toEqual({ wrong: "%Q" });
    expect(formatDate("100%", 0, true)).toEqual({ wrong: "%" });
    for (const seconds of [Number.NaN, Infinity, -1e12, 1e12])
      expect(formatDate("%Y", seconds, true)).toBeUndefined();
  });
});
