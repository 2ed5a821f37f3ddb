import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { LocalStateStore } from "../../../../src/core/ports.ts";
import { fileState } from "../../../../src/engine/orcs/state/file-state.ts";
import { memoryState } from "../../../../src/engine/orcs/state/memory-state.ts";

const dir = mkdtempSync(join(tmpdir(), "orcs-state-limit-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const LOGGER = { debug() {}, info() {}, warn() {}, error() {}, hears: () => false };
const MOST = 2 ** 20;
const PART = "x".repeat(2 ** 14);

const STORES: Readonly<Record<string, () => LocalStateStore>> = {
  memory: () => memoryState({ now: () => 0 } as Parameters<typeof memoryState>[0], MOST),
  file: () => fileState(join(dir, "state.jsonl"), LOGGER, Date.now, MOST),
};

test.each(Object.keys(STORES))("state in %s rejects values over its limit", (kind) => {
  const state = STORES[kind]?.() as LocalStateStore;
  const most = MOST / PART.length;
  let kept = 0;
  const fill = (): void => {
    for (; kept < 2 * most; kept++) state.set(`k${kept}`, PART);
  };
  expect(fill).toThrow(/ORCS4002.*limit of 1 MB/);
  expect(kept).toBe(most - 1);
  expect(state.get(`k${kept}`)).toBeUndefined();
  expect(state.get("k0")).toBe(PART);
  // What it holds may be changed and deleted, and then there is room again.
  state.set("k0", "small");
  expect(state.delete("k1")).toBe(true);
  state.set("again", PART);
  expect(state.get("again")).toBe(PART);
  expect(state.incr("n", 1)).toBe(1);
  // What was written over and over is no more than what it is now.
  for (let i = 0; i < 200; i++) state.set("k2", PART);
  expect(state.get("k2")).toBe(PART);
  if (kind === "file") expect(statSync(join(dir, "state.jsonl")).size).toBeLessThan(5 * MOST);
});
