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

/** Whether a value is a promise, or any other object with a method `then`. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Promise || ("then" in value && typeof value.then === "function");
}
