import type { HookContext, Rank } from "../../core/index.ts";
import { compareOrder, type Entry } from "./hook-set.ts";

/** A change of the context in a chain. */
interface Step {
  readonly entry: Entry;
  /** The context after it. */
  readonly ctx: HookContext;
  /** Whether it belongs to the second run of hooks. */
  readonly isAgain: boolean;
}

/** The way of the context through a chain: what a hook that was not part of it would have seen at its place. */
export class ChainTrail {
  readonly #began: HookContext;
  readonly #steps: Step[] = [];
  /** Hooks below this rank ran again. */
  #askedBy: Rank | undefined;
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

  /** A hook of this rank has changed the payload: those of lower ranks run again after the others. */
  again(changedBy: Rank): void {
    this.#askedBy = changedBy;
  }

  /** Every context that a hook may have seen. */
  get contexts(): readonly HookContext[] {
    return [this.#began, ...this.#steps.map(({ ctx }) => ctx)];
  }

  /**
   * The contexts that a hook would have seen: none if the chain ended before its place, and two if it would have run
   * again.
   */
  seenBy(entry: Entry): readonly HookContext[] {
    if (this.#endedBefore(entry, false)) return [];
    const first = this.#at(entry, false, this.#began);
    const runsAgain = this.#askedBy !== undefined && entry.hook.rank < this.#askedBy;
    if (!runsAgain || this.#endedBefore(entry, true)) return [first];
    const before = this.#steps.findLast(({ isAgain }) => !isAgain)?.ctx ?? this.#began;
    return [first, this.#at(entry, true, before)];
  }

  #endedBefore(entry: Entry, isAgain: boolean): boolean {
    const end = this.#end;
    if (!end || (end.isAgain && !isAgain)) return false;
    return (!end.isAgain && isAgain) || orderIn(isAgain)(end.entry, entry) < 0;
  }

  #at(entry: Entry, isAgain: boolean, before: HookContext): HookContext {
    let ctx = before;
    for (const step of this.#steps) {
      if (step.isAgain === isAgain && orderIn(isAgain)(step.entry, entry) < 0) ctx = step.ctx;
    }
    return ctx;
  }
}

/** In the second run, hooks of lower ranks come last. */
function orderIn(isAgain: boolean): typeof compareOrder {
  return (a, b) => (isAgain && b.hook.rank - a.hook.rank) || compareOrder(a, b);
}
