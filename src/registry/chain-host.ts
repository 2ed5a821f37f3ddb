import type { DispatchLog } from "../core/audit.ts";
import type { Caller, HookContext } from "../core/context.ts";
import type { FailureMode } from "../core/hook.ts";
import type { CallScope, Clock, Logger } from "../core/ports.ts";
import type { Entry } from "./snapshot.ts";

/** What a chain needs of the registry it belongs to. */
export interface ChainHost {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Writes down what chains came to, where somebody does. */
  readonly log: DispatchLog | undefined;
  readonly onError: FailureMode | undefined;
  /** What the hooks' own calls are bound to. */
  scopeFor(ctx: HookContext, caller: Caller): CallScope;
  /** A hook with `once` is about to run: whether it has not done so yet. May throw. */
  spend(entry: Entry, ctx: HookContext): boolean;
  /** A hook that nobody waits for applies. With `once` it is spent when its turn comes, if it does. */
  later(entry: Entry, ctx: HookContext, caller: Caller): void;
}
