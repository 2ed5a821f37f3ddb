import type { Action } from "../core/actions.ts";
import type { Outcome } from "../core/outcome.ts";
import type { HookEvent, HookEventType, Modified } from "./a3s-events.ts";

/** What a handler answers. */
export interface HookResponse {
  action: "Continue" | "Block" | "Retry" | "Skip";
  /** For Block. */
  reason?: string;
  /**
   * For Continue: the new arguments at `pre_tool_use`, the new result at `post_tool_use`, elsewhere an
   * object with the keys of the payload to change; at `generate_start` and `generate_end` a string is the
   * new prompt or response text.
   */
  modified?: object | string;
  /** For Retry; default 0. */
  retry_delay_ms?: number;
}

/** Makes answers. */
export const HookResponse = {
  /** Go on. */
  continue_: (): HookResponse => ({ action: "Continue" }),
  /** Go on with something else. */
  continue_with: (modified: object | string): HookResponse => ({ action: "Continue", modified }),
  /** Deny the operation; after it, its result. */
  block: (reason: string): HookResponse => ({ action: "Block", reason }),
  /** Have the operation done again; at tools and generations. */
  retry: (delayMs: number): HookResponse => ({ action: "Retry", retry_delay_ms: delayMs }),
  /** Go on without the hooks that stand behind this one. */
  skip: (): HookResponse => ({ action: "Skip" }),
} as const;

/** What a hook does. Its event is a copy: only what it answers counts. One that throws has failed. */
export interface HookHandler<E extends HookEventType = HookEventType> {
  handle(event: HookEvent<E>): HookResponse | Promise<HookResponse>;
}

/** What became of an event. */
export type HookResult<E extends HookEventType = HookEventType> =
  | {
      readonly action: "Continue";
      /** What the hooks changed, if anything. */
      readonly modified?: Modified<E>;
    }
  | { readonly action: "Block"; readonly reason: string }
  | { readonly action: "Retry"; readonly retry_delay_ms: number };

const KEYS: Readonly<Record<keyof HookResponse, true>> = {
  action: true,
  reason: true,
  modified: true,
  retry_delay_ms: true,
};

/**
 * An answer in the engine's words; the engine says whether it is legal. `modified` is not part of it.
 * @throws Error when it is no answer
 */
export function actionOf(response: HookResponse): Partial<Action> {
  const stray = Object.keys(response).find((key) => !Object.hasOwn(KEYS, key));
  if (stray !== undefined) throw new Error(`answered the unknown key ${JSON.stringify(stray)}`);
  const { action, reason, retry_delay_ms } = response;
  switch (action) {
    case "Continue":
      return { action: "continue" };
    case "Skip":
      return { action: "continue", stop: true };
    case "Block":
      return { action: "abort", ...(reason !== undefined && { reason }) };
    case "Retry":
      return { action: "retry", ...(retry_delay_ms !== undefined && { delay_ms: retry_delay_ms }) };
    default:
      throw new Error(
        `answered the unknown action ${JSON.stringify(action)}, expected Continue, Block, Retry or Skip`,
      );
  }
}

/**
 * An outcome in the words of A3S. What it has no word for, because other hooks of the engine said it, is
 * refused rather than let through: a result in the operation's place, and a decision nobody has taken.
 */
export function resultOf(outcome: Outcome, modified: unknown): HookResult {
  switch (outcome.action) {
    case "abort":
      return { action: "Block", reason: outcome.reason };
    case "retry":
      return { action: "Retry", retry_delay_ms: outcome.delay_ms };
    case "skip": {
      const result = JSON.stringify(outcome.result);
      return { action: "Block", reason: `hook ${outcome.hook} answered instead: ${result}` };
    }
    case "continue": {
      const { decision, reason } = outcome;
      const because = reason === undefined ? "" : `: ${reason}`;
      if (decision === "ask") return { action: "Block", reason: `needs approval${because}` };
      if (decision === "defer") return { action: "Block", reason: `deferred${because}` };
      if (modified === undefined) return { action: "Continue" };
      return { action: "Continue", modified: modified as Modified };
    }
  }
}
