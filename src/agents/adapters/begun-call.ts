import { RunningTool, type CallResult, type OrcsSession } from "../../engine/index.ts";
import type { CallerKeys } from "../../core/index.ts";

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
  readonly execute: (run: Run, isApproved: boolean) => Promise<CallResult<unknown>>;
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
  let executed: Run | undefined;
  let waiting: Waiting<Run> | undefined;
  let asking: Waiting<boolean> | undefined;
  let hasEnded = false;
  let isCancelled = false;
  let standsAt!: (where: "asks" | "ready" | "ended") => void;
  const standing = new Promise<"asks" | "ready" | "ended">((resolve) => (standsAt = resolve));
  const onAsk = (): boolean | Promise<boolean> => {
    standsAt("asks");
    if (executed || isCancelled) return false;
    return new Promise((resolve, reject) => (asking = { resolve, reject }));
  };
  const called = orcs.call(name, args, {
    ...keys,
    // The library keeps the question, perhaps for days.
    onAsk: Object.assign(onAsk, { hasNoTimeLimit: true as const }),
    fn: async (after, call) => {
      standsAt("ready");
      if (isCancelled) throw notExecuted();
      // When a hook retries, the tool is executed again.
      if (executed) return executed(after);
      const run = await new Promise<Run>((resolve, reject) => {
        waiting = { resolve, reject };
        // The engine closes.
        RunningTool.onCancel(call, () => reject(notExecuted()));
      });
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
    execute: (run, isApproved) => {
      executed = run;
      waiting?.resolve(run);
      asking?.resolve(isApproved);
      return called;
    },
    cancel: () => {
      isCancelled = true;
      waiting?.reject(notExecuted());
      asking?.reject(notExecuted());
    },
  };
}

/**
 * Whether the library has to ask its user about a call: a hook does, or the tool itself, of a call that goes on.
 * @throws what `own` throws; the call is cancelled then
 */
export async function hasToAsk(begun: BegunCall, own: () => unknown): Promise<boolean> {
  try {
    const standsAt = await begun.standing;
    return standsAt === "asks" || (standsAt === "ready" && Boolean(await own()));
  } catch (thrown) {
    begun.cancel();
    throw thrown;
  }
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (why: Error) => void;
}

function notExecuted(): Error {
  return new Error("the call was not executed");
}
