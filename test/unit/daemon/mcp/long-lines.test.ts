import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { isUnambiguous } from "../../../../src/daemon/mcp/json-ambiguity.ts";
import { textOfLine } from "../../../../src/daemon/mcp/json-rpc.ts";

const FILLER = "x".repeat(100_000);

describe("short and long lines", () => {
  repeatedTest("are decoded as UTF-8 in the same way", () => {
    const pieces = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom("é", "\u0000", "\u2028", "😀", "\uFFFD", "\uFEFF")
        .map((text) => Buffer.from(text)),
      fc.constant(Buffer.from(FILLER)),
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const line = Buffer.concat([Buffer.from("{"), ...parts]);
        expect(textOfLine(line) === line.toString("utf8")).toBe(true);
      }),
      { numRuns: runCount(100) },
    );
    expect(textOfLine(Buffer.from(`\uFEFFé${FILLER}`))).toBe(`é${FILLER}`);
  });

  test.each([
    ["as we would write it", '{"id":1,"result":{"a":[1,{"b":2}]},"t":"T"}', true],
    ["with spaces", '{ "id": 1, "result": {}, "t": "T" }', true],
    ["with quotes and braces in texts", '{"id":1,"r":"{\\"id\\":2}\\\\","t":"T"}', true],
    ["one key twice", '{"id":1,"result":{},"t":"T","id":2}', false],
    ["one key twice, deep within", '{"id":1,"result":{"a":[{"b":1,"t":"T","b":2}]}}', false],
    ["one key twice, once escaped", '{"id":1,"result":{},"t":"T","\\u0069d":2}', false],
    ["two keys that are not the same", '{"id":1,"é":{},"t":"T","Ã©":2}', true],
    ["a carriage return within", '{"id":1,\r"t":"T"}', false],
  ])("isUnambiguous is the same: %s", (_what, written, isPlain) => {
    for (const filler of ["", FILLER]) {
      const text = written.replace('"T"', `"${filler}"`);
      expect(isUnambiguous(JSON.parse(text), Buffer.from(`${text}\n`), `${text}\n`)).toBe(isPlain);
    }
  });
});
