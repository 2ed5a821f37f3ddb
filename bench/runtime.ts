import { EventEmitter } from "node:events";
import { createOrcs } from "orcs";
import type { Component, Json, Orcs, Runtime } from "orcs";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";
import { scripted } from "./scripted.ts";
import { plainLoop, promiseQueue } from "./runtime-rivals.ts";

const ECHO: Component = {
  id: "builtin::echo",
  subscriptions: ["News"],
  onRequest: ({ payload }) => payload,
};
const LUA = `return {
  id = "echo",
  subscriptions = { "LuaNews" },
  on_request = function(request) return request.payload end,
}`;
/** Events of one sample: fewer than a mailbox holds. */
const EVENTS = 200;
const ASKED = { text: "hello", n: 1 };

/** Requests and events without hooks: against what Node offers, and against the same without the points. */
export async function runtimeRows(): Promise<Row[]> {
  const { orcs, runtime } = await withEcho();
  const unhooked = await withEcho();
  // The same, but for the look whether a hook is there.
  Object.assign(unhooked.orcs.registry, { isQuiet: () => true });
  const queue = promiseQueue(ECHO);
  const emitter = new EventEmitter();
  const told: { last?: Promise<Json> } = {};
  emitter.on("News", ({ payload }: { payload: Json }) => {
    told.last = queue(payload);
  });
  const loop = await plainLoop(ECHO);
  const [emit, queued, looped, bare, asked, lua, ours, oursLua] = (await timings([
    {
      name: "emitter",
      run: () => {
        for (let i = 0; i < EVENTS; i++) emitter.emit("News", event("News"));
        return told.last;
      },
    },
    { name: "queue", run: () => queue(ASKED) },
    { name: "loop", run: () => loop(ASKED) },
    { name: "bare", run: () => request(unhooked.runtime, "builtin::echo") },
    { name: "request", run: () => request(runtime, "builtin::echo") },
    { name: "lua", run: () => request(runtime, "lua::echo") },
    { name: "event", run: () => tellAll(runtime, "News", "builtin::echo") },
    { name: "lua event", run: () => tellAll(runtime, "LuaNews", "lua::echo") },
  ])) as [number, number, number, number, number, number, number, number];
  for (const engine of [orcs, unhooked.orcs]) await engine.close();
  return [
    { key: "runtime_floor", what: "the floor: a promise queue, per request", us: queued },
    row("runtime_request_vs_queue", "a request against a promise queue", asked, queued),
    row(
      "runtime_request_vs_loop",
      "a request against a loop with mailbox and timeout",
      asked,
      looped,
    ),
    row("runtime_points", "a request against one that looks for no hooks", asked, bare),
    row("runtime_lua", "a request of a Lua component against TypeScript", lua, asked),
    row(
      "runtime_event",
      "an event, served, against EventEmitter with that queue",
      ours / EVENTS,
      emit / EVENTS,
    ),
    row(
      "runtime_lua_event",
      "an event for a Lua component against TypeScript",
      oursLua / EVENTS,
      ours / EVENTS,
    ),
  ];
}

const event = (category: string) => ({ category, operation: "said", payload: ASKED });

/** Events, and a request that is answered when all of them have been served. */
async function tellAll(runtime: Runtime, category: string, component: string): Promise<void> {
  for (let i = 0; i < EVENTS; i++) await runtime.broadcast(event(category));
  await request(runtime, component);
}

function row(key: string, what: string, us: number, baseline: number): Row {
  return { key, what, us, baseline, ratio: us / baseline };
}

function request(runtime: Runtime, target: string): Promise<Json> {
  return runtime.request(target, "echo", ASKED);
}

async function withEcho(): Promise<{ orcs: Orcs; runtime: Runtime }> {
  const orcs = await createOrcs({ config: false });
  const runtime = orcs.runtime();
  await runtime.spawn(ECHO);
  await scripted(LUA, (file) => runtime.spawnScript(file));
  return { orcs, runtime };
}
