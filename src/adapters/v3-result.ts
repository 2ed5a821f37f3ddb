import { isPlainObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";

/** What a hook, or all of them, say of an operation. */
export const PermissionDecision = {
  /** Skip the permission check. */
  Allow: "allow",
  /** Refuse. */
  Deny: "deny",
  /** Go through the permission check. */
  Ask: "ask",
} as const;
export type PermissionDecision = (typeof PermissionDecision)[keyof typeof PermissionDecision];

/**
 * A decision, if any, and its reason. Decisions belong to `PreToolUse` and `UserPromptSubmit`; `deny` at
 * `PostToolUse` withholds the tool's result.
 */
export interface HookResult {
  readonly decision?: PermissionDecision;
  readonly reason?: string;
}

/** Makes results. */
export const HookResult = {
  allow: (): HookResult => ({ decision: "allow" }),
  deny: (reason: string): HookResult => ({ decision: "deny", reason }),
  ask: (): HookResult => ({ decision: "ask" }),
  /** No decision. */
  none: (): HookResult => ({}),
} as const;

/** A result in the engine's words, which refuses what is none. */
export function actionOf(result: unknown): unknown {
  return isPlainObject(result) ? { ...result, action: "continue" } : result;
}

/**
 * An outcome as a result. What v3 has no word for, because other hooks of the engine said it, is a refusal:
 * a result in the tool's place, a retry, and a decision put off.
 */
export function resultOf(outcome: Outcome): HookResult {
  switch (outcome.action) {
    case "abort":
      return HookResult.deny(outcome.reason);
    case "skip": {
      const result = JSON.stringify(outcome.result);
      return HookResult.deny(`hook ${outcome.hook} answered instead: ${result}`);
    }
    case "retry":
      return HookResult.deny(
        `hook ${outcome.hook} asks to try again in ${outcome.delay_ms} milliseconds`,
      );
    case "continue": {
      const { decision, reason } = outcome;
      if (decision === "defer") {
        return HookResult.deny(reason === undefined ? "deferred" : `deferred: ${reason}`);
      }
      return {
        ...(decision !== undefined && { decision }),
        ...(reason !== undefined && { reason }),
      };
    }
  }
}
