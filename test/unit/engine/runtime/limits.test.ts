import { describe, expect, test } from "vitest";
import { errorOf, open } from "../orcs/engine.ts";
import { DEFAULT_LIMITS, filledLimits } from "../../../../src/engine/runtime/runtime-limits.ts";
import type { RuntimeLimits } from "../../../../src/engine/runtime/runtime-limits.ts";

const KEYS = Object.keys(DEFAULT_LIMITS) as (keyof RuntimeLimits)[];

describe("limits of a runtime", () => {
  test.each([undefined, {}])("are the defaults when %j is given", (given) => {
    expect(filledLimits(given)).toEqual(DEFAULT_LIMITS);
  });

  test.each(KEYS)("%s can be set alone; undefined counts as absent", (key) => {
    const before = { ...DEFAULT_LIMITS };
    const given = { ...Object.fromEntries(KEYS.map((each) => [each, undefined])), [key]: 7 };
    expect(filledLimits(given as Partial<RuntimeLimits>)).toEqual({ ...DEFAULT_LIMITS, [key]: 7 });
    expect(DEFAULT_LIMITS).toEqual(before);
  });

  test.each(KEYS)("have a minimum for %s", (key) => {
    const least = key === "graceMs" ? 0 : 1;
    expect(filledLimits({ [key]: least })[key]).toBe(least);
    for (const bad of [least - 1, -1, 1.5, Number.NaN, Infinity, 2 ** 53, "5", true, null, [1]]) {
      expect(() => filledLimits({ [key]: bad } as object), String(bad)).toThrow(
        expect.objectContaining({
          code: "ORCS1004",
          message: `ORCS1004: the runtime limit ${key} must be an integer >= ${least}`,
          fields: { key },
        }),
      );
    }
  });

  test.each([
    ["mailbx", "; did you mean mailbox?"],
    ["requestMS", "; did you mean requestMs?"],
    ["child_depth", "; did you mean childDepth?"],
    ["threads", ""],
    ["toString", ""],
    ["__proto__", ""],
  ])("unknown limit %s is rejected", (key, hint) => {
    const given = JSON.parse(`{ ${JSON.stringify(key)}: 5 }`) as object;
    expect(() => filledLimits(given)).toThrow(
      expect.objectContaining({
        code: "ORCS1003",
        message: `ORCS1003: a runtime has no limit ${key}${hint}`,
        fields: { key },
      }),
    );
  });

  test("are validated when a runtime is created; the engine stays usable", async () => {
    const orcs = await open();
    const limits = (given: object) => ({ limits: given as Partial<RuntimeLimits> });
    expect((await errorOf(() => orcs.runtime(limits({ mailbx: 5 })))).code).toBe("ORCS1003");
    expect((await errorOf(() => orcs.runtime(limits({ mailbox: 0 })))).code).toBe("ORCS1004");
    const runtime = orcs.runtime(limits({ channels: 1 }));
    await runtime.spawn({ id: "builtin::a", onRequest: () => "ok" });
    const second = runtime.spawn({ id: "builtin::b", onRequest: () => "ok" });
    expect((await errorOf(second)).code).toBe("ORCS6009");
    expect(await runtime.request("builtin::a", "x")).toBe("ok");
  });
});
