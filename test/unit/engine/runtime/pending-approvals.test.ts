import { describe, expect, test, vi } from "vitest";
import type { ChildContext } from "../../../../src/core/child.ts";
import type { Request } from "../../../../src/core/component.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { SpawnOptions } from "../../../../src/engine/runtime/orcs-engine.ts";
import { errorOf, folder } from "../orcs/engine.ts";
import { childOf, stage, type Stage } from "./acting.ts";

/** An engine in which commands need a grant, or somebody's approval. */
function asking(hil: object = {}, more: CreateOrcsOptions = {}): Promise<Stage> {
  return stage({ cwd: folder(), config: { permissions: { grants: [] }, hil }, ...more });
}

/** Somebody who is asked, and keeps what was asked. */
async function approver({ runtime }: Stage, id: string, options: SpawnOptions = {}) {
  const asked: Request[] = [];
  await runtime.spawn(
    { id, subscriptions: ["Approval"], onRequest: (request) => void asked.push(request) },
    options,
  );
  return {
    asked,
    /** The id of a question, when it has come. */
    async question(index = 0): Promise<string> {
      await vi.waitFor(() => expect(asked.length).toBeGreaterThan(index));
      const { approval_id } = (asked[index]?.payload ?? {}) as JsonObject;
      return approval_id as string;
    },
  };
}

/** Such an engine with somebody who is asked, and a component that needs to ask. */
async function trial(hil?: object, more?: CreateOrcsOptions) {
  const set = await asking(hil, more);
  const judge = await approver(set, "lua::judge");
  return { set, judge, boss: await set.actor("lua::boss") };
}

const echo = (context: ChildContext) => context.get("exec", "echo x");

describe("a component that subscribes to Approval", () => {
  test("gets the request and can approve it", async () => {
    const { set, judge, boss } = await trial();
    const running = boss(echo);
    const approval_id = await judge.question();
    expect(judge.asked).toEqual([
      expect.objectContaining({
        category: "Approval",
        operation: "requested",
        source: "lua::boss",
        target: "lua::judge",
        payload: {
          approval_id,
          component: "lua::boss",
          tool: "exec",
          args: { command: "echo x" },
          reason: expect.stringContaining("no grant covers"),
        },
      }),
    ]);
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
    expect(await running).toMatchObject({ ok: true, stdout: "x\n" });
  });

  test("can reject it", async () => {
    const { set, judge, boss } = await trial();
    const running = boss(echo);
    await set.runtime.signal("lua::judge", { kind: "reject", approval_id: await judge.question() });
    expect(await running).toMatchObject({
      ok: false,
      error: expect.stringContaining("not approved"),
    });
  });

  test("can answer by a signal to any component", async () => {
    const set = await asking();
    const judge = await approver(set, "lua::judge");
    const other = await set.actor("lua::other");
    const boss = await set.actor("lua::boss");
    for (const target of ["lua::judge", "lua::boss", "lua::other"]) {
      const running = boss(echo);
      const approval_id = await judge.question(judge.asked.length);
      await other((context) => context.sendSignal(target, "approve", { approval_id }));
      expect(await running, target).toMatchObject({ ok: true });
    }
  });

  test("gets requests for grants too", async () => {
    const { set, judge, boss } = await trial();
    const granting = boss((context) => context.grantCommand("echo"));
    const approval_id = await judge.question();
    expect(judge.asked[0]?.payload).toMatchObject({
      tool: "grant_command",
      args: { pattern: "echo", kind: "persistent" },
    });
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
    await granting;
    expect(await boss(echo)).toMatchObject({ ok: true });
  });

  test("that subscribes to all events only is no approver", async () => {
    const set = await asking();
    const heard: string[] = [];
    await set.runtime.spawn({
      id: "lua::log",
      subscriptions: ["*"],
      onRequest: ({ category }) => void heard.push(category),
    });
    const boss = await set.actor("lua::boss");
    const refused = { ok: false, error: expect.stringContaining("nobody is available to ask") };
    expect(await boss(echo)).toEqual(refused);
    const judge = await approver(set, "lua::judge");
    const running = boss(echo);
    await set.runtime.signal("lua::judge", {
      kind: "approve",
      approval_id: await judge.question(),
    });
    expect(await running).toMatchObject({ ok: true });
    expect(heard).toEqual(["Approval"]);
  });

  test("that subscribes to all events and Approval is asked once", async () => {
    const set = await asking();
    const asked: Request[] = [];
    await set.runtime.spawn({
      id: "lua::judge",
      subscriptions: ["*", "Approval"],
      onRequest: (request) => void asked.push(request),
    });
    const boss = await set.actor("lua::boss");
    const running = boss(echo);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    const { approval_id } = (asked[0]?.payload ?? {}) as { approval_id: string };
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
    expect(await running).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
  });

  test("absent: the call is denied at once, also after the approver has ended", async () => {
    const set = await asking();
    const boss = await set.actor("lua::boss");
    const refused = { ok: false, error: expect.stringContaining("nobody is available to ask") };
    expect(await boss(echo)).toEqual(refused);
    await approver(set, "lua::judge");
    await set.runtime.stop("lua::judge");
    expect(await boss(echo)).toEqual(refused);
  });
});

