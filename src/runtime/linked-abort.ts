import { setMaxListeners } from "node:events";

/** A signal that follows others until it ends. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Let go of the others, and abort what was begun with it. */
  end(): void;
}

/**
 * A signal that aborts when one of the sources does, with its reason. In place of `AbortSignal.any`, which
 * leaves a reference at each of its sources for as long as that lives: a child or channel that lives long would
 * gather one for each call.
 */
export function linkedAbort(sources: readonly AbortSignal[]): LinkedAbort {
  // Each call that is under way listens; many at a time are no leak.
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
