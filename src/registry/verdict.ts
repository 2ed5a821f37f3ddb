import { strongerDecision } from "../core/actions.ts";
import type { Action, Decision, Injection } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Hook } from "../core/hook.ts";
import type { Outcome, OutcomeAction, TraceEntry } from "../core/outcome.ts";

/** How a chain that goes on ends. */
export const CONTINUE = { action: "continue" } as const satisfies OutcomeAction;

/** What the hooks of one chain have said so far: permission, and text for the model. */
export class Verdict {
  #decision: Decision | undefined;
  #reason: string | undefined;
  #hook: string | undefined;
  #inject: Injection[] | undefined;

  /** Note what a hook said beside `continue`: the strongest decision counts, the first of equals. */
  take(
    { id, limit }: Pick<Hook, "id" | "limit">,
    { decision, reason, inject }: Extract<Action, { action: "continue" }>,
  ): void {
    for (const text of inject ?? []) (this.#inject ??= []).push(text);
    if (decision === "allow" && limit?.elevated === false) return;
    const stronger = decision && strongerDecision(this.#decision, decision);
    if (!stronger || stronger === this.#decision) return;
    this.#decision = stronger;
    this.#reason = reason;
    this.#hook = id;
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

/** Of a chain whose hooks had nothing to say. */
export const NOTHING_SAID: Pick<Verdict, "outcome"> = new Verdict();
