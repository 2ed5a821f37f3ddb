import { strongerDecision } from "../core/actions.ts";
import type { Decision } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Outcome, OutcomeAction, TraceEntry } from "../core/outcome.ts";

/** How a chain that goes on ends. */
export const CONTINUE: OutcomeAction = { action: "continue" };

/** What the hooks of one chain have said so far: permission, and text for the model. */
export class Verdict {
  #decision: Decision | undefined;
  #reason: string | undefined;
  #hook: string | undefined;
  #inject: string[] | undefined;

  /** Take a decision; the strongest of the chain counts, the first of equals. */
  decide(hook: string, decision: Decision, reason: string | undefined): void {
    const stronger = strongerDecision(this.#decision, decision);
    if (stronger === this.#decision) return;
    this.#decision = stronger;
    this.#reason = reason;
    this.#hook = hook;
  }

  inject(texts: readonly string[]): void {
    for (const text of texts) (this.#inject ??= []).push(text);
  }

  /** The outcome of a chain that ended this way. */
  outcome(end: OutcomeAction, ctx: HookContext, trace: readonly TraceEntry[] | undefined): Outcome {
    const inject = this.#inject ?? [];
    // Spreads are slow where they have something to merge: the usual case is written out.
    if (end === CONTINUE && this.#decision === undefined && !trace) {
      return { action: "continue", ctx, inject };
    }
    const said =
      end.action === "continue" && this.#decision !== undefined
        ? {
            decision: this.#decision,
            ...(this.#reason !== undefined && { reason: this.#reason }),
            ...(this.#hook !== undefined && { hook: this.#hook }),
          }
        : {};
    return { ...end, ...said, ctx, inject, ...(trace && { trace }) };
  }
}
