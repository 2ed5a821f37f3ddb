/** Await work, at most for `ms`. @returns undefined when the time is over first */
export async function withTimeLimit<T>(
  ms: number,
  work: Promise<T> | undefined,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Await work unless the signal aborts first, which the work may ignore.
 * @param why what it rejects with then; default: the signal's reason
 */
export async function unlessAborted<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  why = (): Error => signal?.reason as Error,
): Promise<T> {
  if (!signal) return work;
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(why());
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A signal for work that may take a limited time. */
export interface TimedSignal {
  /** Aborts when the time is over, or with the outer signal. */
  readonly signal: AbortSignal;
  /** Whether the time was over first. */
  readonly isLate: boolean;
  /** Release the timer and the outer signal, and abort what is still open. */
  end(): void;
}

/**
 * @param ms at most 2^31 - 1
 * @param outer ends it early
 */
export function timedSignal(ms: number, outer: AbortSignal | undefined): TimedSignal {
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = !controller.signal.aborted;
    controller.abort();
  }, ms);
  const abort = (): void => controller.abort();
  outer?.addEventListener("abort", abort, { once: true });
  if (outer?.aborted) abort();
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
      controller.abort();
    },
  };
}

/** Whether a value is a promise, or any other object with a method `then`. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Promise || ("then" in value && typeof value.then === "function");
}
