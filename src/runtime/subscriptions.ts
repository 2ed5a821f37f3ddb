import type { BusMember } from "./event-bus.ts";

/** The subscription that stands for every category. */
const EVERYTHING = "*";
const NOBODY: readonly BusMember[] = [];

/** Who wants which events. Lists are replaced, never changed: one that is gone over stays as it was. */
export class Subscriptions {
  readonly #byCategory = new Map<string, readonly BusMember[]>();
  #toAll: readonly BusMember[] = [];

  add(member: BusMember): void {
    const { subscriptions } = member;
    if (subscriptions.includes(EVERYTHING)) {
      this.#toAll = [...this.#toAll, member];
      return;
    }
    for (const category of new Set(subscriptions)) {
      this.#byCategory.set(category, [...(this.#byCategory.get(category) ?? NOBODY), member]);
    }
  }

  remove(member: BusMember): void {
    this.#toAll = this.#toAll.filter((other) => other !== member);
    for (const category of new Set(member.subscriptions)) {
      const left = (this.#byCategory.get(category) ?? NOBODY).filter((other) => other !== member);
      if (left.length === 0) this.#byCategory.delete(category);
      else this.#byCategory.set(category, left);
    }
  }

  /** Who names a category, besides all of them or not. */
  naming(category: string): readonly BusMember[] {
    const besides = this.#toAll.filter(({ subscriptions }) => subscriptions.includes(category));
    return [...(this.#byCategory.get(category) ?? NOBODY), ...besides];
  }

  /** Who wants events of a category. */
  of(category: string): readonly BusMember[] {
    const wanting = this.#byCategory.get(category) ?? NOBODY;
    if (this.#toAll.length === 0) return wanting;
    return wanting.length === 0 ? this.#toAll : [...wanting, ...this.#toAll];
  }
}
