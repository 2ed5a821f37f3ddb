import type { FeedItem, SeenDispatch } from "../feed/seen-dispatch.ts";
import { isLate } from "../feed/seen-dispatch.ts";
import type { Row } from "./api.ts";
import { rowOf } from "./rows.ts";

interface Kept {
  readonly row: Row;
  /** The dispatch as JSON, which takes less memory than its objects. */
  readonly text: string;
}

/** Limits of what is kept. */
export interface HistoryLimits {
  readonly dispatches: number;
  /** Characters of all dispatches together. */
  readonly characters: number;
}

const LIMITS: HistoryLimits = { dispatches: 20_000, characters: 64 * 2 ** 20 };

/** The most recent dispatches. */
export class History {
  readonly #limits: HistoryLimits;
  /** By their number. */
  readonly #kept = new Map<number, Kept>();
  readonly #byId = new Map<string, number>();
  readonly #listeners = new Set<(updated: readonly Row[]) => void>();
  #characters = 0;
  #first = 1;
  #last = 0;
  #lost = 0;

  constructor(limits: Partial<HistoryLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** The number of the latest dispatch; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** How many dispatches never arrived here. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Call a listener after each `add`, with the rows of earlier ones that have changed. Returns a function that removes
   * it.
   */
  onAdded(listener: (updated: readonly Row[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param lost how many were lost before these */
  add(items: readonly FeedItem[], lost = 0): void {
    this.#lost += lost;
    const updated = new Map<number, Row>();
    for (const item of items) {
      if (!isLate(item)) this.#add(item);
      else {
        const row = this.#addLate(item.dispatch_id, item.late);
        if (row) updated.set(row.seq, row);
      }
    }
    for (const listener of this.#listeners) listener([...updated.values()]);
  }

  /**
   * The rows after a number, in order.
   * @param most how many at most
   * @returns also how many of them are not kept any more
   */
  after(seq: number, most: number): { readonly rows: readonly Row[]; readonly gone: number } {
    const from = Math.max(seq + 1, this.#first);
    const rows: Row[] = [];
    for (let at = from; at <= this.#last && rows.length < most; at++) {
      const kept = this.#kept.get(at);
      if (kept) rows.push(kept.row);
    }
    return { rows, gone: seq < this.#last ? from - seq - 1 : 0 };
  }

  /** A dispatch by its id; undefined when it is not kept. */
  dispatch(id: string): SeenDispatch | undefined {
    const kept = this.#kept.get(this.#byId.get(id) ?? 0);
    return kept && (JSON.parse(kept.text) as SeenDispatch);
  }

  #add(dispatch: SeenDispatch): void {
    const seq = ++this.#last;
    this.#keep(seq, dispatch);
    while (this.#kept.size > this.#limits.dispatches || this.#isTooMuch()) this.#dropFirst();
  }

  #addLate(id: string, late: SeenDispatch["hooks"][number]): Row | undefined {
    const seq = this.#byId.get(id);
    const dispatch = this.dispatch(id);
    if (seq === undefined || !dispatch) return undefined;
    this.#characters -= this.#kept.get(seq)?.text.length ?? 0;
    return this.#keep(seq, { ...dispatch, hooks: [...dispatch.hooks, late] });
  }

  #keep(seq: number, dispatch: SeenDispatch): Row {
    const kept = { row: rowOf(dispatch, seq), text: JSON.stringify(dispatch) };
    this.#kept.set(seq, kept);
    this.#byId.set(dispatch.dispatch_id, seq);
    this.#characters += kept.text.length;
    return kept.row;
  }

  #isTooMuch(): boolean {
    return this.#characters > this.#limits.characters && this.#kept.size > 1;
  }

  #dropFirst(): void {
    const kept = this.#kept.get(this.#first);
    if (kept) {
      this.#kept.delete(this.#first);
      this.#byId.delete(kept.row.id);
      this.#characters -= kept.text.length;
    }
    this.#first++;
  }
}
