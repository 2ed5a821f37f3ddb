import { OrcsError } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";

/**
 * What was begun, or an error when it takes longer than `ms` or is given up; it is not waited for any more then.
 * @param what is named in the error
 * @throws OrcsError ORCS6003; the reason of `cancel`; what was begun throws
 */
export async function limited<T>(
  clock: Clock,
  begun: T | Promise<T>,
  ms: number,
  what: string,
  cancel?: AbortSignal,
): Promise<T> {
  if (!(begun instanceof Promise)) return begun;
  if (ms === Infinity && !cancel) return begun;
  // Nobody may be there any more when it fails.
  begun.catch(() => undefined);
  const over = new AbortController();
  // Timers hold 31 bits.
  const late = clock
    .sleep(Math.min(ms, 2 ** 31 - 1), over.signal)
    .then((): never | Promise<never> => {
      if (over.signal.aborted) return NEVER();
      throw new OrcsError("ORCS6003", `${what} took longer than ${ms} ms`, { timeout_ms: ms });
    });
  try {
    return await Promise.race([begun, late, ...(cancel ? [givenUp(cancel, over.signal)] : [])]);
  } finally {
    over.abort();
  }
}

function NEVER(): Promise<never> {
  return new Promise(() => undefined);
}

/** Rejects when `cancel` aborts; its listener goes with `over`. */
function givenUp(cancel: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(cancel.reason as Error);
    if (cancel.aborted) abort();
    else cancel.addEventListener("abort", abort, { signal: over });
  });
}