describe("a component cannot approve its own call", () => {
  test("or its children's, or as another instance", async () => {
    const { set, judge, boss } = await trial({ timeout_ms: 150 });
    const twin = await set.actor("lua::boss", { instance: "two" });
    const running = boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      const approving = childOf(context, { id: "b" });
      const asked = child(echo);
      const approval_id = await judge.question();
      await context.sendSignal("lua::judge", "approve", { approval_id });
      const sibling = await approving;
      await sibling((own) => own.sendSignal("lua::judge", "approve", { approval_id }));
      await twin((own) => own.sendSignal("lua::judge", "approve", { approval_id }));
      return asked;
    });
    expect(await running).toMatchObject({
      ok: false,
      error: expect.stringContaining("no answer within 150 ms"),
    });
  });

  test("or by a hook that changes the signal's source", async () => {
    const { set, judge, boss } = await trial({ timeout_ms: 150 });
    set.orcs.on("signal.pre_dispatch", (ctx) => {
      const { source: _, ...rest } = ctx.payload["signal"] as Record<string, unknown>;
      Object.assign(ctx.payload, { signal: rest });
      return undefined;
    });
    const answer = await boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      const running = child(echo);
      const approval_id = await judge.question();
      await context.sendSignal("lua::judge", "approve", { approval_id });
      return running;
    });
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("no answer") });
  });

  test("but can reject it", async () => {
    const { judge, boss } = await trial();
    const answer = await boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      const running = child(echo);
      const approval_id = await judge.question();
      await context.sendSignal("lua::boss", "reject", { approval_id });
      return running;
    });
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("not approved") });
  });
});

