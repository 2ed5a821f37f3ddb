import { expect, it } from "vitest";
import { open } from "../engine/orcs/engine.ts";

const start = (options: Record<string, unknown> = {}) =>
  open({ config: { hooks: [{ script: "orcs:mid-stream", options }] } });

type Engine = Awaited<ReturnType<typeof start>>;

const say = (orcs: Engine, message: string, more: Record<string, unknown> = {}) =>
  orcs.dispatch("agent.on_notification", { message, kind: "inject", ...more });

async function injected(orcs: Engine, more: Record<string, unknown> = {}): Promise<unknown> {
  const payload = { tool_name: "read", args: {}, result: "r", ...more };
  const outcome = await orcs.dispatch("tool.post_execute", payload);
  expect(outcome.action).toBe("continue");
  return outcome.inject;
}

it("orcs:mid-stream injects notifications at the next tool call, in order, once", async () => {
  const orcs = await start();
  expect(await injected(orcs)).toEqual([]);
  await say(orcs, "one");
  await say(orcs, "two");
  const strategy = "tool_result";
  expect(await injected(orcs)).toEqual([
    { content: "one", strategy },
    { content: "two", strategy },
  ]);
  expect(await injected(orcs)).toEqual([]);
});

it("orcs:mid-stream separates sessions and agents", async () => {
  const orcs = await start();
  await say(orcs, "for a", { session_id: "s", agent_id: "a" });
  expect(await injected(orcs, { session_id: "s", agent_id: "b" })).toEqual([]);
  expect(await injected(orcs, { session_id: "t", agent_id: "a" })).toEqual([]);
  expect(await injected(orcs, { session_id: "s", agent_id: "a" })).toHaveLength(1);
});

it("orcs:mid-stream ignores other kinds of notifications", async () => {
  const orcs = await start();
  await say(orcs, "done", { kind: "info" });
  expect(await injected(orcs)).toEqual([]);
});

it("orcs:mid-stream accepts a limit, a kind and a strategy", async () => {
  const orcs = await start({ most: 2, kind: "tell", strategy: "user_message" });
  for (const text of ["1", "2", "3"]) await say(orcs, text, { kind: "tell" });
  expect(await injected(orcs)).toEqual([
    { content: "2", strategy: "user_message" },
    { content: "3", strategy: "user_message" },
  ]);
});
