import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Deadline } from "../../../../src/engine/handlers/webhook.ts";

describe("a webhook Deadline", () => {
  it("ends a wait that ignores the signal", async () => {
    const deadline = new Deadline(30, undefined);
    expect(deadline.ended).toBeUndefined();
    expect(deadline.left).toBeLessThanOrEqual(30);
    await expect(Promise.race([sleep(20_000), deadline.over])).rejects.toThrow("timeout");
    expect(deadline.ended).toBe("timeout");
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.left).toBeLessThanOrEqual(1);
  });

  it("ends early with the outer signal and its reason", async () => {
    const controller = new AbortController();
    const deadline = new Deadline(50, controller.signal);
    controller.abort();
    await expect(deadline.over).rejects.toThrow("aborted");
    await sleep(80);
    expect(deadline.ended).toBe("aborted");
    deadline.release();
  });

  it("does not fire after release", async () => {
    const controller = new AbortController();
    const deadline = new Deadline(10, controller.signal);
    deadline.release();
    controller.abort();
    await sleep(40);
    expect(deadline.ended).toBeUndefined();
    expect(deadline.signal.aborted).toBe(false);
  });
});