describe("the only approver", () => {
  const refused = { ok: false, error: expect.stringContaining("nobody is available to ask") };
  const approves = { subscriptions: ["Approval"] };

  test("is not asked about its own calls, which are denied at once", async () => {
    const set = await asking({ timeout_ms: 500 });
    const judge = await set.actor("lua::judge", {}, approves);
    const told: unknown[] = [];
    set.orcs.on("bus.pre_broadcast", ({ payload }) => void told.push(payload["event"]));
    await judge(async (context) => {
      expect(await context.get("exec", "echo x")).toEqual(refused);
      const error = await errorOf(context.grantCommand("echo"));
      expect(error.message).toContain("nobody is available to ask");
      const child = await childOf(context, { id: "a" });
      expect(await child(echo)).toEqual(refused);
    });
    expect(told).toEqual([]);
  });

  test("and its other instances are not asked either", async () => {
    const set = await asking({ timeout_ms: 500 });
    const one = await set.actor("lua::judge", { instance: "one" }, approves);
    await approver(set, "lua::judge", { instance: "two" });
    expect(await one(echo)).toEqual(refused);
  });

  test("with a second approver, that one is asked until it ends", async () => {
    const set = await asking({ timeout_ms: 5000 });
    const judge = await set.actor("lua::judge", {}, approves);
    const other = await approver(set, "lua::other");
    const running = judge(echo);
    const approval_id = await other.question();
    await set.runtime.signal("lua::other", { kind: "approve", approval_id });
    expect(await running).toMatchObject({ ok: true, stdout: "x\n" });
    await set.runtime.stop("lua::other");
    expect(await judge(echo)).toEqual(refused);
  });

  test("and the program's approve function is asked too", async () => {
    const approve = vi.fn(() => true);
    const set = await asking({ timeout_ms: 5000 }, { approve });
    const judge = await set.actor("lua::judge", {}, approves);
    expect(await judge(echo)).toMatchObject({ ok: true });
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test("a same-named component in another runtime can approve", async () => {
    const set = await asking({ timeout_ms: 5000 });
    const judge = await set.actor("lua::judge", {}, approves);
    const runtime = set.orcs.runtime();
    const namesake = await approver({ ...set, runtime }, "lua::judge");
    expect(await judge(echo)).toEqual(refused);
    expect(namesake.asked).toEqual([]);
    const other = await approver({ ...set, runtime }, "lua::other");
    const running = judge(echo);
    const approval_id = await other.question();
    await runtime.signal("lua::other", { kind: "approve", approval_id });
    expect(await running).toMatchObject({ ok: true });
  });
});

describe("approval answers", () => {
  test("with an unknown, missing or old id are ignored", async () => {
    const { set, judge, boss } = await trial();
    const { runtime } = set;
    const first = boss(echo);
    const before = await judge.question();
    await runtime.signal("lua::judge", { kind: "reject", approval_id: before });
    await first;
    const second = boss(echo);
    const approval_id = await judge.question(1);
    expect(approval_id).not.toBe(before);
    for (const signal of [
      { kind: "approve", approval_id: before },
      { kind: "approve", approval_id: "nope" },
      { kind: "approve", approval_id: "__proto__" },
      { kind: "approve" },
      { kind: "resume", approval_id },
    ] as const) {
      await runtime.signal("lua::judge", signal);
    }
    await runtime.signal("lua::judge", { kind: "reject", approval_id });
    expect(await second).toMatchObject({ ok: false });
  });

  test("the first of two counts", async () => {
    const set = await asking();
    const one = await approver(set, "lua::one");
    const two = await approver(set, "lua::two");
    const boss = await set.actor("lua::boss");
    for (const [i, kinds] of (
      [
        ["approve", "reject"],
        ["reject", "approve"],
      ] as const
    ).entries()) {
      const running = boss(echo);
      const approval_id = await one.question(i);
      expect(await two.question(i)).toBe(approval_id);
      await Promise.all([
        set.runtime.signal("lua::one", { kind: kinds[0], approval_id }),
        set.runtime.signal("lua::two", { kind: kinds[1], approval_id }),
      ]);
      expect((await running).ok).toBe(kinds[0] === "approve");
    }
  });

  test("the program's and a component's compete; the first counts", async () => {
    let answer: ((approved: boolean) => void) | undefined;
    const approve = () => new Promise<boolean>((resolve) => (answer = resolve));
    const { set, judge, boss } = await trial({}, { approve });
    const first = boss(echo);
    await judge.question(0);
    await vi.waitFor(() => expect(answer).toBeDefined());
    answer?.(false);
    expect(await first).toMatchObject({ ok: false });
    const second = boss(echo);
    const approval_id = await judge.question(1);
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
    expect(await second).toMatchObject({ ok: true });
  });

  test("after the timeout are ignored", async () => {
    const { set, judge, boss } = await trial({ timeout_ms: 40 });
    const answer = await boss(echo);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("within 40 ms") });
    const approval_id = await judge.question();
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
    expect(await boss(echo)).toMatchObject({ ok: false });
  });

  test("a request is withdrawn with its call or channel", async () => {
    const { set, judge, boss } = await trial();
    const running = boss(async (context) => {
      const child = await childOf(context, { id: "a", timeout_ms: 50 });
      let left: unknown;
      await child(async (own) => {
        left = await own.get("exec", "echo x");
      }).catch(() => undefined);
      await vi.waitFor(() => expect(left).toBeDefined());
      return left;
    });
    const approval_id = await judge.question();
    expect(await running).toMatchObject({
      ok: false,
      error: expect.stringContaining("the call was cancelled"),
    });
    await set.runtime.signal("lua::judge", { kind: "approve", approval_id });
  });
});

describe("hil.mode with approver components", () => {
  test.each(["deny", "terminal"])("%s does not ask components", async (mode) => {
    const { judge, boss } = await trial({ mode });
    expect(await boss(echo)).toMatchObject({ ok: false });
    expect(judge.asked).toEqual([]);
  });

  test("callback asks components", async () => {
    const { set, judge, boss } = await trial({ mode: "callback" });
    const running = boss(echo);
    await set.runtime.signal("lua::judge", {
      kind: "approve",
      approval_id: await judge.question(),
    });
    expect(await running).toMatchObject({ ok: true });
  });
});

test("a hook that aborts the approval broadcast denies the call", async () => {
  const set = await asking();
  await approver(set, "lua::judge");
  set.orcs.on("bus.pre_broadcast", () => ({ action: "abort", reason: "hush" }));
  const boss = await set.actor("lua::boss");
  expect(await boss(echo)).toMatchObject({
    ok: false,
    error: expect.stringContaining("asking for approval failed"),
  });
});
