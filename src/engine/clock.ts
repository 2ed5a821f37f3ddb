import type { Clock } from "../core/ports.ts";

/** The system clock, starting at 0. */
export function systemClock(): Clock {
  const start = performance.now();
  return {
    now: () => performance.now() - start,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) {
          resolve();
          return;
        }
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener("abort", done);
      }),
  };
}
