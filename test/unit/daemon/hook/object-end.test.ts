import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonEndDetector } from "../../../../src/daemon/hook/event-io.ts";

/** In which piece it ends, counted from 0; undefined when in none. */
function endsIn(pieces: readonly Uint8Array[]): number | undefined {
  const end = new JsonEndDetector();
  const found = pieces.findIndex((piece) => end.isIn(piece));
  return found === -1 ? undefined : found;
}

function pieces(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

test("the end of a JSON object is found at its last byte, however the input is split", () => {
  const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  fc.assert(
    fc.property(object, fc.integer({ min: 1, max: 9 }), (value, size) => {
      const cut = pieces(JSON.stringify(value), size);
      expect(endsIn(cut)).toBe(cut.length - 1);
    }),
  );
});

test.each(['{"a":"}"', '{"a":"\\"}', '{"a":{"b":1}', '{"a":[}', "", "  ", '"{}', "{"])(
  "no object end is found in %j",
  (text) => {
    expect(endsIn(pieces(text, 1))).toBeUndefined();
  },
);

test.each([
  ["{}", 1],
  [" \n{} ", 3],
  ["\uFEFF{}", 4],
  ["{}{}", 1],
  ['{"a":"\\\\"}', 9],
  ['{"a":"\\u007d}"}', 14],
  ["[{}]", 3],
  ["}", 0],
])("the object in %j ends at byte %d", (text, at) => {
  expect(endsIn(pieces(text, 1))).toBe(at);
});
