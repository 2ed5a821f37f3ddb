import { expect, vi } from "vitest";
import { CAPABILITIES } from "../../src/core/permission.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { ORCS_POINTS } from "../../src/core/point-table.ts";
import type { RunnerResult } from "../../src/engine/runtime/component-life.ts";
import { A, noting, seen } from "./runtime-rig.ts";
import type { Seen, World } from "./runtime-rig.ts";

/** The pre points of ADR-002. */
export type PrePoint = Extract<keyof typeof ORCS_POINTS, `${string}.pre_${string}`>;

/** What an action at a pre point does to what stands behind it. */
interface PreRow {
  /** Make the operation happen, as often as called. */
  act(world: World): Promise<Seen>;
  /** What comes of it that no hook has touched. */
  normal(seen: Seen, world: World): void | Promise<void>;
  /** What the operation calls when it runs: the beginning of a line of `did`. */
  readonly ran: string | undefined;
  /** A rewrite of the input. */
  readonly rewrite: (payload: Record<string, unknown>) => void;
  /** The same in Lua. */
  readonly lua: string;
  rewritten(seen: Seen, world: World): void | Promise<void>;
  /** A value in place of the operation. */
  readonly skip: Json;
  skipped(seen: Seen, world: World): void | Promise<void>;
  /** What the caller reads of a refusal. */
  refusal(seen: Seen): unknown;
}

const CHANNEL = { id: expect.any(String), component: A, ended: expect.any(Promise) };

