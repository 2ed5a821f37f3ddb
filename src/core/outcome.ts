import type { ActionName, Decision, Injection } from "./actions.ts";
import type { HookContext } from "./context.ts";
import type { LuaFrame, SourcePlace } from "./diagnostic.ts";
import type { PayloadCondition } from "./hook.ts";
import type { HookMode } from "./hook-mode.ts";
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

/** Whether outcomes carry a trace, optionally with old and new values of changes. */
export type TraceMode = boolean | "values";

/** The entry of one hook in a trace. */
export interface TraceEntry {
  readonly id: string;
  readonly status: HookStatus;
  readonly source?: SourcePlace;
  /** The first condition that failed, when not matched. */
  readonly failing?: "fql" | PayloadCondition;
  /** If it is not `enforce`: what follows was not applied. */
  readonly mode?: Exclude<HookMode, "enforce">;
  /** The failing condition with pattern and value, if the trace includes values. */
  readonly mismatch?: Mismatch;
  readonly action?: ActionName;
  readonly decision?: Decision;
  readonly reason?: string;
  /** For a failed script: the call stack, innermost frame first. */
  readonly traceback?: readonly LuaFrame[];
  readonly duration_ms?: number;
  /** Why the command line could not be parsed: the hook ran for that reason, not because `match.runs` matched. */
  readonly unreadable?: string;
  /** What may happen: the hook ran for that reason, not because it is sure, and its denial is a question. */
  readonly unsure?: string;
  /**
   * Parts of its result that were ignored because the line could not be parsed: `allow`, or JSON Pointers of changes.
   */
  readonly dropped?: readonly string[];
  /** JSON Pointers of what it changed. */
  readonly changed?: readonly string[];
  /** The changes with their values, if the trace includes values. */
  readonly changes?: readonly TraceChange[];
}

/** Why a condition is false. */
export interface Mismatch {
  /** What the condition requires. */
  readonly pattern: unknown;
  /** The value in the event; missing if it has none. */
  readonly value?: unknown;
  /** A name in the pattern that is similar to the value. */
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

/** Whether a change is a note in the metadata, for other hooks: it changes nothing about the operation. */
export function isNote(pointer: string): boolean {
  return pointer.startsWith("/metadata/");
}

/** The name under which a person's answer about a call stands among its hooks. */
export const ANSWERED = "orcs:answer";

/** Whether a hook has taken an undo point since a dispatch began. */
export function tookPoint(began: HookContext, { ctx }: Outcome): boolean {
  return ctx.metadata["undo_point"] !== began.metadata["undo_point"];
}

/** What a hook with the mode `warn` would have done. */
export interface HookWarning {
  readonly hook: string;
  /** One line for a person: what it would have done, and why. */
  readonly text: string;
}

/** The result of a whole chain: a union on `action`, always with the context after the hooks. */
export type Outcome<P extends string = string> = {
  readonly ctx: HookContext<P>;
  /** Text for the model, in hook order. */
  readonly inject: readonly Injection[];
  /** What hooks with the mode `warn` would have done; their texts are in `inject` as well. */
  readonly warnings?: readonly HookWarning[];
  readonly trace?: readonly TraceEntry[];
} & OutcomeAction;

export type OutcomeAction =
  | {
      readonly action: "continue";
      readonly decision?: Decision;
      readonly reason?: string;
      /** The hook that made the decision. */
      readonly hook?: string;
    }
  | { readonly action: "skip"; readonly result: Json; readonly hook: string }
  | { readonly action: "abort"; readonly reason: string; readonly hook: string }
  | {
      readonly action: "retry";
      readonly delay_ms: number;
      readonly reason?: string;
      /** The hook's retry limit at the start of the chain. */
      readonly max_retries: number;
      readonly hook: string;
    };
