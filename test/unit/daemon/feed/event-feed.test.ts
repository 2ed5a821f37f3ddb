import { expect, test } from "vitest";
import { EventFeed } from "../../../../src/daemon/feed/event-feed.ts";
import { Watch } from "../../../../src/daemon/feed/watch.ts";
import type { FeedItem, SeenDispatch } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { isBrief, isLate } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { History } from "../../../../src/workbench/inspect/history.ts";
import { open } from "../../engine/orcs/engine.ts";

const whole = (items: readonly FeedItem[]): SeenDispatch[] =>
  items.flatMap((item) => (isLate(item) || isBrief(item) ? [] : [item]));

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

test("what a person answers about a call is added to its dispatch", async () => {
  const orcs = await open({ onAsk: () => true });
  orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "ask", reason: "sure?" }));
  const feed = new EventFeed();
  feed.attach(orcs);
  const history = new History();
  const rows = () => {
    history.add(feed.take(10).items);
    return history.after(0, 10).rows.filter(({ point }) => point === "tool.pre_execute");
  };
  // Of a coding agent.
  const outcome = await orcs.dispatch("tool.pre_execute", call("make"));
  expect(rows()).toMatchObject([{ verdict: "asked", reason: "sure?" }]);
  const { ctx } = outcome;
  await orcs.answered(
    { ctx, tool: "exec", args: {}, hook: "h", reason: undefined },
    "said no",
    "terminal",
  );
  expect(rows()).toMatchObject([{ verdict: "denied", reason: "said no" }]);
  // Of a program.
  await orcs.call("exec", { command: "make" }, { fn: () => 1 });
  expect(rows()[1]).toMatchObject({ verdict: "allowed", reason: "approved by a person" });
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

test("each hook has the lines that it logged, masked, also one in shadow", async () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const point = "tool.pre_execute";
  const says = (id: string, more: object = {}) => ({
    id,
    point,
    handler_inline: `orcs.log("${id} 1"); print("${id}", ctx.payload.args.command)`,
    ...more,
  });
  const hooks = [says("one"), { ...says("quiet"), handler_inline: "return nil" }];
  const late = [says("dark", { mode: "audit" })];
  const orcs = await open({ config: { hooks: [...hooks, says("two"), ...late] } });
  const feed = new EventFeed();
  feed.attach(orcs);
  await Promise.all([orcs.dispatch(point, call("ls")), orcs.dispatch(point, call(secret))]);
  await expect.poll(() => feed.size, { timeout: 30_000 }).toBe(4);
  const { items } = feed.take(10);
  const seen = whole(items).map(({ hooks }) => hooks);
  const logged = (id: string, text: string) => [`${id} 1`, `${id}\t${text}`];
  for (const [i, text] of ["ls", "[redacted]"].entries()) {
    const by = (id: string) => seen[i]?.find(({ hook }) => hook === id)?.logs;
    expect(by("one")).toEqual(logged("one", text));
    expect(by("two")).toEqual(logged("two", text));
    expect(by("quiet")).toBeUndefined();
  }
  const after = items.flatMap((item) => (isLate(item) ? [[item.late.hook, item.late.logs]] : []));
  expect(after).toEqual(
    expect.arrayContaining([
      ["dark", logged("dark", "ls")],
      ["dark", logged("dark", "[redacted]")],
    ]),
  );
});

test("nothing is listened to before somebody reads, and after the last reader has gone", async () => {
  const orcs = await open();
  const watch = new Watch(orcs, { gather: 1, wait: 20 });
  expect(orcs.events.idsHeard).toBe(false);
  const reader = watch.follow();
  expect(orcs.events.idsHeard).toBe(true);
  expect(await reader.next()).toEqual({ events: [], lost: 0 });
  const next = reader.next();
  await orcs.dispatch("tool.pre_execute", call("ls"));
  expect(await next).toMatchObject({ events: [{ payload: call("ls") }], lost: 0 });
  reader.close();
  expect(orcs.events.idsHeard).toBe(false);
  expect(await reader.next()).toBeUndefined();
});

test("a reader gets what ended since its previous batch; each reader gets everything", async () => {
  const orcs = await open();
  const watch = new Watch(orcs, { gather: 1, wait: 20 });
  const readers = [watch.follow(), watch.follow()];
  for (const reader of readers) await reader.next();
  for (const command of ["one", "two"]) await orcs.dispatch("tool.pre_execute", call(command));
  for (const reader of readers) {
    const batch = await reader.next();
    expect(batch).toMatchObject({ events: [{ payload: call("one") }, { payload: call("two") }] });
  }
  const waiting = readers.map((reader) => reader.next());
  watch.close();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  expect(orcs.events.idsHeard).toBe(false);
  expect(() => watch.follow()).toThrow("ORCS7018");
});

test("four readers at most", async () => {
  const orcs = await open();
  const watch = new Watch(orcs);
  const readers = Array.from({ length: 4 }, () => watch.follow());
  expect(() => watch.follow()).toThrow("ORCS7017");
  readers[0]?.close();
  watch.follow();
  watch.close();
});

test("a slow reader loses the oldest, and learns how many", async () => {
  const orcs = await open();
  const feed = new EventFeed({ limits: { waiting: 10 } });
  feed.attach(orcs);
  for (let i = 1; i <= 23; i++) await orcs.dispatch("tool.pre_execute", call(String(i)));
  const { items, lost } = feed.take(100);
  expect(items.length + lost).toBe(23);
  expect(items.at(-1)).toMatchObject({ payload: call("23") });
  expect(items.length).toBeLessThanOrEqual(10);
});

test("what waits is bounded by its size too; the newest stays however large it is", async () => {
  const orcs = await open();
  const feed = new EventFeed({ limits: { characters: 100_000 } });
  feed.attach(orcs);
  const large = "x ".repeat(10_000);
  for (let i = 1; i <= 23; i++) await orcs.dispatch("tool.pre_execute", call(large + i));
  const { items, lost } = feed.take(100);
  expect(items.length + lost).toBe(23);
  expect(items.length).toBeGreaterThan(1);
  expect(JSON.stringify(items).length).toBeLessThan(120_000);
  await orcs.dispatch("tool.pre_execute", call("x ".repeat(100_000)));
  await orcs.dispatch("tool.pre_execute", call("x ".repeat(100_000)));
  expect(feed.take(100)).toMatchObject({ items: [{}], lost: 1 });
  for (let i = 1; i <= 23; i++) await orcs.dispatch("tool.pre_execute", call("ls"));
  expect(feed.take(100).items).toHaveLength(23);
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
  const items = whole(feed.take(100).items);
  const parents = items.filter(({ parent_id }) => parent_id === undefined);
  expect(parents).toHaveLength(2);
  for (const { dispatch_id } of parents) {
    expect(items.filter(({ parent_id }) => parent_id === dispatch_id)).toHaveLength(2);
  }
});
