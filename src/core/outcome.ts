import type { ActionName, Decision, Injection } from "./actions.ts";
import type { HookContext } from "./context.ts";
import type { LuaFrame, SourcePlace } from "./diagnostic.ts";
import type { MATCH_KEYS } from "./hook.ts";
import type { Json } from "./json.ts";

/** The status of one hook in a dispatch. */
export const HOOK_STATUSES = [
  "ran",
  "not_matched",
  "disabled",
  "not_reached",
  "queued",
  "failed",
  "timed_out",
] as const;
export type HookStatus = (typeof HOOK_STATUSES)[number];

/** Whether outcomes carry a trace, with the values of what changed or without. */
export type TraceMode = boolean | "values";

/** One hook's line in a trace. */
export interface TraceEntry {
  readonly id: string;
  readonly status: HookStatus;
  readonly source?: SourcePlace;
  /** The first condition that failed, when not matched. */
  readonly failing?: "fql" | (typeof MATCH_KEYS)[number];
  /** The same with pattern and value, where the trace was asked for with them. */
  readonly mismatch?: Mismatch;
  readonly action?: ActionName;
  readonly reason?: string;
  /** Of a script that failed: the calls under way, the innermost first. */
  readonly traceback?: readonly LuaFrame[];
  readonly duration_ms?: number;
  /** Why the command line could not be read: the hook ran for that reason, not because `match.runs` matched. */
  readonly unreadable?: string;
  /** Parts of its result that were ignored because the line could not be read: `allow`, or JSON Pointers of changes. */
  readonly dropped?: readonly string[];
  /** JSON Pointers of what it changed. */
  readonly changed?: readonly string[];
  /** The same with the values, where the trace was asked for with them. */
  readonly changes?: readonly TraceChange[];
}

/** Why a condition does not hold. */
export interface Mismatch {
  /** What the condition asks for. */
  readonly pattern: unknown;
  /** What the event has; left out where it has nothing. */
  readonly value?: unknown;
  /** What was perhaps meant by the value. */
  readonly nearest?: string;
}

/** One value that a hook changed. */
export interface TraceChange {
  /** JSON Pointer from the context's root. */
  readonly path: string;
  /** Undefined when there was no value before. */
  readonly before?: unknown;
  /** Undefined when the value was removed. */
  readonly after?: unknown;
}

/** The result of a whole chain: a union on `action`, always with the context after the hooks. */
export type Outcome<P extends string = string> = {
  readonly ctx: HookContext<P>;
  /** Text for the model, in the order of the hooks. */
  readonly inject: readonly Injection[];
  readonly trace?: readonly TraceEntry[];
} & OutcomeAction;

export type OutcomeAction =
  | {
      readonly action: "continue";
      readonly decision?: Decision;
      readonly reason?: string;
      /** The hook that gave the decision. */
      readonly hook?: string;
    }
  | { readonly action: "skip"; readonly result: Json; readonly hook: string }
  | { readonly action: "abort"; readonly reason: string; readonly hook: string }
  | {
      readonly action: "retry";
      readonly delay_ms: number;
      /** The hook's limit of retries, as of the start of the chain. */
      readonly max_retries: number;
      readonly hook: string;
    };
