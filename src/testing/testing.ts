import type { ActionName, Decision, Injection } from "../core/actions.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { PayloadOf } from "../core/points.ts";
import type { StateStore } from "../core/ports.ts";
import type { FakeClock } from "./fake-environment.ts";
import { openTestProject } from "./test-project.ts";
import type { TestProject, TestProjectOptions } from "./test-project.ts";
import type { TestSession } from "./test-session.ts";
import { FakeEnvironment } from "./fake-environment.ts";
import { TestTools } from "./fake-tools.ts";
import type { FakeTool, MadeCall } from "./fake-tools.ts";

export type { FakeTool, MadeCall } from "./fake-tools.ts";

/** What `testHooks` is given. */
export interface TestHooksOptions extends Pick<
  TestProjectOptions,
  "config" | "cwd" | "agent" | "overrides" | "points"
> {
  /** Only the hooks of these ids or scripts (as the configuration writes them); default: all. */
  readonly only?: readonly string[];
  /** What stands for tools, by name. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  /** What `orcs.state` begins with. */
  readonly state?: JsonObject;
  /** When it begins, in milliseconds; default 0. */
  readonly nowMs?: number;
}

/** Component, child and instance of an event. */
export interface TestEventOptions {
  readonly component?: string;
  readonly child?: string;
  readonly instance?: string;
  readonly metadata?: JsonObject;
}

/** What came of an event, as plain values to assert on. */
export interface TestOutcome<P extends string = string> {
  /** Of the chain; `replace` where a hook replaced the result and the chain went on. */
  readonly action: ActionName;
  /** Whose action or decision it is. */
  readonly hook?: string;
  readonly reason?: string;
  /** `deny` where the operation was refused. */
  readonly decision?: Decision | "deny";
  /** What stands for the operation's result; at other than pre points the result as the hooks left it. */
  readonly result?: unknown;
  /** Milliseconds. */
  readonly delay_ms?: number;
  /** As the hooks left it. */
  readonly payload: PayloadOf<P>;
  readonly metadata: JsonObject;
  /** Text for the model, in order. */
  readonly inject: readonly Injection[];
  /** Why hooks failed, one line for each; missing when none did. */
  readonly error?: string;
  /** Lines logged meanwhile, as `level: message`; `output: text` is what scripts gave out. */
  readonly logs: readonly string[];
}

/** Hooks under test, with a clock, a state and tools of their own. */
export interface TestHooks {
  /** Stands still until it is told to go on; `orcs.sleep` moves it. */
  readonly clock: Pick<FakeClock, "now" | "advance" | "set">;
  readonly state: StateStore;
  /** Calls that hooks have made, in order. */
  readonly calls: readonly MadeCall[];
  /** All lines logged. */
  readonly logs: readonly string[];
  /** Ids of the hooks, in the order in which they run, point by point. */
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
  /** Say what stands for a tool from now on. A call of one that nothing stands for fails the hook. */
  tool(name: string, run: FakeTool): void;
  close(): Promise<void>;
}

/**
 * Load the hooks of a configuration for tests: in the sandbox and within the limits that it states, on a clock
 * that stands still. Real tools are never run.
 * @throws OrcsError ORCS1015 with every mistake of the configuration and its scripts
 */
export async function testHooks(options: TestHooksOptions = {}): Promise<TestHooks> {
  const project = await openTestProject(options);
  const { config, bench } = project;
  const { only } = options;
  const entries = config.hooks.filter(({ id, handler }) => {
    if (!only) return true;
    return only.includes(id) || (handler.kind === "script" && only.includes(handler.script));
  });
  try {
    return new LoadedTestHooks(project, await bench.rig(entries), options);
  } catch (thrown) {
    await bench.close();
    throw thrown;
  }
}

class LoadedTestHooks implements TestHooks {
  readonly #project: TestProject;
  readonly #rig: TestSession;
  readonly #tools: TestTools;
  readonly #world: FakeEnvironment;

  constructor(project: TestProject, rig: TestSession, options: TestHooksOptions) {
    const { tools, state, nowMs } = options;
    this.#project = project;
    this.#rig = rig;
    this.#tools = new TestTools(tools);
    this.#world = new FakeEnvironment(this.#tools, {
      ...(state && { state }),
      ...(nowMs !== undefined && { nowMs }),
    });
    project.bench.world.begin(this.#world);
  }

  get clock(): FakeClock {
    return this.#world.clock;
  }

  get state(): StateStore {
    return this.#world.state;
  }

  get calls(): readonly MadeCall[] {
    return this.#tools.calls;
  }

  get logs(): readonly string[] {
    return this.#world.logs;
  }

  get ids(): readonly string[] {
    return this.#rig.registry.list().map(({ id }) => id);
  }

  async dispatch<P extends string>(
    point: P,
    payload: PayloadOf<P>,
    options: TestEventOptions = {},
  ): Promise<TestOutcome<P>> {
    const { observed } = await this.#rig.dispatchAt(point, payload as JsonObject, options);
    // The payload is that of the point; hooks cannot make it another.
    return { ...observed, logs: [...observed.logs] } as unknown as TestOutcome<P>;
  }

  tool(name: string, run: FakeTool): void {
    this.#tools.set(name, run);
  }

  async close(): Promise<void> {
    this.#rig.close();
    await this.#project.bench.close();
  }
}

/** JSON, as fake tools get and give it. */
export type { Json, JsonObject };
