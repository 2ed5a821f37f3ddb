import type { Action } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import type { TraceEntry } from "../core/outcome.ts";
import type { Entry } from "./snapshot.ts";
import type { UnreadReport } from "./unreadable.ts";

/** Sees one dispatch hook by hook; exists only where somebody looks. */
export interface ChainObserver {
  /** The next hook is looked at. */
  start(): void;
  /**
   * @param before the context without its edits
   * @param unread where the hook held on a command line that could not be read whole
   */
  ran(
    hook: Hook,
    action: Action,
    edits: readonly Edit[],
    before: HookContext,
    unread?: UnreadReport,
  ): void;
  failed(hook: Hook, failure: HookFailure): void;
  passed(
    hook: Hook,
    status: "disabled" | "not_matched" | "queued",
    failing?: TraceEntry["failing"],
  ): void;
  notReached(entries: readonly Entry[]): void;
}

/** Two observers as one. */
export function both(first: ChainObserver, second: ChainObserver): ChainObserver {
  const all = [first, second];
  return {
    start: () => all.forEach((one) => one.start()),
    ran: (...what) => all.forEach((one) => one.ran(...what)),
    failed: (...what) => all.forEach((one) => one.failed(...what)),
    passed: (...what) => all.forEach((one) => one.passed(...what)),
    notReached: (...what) => all.forEach((one) => one.notReached(...what)),
  };
}
