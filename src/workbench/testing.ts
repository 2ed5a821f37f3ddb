import { OrcsError } from "../core/index.ts";
import type { Json, JsonObject, LocalStateStore, PayloadOf } from "../core/index.ts";
import { parseTime } from "../config/index.ts";
import { openChosenHooks } from "./chosen-hooks.ts";
import { FakeEnvironment, TestTools } from "../engine/index.ts";
import type {
  FakeClock,
  FakeTool,
  HookDefinition,
  MadeCall,
  Observed,
  TestProjectOptions,
} from "../engine/index.ts";
export type { HookTestExpectation } from "../config/index.ts";

export { testHook } from "../engine/index.ts";
export type { FakeTool, HookTestCase, HookTestEvent, MadeCall } from "../engine/index.ts";
export { fuzz, type FuzzHole, type FuzzOptions, type FuzzReport } from "./fuzz/fuzz-hooks.ts";
export type { NeverPredicate } from "./fuzz/forbidden.ts";
export type { FuzzCounts } from "./fuzz/fuzz.ts";

/** Options of `testHooks`. */
export interface TestHooksOptions extends Pick<
  TestProjectOptions,
  "config" | "cwd" | "agent" | "overrides" | "points"
> {
  /** Hooks written in TypeScript. With them, the default of `config` is false. */
  readonly hooks?: readonly HookDefinition[];
  /** Only the hooks with these ids or scripts (as written in the configuration); default: all. */
  readonly only?: readonly string[];
  /** Functions that replace tools, by name. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  /** Initial content of `orcs.state`. */
  readonly state?: JsonObject;
  /** Start time, in milliseconds; default 0. */
  readonly nowMs?: number;
  /** The date at which the clock is 0, ISO 8601, for `orcs.time`; default 2026-01-01. */
  readonly time?: string;
}

/** Component, child and instance of an event. */
export interface TestEventOptions {
  readonly component?: string;
  readonly child?: string;
  readonly instance?: string;
  readonly metadata?: JsonObject;
}

/** The result of an event, as plain values to assert on. */
export interface TestOutcome<P extends string = string> extends Omit<Observed, "payload"> {
  /** As the hooks left it. */
  readonly payload: PayloadOf<P>;
}

/** Hooks under test, with a clock, a state and tools of their own. */
export interface TestHooks {
  /** Stands still until it is advanced; `orcs.sleep` advances it. */
  readonly clock: Pick<FakeClock, "now" | "advance" | "set">;
  readonly state: LocalStateStore;
  /** Calls that hooks made, in order. */
  readonly calls: readonly MadeCall[];
  /** All lines logged. */
  readonly logs: readonly string[];
  /** Ids of the hooks in the order in which they run, by point. */
  readonly ids: readonly string[];
  /**
   * Run the chain of a point.
   * @throws OrcsError ORCS1005 (unknown point), ORCS1010 (component), ORCS2003 (the payload does not fit)
   */
  dispatch<P extends string>(
    point: P,
    payload: PayloadOf<P>,
    options?: TestEventOptions,
  ): Promise<TestOutcome<P>>;
  /** Set the replacement of a tool. A call of a tool without one fails the hook. */
  tool(name: string, run: FakeTool): void;
  close(): Promise<void>;
}

/**
 * Load hooks for tests: those of a configuration, in the sandbox and with the limits of the settings, and those written
 * in TypeScript. The clock is a fake one, and real tools are never run.
 * @throws OrcsError ORCS1015 with every error of the configuration and its scripts; as `orcs.hook` for `hooks`
 */
export async function testHooks(options: TestHooksOptions = {}): Promise<TestHooks> {
  const { project, entries } = await openChosenHooks(options);
  const { bench } = project;
  const { only, hooks = [], state, nowMs, time } = options;
  const definitions = hooks.filter(({ id }) => !only || (id !== undefined && only.includes(id)));
  try {
    const rig = await bench.rig(entries, definitions);
    const tools = new TestTools(options.tools);
    const world = new FakeEnvironment(tools, { state, nowMs, time: startOf(time) });
    bench.world.begin(world);
    return {
      clock: world.clock,
      state: world.state,
      calls: tools.calls,
      logs: world.logs,
      get ids() {
        return rig.registry.list().map(({ id }) => id);
      },
      async dispatch<P extends string>(
        point: P,
        payload: PayloadOf<P>,
        more: TestEventOptions = {},
      ) {
        const { observed } = await rig.dispatchAt(point, payload as JsonObject, more);
        // The payload has the type of the point, which hooks cannot change.
        return { ...observed, logs: [...observed.logs] } as unknown as TestOutcome<P>;
      },
      tool: (name, run) => tools.set(name, run),
      async close() {
        rig.close();
        await bench.close();
      },
    };
  } catch (thrown) {
    await bench.close();
    throw thrown;
  }
}

/** @throws OrcsError ORCS1004 for a text that is no date */
function startOf(time: string | undefined): number | undefined {
  const began = time === undefined ? undefined : parseTime(time);
  if (time === undefined || began !== undefined) return began;
  const why = `time: expected a date such as "2026-01-31T17:30:00Z", got "${time}"`;
  throw new OrcsError("ORCS1004", why);
}

/** JSON, as passed to and from fake tools. */
export type { Json, JsonObject };
