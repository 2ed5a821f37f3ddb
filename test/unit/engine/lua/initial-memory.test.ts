import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { withInitialMemory } from "../../../../scripts/generate/vm/initial-memory.ts";
import { edited, instantiateLua } from "../../../../src/engine/lua/wasm.ts";
import { EDITS } from "../../../../src/engine/lua/vm-code.ts";

const BUILD = readFileSync(createRequire(import.meta.url).resolve("wasmoon/dist/glue.wasm"));

test("withInitialMemory changes only the module's initial memory", () => {
  const module = withInitialMemory(BUILD, 300);
  expect(new WebAssembly.Module(Uint8Array.from(module))).toBeDefined();
  expect(BUILD.equals(withInitialMemory(module, 256))).toBe(true);
  expect(BUILD.equals(withInitialMemory(withInitialMemory(BUILD, 32), 256))).toBe(true);
});

test("withInitialMemory rejects a module without memory", () => {
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  expect(() => withInitialMemory(empty, 32)).toThrow("unexpected Lua build");
});

test("a Lua instance starts with 2 MiB and grows", () => {
  const raw = instantiateLua();
  expect(raw.HEAPU8.length).toBe(2 ** 21);
  const block = raw.malloc(2 ** 22);
  expect(block).toBeGreaterThan(0);
  expect(raw.HEAPU8.length).toBeGreaterThan(2 ** 22);
  raw.HEAPU8[block + 2 ** 22 - 1] = 7;
  expect(raw.HEAPU8[block + 2 ** 22 - 1]).toBe(7);
});

test("another build is not changed", () => {
  expect(() => edited(BUILD.subarray(1), EDITS)).toThrow("unexpected Lua build");
  const [, at] = /\n[0-9a-f]+>[0-9a-f]+ (\d+)/.exec(EDITS) ?? [];
  const other = Buffer.from(BUILD);
  other[Number(at)] = 0xff;
  expect(() => edited(other, EDITS)).toThrow("unexpected Lua build");
});
