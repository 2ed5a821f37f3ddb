import { expect, test } from "vitest";
import { KEY } from "../../../../src/engine/lua/raw.ts";

test("all Lua registry keys are distinct", () => {
  const places = Object.values(KEY);
  expect(new Set(places).size).toBe(places.length);
});
