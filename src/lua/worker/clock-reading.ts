import type { ClockReading } from "./protocol.ts";

/** Milliseconds of the clock that all threads of the process share; `performance.now()` counts from each one's start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The engine's clock, to be read on in another thread. */
export function readClock(now: () => number): ClockReading {
  return { now: now(), at: monotonicMs() };
}
