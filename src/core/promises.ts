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

/** Whether a value is a promise, or any other object with a method `then`. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Promise || ("then" in value && typeof value.then === "function");
}
