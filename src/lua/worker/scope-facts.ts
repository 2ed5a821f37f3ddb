import type { CallScope } from "../../core/ports.ts";
import type { ClockReading } from "./protocol.ts";

/** What the worker knows of what a job's calls are made through. */
export interface ScopeFacts {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Whether there is a runtime to ask. */
  readonly hasVerbs: boolean;
}

export function scopeFacts(scope: CallScope): ScopeFacts {
  const { depth, mayHook = true } = scope;
  return { depth, mayHook, hasVerbs: scope.verb !== undefined };
}

/** Milliseconds of the clock that all threads of the process share; `performance.now()` counts from each one's start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The engine's clock, to be read on in another thread. */
export function readClock(now: () => number): ClockReading {
  return { now: now(), at: monotonicMs() };
}
