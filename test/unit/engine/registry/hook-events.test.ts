import { expect, it } from "vitest";
import type { EventName } from "../../../../src/engine/registry/events.ts";
import { bench, hook, sync } from "./hooks.ts";

const NAMES = ["executed", "skipped", "aborted", "replaced", "failed", "dropped"] as const;

/** A dispatch of one hook that answers this, and what is told of it. */
async function told(
  answer: unknown,
  point = "test.pre_run",
): Promise<[EventName, Record<string, unknown>][]> {
  const { registry, clock } = bench({ onError: "open" });
  const seen: [EventName, Record<string, unknown>][] = [];
  for (const name of NAMES) registry.events.on(name, (event) => seen.push([name, { ...event }]));
  const does = async (): Promise<unknown> => {
    await clock.sleep(5);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  registry.register(hook(does, { id: "a", point }));
  await registry.dispatch(point, {});
  return seen;
}

const of = (point: string) => ({
  dispatch_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
  hook: "a",
  point,
  duration_ms: 5,
});
const PRE = of("test.pre_run");

it.each([
  ["nothing", undefined, [["executed", { ...PRE, action: "continue" }]]],
  [
    "a decision",
    { decision: "ask", reason: "who knows" },
    [["executed", { ...PRE, action: "continue", decision: "ask", reason: "who knows" }]],
  ],
  [
    "abort",
    { action: "abort", reason: "no" },
    [
      ["executed", { ...PRE, action: "abort", reason: "no" }],
      ["aborted", { ...PRE, action: "abort", reason: "no" }],
    ],
  ],
  [
    "skip",
    { action: "skip", result: 1 },
    [
      ["executed", { ...PRE, action: "skip" }],
      ["skipped", { ...PRE, action: "skip" }],
    ],
  ],
  [
    "an error",
    new Error("boom"),
    [["failed", { ...PRE, failure: { kind: "error", message: "boom" } }]],
  ],
])("hook events for %s", async (_, answer, events) => {
  expect(await told(answer)).toEqual(events);
});

it("hook events for replace at a post point", async () => {
  const event = { ...of("test.post_run"), action: "replace" };
  expect(await told({ action: "replace", result: 1 }, "test.post_run")).toEqual([
    ["executed", event],
    ["replaced", event],
  ]);
});

it("hook events are emitted in traced dispatches too, and the trace is complete", () => {
  const { registry } = bench();
  const seen: string[] = [];
  registry.events.on("executed", ({ hook: id }) => seen.push(id));
  for (const id of ["a", "b"]) registry.register(hook(() => undefined, { id }));
  const outcome = sync(registry.dispatch("test.pre_run", {}, { trace: true }));
  expect(seen).toEqual(["a", "b"]);
  expect(outcome.trace?.map(({ id, status }) => `${id} ${status}`)).toEqual(["a ran", "b ran"]);
});

it("hook events stop when the last listener is removed", () => {
  const { registry } = bench();
  const stop = registry.events.on("executed", () => undefined);
  expect(registry.events.resultsHeard).toBe(true);
  stop();
  expect(registry.events.resultsHeard).toBe(false);
});
