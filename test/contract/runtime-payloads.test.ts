import { describe, expect, test, vi } from "vitest";
import { ALL_CAPABILITIES, CAPABILITIES } from "../../src/core/permission.ts";
import type { HookContext } from "../../src/core/context.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { ORCS_POINTS } from "../../src/core/point-table.ts";
import type { Runtime } from "../../src/engine/orcs/runtime/runtime.ts";
import { createWorld, noting, plain } from "./runtime-rig.ts";

// All 25 points of ADR-002 in one life of a component, fired by the runtime: order, payloads, addresses.

const ID = "builtin::b";
const KEY = `${ID}#one`;
const READ_SPAWN = CAPABILITIES.READ | CAPABILITIES.SPAWN;
const HOST = { type: "Host", id: "main" };
const POINTS = Object.keys(ORCS_POINTS) as (keyof typeof ORCS_POINTS)[];
/** Hooks at other addresses, each of which sees the life of exactly one. */
const ADDRESSES = {
  component: ID,
  instance: `${ID}#one`,
  "other instance": `${ID}#two`,
  child: `${ID}/kid`,
  "child of instance": `${ID}/kid#one`,
  "any child": `${ID}/*`,
  "other component": "builtin::c",
} as const;

interface Seen {
  readonly point: string;
  readonly ctx: Omit<HookContext, "payload">;
  readonly payload: JsonObject;
}

/** What hooks saw of one life in which everything happens. */
async function live() {
  const records: Seen[] = [];
  const at: Record<string, string[]> = {};
  const channel = { id: "" };
  const mark = ({ hook_point, metadata }: HookContext): void => {
    if (hook_point.includes(".pre_")) metadata["mark"] = hook_point;
  };
  const world = await createWorld({
    hooks: [
      ...POINTS.map((point) => ({
        id: `record ${point}`,
        point,
        handler(ctx: HookContext) {
          const { payload, ...rest } = plain(ctx) as unknown as HookContext;
          records.push({ point, ctx: rest, payload: payload as JsonObject });
          mark(ctx);
        },
      })),
      ...Object.entries(ADDRESSES).flatMap(([name, fql]) =>
        POINTS.map((point) => ({
          point,
          fql,
          id: `${name} ${point}`,
          handler: () => void (at[name] ??= []).push(point),
        })),
      ),
    ],
  });
  const { runtime } = world;
  const started = await runtime.spawn(noting(ID, world.did, ["News"]), {
    instance: "one",
    snapshot: { n: 0 },
    request_timeout_ms: 9000,
  });
  channel.id = started?.id ?? "none";
  await ask(runtime, "tool", { x: 1 });
  await ask(runtime, "spawn", { id: "kid", capabilities: ["READ", "SPAWN"], timeout_ms: 5000 });
  await ask(runtime, "run", { x: 2 });
  await ask(runtime, "check", "git log -1");
  await ask(runtime, "grant", "git status");
  const response = await runtime.signal(ID, { kind: "resume", reason: "because" });
  expect(response).toBe("handled");
  expect(await runtime.broadcast({ category: "News", operation: "said", payload: [1] })).toBe(1);
  // Nobody waits for an event to be served; the channel ends only when this one has been.
  const isServed = ({ point, payload }: Seen): boolean =>
    point === "request.post_dispatch" && payload["category"] === "News";
  await vi.waitFor(() => expect(records.some(isServed)).toBe(true), 5000);
  const ended = await runtime.stop(KEY, "done");
  expect(ended).toMatchObject({ exit_reason: "done", snapshot: { n: 1 }, errors: [] });
  return { records, at, channel: channel.id, world };
}

function ask(runtime: Runtime, operation: string, payload: Json): Promise<Json> {
  return runtime.request(KEY, operation, payload);
}

type Expected = readonly [point: string, payload: unknown];

