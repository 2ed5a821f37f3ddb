import { expect, test } from "vitest";
import type { FeedItem, SeenDispatch } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { History } from "../../../../src/workbench/inspect/history.ts";
import { seen } from "./page-rig.ts";

const ids = (history: History, seq: number): string[] =>
  history.after(seq, 1000).rows.map(({ id }) => id);

test("what is over the limit is dropped, the oldest first, and counted as gone", async () => {
  const history = new History({ dispatches: 3 });
  history.add(["a", "b", "c", "d", "e"].map((id) => seen(id)));
  expect(ids(history, 0)).toEqual(["c", "d", "e"]);
  expect(history.after(0, 1000).gone).toBe(2);
  expect(history.after(1, 1000).gone).toBe(1);
  expect(history.after(2, 1000).gone).toBe(0);
  expect(history.after(5, 1000)).toEqual({ rows: [], gone: 0 });
  expect(await history.dispatch("a")).toBeUndefined();
  expect(await history.dispatch("c")).toMatchObject({ dispatch_id: "c" });
});

const brief = (id: string): FeedItem => ({
  brief: true,
  dispatch_id: id,
  began: 1_000,
  point: "tool.pre_execute",
  component: "agent::claude-code",
  tool_name: "exec",
  subject: "git status",
  duration_ms: 0.5,
});

test("a summary is a row, and the rest of it is asked for", async () => {
  const asked: string[] = [];
  const history = new History({}, async (id) => {
    asked.push(id);
    if (id === "gone") throw new Error("the service has ended");
    return seen(id) as SeenDispatch;
  });
  history.add([brief("a"), brief("gone"), seen("b")]);
  expect(history.after(0, 10).rows).toMatchObject([
    { seq: 1, id: "a", verdict: "passed", tool: "exec", subject: "git status", ms: 0.5 },
    { seq: 2, id: "gone" },
    { seq: 3, id: "b", verdict: "denied" },
  ]);
  expect(await history.dispatch("a")).toMatchObject({ dispatch_id: "a", payload: {} });
  expect(await history.dispatch("b")).toMatchObject({ dispatch_id: "b" });
  expect(await history.dispatch("gone")).toBeUndefined();
  expect(await history.dispatch("never")).toBeUndefined();
  expect(asked).toEqual(["a", "gone"]);
});

test("a dispatch that comes again, whole, takes the place of its summary", async () => {
  const history = new History();
  const updates: number[][] = [];
  history.onAdded((rows) => updates.push(rows.map(({ seq }) => seq)));
  history.add([brief("a"), brief("b")]);
  history.add([seen("a")]);
  expect(updates).toEqual([[], [1]]);
  expect(history.after(0, 10).rows).toMatchObject([
    { seq: 1, id: "a", verdict: "denied" },
    { seq: 2, id: "b", verdict: "passed" },
  ]);
  expect(await history.dispatch("a")).toMatchObject({ dispatch_id: "a" });
});

test("large dispatches take the place of many", () => {
  const history = new History({ characters: 5000 });
  history.add(["a", "b"].map((id) => seen(id)));
  history.add([seen("c", { payload: { tool_name: "write", args: { text: "x".repeat(6000) } } })]);
  expect(ids(history, 0)).toEqual(["c"]);
});

test("the run of an asynchronous hook is added to its dispatch", async () => {
  const history = new History();
  const late = { hook: "metric", status: "ran", async: true } as const;
  history.add([seen("a"), { dispatch_id: "a", late }, { dispatch_id: "unknown", late }]);
  expect((await history.dispatch("a"))?.hooks.map(({ hook }) => hook)).toEqual(["guard", "metric"]);
  expect(ids(history, 0)).toEqual(["a"]);
});

test("a row says what became of its dispatch", () => {
  const history = new History();
  const plain = { action: "continue", edits: [] };
  const failed = [{ hook: "g", status: "failed", reason: "boom" }];
  history.add([
    seen("denied"),
    seen("asked", { outcome: { ...plain, decision: "ask", hook: "g", reason: "sure?" } }),
    seen("allowed", { outcome: { ...plain, decision: "allow" } }),
    seen("changed", {
      outcome: { ...plain, edits: [{ path: "/payload/a", value: 1 }] },
      hooks: [],
    }),
    seen("failed", { outcome: plain, hooks: failed }),
    seen("passed", { outcome: plain, hooks: [] }),
    seen("skipped", { outcome: { action: "skip", result: 1, hook: "g", edits: [] } }),
  ]);
  const { rows } = history.after(0, 100);
  expect(rows.map(({ verdict }) => verdict)).toEqual(rows.map(({ id }) => id));
  expect(rows[4]).toMatchObject({ hook: "g", reason: "boom" });
});

test("a note for other hooks is no change, and hides no hook that changed the call", () => {
  const step = { point: "tool.pre_execute", status: "ran", duration_us: 1 } as const;
  const changed = {
    ...step,
    hook: "rewrites",
    patch: [{ op: "replace", path: "/payload/args/command", value: "b" }],
  };
  const noted = {
    ...step,
    hook: "notes",
    patch: [{ op: "add", path: "/metadata/seen", value: true }],
  };
  const edits = [changed, noted].map(({ patch: [edit] }) => ({
    path: edit?.path ?? "",
    value: edit?.value,
  }));
  const of = (id: string, hooks: readonly object[], made: readonly object[]) =>
    ({ ...seen(id), hooks, outcome: { action: "continue", edits: made } }) as unknown as FeedItem;
  const history = new History();
  history.add([of("a", [changed, noted], edits), of("b", [noted], edits.slice(1))]);
  const [first, second] = history.after(0, 10).rows;
  expect(first).toMatchObject({ verdict: "changed", hook: "rewrites" });
  expect(second?.verdict).toBe("passed");
});
