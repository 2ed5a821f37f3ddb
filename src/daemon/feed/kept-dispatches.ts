import type { EndedDispatch } from "./ended-dispatch.ts";

interface Kept {
  readonly dispatch: EndedDispatch;
  readonly characters: number;
}

/** Limits of what is kept. */
export interface KeptLimits {
  readonly dispatches: number;
  /** Characters of all of them together; the newest is kept in any case. */
  readonly characters: number;
}

/** The part of the limits that is left when they are exceeded. */
const LEFT = 0.9;

/** The most recent dispatches of which a reader got a summary. */
export class KeptDispatches {
  readonly #limits: KeptLimits;
  /** By id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(limits: KeptLimits) {
    this.#limits = limits;
  }

  add(dispatch: EndedDispatch, characters: number): void {
    this.#kept.set(dispatch.ended.dispatch_id, { dispatch, characters });
    this.#characters += characters;
    const { dispatches, characters: most } = this.#limits;
    if (this.#kept.size > dispatches || this.#characters > most) this.#dropOldest();
  }

  /** Some more than needed: a map that loses one entry after another is slow to find its first. */
  #dropOldest(): void {
    const { dispatches, characters } = this.#limits;
    for (const [id, oldest] of this.#kept) {
      const { size } = this.#kept;
      const fits = size <= dispatches * LEFT && this.#characters <= characters * LEFT;
      if (size === 1 || fits) return;
      this.#kept.delete(id);
      this.#characters -= oldest.characters;
    }
  }

  get(id: string): EndedDispatch | undefined {
    return this.#kept.get(id)?.dispatch;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}
