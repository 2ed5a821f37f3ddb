import type { HookContext } from "../core/context.ts";
import type { Entry } from "./hook-set.ts";
import { compareOrder } from "./hook-set.ts";

/** A change of the context in a chain. */
interface Step {
  readonly entry: Entry;
  /** The context after it. */
  readonly ctx: HookContext;
  /** Whether it belongs to the second run of the user's own hooks. */
  readonly isAgain: boolean;
}

/** The way of the context through a chain: what a hook that was not part of it would have seen at its place. */
export class ChainTrail {
  readonly #began: HookContext;
  readonly #steps: Step[] = [];
  #again: HookContext | undefined;
  #end: Pick<Step, "entry" | "isAgain"> | undefined;

  /** @param began the context before the first hook */
  constructor(began: HookContext) {
    this.#began = began;
  }

  /** A hook has changed the context. */
  changed(entry: Entry, ctx: HookContext, isAgain: boolean): void {
    this.#steps.push({ entry, ctx, isAgain });
  }

  /** A hook has ended the chain. */
  ended(entry: Entry, isAgain: boolean): void {
    this.#end ??= { entry, isAgain };
  }

  /** The user's own hooks run again, on this context. */
  again(ctx: HookContext): void {
    this.#again = ctx;
  }

  /** Every context that a hook may have seen. */
  get contexts(): readonly HookContext[] {
    return [this.#began, ...this.#steps.map(({ ctx }) => ctx)];
  }

  /**
   * The contexts that a hook would have seen: none if the chain ended before its place, and two if it is the user's own
   * and would have run again.
   */
  seenBy(entry: Entry): readonly HookContext[] {
    if (this.#endedBefore(entry, false)) return [];
    const first = this.#at(entry, false, this.#began);
    if (!this.#again || entry.hook.rank !== 0 || this.#endedBefore(entry, true)) return [first];
    return [first, this.#at(entry, true, this.#again)];
  }

  #endedBefore(entry: Entry, isAgain: boolean): boolean {
    const end = this.#end;
    if (!end || (end.isAgain && !isAgain)) return false;
    return (!end.isAgain && isAgain) || compareOrder(end.entry, entry) < 0;
  }

  #at(entry: Entry, isAgain: boolean, before: HookContext): HookContext {
    let ctx = before;
    for (const step of this.#steps) {
      if (step.isAgain === isAgain && compareOrder(step.entry, entry) < 0) ctx = step.ctx;
    }
    return ctx;
  }
}
