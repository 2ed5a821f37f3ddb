/**
 * A constant that takes time to compute: computed when it is first asked for, once in a process. A failure is not kept.
 */
export function lazyConstant<T extends object>(compute: () => T): () => T {
  let constant: T | undefined;
  return () => (constant ??= compute());
}
