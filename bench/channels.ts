import { createOrcs } from "orcs";
import type { Orcs, Runtime } from "orcs";
import { quantile } from "./measure.ts";
import type { Row } from "./report.ts";
import { scripted } from "./scripted.ts";
import { inside, newState } from "./vm.ts";

const CHANNELS = 1000;
const ROUNDS = 10;
/** Events of a round that each reach one channel; those that reach ten are a tenth of them. */
const EVENTS = 100_000;

const COMPONENT = `local count = 0
return {
  id = "counter",
  subscriptions = { "One" .. orcs.options.n, "Ten" .. orcs.options.n // 10 },
  on_request = function(request) count = count + request.payload.n end,
  snapshot = function() return count end,
}`;
const HOOK = "function(ctx) local a = ctx.component_id return ctx end";
const POINTS = ["bus.pre_broadcast", "request.pre_dispatch"] as const;

/** A thousand Lua components in one engine, events through hooks in Lua and in TypeScript. */
export async function channelRows(): Promise<Row[]> {
  const orcs = await createOrcs({
    config: { hooks: POINTS.map((point) => ({ point, handler_inline: HOOK })) },
  });
  let served = 0;
  orcs.on("bus.pre_broadcast", (ctx) => void ctx.payload.target_count);
  orcs.on(
    "request.pre_dispatch",
    (ctx) => void (served += ctx.payload.operation === "add" ? 1 : 0),
  );
  const runtime = orcs.runtime();
  const before = await memory();
  const spawnUs = await spawnAll(runtime);
  const perChannel = ((await memory()) - before) / CHANNELS;
  const bare = await bareStates();

  /** Microseconds per delivery of so many events that reach \`each\` channels. */
  const round = async (events: number, each: number): Promise<number> => {
    const until = served + events * each;
    const started = performance.now();
    for (let i = 0; i < events; i++) {
      const category = each === 1 ? `One${i % CHANNELS}` : `Ten${i % (CHANNELS / each)}`;
      await runtime.broadcast({ category, operation: "add", payload: { n: 1 } });
    }
    while (served < until) await new Promise((resolve) => setImmediate(resolve));
    return ((performance.now() - started) * 1000) / (events * each);
  };
  const ones: number[] = [];
  const tens: number[] = [];
  const bytes: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    ones.push(await round(EVENTS, 1));
    tens.push(await round(EVENTS / 10, 10));
    bytes.push(await memory());
  }
  await expectCounts(runtime, orcs);
  const one = quantile(ones, 0.25);
  const ten = quantile(tens, 0.25);
  return [
    {
      key: "channel_spawn",
      what: "spawning a Lua component, of 1,000, against a bare Lua state",
      us: spawnUs,
      baseline: bare.us,
      ratio: spawnUs / bare.us,
    },
    {
      key: "channel_memory",
      what: "its memory in KB, against a bare Lua state",
      us: perChannel / 1024,
      baseline: bare.bytes / 1024,
      ratio: perChannel / bare.bytes,
    },
    { key: "channel_event", what: "an event for one of 1,000 channels, four hooks", us: one },
    {
      key: "channel_event_ten",
      what: "an event for ten of them, per channel",
      us: ten,
      baseline: one,
      ratio: ten / one,
    },
    {
      key: "channel_flat",
      what: "memory after ten such rounds against two, in MB",
      us: (bytes.at(-1) ?? NaN) / 2 ** 20,
      baseline: (bytes[1] ?? NaN) / 2 ** 20,
      ratio: (bytes.at(-1) ?? NaN) / (bytes[1] ?? NaN),
    },
  ];
}

/** Microseconds per spawn. */
function spawnAll(runtime: Runtime): Promise<number> {
  return scripted(COMPONENT, async (file) => {
    const started = performance.now();
    for (let n = 0; n < CHANNELS; n++) {
      await runtime.spawnScript(file, { id: `lua::counter${n}`, options: { n } });
    }
    return ((performance.now() - started) * 1000) / CHANNELS;
  });
}

/** Each channel has had its share: nothing was lost on the way. */
async function expectCounts(runtime: Runtime, orcs: Orcs): Promise<void> {
  const results = await runtime.shutdownParallel();
  const share = (2 * ROUNDS * EVENTS) / CHANNELS;
  const wrong = results.filter(({ snapshot }) => snapshot !== share);
  await orcs.close();
  if (results.length === CHANNELS && wrong.length === 0) return;
  throw new Error(`${wrong.length} of ${results.length} channels have lost events`);
}

/** What Lua itself needs: a state with its libraries. */
async function bareStates(): Promise<{ us: number; bytes: number }> {
  const raw = await (await inside("wasm")).instantiateLua();
  const before = raw.HEAPU8.length;
  const started = performance.now();
  for (let n = 0; n < CHANNELS; n++) newState(raw);
  const us = ((performance.now() - started) * 1000) / CHANNELS;
  return { us, bytes: (raw.HEAPU8.length - before) / CHANNELS };
}

async function memory(): Promise<number> {
  // What was weakly held goes a turn later.
  for (let i = 0; i < 2; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
