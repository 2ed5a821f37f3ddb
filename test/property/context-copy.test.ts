import * as fc from "fast-check";
import { expect } from "vitest";
import { setOwn } from "../../src/core/json.ts";
import { LaterPart } from "../../src/engine/lua/context-view.ts";
import {
  ContextReader,
  ContextWriter,
  putBackShared,
  takeOutShared,
} from "../../src/engine/lua/worker/context-copy.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, undefined, true, -0, 2 ** 53, 1e300),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom("a", "b", "1", "__proto__", "then", "", "a\0b"), tie("value")),
  ),
})).value;

/** As another thread gets it. */
const copied = (writer: ContextWriter, reader: ContextReader, given: unknown): unknown =>
  reader.unpack(structuredClone(writer.pack(given)));

it("a context sent to the worker is equal, with all kinds of numbers and keys", () => {
  fc.assert(
    fc.property(value, (given) => {
      const copy = copied(new ContextWriter(Infinity), new ContextReader(), given);
      expect(copy).toStrictEqual(structuredClone(given));
    }),
  );
});

it("a value sent once is not sent again, and is the same object on the other side", () => {
  fc.assert(
    fc.property(value, value, (one, two) => {
      const writer = new ContextWriter(Infinity);
      const reader = new ContextReader();
      const first = { one, two: [one], self: {} };
      first.self = first;
      const before = copied(writer, reader, first) as typeof first;
      expect(before.self).toBe(before);
      const packed = writer.pack({ ...first, two });
      const after = reader.unpack(structuredClone(packed)) as typeof first;
      expect(after.self).toBe(before);
      expect(after.one).toBe(before.one);
      expect(after.two).toStrictEqual(structuredClone(two));
      if (Object(two) !== two) expect(packed.parts).toHaveLength(1);
    }),
  );
});

it("parts of a context in edits come back as the caller's own objects", () => {
  fc.assert(
    fc.property(fc.array(value), value, (list, own) => {
      const given = { list };
      const writer = new ContextWriter(Infinity);
      const reader = new ContextReader();
      const copy = copied(writer, reader, given) as typeof given;
      const edited = [{ path: ["list"], value: [...copy.list, { own }] }];
      const taken = takeOutShared(edited as never, (part) => reader.numberOf(part));
      const { edits, shared } = structuredClone(taken);
      putBackShared(edits, shared, (part) => writer.original(part));
      const [{ value: result }] = edits as unknown as [{ value: unknown[] }];
      const objects = given.list.filter((item) => Object(item) === item);
      expect(result.slice(0, -1).filter((item) => Object(item) === item)).toEqual(objects);
      given.list.forEach((item, i) => {
        if (Object(item) === item) expect(result[i]).toBe(item);
      });
      expect(result.at(-1)).toStrictEqual({ own: structuredClone(own) });
    }),
  );
});

it("a message that is too large leaves the context writer unchanged", () => {
  const writer = new ContextWriter(1000);
  const reader = new ContextReader();
  const part = { n: 1 };
  expect(copied(writer, reader, { part })).toEqual({ part });
  const large = { part, other: { n: 2 }, text: "x".repeat(2000) };
  expect(() => writer.pack(large)).toThrow("too large");
  expect(copied(writer, reader, { part, other: large.other })).toEqual({ part, other: { n: 2 } });
});

/** What is there, parts that came later looked into. */
function resolved(given: unknown): unknown {
  const seen = given instanceof LaterPart ? given.shown() : given;
  if (Array.isArray(seen)) return seen.map(resolved);
  if (typeof seen !== "object" || seen === null) return seen;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(seen)) setOwn(copy, key, resolved(item));
  return copy;
}

repeatedTest("parts requested separately equal those sent at once, for any size", () => {
  const large = fc.array(fc.oneof(value, fc.string({ minLength: 2000, maxLength: 4000 })), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(large, value, (list, own) => {
      const given = { list, own, again: list };
      const writer = new ContextWriter(Infinity, "asked");
      const asked: number[] = [];
      const reader = new ContextReader((number) => {
        asked.push(number);
        return structuredClone(writer.part(number));
      });
      const copy = copied(writer, reader, given) as typeof given;
      expect(resolved(copy)).toStrictEqual(structuredClone(given));
      // Each at most once, and what was met after it comes with it.
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length).toBeLessThan(20);
      expect(copy.again).toBe(copy.list);
      const number = reader.numberOf(copy.list);
      expect(writer.original(number ?? -1)).toBe(list);
    }),
    { numRuns: runCount(50) },
  );
});
