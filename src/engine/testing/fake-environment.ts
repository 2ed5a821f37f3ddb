import { loggerOf, operate, stateBy } from "../../core/index.ts";
import type {
  Clock,
  Json,
  JsonObject,
  LocalStateStore,
  Logger,
  LogLevel,
  ToolAnswer,
} from "../../core/index.ts";
import { memoryState } from "../orcs/index.ts";
import { MACHINE_STATE, PROJECT_STATE } from "../../config/index.ts";

/** Replaces the tools, and the runtime, in a test. */
export interface FakeTools {
  /**
   * Answer a call of a hook under test. What it throws fails the hook.
   * @param arg as the hook passed it; for a verb of the runtime, the list of its arguments
   */
  call(name: string, arg: Json | undefined): ToolAnswer | Promise<ToolAnswer>;
}

/** What a test begins with. */
export interface EnvironmentStart {
  /** Milliseconds of `orcs.now_ms`. */
  readonly nowMs?: number | undefined;
  /** The date at which `orcs.now_ms` is 0, in milliseconds since 1970. */
  readonly time?: number | undefined;
  readonly state?: JsonObject | undefined;
}

/** The environment of a test: its own clock, state, log and tools. */
export class FakeEnvironment {
  readonly clock: FakeClock;
  readonly state: LocalStateStore;
  readonly tools: FakeTools;
  /** As `level: message`; output of scripts is `output: text`. */
  readonly logs: string[] = [];

  constructor(tools: FakeTools, start: EnvironmentStart) {
    this.tools = tools;
    this.clock = new FakeClock(start.nowMs, start.time);
    this.state = memoryState(this.clock);
    for (const [key, value] of Object.entries(start.state ?? {})) this.state.set(key, value);
  }
}

/**
 * The environment of the current test, for objects that outlive tests: one VM serves all of them, and several can use
 * what was loaded once.
 */
export class CurrentEnvironment {
  #world = new FakeEnvironment({ call: noTools }, {});

  readonly clock: Clock = {
    now: () => this.#world.clock.now(),
    sleep: (ms, signal) => this.#world.clock.sleep(ms, signal),
    wallMs: () => this.#world.clock.wallMs(),
    isUtc: true,
  };
  readonly state = stateBy(false, (operation, [key, ...more]) =>
    operate(this.#world.state, operation, [asWritten(key), ...more]),
  ) as LocalStateStore;
  readonly logger: Logger = loggerOf((level, text) => this.#log(level, text));
  readonly output = (text: string): void => this.#log("output", text);

  get now(): FakeEnvironment {
    return this.#world;
  }

  /** Start another test. */
  begin(world: FakeEnvironment): void {
    this.#world = world;
  }

  #log(level: LogLevel | "output", text: string): void {
    this.#world.logs.push(`${level}: ${text}`);
  }
}

/** A key as the script has it: tests mean the same whoever's hooks they are. */
function asWritten(key: string): string {
  const space = [PROJECT_STATE, MACHINE_STATE].find((each) => key.startsWith(each)) ?? "";
  return key.slice(space.length);
}

function noTools(name: string): never {
  throw new Error(`${name} was called outside a test`);
}

/** The date at which the clock of a test is 0, unless it states another: a Thursday. */
const DEFAULT_TIME = Date.UTC(2026, 0, 1);

/** A clock for tests and replays: it stands still, and sleeping advances it at once. Its time zone is UTC. */
export class FakeClock implements Clock {
  readonly isUtc = true;
  /** The date at which `now` is 0, in milliseconds since 1970. */
  began: number;
  #now: number;

  /** @param now milliseconds */
  constructor(now = 0, began = DEFAULT_TIME) {
    this.#now = now;
    this.began = began;
  }

  wallMs(): number {
    return this.began + this.#now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.#now + ms;
    // Sleepers that start at the same time wake at the same time; other work takes no time.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) return;
    this.#now = Math.max(this.#now, until);
  }

  /** Advance by `ms`. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Set the time. */
  set(now: number): void {
    this.#now = now;
  }
}
