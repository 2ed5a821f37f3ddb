import { setMaxListeners } from "node:events";
import { type Clock, isPromiseLike, OrcsError } from "../../core/index.ts";

/** Node's timers have 31 bits; a longer one would fire at once. */
export const MAX_MS = 2 ** 31 - 1;

/**
 * Await a promise, or reject when it takes longer than `ms` or is cancelled.
 * @param what is named in the error
 * @throws OrcsError ORCS6003; the reason of `cancel`; what the promise rejects with
 */
export async function withTimeout<T>(
  clock: Clock,
  begun: T | PromiseLike<T>,
  ms: number,
  what: string,
  cancel?: AbortSignal,
): Promise<T> {
  if (!isPromiseLike(begun) || (ms === Infinity && !cancel)) return begun;
  const result = Promise.resolve(begun);
  // It may reject after the timeout, when nothing awaits it any more.
  result.catch(() => undefined);
  const over = new AbortController();
  const late = clock.sleep(Math.min(ms, MAX_MS), over.signal).then((): never | Promise<never> => {
    if (over.signal.aborted) return new Promise(() => undefined);
    throw new OrcsError("ORCS6003", `${what} took longer than ${ms} ms`, { timeout_ms: ms });
  });
  try {
    return await Promise.race([result, late, ...(cancel ? [givenUp(cancel, over.signal)] : [])]);
  } finally {
    over.abort();
  }
}

/** Rejects when `cancel` aborts; its listener is removed with `over`. */
function givenUp(cancel: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(cancel.reason as Error);
    if (cancel.aborted) abort();
    else cancel.addEventListener("abort", abort, { signal: over });
  });
}

/** A signal that follows others until it is ended. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Detach from the sources, and abort what was started with it. */
  end(): void;
}

/**
 * A signal that aborts with the first of its sources, with its reason. `AbortSignal.any` keeps a reference in each
 * source as long as the source lives, so a long-lived child or channel would collect one per call.
 */
export function linkedAbort(sources: readonly AbortSignal[]): LinkedAbort {
  // Each pending call adds a listener; many at a time are not a leak.
  setMaxListeners(0, ...sources);
  const controller = new AbortController();
  const aborted = sources.find((source) => source.aborted);
  const follow = ({ target }: Event): void => controller.abort((target as AbortSignal).reason);
  if (aborted) controller.abort(aborted.reason);
  else for (const source of sources) source.addEventListener("abort", follow);
  return {
    signal: controller.signal,
    end() {
      for (const source of sources) source.removeEventListener("abort", follow);
      controller.abort();
    },
  };
}
