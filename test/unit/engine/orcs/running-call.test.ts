import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import {
  RunningCall,
  RunningCalls,
  RunningTool,
} from "../../../../src/engine/orcs/calls/running-call.ts";

/** Ways to cancel a call, from its caller and from the engine. */
const CANCELLED = [
  { by: "its caller", cancel: (caller: AbortController) => caller.abort("gone") },
  { by: "the engine", cancel: (_: AbortController, call: RunningCall) => call.cancel() },
];

describe.each(CANCELLED)("a call cancelled by $by", ({ cancel }) => {
  test("aborts a signal that was read before", () => {
    const caller = new AbortController();
    const call = new RunningCall(caller.signal);
    const { signal } = call;
    expect(signal.aborted).toBe(false);
    cancel(caller, call);
    expect(signal.aborted).toBe(true);
    expect(call.signal).toBe(signal);
  });

  test("has an aborted signal when it is read afterwards", () => {
    const caller = new AbortController();
    const call = new RunningCall(caller.signal);
    cancel(caller, call);
    expect(call.signal.aborted).toBe(true);
  });

  test.each(["before", "afterwards"])("calls back once, asked %s", (when) => {
    const caller = new AbortController();
    const call = new RunningCall(caller.signal);
    let count = 0;
    const ask = (): void => call.onCancel(() => count++);
    if (when === "before") ask();
    cancel(caller, call);
    if (when === "afterwards") ask();
    expect(count).toBe(1);
  });
});

test("passes on why its caller gave up", () => {
  const caller = new AbortController();
  const call = new RunningCall(caller.signal);
  const { signal } = call;
  caller.abort("gone");
  expect(signal.reason).toBe("gone");
  expect(new RunningCall(caller.signal).signal.reason).toBe("gone");
});

test("listens to its caller only as long as it runs, and only when somebody looks", () => {
  const caller = new AbortController();
  const listeners = (): number => getEventListeners(caller.signal, "abort").length;
  const call = new RunningCall(caller.signal);
  expect(listeners()).toBe(0);
  expect(call.signal.aborted).toBe(false);
  call.onCancel(() => undefined);
  expect(listeners()).toBe(1);
  call.end();
  expect(listeners()).toBe(0);
});

test("what a tool sees calls back, also when another maker has made it", () => {
  const seen: string[] = [];
  const call = new RunningCall(undefined);
  const ours = new RunningTool(call, {} as never, {} as never);
  const other = new AbortController();
  RunningTool.onCancel(ours, () => seen.push("ours"));
  RunningTool.onCancel({ signal: other.signal }, () => seen.push("other"));
  call.cancel();
  other.abort();
  expect(seen).toEqual(["ours", "other"]);
});

test("every call that runs is cancelled, whatever order others ended in", () => {
  for (const order of [[], [0], [3], [1, 0], [2, 3, 0], [3, 2, 1], [0, 3, 1, 2]]) {
    const running = new RunningCalls();
    const calls = [0, 1, 2, 3].map(() => new RunningCall(undefined));
    for (const call of calls) running.add(call);
    for (const i of order) running.delete(calls[i] as RunningCall);
    running.cancel();
    const cancelled = calls.flatMap(({ signal }, i) => (signal.aborted ? [i] : []));
    expect(cancelled, order.join()).toEqual([0, 1, 2, 3].filter((i) => !order.includes(i)));
  }
});