export const PRE_ROWS: Readonly<Record<PrePoint, PreRow>> = {
  "component.pre_init": {
    act: async (world) => restarted(world),
    normal(came, { did }) {
      expect(came).toEqual({ answer: CHANNEL });
      expect(did).toEqual(['restore {"n":1}', "init"]);
    },
    ran: "init",
    rewrite: (payload) => void (payload["snapshot"] = { n: 2 }),
    lua: "ctx.payload.snapshot = { n = 2 }",
    rewritten: (_, { did }) => expect(did).toEqual(['restore {"n":2}', "init"]),
    skip: { made: "up" },
    async skipped(came, world) {
      // It counts as initialised.
      expect(came).toEqual({ answer: CHANNEL });
      expect(await world.ask("echo", 1)).toEqual({ got: 1, mark: null });
    },
    refusal: errorText,
  },
  "component.pre_shutdown": {
    act: ended,
    normal(came, { did }) {
      expect(resultOf(came)).toMatchObject({ exit_reason: "done", snapshot: { n: 1 }, errors: [] });
      expect(did).toEqual(["init", "shutdown running", "snapshot"]);
    },
    ran: "shutdown",
    rewrite: (payload) => void (payload["status"] = "tired"),
    lua: `ctx.payload.status = "tired"`,
    rewritten: (_, { did }) => expect(did).toEqual(["init", "shutdown tired", "snapshot"]),
    skip: { kept: 1 },
    skipped: (came) => expect(resultOf(came)).toMatchObject({ snapshot: { kept: 1 }, errors: [] }),
    refusal: errorsOf,
  },
  "request.pre_dispatch": {
    act: (world) => asked(world, "echo", { x: 1 }),
    normal: (came) => expect(came).toEqual({ answer: { got: { x: 1 }, mark: null } }),
    ran: "request",
    rewrite(payload) {
      payload["payload"] = { x: 2 };
      payload["operation"] = "run-fast";
    },
    lua: `ctx.payload.payload.x = 2 ctx.payload.operation = "run-fast"`,
    rewritten(came, { did }) {
      expect(came).toEqual({ answer: { got: { x: 2 }, mark: null } });
      expect(did).toEqual(["init", 'request run-fast {"x":2}']);
    },
    skip: ["cached"],
    skipped: (came) => expect(came).toEqual({ answer: ["cached"] }),
    refusal: errorText,
  },
  "signal.pre_dispatch": {
    async act(world) {
      await world.up();
      return seen(world.runtime.signal(A, "pause"));
    },
    normal(came, { did, runtime }) {
      expect(came).toEqual({ answer: "handled" });
      expect(did.at(-1)).toBe("signal pause");
      expect(runtime.channels[0]?.state).toBe("paused");
    },
    ran: "signal",
    rewrite: (payload) => void (payload["signal"] = { kind: "resume" }),
    lua: `ctx.payload.signal = { kind = "resume" }`,
    rewritten(came, { did, runtime }) {
      expect(came).toEqual({ answer: "handled" });
      expect(did).toEqual(["init", "signal resume"]);
      expect(runtime.channels[0]?.state).toBe("running");
    },
    skip: "ignored",
    skipped(came, { runtime }) {
      expect(came).toEqual({ answer: "ignored" });
      expect(runtime.channels[0]?.state).toBe("running");
    },
    refusal: errorText,
  },
  "child.pre_spawn": {
    async act(world) {
      await world.up();
      // Another of the same id may have been left by the act before.
      await world.ask("stop");
      world.did.length = 0;
      return asked(world, "spawn", {
        id: "kid",
        code: `return function(i) return { "as asked", i } end`,
      });
    },
    async normal(came, world) {
      expect(came).toEqual({ answer: { child_id: "kid", capabilities: ALL } });
      expect(await world.ask("run", 1)).toEqual(["as asked", 1]);
    },
    ran: undefined,
    rewrite(payload) {
      payload["capabilities"] = CAPABILITIES.READ;
      const config = payload["child_config"] as JsonObject;
      config["code"] = `return function(i) return { "rewritten", i } end`;
    },
    lua: `
      ctx.payload.capabilities = ctx.payload.capabilities & 1
      ctx.payload.child_config.code = 'return function(i) return { "rewritten", i } end'`,
    async rewritten(came, world) {
      expect(came).toEqual({ answer: { child_id: "kid", capabilities: CAPABILITIES.READ } });
      expect(await world.ask("run", 1)).toEqual(["rewritten", 1]);
    },
    skip: { by: "hand" },
    async skipped(came, world) {
      expect(came).toEqual({ answer: { skipped: { by: "hand" } } });
      expect(await world.ask("run", 1)).toMatchObject({ code: "ORCS6001" });
    },
    refusal: refusedText,
  },
  "child.pre_run": {
    async act(world) {
      await world.up();
      await world.ask("spawn", { id: "kid" });
      return asked(world, "run", { x: 1 });
    },
    normal: (came) => expect(came).toEqual({ answer: { got: { x: 1 }, mark: null, tool: null } }),
    ran: "child",
    rewrite: (payload) => void (payload["input"] = { x: 2 }),
    lua: "ctx.payload.input.x = 2",
    rewritten(came, { did }) {
      expect(came).toEqual({ answer: { got: { x: 2 }, mark: null, tool: null } });
      expect(did).toContain('child {"x":2}');
    },
    skip: 7,
    skipped: (came) => expect(came).toEqual({ answer: 7 }),
    refusal: refusedText,
  },
  "channel.pre_create": {
    act: restarted,
    async normal(came, world) {
      expect(came).toEqual({ answer: CHANNEL });
      expect(await pileUp(world, 3)).toEqual(["waits", "waits", "waits"]);
    },
    ran: "init",
    rewrite(payload) {
      payload["runtime_hints"] = { mailbox: 1, request_timeout_ms: 60 };
    },
    lua: "ctx.payload.runtime_hints.mailbox = 1 ctx.payload.runtime_hints.request_timeout_ms = 60",
    async rewritten(came, world) {
      expect(came).toEqual({ answer: CHANNEL });
      // One is served, one waits, and there is no room for more.
      expect(await pileUp(world, 4)).toEqual(["waits", "waits", "ORCS6004", "ORCS6004"]);
      const { error } = (await seen(world.ask("hang"))) as { error: { code: string } };
      expect(error.code).toBe("ORCS6003");
    },
    skip: { no: "channel" },
    skipped(came, { runtime }) {
      expect(came).toEqual({ answer: undefined });
      expect(runtime.channels).toEqual([]);
    },
    refusal: errorText,
  },
  "channel.pre_destroy": {
    act: ended,
    normal: (came) =>
      expect(resultOf(came)).toMatchObject({ exit_reason: "done", snapshot: { n: 1 }, errors: [] }),
    ran: "shutdown",
    rewrite: (payload) => void (payload["exit_reason"] = "told to"),
    lua: `ctx.payload.exit_reason = "told to"`,
    rewritten: (came) =>
      expect(resultOf(came)).toMatchObject({ exit_reason: "told to", snapshot: { n: 1 } }),
    skip: { kept: 2 },
    skipped: (came) => expect(resultOf(came)).toMatchObject({ snapshot: { kept: 2 }, errors: [] }),
    refusal: errorsOf,
  },
  "tool.pre_execute": {
    act: (world) => asked(world, "tool", { x: 1 }),
    normal: (came) => expect(came).toEqual({ answer: { ok: true, noted: { x: 1 }, mark: null } }),
    ran: "tool",
    rewrite: (payload) => void (payload["args"] = { x: 2, y: [] }),
    lua: "ctx.payload.args = { x = 2, y = orcs.array{} }",
    rewritten(came, { did }) {
      expect(came).toEqual({ answer: { ok: true, noted: { x: 2, y: [] }, mark: null } });
      expect(did.at(-1)).toBe('tool {"x":2,"y":[]}');
    },
    skip: { cached: true },
    skipped: (came) => expect(came).toEqual({ answer: { ok: true, cached: true } }),
    refusal: (came) => answerOf(came)["error"],
  },
  "auth.pre_check": {
    act: (world) => asked(world, "check", "git status"),
    normal: (came) =>
      expect(answerOf(came)).toMatchObject({
        command: "git status",
        status: "requires_approval",
        grant_pattern: "git status",
      }),
    ran: undefined,
    rewrite: (payload) => void (payload["command"] = "git log -1"),
    lua: `ctx.payload.command = "git log -1"`,
    rewritten: (came) =>
      expect(came).toEqual({ answer: { command: "git log -1", status: "allowed" } }),
    skip: { status: "denied", reason: "not today" },
    skipped: (came) =>
      expect(came).toEqual({
        answer: { command: "git status", status: "denied", reason: "not today" },
      }),
    refusal(came) {
      const { status, reason } = answerOf(came);
      return status === "denied" ? reason : `not denied but ${JSON.stringify(status)}`;
    },
  },
  "bus.pre_broadcast": {
    async act(world) {
      const { runtime, did } = world;
      await world.up();
      if (runtime.bus.size === 1) await runtime.spawn(noting("builtin::other", did, ["Other"]));
      did.length = 0;
      const event = { category: "News", operation: "said", payload: 1 };
      const came = await seen(runtime.broadcast(event));
      // What was told has been served when a request behind it is answered.
      for (const { component } of runtime.channels) await runtime.request(component, "echo");
      return came;
    },
    normal(came, { did }) {
      expect(came).toEqual({ answer: 1 });
      expect(did.filter((line) => line.includes("said"))).toEqual(["request said 1"]);
    },
    ran: "request said",
    rewrite(payload) {
      payload["event"] = {
        ...(payload["event"] as object),
        category: "Other",
        operation: "said so",
      };
    },
    lua: `ctx.payload.event.category = "Other" ctx.payload.event.operation = "said so"`,
    rewritten(came, { did }) {
      expect(came).toEqual({ answer: 1 });
      expect(did.filter((line) => line.includes("said"))).toEqual(["request said so 1"]);
    },
    skip: 5,
    skipped: (came) => expect(came).toEqual({ answer: 5 }),
    refusal: errorText,
  },
};