const INT = expect.toSatisfy(
  (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 9000,
) as unknown;
const REQUEST_ID: unknown = expect.stringMatching(/^req-\d+$/);

function expected(channel: string, root: string): readonly Expected[] {
  const ids = { component_id: ID, channel_id: channel };
  const request = (
    operation: string,
    payload: unknown,
    inner: readonly Expected[],
    response: unknown,
  ): readonly Expected[] => {
    const all = {
      ...ids,
      id: REQUEST_ID,
      category: "Request",
      operation,
      source: "host::main",
      target: KEY,
      payload,
      timeout_ms: 9000,
    };
    return [
      ["request.pre_dispatch", all],
      ...inner,
      ["request.post_dispatch", { ...all, response, elapsed_ms: INT }],
    ];
  };
  const tool = (args: unknown, capabilities: number): readonly Expected[] => {
    const call = { tool_name: "note", tool: "note", args, capabilities, sandbox_root: root };
    const result = { noted: args, mark: "tool.pre_execute" };
    return [
      ["tool.pre_execute", call],
      ["tool.post_execute", { ...call, result, elapsed_ms: INT }],
    ];
  };
  const noted = (args: unknown) => ({ ok: true, noted: args, mark: "tool.pre_execute" });
  const child_config = { id: "kid", capabilities: ["READ", "SPAWN"], timeout_ms: 5000 };
  const run = { child_id: "kid", parent_id: KEY };
  const child_result = { got: { x: 2 }, mark: "child.pre_run", tool: "tool.pre_execute" };
  const permission_result = { status: "allowed" };
  const signal = { kind: "resume", reason: "because" };
  const event = { category: "News", operation: "said", payload: [1], source: "host::main" };
  const told = { ...event, ...ids, id: expect.stringMatching(/^evt-\d+$/), target: KEY };
  return [
    ["channel.pre_create", { ...ids, runtime_hints: { mailbox: 1024, request_timeout_ms: 9000 } }],
    ["channel.post_create", { ...ids, handle: { id: channel } }],
    ["bus.on_register", { component_id: ID, subscriptions: ["News"] }],
    ["component.pre_init", { ...ids, snapshot: { n: 0 } }],
    ["component.post_init", { ...ids, init_result: { ready: true }, elapsed_ms: INT }],
    ...request("tool", { x: 1 }, tool({ x: 1 }, ALL_CAPABILITIES), noted({ x: 1 })),
    ...request(
      "spawn",
      child_config,
      [
        [
          "child.pre_spawn",
          {
            child_config,
            parent_id: KEY,
            capabilities: READ_SPAWN,
            effective_capabilities: READ_SPAWN,
          },
        ],
        ["child.post_spawn", { ...run, capabilities: READ_SPAWN }],
      ],
      { child_id: "kid", capabilities: READ_SPAWN },
    ),
    ...request(
      "run",
      { x: 2 },
      [
        ["child.pre_run", { ...run, input: { x: 2 } }],
        ...tool({ from: "kid" }, READ_SPAWN),
        ["child.post_run", { ...run, child_result, elapsed_ms: INT }],
      ],
      child_result,
    ),
    ...request(
      "check",
      "git log -1",
      [
        [
          "auth.pre_check",
          {
            command: "git log -1",
            capabilities: ALL_CAPABILITIES,
            session: { id: KEY, elevated: false },
          },
        ],
        ["auth.post_check", { command: "git log -1", permission_result }],
      ],
      { command: "git log -1", ...permission_result },
    ),
    ...request(
      "grant",
      "git status",
      [["auth.on_grant", { pattern: "git status", granted_by: { type: "User", id: "approval" } }]],
      null,
    ),
    ["signal.pre_dispatch", { ...ids, signal }],
    [
      "signal.post_dispatch",
      { ...ids, signal, signal_response: "handled", channel_action: "resume" },
    ],
    ["bus.pre_broadcast", { event, target_count: 1 }],
    ["request.pre_dispatch", { ...told, timeout_ms: 9000 }],
    ["bus.post_broadcast", { event, delivered_count: 1 }],
    [
      "request.post_dispatch",
      {
        ...told,
        timeout_ms: 9000,
        response: { got: [1], mark: "request.pre_dispatch" },
        elapsed_ms: INT,
      },
    ],
    ["bus.on_unregister", { component_id: ID }],
    ["channel.pre_destroy", { ...ids, exit_reason: "done" }],
    ["component.pre_shutdown", { ...ids, status: "running" }],
    ["component.post_shutdown", { ...ids, snapshot: { n: 1 }, elapsed_ms: INT }],
    ["channel.post_destroy", { ...ids, snapshot: { n: 1 } }],
  ];
}

/** Points that concern the child of the scene, by the last of its parts. */
const OF_CHILD = new Set([
  "child.pre_spawn",
  "child.post_spawn",
  "child.pre_run",
  "child.post_run",
]);

describe("the payloads in a component's life", () => {
  test("all 25 points are dispatched in order with exactly the documented keys", async () => {
    const { records, channel, world } = await live();
    const wanted = expected(channel, world.orcs.settings.permissions.root);
    const found = records.map(({ point, payload }) => [point, payload] as const);
    // An event is served beside the end of its broadcast: only their order is open.
    const settled = (rows: readonly (readonly [string, unknown])[]) => {
      const events = rows.filter(([, payload]) =>
        (payload as { id?: string }).id?.startsWith("evt-"),
      );
      return { events, others: rows.filter((row) => !events.includes(row)) };
    };
    const others = wanted.filter(
      ([, payload]) =>
        !("target" in (payload as object)) || (payload as JsonObject)["category"] === "Request",
    );
    const events = wanted.filter((row) => !others.includes(row));
    expect(settled(found).others).toEqual(others);
    expect(settled(found).events).toEqual(events);
    expect([...new Set(records.map(({ point }) => point))].toSorted()).toEqual(POINTS.toSorted());
  });

  test("each context has caller, channel and its operation's metadata", async () => {
    const { records, channel } = await live();
    const ending = { type: "Component", id: KEY };
    let last = 0;
    for (const { point, ctx } of records) {
      const isEnd = /unregister|destroy|shutdown/.test(point);
      const isHost = point.endsWith("_broadcast");
      expect(ctx, point).toMatchObject({
        hook_point: point,
        component_id: isHost ? "host::main" : ID,
        channel_id: isHost ? "main" : channel,
        principal: isEnd ? ending : HOST,
        depth: 0,
        max_depth: 4,
      });
      expect(ctx.timestamp_ms, point).toSatisfy(Number.isInteger);
      expect(ctx.timestamp_ms, point).toBeGreaterThanOrEqual(last);
      last = ctx.timestamp_ms;
      if (point.includes(".post_")) {
        expect(ctx.metadata["mark"], point).toBe(point.replace(".post_", ".pre_"));
      }
    }
  });

  test("hooks match by component, child and instance", async () => {
    const { records, at } = await live();
    const ofChild = records.filter(
      ({ point, payload }) =>
        OF_CHILD.has(point) ||
        (point.startsWith("tool.") && (payload["args"] as JsonObject)["from"] === "kid"),
    );
    const ours = records.filter(({ point }) => !point.endsWith("_broadcast"));
    const names = (rows: readonly Seen[]) => rows.map(({ point }) => point).toSorted();
    expect(at["component"]?.toSorted()).toEqual(names(ours));
    expect(at["instance"]?.toSorted()).toEqual(names(ours));
    for (const name of ["child", "child of instance", "any child"]) {
      expect(at[name]?.toSorted(), name).toEqual(names(ofChild));
    }
    expect(at["other instance"]).toBeUndefined();
    expect(at["other component"]).toBeUndefined();
  });

  test("the operation gets the pre hook's metadata", async () => {
    const { world } = await live();
    expect(world.did).toEqual([
      'restore {"n":0}',
      'init "component.pre_init"',
      'request tool {"x":1}',
      'tool {"x":1}',
      'request spawn {"id":"kid","capabilities":["READ","SPAWN"],"timeout_ms":5000}',
      'request run {"x":2}',
      'child {"x":2}',
      'tool {"from":"kid"}',
      'request check "git log -1"',
      'request grant "git status"',
      'signal resume "signal.pre_dispatch"',
      "request said [1]",
      "dispose child",
      'shutdown running "component.pre_shutdown"',
      "snapshot",
    ]);
  });
});
