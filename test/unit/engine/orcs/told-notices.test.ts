import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileState } from "../../../../src/engine/orcs/state/file-state.ts";
import { ShownNotices } from "../../../../src/engine/orcs/state/shown-notices.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { LocalStateStore } from "../../../../src/core/ports.ts";
import { folder, Lines } from "./engine.ts";

const NOTICE = { text: "not trusted", key: "k1" };
const LATER = { text: "changed", key: "k2" };

/** A state in a file, and how often it was asked. */
function counted(file: string): LocalStateStore & { asked: number } {
  const state = fileState(file, new Lines());
  onTestFinished(() => state.close());
  const count = {
    asked: 0,
    waits: false as const,
    get: (key: string) => (count.asked++, state.get(key)),
    set: (key: string, value: Json) => state.set(key, value),
    delete: (key: string) => state.delete(key),
    incr: (key: string, by: number, ttl?: number) => (count.asked++, state.incr(key, by, ttl)),
    compareAndSet: (key: string, ...values: [Json | undefined, Json | undefined]) =>
      state.compareAndSet(key, ...values),
  };
  return count;
}

describe("ShownNotices in memory", () => {
  it("a notice is due once per session, notice and channel", () => {
    const told = new ShownNotices(undefined, new Lines());
    expect(told.isDue(NOTICE, "a", "shown")).toBe(true);
    expect(told.isDue(NOTICE, "a", "shown")).toBe(false);
    expect(told.isDue(NOTICE, "b", "shown")).toBe(true);
    expect(told.isDue(LATER, "a", "shown")).toBe(true);
    // What was told before it changed, and is so again, was told.
    expect(told.isDue(NOTICE, "a", "shown")).toBe(false);
  });

  it("calls without a session share one, distinct from every named session", () => {
    const told = new ShownNotices(undefined, new Lines());
    expect(told.isDue(NOTICE, undefined, "shown")).toBe(true);
    expect(told.isDue(NOTICE, undefined, "shown")).toBe(false);
    expect(told.isDue(NOTICE, "undefined", "shown")).toBe(true);
  });

  it("a shown notice is not due on stderr; one on stderr is still due to be shown", () => {
    const told = new ShownNotices(undefined, new Lines());
    expect(told.isDue(NOTICE, "a", "stderr")).toBe(true);
    expect(told.isDue(NOTICE, "a", "stderr")).toBe(false);
    expect(told.isDue(NOTICE, "a", "shown")).toBe(true);
    expect(told.isDue(NOTICE, "b", "shown")).toBe(true);
    expect(told.isDue(NOTICE, "b", "stderr")).toBe(false);
  });

  it("keys and sessions with separators are kept apart", () => {
    const told = new ShownNotices(undefined, new Lines());
    const pairs = [
      ['a","b', "c"],
      ["a", 'b","c'],
      ["a", "b"],
      ["", "ab"],
    ] as const;
    for (const [key, session] of pairs)
      expect(told.isDue({ text: "", key }, session, "shown")).toBe(true);
  });

  it("forgets the oldest entries at the limit", () => {
    const told = new ShownNotices(undefined, new Lines());
    for (let i = 0; i < 10_000; i++) expect(told.isDue(NOTICE, `s${i}`, "shown")).toBe(true);
    expect(told.isDue(NOTICE, "s9999", "shown")).toBe(false);
    expect(told.isDue(NOTICE, "s0", "shown")).toBe(true);
  });
});

describe("ShownNotices in a state file", () => {
  it("a notice is due once for all processes, with one lookup per session", () => {
    const file = join(folder(), "state.jsonl");
    const states = [counted(file), counted(file)] as const;
    const both = states.map((state) => new ShownNotices(state, new Lines()));
    expect(both.map((told) => told.isDue(NOTICE, "a", "shown"))).toEqual([true, false]);
    const looked = states.map(({ asked }) => asked);
    for (const told of both) {
      for (let i = 0; i < 100; i++) expect(told.isDue(NOTICE, "a", "shown")).toBe(false);
    }
    expect(states.map(({ asked }) => asked)).toEqual(looked);
    expect(looked).toEqual([2, 1]);
  });

  it("a notice shown by another process is not due on stderr", () => {
    const file = join(folder(), "state.jsonl");
    const [one, two, three] = [0, 1, 2].map(() => new ShownNotices(counted(file), new Lines()));
    expect(one?.isDue(NOTICE, "a", "shown")).toBe(true);
    expect(two?.isDue(NOTICE, "a", "stderr")).toBe(false);
    expect(two?.isDue(NOTICE, "b", "stderr")).toBe(true);
    expect(three?.isDue(NOTICE, "b", "stderr")).toBe(false);
    expect(three?.isDue(NOTICE, "b", "shown")).toBe(true);
  });

  it("calls without a session are not stored", () => {
    const state = counted(join(folder(), "state.jsonl"));
    expect(new ShownNotices(state, new Lines()).isDue(NOTICE, undefined, "shown")).toBe(true);
    expect(new ShownNotices(state, new Lines()).isDue(NOTICE, undefined, "shown")).toBe(true);
    expect(state.asked).toBe(0);
  });

  it("with an unusable file, a notice is due once in this process", () => {
    // A file stands where its directory would be.
    const state = counted(join(folder({ "in-the-way": "" }), "in-the-way", "state.jsonl"));
    const lines = new Lines();
    const told = new ShownNotices(state, lines);
    expect(told.isDue(NOTICE, "a", "shown")).toBe(true);
    expect(told.isDue(NOTICE, "a", "shown")).toBe(false);
    expect(lines.lines).toEqual([expect.stringContaining("ORCS5002")]);
  });
});
