import type { Action } from "../core/actions.ts";
import type { Hook } from "../core/hook.ts";
import type { OutcomeAction } from "../core/outcome.ts";

/** How an action ends its chain; undefined when the chain goes on. */
export function endOf(action: Action, hook: Hook): OutcomeAction | undefined {
  switch (action.action) {
    case "continue":
    case "replace":
      return undefined;
    case "skip":
      return { action: "skip", result: action.result, hook: hook.id };
    case "abort":
      return { action: "abort", reason: action.reason, hook: hook.id };
    case "retry": {
      const { delay_ms } = action;
      return { action: "retry", delay_ms, max_retries: hook.maxRetries, hook: hook.id };
    }
  }
}
