import type { LuaFrame } from "../core/diagnostic.ts";
import type { Json } from "../core/json.ts";
import type { CallScope } from "../core/ports.ts";
import type { LuaThread, Ptr } from "./raw.ts";
import type { LuaState } from "./state.ts";

/** Something a script waits for; its result is pushed as the result of the script's call. */
export type HostCall = (signal: AbortSignal) => Promise<Json | undefined>;

/** Decides what happens when a handler has ended: see `CombinedHost.step`. */
interface StepDriver {
  step(L: LuaThread, succeeded: boolean, kind: number, table: Ptr): number;
}

/** A coroutine of the host: runs handlers or a main chunk, and waits for host calls by yielding. */
export class LuaTask {
  readonly state: LuaState;
  readonly thread: LuaThread;
  readonly logs = new LogBudget();
  /** The scope of the running handler's calls; undefined while a script is loaded. */
  scope: CallScope | undefined;
  /** Set when it yielded to wait. */
  pending: HostCall | undefined;
  /** The active calls when the running handler failed. */
  traceback: readonly LuaFrame[] | undefined;
  /** Called by the prelude between two handlers. */
  driver: StepDriver | undefined;

  constructor(state: LuaState, thread: LuaThread) {
    this.state = state;
    this.thread = thread;
  }

  reset(): void {
    this.scope = undefined;
    this.pending = undefined;
    this.driver = undefined;
    this.traceback = undefined;
    this.logs.reset();
  }
}

const MOST_LINES = 64;
/** Longest line, in characters. */
export const MOST_CHARS = 4096;

/** Limits the log of one handler: 64 lines of 4,096 characters; then one line that says so. */
class LogBudget {
  #lines = 0;

  reset(): void {
    this.#lines = 0;
  }

  /** The text to log, or undefined when the limit is exceeded. */
  admit(text: string): string | undefined {
    this.#lines++;
    if (this.#lines > MOST_LINES) return undefined;
    if (this.#lines === MOST_LINES) return "… further lines of this call are dropped";
    return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  }
}
