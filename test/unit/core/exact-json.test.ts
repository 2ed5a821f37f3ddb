import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numbersOf, parseExact, stringifyExact } from "../../../src/core/exact-json.ts";

const BIG = "1915883588174806058";
const again = (text: string): string => stringifyExact(parseExact(text).value, numbersOf(text));

describe("numbers", () => {
  test.each([
    `{"id":${BIG},"n":9007199254740991,"f":1.5,"e":1e3}`,
    `[${BIG},-${BIG},[${BIG}]]`,
    `{"id":"${BIG}","other":${BIG}}`,
    `{"__proto__":{"id":${BIG}},"a":"\\"${BIG}\\\\"}`,
    `{"a":1.0,"b":-0,"c":0.10,"d":1E5,"e":0.1234567890123456789,"f":[1,1.0,2e-7]}`,
  ])("%s keeps its tokens", (text) => {
    expect(again(text)).toBe(text);
  });

  test("are read as texts, and nothing else is", () => {
    const read = parseExact(`{"id":${BIG},"n":9007199254740991,"s":"${BIG}","f":0.1}`);
    expect(read.value).toEqual({ id: BIG, n: 9007199254740991, s: BIG, f: 0.1 });
  });

  test("are those of a JSON text within the text as well", () => {
    const sent = JSON.stringify({ tool_input: `{"id":${BIG}}` });
    expect(stringifyExact({ input: { id: BIG } }, numbersOf(sent))).toBe(`{"input":{"id":${BIG}}}`);
  });

  test("that are written in several ways under one key are written the usual way", () => {
    const text = `[{"a":1.0},{"a":1},{"b":1.0}]`;
    expect(again(text)).toBe(`[{"a":1},{"a":1},{"b":1.0}]`);
    expect(stringifyExact({ a: 1, b: 2 }, numbersOf(text, `{"a":1.00,"b":2}`))).toBe(
      `{"a":1.00,"b":2}`,
    );
  });

  test("are texts once somebody has changed them", () => {
    const numbers = numbersOf(`{"id":${BIG}}`);
    expect(stringifyExact({ id: `${BIG}0`, other: BIG }, numbers)).toBe(
      `{"id":"${BIG}0","other":"${BIG}"}`,
    );
  });

  test("what is not JSON stays so", () => {
    for (const text of [`{${BIG}:1}`, `0${BIG}`, `${BIG}a`, `"a"${BIG}`, `{"a":.${BIG}}`])
      expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  test("any value is read as by JSON.parse, but for these", () => {
    const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String);
    const json = fc
      .letrec<{ any: string }>((tie) => ({
        any: fc.oneof(
          { maxDepth: 3 },
          integer,
          fc.json({ maxDepth: 1 }),
          fc.array(tie("any"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
          fc
            .uniqueArray(fc.tuple(fc.string(), tie("any")), {
              maxLength: 4,
              selector: ([key]) => key,
            })
            .map(
              (rows) =>
                `{${rows.map(([key, item]) => `${JSON.stringify(key)}:${item}`).join(",")}}`,
            ),
        ),
      }))
      .any.map((any) => `[${any}]`);
    const rounded = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    fc.assert(
      fc.property(json, (text) => {
        const parsed: unknown = JSON.parse(text);
        // As a reader of doubles sees what is written again.
        expect(JSON.parse(again(text))).toEqual(rounded(parsed));
        if (parseExact(text).numbers === undefined) expect(parseExact(text).value).toEqual(parsed);
      }),
    );
  });
});
