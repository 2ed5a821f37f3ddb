import type { CallerKeys } from "../core/points.ts";
import type { CallResult, OrcsSession } from "../engine/orcs.ts";

/** Runs a tool with the arguments as the hooks left them. */
export type Run = (args: unknown) => unknown;

/** A call whose pre hooks have begun to run, and whose tool is executed later, or never. */
export interface BegunCall {
  /** Where it stands: a hook asks, the tool waits to be executed, or it has ended without the tool. */
  readonly standing: Promise<"asks" | "ready" | "ended">;
  /** Whether it has ended, also because the engine was closed while it waited. */
  readonly hasEnded: () => boolean;
  /**
   * Run the tool, and the post hooks.
   * @param isApproved answers the open question; a question from now on is answered with no
   */
  readonly execute: (
    run: Run,
    isApproved: boolean,
    signal?: AbortSignal,
  ) => Promise<CallResult<unknown>>;
  readonly cancel: () => void;
}

/**
 * Begin a call, for a library that decides between the pre hooks and the tool whether it asks its user.
 * @param keys its `tool_use_id`, and what else its payload has
 */
export function beginCall(
  orcs: OrcsSession,
  name: string,
  args: unknown,
  keys: CallerKeys,
): BegunCall {
  const cancelled = new AbortController();
  let executed: Run | undefined;
  let runWith: ((run: Run) => void) | undefined;
  let answer: ((isApproved: boolean) => void) | undefined;
  let hasEnded = false;
  let standsAt!: (where: "asks" | "ready" | "ended") => void;
  const standing = new Promise<"asks" | "ready" | "ended">((resolve) => (standsAt = resolve));
  const onAsk = (): boolean | Promise<boolean> => {
    standsAt("asks");
    return executed ? false : new Promise((resolve) => (answer = resolve));
  };
  const called = orcs.call(name, args, {
    ...keys,
    signal: cancelled.signal,
    // The library keeps the question, perhaps for days.
    onAsk: Object.assign(onAsk, { hasNoTimeLimit: true as const }),
    fn: async (after, { signal }) => {
      standsAt("ready");
      // When a hook retries, the tool is executed again.
      const run =
        executed ??
        (await new Promise<Run>((resolve, reject) => {
          runWith = resolve;
          signal?.addEventListener("abort", () => reject(new Error("the call was not executed")));
        }));
      return run(after);
    },
  });
  const end = (): void => {
    hasEnded = true;
    standsAt("ended");
  };
  called.then(end, end);
  return {
    standing,
    hasEnded: () => hasEnded,
    execute: (run, isApproved, signal) => {
      executed = run;
      runWith?.(run);
      answer?.(isApproved);
      if (!signal) return called;
      const abort = (): void => cancelled.abort(signal.reason);
      signal.addEventListener("abort", abort);
      return called.finally(() => signal.removeEventListener("abort", abort));
    },
    cancel: () => cancelled.abort(),
  };
}
