import { expect, test } from "vitest";
import { EventFeed } from "../../../src/feed/event-feed.ts";
import { Watch } from "../../../src/feed/watch.ts";
import { isLate } from "../../../src/feed/seen-dispatch.ts";
import { open } from "../engine/engine.ts";

const call = (command: string) => ({ tool_name: "exec", args: { command } });

test("a dispatch is told once it has ended, with all its hooks, in order", async () => {
  const orcs = await open();
  orcs.on("tool.pre_execute", { tool: "write" }, () => undefined);
  orcs.hook({
    id: "dry",
    point: "tool.pre_execute",
    handler: ({ payload }) => {
      (payload["args"] as { command: string }).command += " -n";
    },
  });
  const feed = new EventFeed();
  feed.attach(orcs);
  await orcs.dispatch("tool.pre_execute", { ...call("make"), session_id: "s" });
  const { items, lost } = feed.take(10);
  expect(lost).toBe(0);
  expect(items).toMatchObject([
    {
      point: "tool.pre_execute",
      session_id: "s",
      payload: call("make"),
      outcome: { action: "continue", edits: [{ path: "/payload/args/command", value: "make -n" }] },
      hooks: [
        { status: "not_matched", failing: "tool" },
        { hook: "dry", status: "ran", patch: [{ path: "/payload/args/command" }] },
      ],
    },
  ]);
  expect(feed.isEmpty).toBe(true);
});

test("secrets are masked", async () => {
  const orcs = await open();
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  orcs.on("tool.pre_execute", () => ({ action: "abort", reason: `no ${secret}` }));
  const feed = new EventFeed();
  feed.attach(orcs);
  await orcs.dispatch("tool.pre_execute", call(`curl -H "Authorization: token ${secret}"`));
  const text = JSON.stringify(feed.take(10).items);
  expect(text).toContain("[redacted]");
  expect(text).not.toContain(secret);
});

test("nothing is listened to before a reader asks, and after it has gone", async () => {
  const orcs = await open();
  const watch = new Watch(orcs, { gather: 1, wait: 20, gone: 10 });
  expect(orcs.events.idsHeard).toBe(false);
  // A new reader learns at once that it is heard.
  expect(await watch.poll("r")).toEqual({ watched: [], lost: 0 });
  const answer = watch.poll("r");
  expect(orcs.events.idsHeard).toBe(true);
  await orcs.dispatch("tool.pre_execute", call("ls"));
  expect(await answer).toMatchObject({ watched: [{ payload: call("ls") }], lost: 0 });
  await expect.poll(() => orcs.events.idsHeard).toBe(false);
});

test("a reader that asks again gets what ended in between; each reader gets everything", async () => {
  const orcs = await open();
  const watch = new Watch(orcs, { gather: 1, wait: 20, gone: 1000 });
  await Promise.all([watch.poll("a"), watch.poll("b")]);
  for (const command of ["one", "two"]) await orcs.dispatch("tool.pre_execute", call(command));
  for (const reader of ["a", "b"]) {
    const answer = await watch.poll(reader);
    expect(answer).toMatchObject({ watched: [{ payload: call("one") }, { payload: call("two") }] });
  }
  watch.close();
  expect(orcs.events.idsHeard).toBe(false);
  expect(await watch.poll("a")).toEqual({ error: "stopping" });
});

test("a slow reader loses the oldest, and learns how many", async () => {
  const orcs = await open();
  const feed = new EventFeed(undefined, { waiting: 10 });
  feed.attach(orcs);
  for (let i = 1; i <= 23; i++) await orcs.dispatch("tool.pre_execute", call(String(i)));
  const { items, lost } = feed.take(100);
  expect(items.length + lost).toBe(23);
  expect(items.at(-1)).toMatchObject({ payload: call("23") });
  expect(items.length).toBeLessThanOrEqual(10);
});

test("two dispatches at the same time are kept apart, and a hook's call names its parent", async () => {
  const orcs = await open();
  orcs.addTool("look", () => "seen");
  orcs.on("tool.pre_execute", { tool: "exec" }, async (_ctx, calls) => {
    await calls.get("look", {});
  });
  const feed = new EventFeed();
  feed.attach(orcs);
  await Promise.all(["one", "two"].map((name) => orcs.dispatch("tool.pre_execute", call(name))));
  const items = feed.take(100).items.flatMap((item) => (isLate(item) ? [] : [item]));
  const parents = items.filter(({ parent_id }) => parent_id === undefined);
  expect(parents).toHaveLength(2);
  for (const { dispatch_id } of parents) {
    expect(items.filter(({ parent_id }) => parent_id === dispatch_id)).toHaveLength(2);
  }
});
