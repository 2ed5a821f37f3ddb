import { expect, test } from "vitest";
import { KEY } from "../../../src/lua/raw.ts";

test("no two things share a place in a state's registry", () => {
  const places = Object.values(KEY);
  expect(new Set(places).size).toBe(places.length);
});
