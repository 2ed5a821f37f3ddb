import { execFileSync } from "node:child_process";
import { integer, sample } from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDate } from "../../../../src/engine/lua/date.ts";

const LETTERS = "AaBbDdFHIjMmpRSTuwYyz%".split("");
const FORMAT = LETTERS.map((letter) => `%${letter}`).join(" ");

/** What the C library of the system writes. */
function written(times: readonly number[], TZ: string): string[] {
  const env = { ...process.env, TZ, LC_ALL: "C" };
  const input = times.map((seconds) => `@${seconds}\n`).join("");
  const text = execFileSync("date", ["-f", "-", `+${FORMAT}`], { env, input, encoding: "utf8" });
  return text.trimEnd().split("\n");
}

describe("formatDate", () => {
  test("writes what strftime writes", () => {
    const time = integer({ min: 0, max: Date.UTC(2400, 0, 1) / 1000 });
    const times = [0, 951_782_400, 4_107_542_399, ...sample(time, 100)];
    const ours = times.map((seconds) => formatDate(`!${FORMAT}`, seconds, false));
    expect(ours).toEqual(written(times, "UTC"));
  });

  test("in the local time zone, unless the clock is in UTC", () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const times = [1_764_000_000, 1_780_000_000];
    for (const isUtc of [false, true]) {
      const ours = times.map((seconds) => formatDate(FORMAT, seconds, isUtc));
      expect(ours).toEqual(written(times, isUtc ? "UTC" : zone));
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
