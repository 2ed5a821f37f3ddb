import { describe, expect, test } from "vitest";
import { MAX_JSON_VALUES, readJsonObject } from "../../../src/core/json.ts";

const keys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));

describe("a text with many values", () => {
  test.each([
    ["an object", keys(MAX_JSON_VALUES + 1)],
    ["a list", `{"a":[${"1,".repeat(MAX_JSON_VALUES)}1]}`],
    ["lists in lists", `{"a":${"[".repeat(MAX_JSON_VALUES)}${"]".repeat(MAX_JSON_VALUES)}}`],
    [
      "a list behind a text with quotes",
      `{"t":"\\\\","u":"\\"","a":[${"1,".repeat(MAX_JSON_VALUES)}1]}`,
    ],
  ])("is not parsed beyond the bound: %s", (_, text) => {
    expect(readJsonObject(text)).toEqual({ ok: false, why: "has more than 50000 values" });
  });

  test.each([
    ["as many as may be", keys(MAX_JSON_VALUES - 2)],
    [
      "commas in a text",
      JSON.stringify({ a: "[{,".repeat(MAX_JSON_VALUES), b: '\\",'.repeat(MAX_JSON_VALUES) }),
    ],
  ])("is parsed within it: %s", (_, text) => {
    const read = readJsonObject(text);
    expect(read.ok && JSON.stringify(read.value) === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  test("that does not end is not JSON", () => {
    expect(readJsonObject(`{"a":"${"x".repeat(200_000)}`)).toMatchObject({ ok: false });
  });
});
