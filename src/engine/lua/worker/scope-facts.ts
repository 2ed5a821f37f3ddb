import type { CallScope } from "../../../core/index.ts";
import type { LuaPorts } from "../ports.ts";
import type { ClockReading } from "./protocol.ts";

/** What the worker knows of the scope of a job's calls. */
export interface ScopeFacts {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Whether there is a runtime. */
  readonly hasVerbs: boolean;
}

export function scopeFacts(scope: CallScope): ScopeFacts {
  const { depth, mayHook = true } = scope;
  return { depth, mayHook, hasVerbs: scope.verb !== undefined };
}

/** Milliseconds of a clock that all threads of the process share; `performance.now()` starts at 0 in each thread. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** A reading of the engine's clock for another thread. */
export function readClock(ports: Pick<LuaPorts, "now" | "wallMs" | "isUtc">): ClockReading {
  const { isUtc } = ports;
  return { now: ports.now(), wallMs: ports.wallMs(), isUtc, at: monotonicMs() };
}
