import { createOrcs } from "orcs";
import type { Orcs, Runtime } from "orcs";
import { quantile, timings } from "./measure.ts";
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
  const served = { count: 0 };
  orcs.on("bus.pre_broadcast", (ctx) => void ctx.payload.target_count);
  orcs.on(
    "request.pre_dispatch",
    (ctx) => void (served.count += ctx.payload.operation === "add" ? 1 : 0),
  );
  const runtime = orcs.runtime();
  const before = await memory();
  const spawnUs = await spawnAll(runtime);
  const perChannel = ((await memory()) - before) / CHANNELS;
  const bareUs = await bareStateUs();
  const hooksUs = await hooksAlone(orcs);

  /** Microseconds per delivery of so many events that reach \`each\` channels. */
  const round = async (events: number, each: number): Promise<number> => {
    const until = served.count + events * each;
    const started = performance.now();
    for (let i = 0; i < events; i++) {
      const category = each === 1 ? `One${i % CHANNELS}` : `Ten${i % (CHANNELS / each)}`;
      await runtime.broadcast({ category, operation: "add", payload: { n: 1 } });
    }
    while (served.count < until) await new Promise((resolve) => setImmediate(resolve));
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
      baseline: bareUs,
      ratio: spawnUs / bareUs,
    },
    {
      key: "channel_memory",
      what: "memory of a channel with a Lua component, in KB",
      us: perChannel / 1024,
      ratio: perChannel / 1024,
    },
    {
      key: "channel_event",
      what: "an event for one of 1,000 channels, against its four hooks alone",
      us: one,
      baseline: hooksUs,
      ratio: one / hooksUs,
    },
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
    const times: number[] = [];
    for (let n = 0; n < CHANNELS; n++) {
      const started = performance.now();
      await runtime.spawnScript(file, { id: `lua::counter${n}`, options: { n } });
      times.push((performance.now() - started) * 1000);
    }
    return quantile(times, 0.25);
  });
}

/** What the hooks of one event cost without a runtime. */
async function hooksAlone(orcs: Orcs): Promise<number> {
  const event = { category: "One1", operation: "said", source: "host::main", payload: { n: 1 } };
  const request = { ...event, id: "evt-1", target: "lua::counter1", timeout_ms: 30_000 };
  const of = { component_id: "lua::counter1", channel_id: "main" };
  const [broadcast = NaN, dispatch = NaN] = await timings([
    {
      name: "broadcast",
      run: () => orcs.dispatch("bus.pre_broadcast", { event, target_count: 1 }),
    },
    {
      name: "dispatch",
      run: () => orcs.dispatch("request.pre_dispatch", { ...request, ...of }),
    },
  ]);
  return broadcast + dispatch;
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
async function bareStateUs(): Promise<number> {
  const raw = (await inside("wasm")).instantiateLua();
  const times: number[] = [];
  for (let n = 0; n < CHANNELS; n++) {
    const started = performance.now();
    newState(raw);
    times.push((performance.now() - started) * 1000);
  }
  return quantile(times, 0.25);
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
