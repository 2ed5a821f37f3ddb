import * as fc from "fast-check";
import { expect } from "vitest";
import { EventFeed } from "../../../../src/daemon/feed/event-feed.ts";
import type { FeedItem, SeenDispatch } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { isBrief, isLate } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { Watch } from "../../../../src/daemon/feed/watch.ts";
import { briefRow, rowOf } from "../../../../src/workbench/inspect/rows.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { open } from "../../engine/orcs/engine.ts";

const POINT = "tool.pre_execute";
const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const call = (command: string) => ({ tool_name: "exec", session_id: "s", args: { command } });

async function rig(
  config: Readonly<Record<string, unknown>> = {},
  limits: ConstructorParameters<typeof EventFeed>[0] = {},
) {
  const orcs = await open({ config });
  const feed = new EventFeed({ brief: true, ...limits });
  feed.attach(orcs);
  return { orcs, feed };
}

test("a dispatch that passed comes as a summary, and the rest of it is there until the reader goes", async () => {
  const { orcs, feed } = await rig();
  orcs.on(POINT, () => undefined);
  await orcs.dispatch(POINT, call(`curl -H "Authorization: token ${SECRET}" x`));
  const { items } = feed.take(10);
  expect(items).toMatchObject([
    {
      brief: true,
      point: POINT,
      session_id: "s",
      tool_name: "exec",
      subject: 'curl -H "Authorization: token [redacted]" x',
    },
  ]);
  expect(Object.keys(items[0] ?? {})).not.toContain("payload");
  const id = items[0]?.dispatch_id ?? "";
  expect(feed.dispatch(id)).toMatchObject({
    dispatch_id: id,
    payload: { args: { command: 'curl -H "Authorization: token [redacted]" x' } },
    hooks: [{ status: "ran" }],
  });
  expect(feed.dispatch("another")).toBeUndefined();
  feed.detach();
  expect(feed.dispatch(id)).toBeUndefined();
});

test("what a hook decided, changed or failed at comes whole", async () => {
  const says: Readonly<Record<string, string>> = {
    deny: `return orcs.deny("no")`,
    ask: `return orcs.ask("sure?")`,
    allow: `return orcs.allow("fine")`,
    change: `ctx.payload.args.command = "ls"`,
    fail: `error("boom")`,
    note: `ctx.metadata.seen = true`,
  };
  const hooks = Object.entries(says).map(([id, handler_inline]) => {
    return { id, point: POINT, match: { command: `^${id}$` }, handler_inline };
  });
  const warn = { id: "warn", point: POINT, mode: "warn", match: { command: "^warn$" } };
  const { orcs, feed } = await rig({
    hooks: [...hooks, { ...warn, handler_inline: `return orcs.deny("no")` }],
  });
  for (const id of [...Object.keys(says), "warn", "else"]) await orcs.dispatch(POINT, call(id));
  const { items } = feed.take(100);
  expect(items.map((item) => isBrief(item))).toEqual([...items.slice(1).map(() => false), true]);
});

test("a hook that runs later makes a summary whole where it did something, and is in its rest otherwise", async () => {
  const { orcs, feed } = await rig({
    hooks: [
      { id: "later", point: "tool.post_execute", async: true, handler_inline: `print("done")` },
      { id: "dark", point: POINT, mode: "audit", handler_inline: `return orcs.deny("no")` },
    ],
  });
  await orcs.dispatch("tool.post_execute", { ...call("ls"), result: "x" });
  const [first] = feed.take(10).items;
  const id = first?.dispatch_id ?? "";
  const later = () => feed.dispatch(id)?.hooks.find(({ async }) => async === true);
  await expect.poll(later, { timeout: 30_000 }).toMatchObject({ hook: "later", logs: ["done"] });
  expect(feed.take(10).items).toEqual([]);

  await orcs.dispatch(POINT, call("ls"));
  await expect.poll(() => feed.size, { timeout: 30_000 }).toBe(2);
  const [summary, whole] = feed.take(10).items;
  expect(summary).toMatchObject({ brief: true });
  expect(whole).toMatchObject({
    dispatch_id: summary?.dispatch_id,
    hooks: [{ hook: "dark", mode: "audit", action: "abort" }],
  });
});

