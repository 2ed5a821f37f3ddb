import type { Json } from "../../core/json.ts";
import type { Clock, Logger, LogLevel, StateStore, ToolAnswer } from "../../core/ports.ts";
import type { JsonObject } from "../../core/json.ts";
import { FakeClock } from "./fake-clock.ts";
import { memoryState } from "../state/memory-state.ts";

/** What stands for the tools, and for the runtime, in a test. */
export interface FakeTools {
  /**
   * Answer a call of a hook under test. What it throws fails the hook.
   * @param arg as the hook gave it; of a verb of the runtime, the list of its arguments
   */
  call(name: string, arg: Json | undefined): ToolAnswer | Promise<ToolAnswer>;
}

/** What a test finds around it: its own clock, state, log and tools. */
export class TestWorld {
  readonly clock: FakeClock;
  readonly state: StateStore;
  readonly tools: FakeTools;
  /** As `level: message`; what scripts give out is `output: text`. */
  readonly logs: string[] = [];

  constructor(tools: FakeTools, start: { readonly nowMs?: number; readonly state?: JsonObject }) {
    this.tools = tools;
    this.clock = new FakeClock(start.nowMs);
    this.state = memoryState(this.clock);
    for (const [key, value] of Object.entries(start.state ?? {})) this.state.set(key, value);
  }
}

/**
 * The world of the test under way, for what outlives tests: one VM serves all of them, and what was loaded
 * once may be used by several.
 */
export class CurrentWorld {
  #world = new TestWorld({ call: noTools }, {});

  readonly clock: Clock = {
    now: () => this.#world.clock.now(),
    sleep: (ms) => this.#world.clock.sleep(ms),
  };
  readonly state: StateStore = {
    get: (key) => this.#world.state.get(key),
    set: (key, value) => this.#world.state.set(key, value),
    delete: (key) => this.#world.state.delete(key),
    incr: (key, by, ttlMs) => this.#world.state.incr(key, by, ttlMs),
  };
  readonly logger: Logger = {
    debug: this.#log("debug"),
    info: this.#log("info"),
    warn: this.#log("warn"),
    error: this.#log("error"),
  };
  readonly output = this.#log("output");

  get now(): TestWorld {
    return this.#world;
  }

  /** Another test begins. */
  begin(world: TestWorld): void {
    this.#world = world;
  }

  #log(level: LogLevel | "output"): (text: string) => void {
    return (text) => void this.#world.logs.push(`${level}: ${text}`);
  }
}

function noTools(name: string): never {
  throw new Error(`${name} was called outside of a test`);
}
