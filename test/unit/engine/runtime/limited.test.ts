import { describe, expect, onTestFinished, test } from "vitest";
import { withTimeout } from "../../../../src/engine/runtime/with-timeout.ts";
import { held, ManualClock, never, settle, stateOf } from "./rig.ts";

/** Rejections that nobody hears while a test runs. */
function unheard(): unknown[] {
  const reasons: unknown[] = [];
  const listen = (reason: unknown): void => void reasons.push(reason);
  process.on("unhandledRejection", listen);
  onTestFinished(() => void process.off("unhandledRejection", listen));
  return reasons;
}

/** Something that can be awaited and is no Promise. */
function thenable<T>(promise: Promise<T>): PromiseLike<T> {
  // oxlint-disable-next-line unicorn/no-thenable -- this is what it is about
  return { then: (resolve, reject) => promise.then(resolve, reject) };
}

describe("withTimeout in time", () => {
  test("returns a plain value at once without a timer", async () => {
    const clock = new ManualClock();
    expect(await withTimeout(clock, 5, 100, "it")).toBe(5);
    expect(clock.size).toBe(0);
  });

  test("resolves or rejects like the promise and clears the timer", async () => {
    const clock = new ManualClock();
    expect(await withTimeout(clock, Promise.resolve(5), 100, "it")).toBe(5);
    await expect(withTimeout(clock, Promise.reject(new Error("no")), 100, "it")).rejects.toThrow(
      "no",
    );
    await settle();
    expect(clock.size).toBe(0);
  });
});

describe("withTimeout after the limit", () => {
  test.each([
    ["a promise", <T>(promise: Promise<T>) => promise],
    ["what can be awaited and is no Promise", thenable],
  ])("of %s rejects with the name and limit", async (_, made) => {
    const clock = new ManualClock();
    const begun = withTimeout(clock, made(never()) as Promise<never>, 100, "the work");
    expect(await stateOf(begun)).toBe("pending");
    await Promise.all([
      expect(begun).rejects.toMatchObject({
        code: "ORCS6003",
        message: "ORCS6003: the work took longer than 100 ms",
        fields: { timeout_ms: 100 },
      }),
      clock.advance(100),
    ]);
  });

  test("ignores the later outcome", async () => {
    const reasons = unheard();
    const clock = new ManualClock();
    const begun = held();
    const ended = withTimeout(clock, begun.promise, 100, "it");
    await Promise.all([expect(ended).rejects.toThrow("longer"), clock.advance(100)]);
    begun.reject(new Error("too late"));
    await settle();
    expect(reasons).toEqual([]);
  });

  test("with a limit beyond timers does not expire at once", async () => {
    const clock = new ManualClock();
    const begun = withTimeout(clock, never(), 2 ** 40, "it");
    await clock.advance(1000);
    expect(await stateOf(begun)).toBe("pending");
  });
});

describe("withTimeout aborted", () => {
  const why = new Error("given up");

  test("before or during: rejects with the reason, without listener or timer left", async () => {
    const clock = new ManualClock();
    await expect(withTimeout(clock, never(), 100, "it", AbortSignal.abort(why))).rejects.toBe(why);
    const controller = new AbortController();
    const ended = withTimeout(clock, never(), 100, "it", controller.signal);
    await settle();
    controller.abort(why);
    await expect(ended).rejects.toBe(why);
    await settle();
    expect(clock.size).toBe(0);
  });

  test("after completion: no effect", async () => {
    const reasons = unheard();
    const controller = new AbortController();
    expect(
      await withTimeout(new ManualClock(), Promise.resolve(1), 100, "it", controller.signal),
    ).toBe(1);
    controller.abort(why);
    await settle();
    expect(reasons).toEqual([]);
  });

  test("without a limit too", async () => {
    const controller = new AbortController();
    const ended = withTimeout(new ManualClock(), never(), Infinity, "it", controller.signal);
    expect(await stateOf(ended)).toBe("pending");
    controller.abort(why);
    await expect(ended).rejects.toBe(why);
  });
});