test("what is kept of summaries is bounded, by their number and by their size", async () => {
  const { orcs, feed } = await rig({}, { limits: { kept: 10 } });
  for (let i = 0; i < 12; i++) await orcs.dispatch(POINT, call(`ls ${i}`));
  const kept = (items: readonly FeedItem[], of: EventFeed) =>
    items.map(({ dispatch_id }) => of.dispatch(dispatch_id) !== undefined);
  const are = kept(feed.take(20).items, feed);
  // The oldest tenth goes at once.
  expect(are.indexOf(true)).toBe(2);
  expect(are.slice(2).every(Boolean)).toBe(true);

  const small = await rig({}, { limits: { characters: 5000 } });
  for (let i = 0; i < 4; i++) await small.orcs.dispatch(POINT, call("x ".repeat(1000) + i));
  await small.orcs.dispatch(POINT, call("y ".repeat(10_000)));
  expect(kept(small.feed.take(10).items, small.feed)).toEqual([false, false, false, false, true]);
});

test("each reader has its own form, and the service finds the rest of a summary", async () => {
  const orcs = await open();
  const watch = new Watch(orcs, { gather: 1, wait: 20 });
  const [brief, whole] = [watch.follow(true), watch.follow()];
  for (const reader of [brief, whole]) await reader.next();
  await orcs.dispatch(POINT, call("ls"));
  const summary = (await brief.next())?.events[0];
  const seen = (await whole.next())?.events[0];
  expect(summary).toMatchObject({ brief: true, subject: "ls" });
  expect(watch.dispatch(summary?.dispatch_id ?? "")).toMatchObject({
    ...seen,
    began: expect.any(Number) as number,
    at: expect.any(Number) as number,
  });
  brief.close();
  expect(watch.dispatch(summary?.dispatch_id ?? "")).toBeUndefined();
  watch.close();
});

/** Values as programs hand them over: also such that are no JSON. No numbers: under a name that is masked, one is a text in the whole. */
const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("ls", "", SECRET, `pass=${SECRET}`, "x".repeat(300)) },
  fc.string(),
  fc.constantFrom<unknown>(
    null,
    new URL("https://u:hunter22@example.com/x"),
    Buffer.from("text of bytes"),
    new Map([["command", "in a map"]]),
    ["list"],
    Promise.resolve(1),
    Object.defineProperty({}, "command", { enumerable: true, get: () => "accessor" }),
  ),
);
const keys = fc.constantFrom("command", "path", "url", "prompt", "message", "password", "name");
const payloads = fc.record({
  more: fc.dictionary(keys, value, { maxKeys: 2 }),
  tool_name: fc.oneof(fc.constantFrom("exec", SECRET, "t".repeat(300)), fc.string()),
  args: fc.dictionary(keys, value, { maxKeys: 3 }),
});

repeatedTest("property: a summary is the row that the whole dispatch is", async () => {
  const keyed = { redact: { keys: ["prompt"], patterns: ["^pa"] } };
  const { orcs, feed } = await rig(keyed);
  const all = new EventFeed();
  all.attach(orcs);
  await fc.assert(
    fc.asyncProperty(payloads, async ({ more, ...rest }) => {
      await orcs.dispatch(POINT, { ...more, ...rest } as never);
      const [summary] = feed.take(10).items;
      const [whole] = all.take(10).items as SeenDispatch[];
      if (!summary || !whole || isLate(summary)) throw new Error("an event is missing");
      const row = isBrief(summary) ? briefRow(summary, 1) : rowOf(summary, 1);
      const { at: _, ...expected } = rowOf(whole, 1);
      expect(row).toMatchObject(expected);
      expect(Object.keys(row).sort()).toEqual([...Object.keys(expected), "at"].sort());
      expect(JSON.stringify(row)).not.toContain(SECRET);
    }),
    { numRuns: runCount(500) },
  );
});
