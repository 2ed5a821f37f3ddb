import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { timedSignal } from "../../../src/core/promises.ts";

describe("timedSignal", () => {
  it("aborts when the time is over", async () => {
    const within = timedSignal(30, undefined);
    expect(within.signal.aborted).toBe(false);
    expect(within.isLate).toBe(false);
    await expect(sleep(20_000, undefined, { signal: within.signal })).rejects.toThrow("aborted");
    expect(within.isLate).toBe(true);
    within.end();
  });

  it("aborts with the outer signal, and is not late then", async () => {
    const controller = new AbortController();
    const within = timedSignal(50, controller.signal);
    controller.abort();
    expect(within.signal.aborted).toBe(true);
    await sleep(80);
    expect(within.isLate).toBe(false);
    within.end();
  });

  it("aborts at once if the outer signal already has", () => {
    const within = timedSignal(10_000, AbortSignal.abort());
    expect(within.signal.aborted).toBe(true);
    within.end();
  });

  it("is not late after its end", async () => {
    const within = timedSignal(10, undefined);
    within.end();
    await sleep(40);
    expect(within.isLate).toBe(false);
  });
});
