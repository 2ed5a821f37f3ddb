import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import type { Json } from "../../../../src/core/json.ts";
import { SECRETS } from "./secrets.ts";

const redactor = createRedactor();
const token = SECRETS["GitHub token"] ?? "";

describe("redacting values", () => {
  const cases: readonly (readonly [string, Json, Json])[] = [
    ["a string", { token: "x" }, { token: "[redacted]" }],
    ["a number", { token: 5 }, { token: "[redacted]" }],
    [
      "what says nothing",
      { token: "", password: null, secret: false },
      { token: "", password: null, secret: false },
    ],
    [
      "a list",
      { secrets: ["a", 1, null, ["b"]] },
      { secrets: ["[redacted]", 1, null, ["[redacted]"]] },
    ],
    [
      "an object",
      { credentials: { user: "a", n: 1, deep: { x: "b" } } },
      { credentials: { user: "[redacted]", n: 1, deep: { x: "[redacted]" } } },
    ],
    ["a text with a secret", { log: [`got ${token}`] }, { log: ["got [redacted]"] }],
    [
      "the words of a command",
      ["x", "--password", "abc", "--token=def"],
      ["x", "--password", "[redacted]", "--token=[redacted]"],
    ],
    [
      "a header as a pair",
      [
        ["Authorization", "abc"],
        ["Accept", "b"],
      ],
      [
        ["Authorization", "[redacted]"],
        ["Accept", "b"],
      ],
    ],
    [
      "a variable by its name",
      [
        { name: "API_KEY", value: "abc" },
        { name: "A", value: "b" },
      ],
      [
        { name: "API_KEY", value: "[redacted]" },
        { name: "A", value: "b" },
      ],
    ],
    [
      "the working directory",
      { pwd: "/home/bob", env: { PWD: "~/x" } },
      { pwd: "/home/bob", env: { PWD: "~/x" } },
    ],
    ["a secret as a key", { [token]: 1, b: 2 }, { "[redacted]": 1, b: 2 }],
    [
      "two secrets as keys",
      { [token]: 1, "[redacted]": 2, [`${token}x`]: 3 },
      { "[redacted]~2": 1, "[redacted]": 2, "[redacted]~3": 3 },
    ],
    ["names of lists", ["password", "token"], ["password", "token"]],
  ];
  test.each(cases)("%s", (_, value, masked) => {
    expect(redactor.value(value)).toEqual(masked);
    expect(redactor.value(masked)).toEqual(masked);
  });

  test("undefined and non-containers", () => {
    expect(redactor.value(undefined)).toBeUndefined();
    expect(redactor.value(null)).toBeNull();
    expect(redactor.value(5)).toBe(5);
    expect(redactor.value("password=abc")).toBe("password=[redacted]");
  });

  test("parts without secrets are shared, at every level", () => {
    const value = { a: { b: ["x"] }, c: { d: { token: "t" }, e: { f: "y" } } };
    const masked = redactor.value(value as Json) as typeof value;
    expect(masked).not.toBe(value);
    expect(masked.a).toBe(value.a);
    expect(masked.c.e).toBe(value.c.e);
    expect(value.c.d.token).toBe("t");
    expect(redactor.value(value.a)).toBe(value.a);
  });

  test("__proto__ is an ordinary key", () => {
    const value = JSON.parse('{"__proto__":{"password":"a","x":1},"y":"b"}') as Json;
    const masked = redactor.value(value);
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"password":"[redacted]","x":1},"y":"b"}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
    expect((masked as Record<string, unknown>)["password"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("key order is kept", () => {
    const value = { z: "1", password: "a", b: "2", 1: "c" };
    expect(Object.keys(redactor.value(value))).toEqual(Object.keys(value));
  });

  test("values are searched to the JSON depth limit; deeper parts are masked entirely", () => {
    const nested = (depth: number): Json => {
      let value: Json = { password: "hunter2", plain: "deep" };
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value];
      return value;
    };
    expect(JSON.stringify(redactor.value(nested(40)))).toContain('"password":"[redacted]"');
    expect(JSON.stringify(redactor.value(nested(40)))).toContain("deep");
    const cut = JSON.stringify(redactor.value(nested(5_000)));
    expect(cut).not.toContain("hunter2");
    expect(cut).toContain("[redacted]");
  });

  test("many secret keys take linear time", () => {
    const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${token}${i}`, i]));
    const masked = redactor.value(value);
    expect(Object.values(masked)).toEqual(Object.values(value));
    expect(Object.keys(masked).every((key) => key.startsWith("[redacted]"))).toBe(true);
  });
});
