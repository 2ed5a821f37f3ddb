import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, readJson, readJsonObject } from "../../../src/core/json.ts";
import { orcsProtocol } from "../../../src/formats/orcs.ts";
import { callAt, exit, told } from "./calls.ts";

const lists = (levels: number): string => "[".repeat(levels) + "1" + "]".repeat(levels);

describe("readJson of hook output", () => {
  it("is limited in depth like contexts", () => {
    expect(readJson(lists(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(readJson(`{"a":${lists(MAX_JSON_DEPTH - 1)}}`).ok).toBe(true);
    const deep = { ok: false, why: "is nested too deeply" };
    expect(readJson(lists(MAX_JSON_DEPTH + 1))).toEqual(deep);
    expect(readJson(`{"a":${lists(MAX_JSON_DEPTH)}}`)).toEqual(deep);
    expect(readJson(lists(40_000))).toEqual(deep);
    expect(readJson(lists(1_000_000)).ok).toBe(false);
  });

  it("a context of maximum depth round-trips", () => {
    const args = { deep: JSON.parse(lists(MAX_JSON_DEPTH - 2)) as unknown };
    const call = callAt("tool.pre_execute", { tool_name: "exec", args });
    const ctx = orcsProtocol.encode(call).body;
    const stdout = { action: "continue", ctx };
    expect(told(exit(orcsProtocol, 0, stdout, { call }))).toEqual({ action: "continue" });
  });

  it("accepts finite numbers only", () => {
    expect(readJson("[1e308]").ok).toBe(true);
    for (const text of ["1e309", "[-1e999]", '{"a":[1e400]}'])
      expect(readJson(text).ok).toBe(false);
  });

  it("keeps __proto__ as a key", () => {
    const read = readJsonObject('{"__proto__":{"x":1}}');
    if (!read.ok) throw new Error(read.why);
    expect(Object.keys(read.value)).toEqual(["__proto__"]);
    expect(read.value["x"]).toBeUndefined();
  });
});
