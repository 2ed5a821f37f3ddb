import { isBrief, isLate } from "../../daemon/index.ts";
import type { BriefDispatch, FeedItem, SeenDispatch } from "../../daemon/index.ts";
import type { Row } from "./api.ts";
import { briefRow, rowOf } from "./rows.ts";

interface Kept {
  readonly row: Row;
  /** The dispatch as JSON, which takes less memory than its objects; undefined for a summary. */
  readonly text: string | undefined;
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
  readonly #rest: (id: string) => Promise<SeenDispatch | undefined>;
  /** By their number. */
  readonly #kept = new Map<number, Kept>();
  readonly #byId = new Map<string, number>();
  readonly #listeners = new Set<(updated: readonly Row[]) => void>();
  #characters = 0;
  #first = 1;
  #last = 0;
  #lost = 0;

  /** @param rest gives the whole of a dispatch that came as a summary; undefined when it is not kept any more */
  constructor(
    limits: Partial<HistoryLimits> = {},
    rest: (id: string) => Promise<SeenDispatch | undefined> = async () => undefined,
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#rest = rest;
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
      const known = this.#byId.get(item.dispatch_id);
      let row: Row | undefined;
      if (isLate(item)) row = this.#addLate(known, item.late);
      // It came as a summary, and a hook that ran later did something.
      else if (known !== undefined) row = this.#keep(known, item);
      else this.#add(item);
      if (row) updated.set(row.seq, row);
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

  /** A dispatch by its id; undefined when it is not kept. Never rejects. */
  async dispatch(id: string): Promise<SeenDispatch | undefined> {
    const seq = this.#byId.get(id);
    if (seq === undefined) return undefined;
    return this.#whole(seq) ?? (await this.#rest(id).catch(() => undefined));
  }

  /** Undefined for one that came as a summary. */
  #whole(seq: number): SeenDispatch | undefined {
    const { text } = this.#kept.get(seq) ?? {};
    return text === undefined ? undefined : (JSON.parse(text) as SeenDispatch);
  }

  #add(dispatch: SeenDispatch | BriefDispatch): void {
    const seq = ++this.#last;
    this.#keep(seq, dispatch);
    while (this.#kept.size > this.#limits.dispatches || this.#isTooMuch()) this.#dropFirst();
  }

  #addLate(seq = 0, late: SeenDispatch["hooks"][number]): Row | undefined {
    const dispatch = this.#whole(seq);
    return dispatch && this.#keep(seq, { ...dispatch, hooks: [...dispatch.hooks, late] });
  }

  #keep(seq: number, dispatch: SeenDispatch | BriefDispatch): Row {
    const kept = isBrief(dispatch)
      ? { row: briefRow(dispatch, seq), text: undefined }
      : { row: rowOf(dispatch, seq), text: JSON.stringify(dispatch) };
    this.#characters += sizeOf(kept) - sizeOf(this.#kept.get(seq));
    this.#kept.set(seq, kept);
    this.#byId.set(dispatch.dispatch_id, seq);
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
      this.#characters -= sizeOf(kept);
    }
    this.#first++;
  }
}

/** What is counted of a dispatch, in characters. */
function sizeOf(kept: Kept | undefined): number {
  return kept?.text?.length ?? 0;
}
