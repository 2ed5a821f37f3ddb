import type { ViewNode } from "./view-node.ts";

/** Parts that are searched one by one; with more, a Map is faster than what it costs to keep. */
const FEW = 16;

/**
 * The parts of contexts that are alive in a state, by the address of their table. Most dispatches reach
 * a handful: a Map to which each adds and from which each removes builds itself anew every few of them.
 */
export class LiveNodes {
  readonly #few: (ViewNode | undefined)[] = [];
  #count = 0;
  #many: Map<number, ViewNode> | undefined;

  get(table: number): ViewNode | undefined {
    if (this.#many) return this.#many.get(table);
    // The newest first: a script mostly reads what it has just reached.
    for (let i = this.#count - 1; i >= 0; i--) {
      const node = this.#few[i];
      if (node?.table === table) return node;
    }
    return undefined;
  }

  add(node: ViewNode): void {
    if (!this.#many && this.#count < FEW) {
      this.#few[this.#count++] = node;
      return;
    }
    this.#many ??= this.#spread();
    this.#many.set(node.table, node);
  }

  remove(node: ViewNode): void {
    if (this.#many) {
      this.#many.delete(node.table);
      if (this.#many.size === 0) this.#many = undefined;
      return;
    }
    const at = this.#few.indexOf(node);
    if (at < 0) return;
    this.#few[at] = this.#few[--this.#count];
    this.#few[this.#count] = undefined;
  }

  #spread(): Map<number, ViewNode> {
    const many = new Map<number, ViewNode>();
    for (const node of this.#few) if (node) many.set(node.table, node);
    this.#few.length = this.#count = 0;
    return many;
  }
}