/** All capabilities. */
const ALL = Object.values(CAPABILITIES).reduce((sum, bit) => sum | bit, 0);

/** Started anew, with something to begin from. */
async function restarted(world: World): Promise<Seen> {
  await world.runtime.stop(A);
  world.did.length = 0;
  return seen(world.up({ snapshot: { n: 1 } }));
}

/** Started, and ended in good order. */
async function ended(world: World): Promise<Seen> {
  world.did.length = 0;
  await world.up();
  return seen(world.runtime.stop(A, "done"));
}

async function asked(world: World, operation: string, payload: Json): Promise<Seen> {
  await world.up();
  return seen(world.ask(operation, payload));
}

/** What becomes of requests of which none is answered; the first is served when the others come. */
async function pileUp(world: World, count: number): Promise<string[]> {
  const cancel = new AbortController();
  const send = (): Promise<Seen> =>
    seen(world.runtime.request(A, "hang", null, { signal: cancel.signal, timeout_ms: 20_000 }));
  const came = [send()];
  await vi.waitFor(() => expect(world.did.at(-1)).toBe("request hang null"), { interval: 1 });
  while (came.length < count) came.push(send());
  const soon = new Promise<string>((resolve) => setTimeout(() => resolve("waits"), 20));
  const codes = await Promise.all(
    came.map((one) =>
      Promise.race([one.then((got) => ("error" in got ? got.error.code : "answered")), soon]),
    ),
  );
  cancel.abort();
  await Promise.all(came);
  return codes;
}

function errorText(came: Seen): unknown {
  return "error" in came && came.error.code === "ORCS2001"
    ? `${came.error.message} | ${String(came.error.fields["hook"])}: ${String(came.error.fields["reason"])}`
    : `no refusal but ${JSON.stringify(came)}`;
}

/** What the component was told by its context, which it answered with. */
function refusedText(came: Seen): unknown {
  const { refused, code } = answerOf(came);
  return code === "ORCS2001" ? refused : `no refusal but ${JSON.stringify(came)}`;
}

function errorsOf(came: Seen): unknown {
  return resultOf(came).errors.join("; ");
}

function resultOf(came: Seen): RunnerResult {
  return answerOf(came) as unknown as RunnerResult;
}

function answerOf(came: Seen): JsonObject {
  if ("error" in came) throw came.error;
  return came.answer as JsonObject;
}
