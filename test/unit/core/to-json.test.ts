import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import {
  getOwn,
  isPlainObject,
  jsonPointer,
  MAX_JSON_DEPTH,
  setOwn,
} from "../../../src/core/json.ts";
import { copyContainer, NotJson, toJson } from "../../../src/core/visible-value.ts";

/** `levels` objects inside each other, the innermost empty. */
function nested(levels: number): unknown {
  let value: unknown = {};
  for (let i = 1; i < levels; i++) value = i % 2 ? { k: value } : [value];
  return value;
}

const why = (value: unknown): string => {
  try {
    toJson(value);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(NotJson);
    return (thrown as NotJson).message;
  }
  return "it is JSON";
};

describe("toJson", () => {
  it("copies JSON values unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = toJson(value);
        expect(json).toEqual(value);
        if (typeof value === "object" && value !== null) expect(json).not.toBe(value);
      }),
    );
  });

  it("keeps −0, empty lists and objects, NUL characters and nulls", () => {
    const value = { zero: -0, list: [], object: {}, text: "a\0b", "a\0b": null };
    expect(toJson(value)).toEqual(value);
    expect(Object.is((toJson(value) as { zero: number }).zero, -0)).toBe(true);
  });

  it("omits keys with undefined", () => {
    expect(toJson({ a: undefined, b: 1, c: { d: undefined } })).toEqual({ b: 1, c: {} });
    expect(Object.keys(toJson({ a: undefined }) as object)).toEqual([]);
  });

  it("accepts objects without a prototype", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(toJson(bare)).toEqual({ a: 1 });
  });

  it("keeps __proto__ and constructor as data, without prototype pollution", () => {
    const value: unknown = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    const json = toJson(value) as Record<string, Json>;
    expect(Object.keys(json)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
    expect(JSON.stringify(json)).toBe(JSON.stringify(value));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("ignores inherited and symbol keys", () => {
    const child = Object.create({ inherited: 1 }) as object;
    expect(why(child)).toContain("instance of a class");
    expect(toJson({ [Symbol("s")]: 1 })).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ["undefined", undefined, "the value is of type undefined"],
    ["NaN", NaN, "the value is NaN"],
    ["Infinity", { a: Infinity }, "/a is Infinity"],
    ["-Infinity", [-Infinity], "/0 is -Infinity"],
    ["a function", { a: [1, () => 1] }, "/a/1 is of type function"],
    ["a symbol", { a: Symbol("s") }, "/a is of type symbol"],
    ["a bigint", { a: 1n }, "/a is of type bigint"],
    ["a Date", { at: new Date(0) }, "/at is an instance of a class"],
    ["a Map", new Map(), "the value is an instance of a class"],
    ["an instance", { a: new URL("a:b") }, "/a is an instance of a class"],
    ["an Error", new Error("no"), "the value is an instance of a class"],
    ["a typed array", { a: new Uint8Array(2) }, "/a is an instance of a class"],
    ["undefined in a list", [1, undefined], "/1 is of type undefined"],
    // eslint-disable-next-line no-sparse-arrays
    ["a hole in a list", { a: [1, , 3] }, "/a/1 is of type undefined"],
    ["a hole at the end", { a: Array.from({ length: 0 }).concat(Array(2)) }, "/a/0 is of type"],
    ["an odd key on the way", { "a/b~c": NaN }, "/a~1b~0c is NaN"],
  ])("rejects %s", (_, value, message) => {
    expect(why(value)).toContain(message);
  });

  it("rejects cycles", () => {
    const object: Record<string, unknown> = {};
    object["list"] = [1, { object }];
    expect(why(object)).toBe("/list/1/object is a circular reference");
    const list: unknown[] = [];
    list.push(list);
    expect(why(list)).toBe("/0 is a circular reference");
  });

  it("accepts a part that is shared but not circular", () => {
    const shared = { a: [1] };
    const json = toJson({ x: shared, y: [shared, shared] }) as Record<string, Json>;
    expect(json).toEqual({ x: { a: [1] }, y: [{ a: [1] }, { a: [1] }] });
  });

  it("accepts a depth of 32 and rejects 33", () => {
    expect(MAX_JSON_DEPTH).toBe(32);
    expect(toJson(nested(32))).toEqual(nested(32));
    expect(why(nested(33))).toContain("is nested deeper than 32 levels");
    expect(why(nested(34))).toContain("is nested deeper than 32 levels");
  });

  it("counts container levels only", () => {
    let value: unknown = "leaf";
    for (let i = 0; i < 32; i++) value = { k: value };
    expect(toJson(value)).toEqual(value);
    expect(why({ k: value })).toContain("deeper than 32");
  });

  it("rejects a value 100,000 levels deep without overflow", () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(why(deep)).toContain("is nested deeper than 32 levels");
  });

  it("uses the look-up's value for a known object without walking it", () => {
    const known = { fn: () => 1 } as unknown as object;
    const stand = { a: 1 };
    const json = toJson({ x: known, y: [known] }, (object) =>
      object === known ? stand : undefined,
    );
    expect((json as { x: unknown }).x).toBe(stand);
    expect((json as { y: unknown[] }).y[0]).toBe(stand);
  });

  it("agrees with JSON.stringify", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), (value) => {
        let json: Json;
        try {
          json = toJson(value);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(NotJson);
          return;
        }
        expect(JSON.stringify(json)).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe("setOwn and isPlainObject", () => {
  it("setOwn sets keys including __proto__", () => {
    const target: Record<string, unknown> = {};
    setOwn(target, "__proto__", { a: 1 });
    setOwn(target, "b", 2);
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    expect(Object.keys(target)).toEqual(["__proto__", "b"]);
    expect(getOwn(target, "__proto__")).toEqual({ a: 1 });
    setOwn(target, "__proto__", 3);
    expect(getOwn(target, "__proto__")).toBe(3);
    const copy = copyContainer(target);
    expect(copy).not.toBe(target);
    expect(Object.entries(copy)).toEqual(Object.entries(target));
    expect(getOwn({}, "toString")).toBeUndefined();
    expect(getOwn({}, "__proto__")).toBeUndefined();
  });

  it("isPlainObject accepts plain objects only", () => {
    expect(isPlainObject({})).toBe(true);
    expect(isPlainObject(Object.create(null))).toBe(true);
    for (const other of [null, [], new Date(), Object.create({}), () => 1, "text", 1, undefined])
      expect(isPlainObject(other)).toBe(false);
  });
});

it.each<[(string | number)[], string]>([
  [[], ""],
  [["payload"], "/payload"],
  [["payload", "a/b"], "/payload/a~1b"],
  [["payload", "a~b", 0], "/payload/a~0b/0"],
  [["~1"], "/~01"],
  [[""], "/"],
])("jsonPointer of %j is %j", (path, pointer) => {
  expect(jsonPointer(path)).toBe(pointer);
});
