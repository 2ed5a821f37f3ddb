import { useEffect, useReducer } from "preact/hooks";
import { ask, OVER } from "./api.ts";
import type { Row, SourceState, StreamMessage } from "../../build/workbench/inspect/api.d.ts";

/** Rows that a page keeps; older ones are dropped. */
const MOST_ROWS = 10_000;
/** When a stream that has ended is opened again, in milliseconds. */
const AGAIN_MS = 2000;
/** When a change is drawn although no frame was, in milliseconds. */
const LATEST_MS = 200;
/** How a line of the stream with a message begins. */
const DATA = "data: ";

/** The rows of the stream. */
export class Store {
  /** The oldest first. */
  rows: Row[] = [];
  /** How many have come, also those that are not kept any more. */
  count = 0;
  lost = 0;
  source: SourceState = { watches: "", state: "waiting", why: "connecting" };
  readonly #listeners = new Set<() => void>();
  #isDue = false;

  constructor() {
    void this.#read();
  }

  /** Read the stream, and the rest of it when it has ended. An EventSource could not send the secret of the tab. */
  async #read(): Promise<void> {
    for (;;) {
      const after = this.rows.at(-1)?.seq ?? 0;
      const response = await ask(`stream?after=${after}`).catch(() => undefined);
      if (response?.ok && response.body) await this.#readFrom(response.body).catch(() => undefined);
      const isOver = response?.status === 401;
      const why = isOver ? OVER : "orcs ui has ended, or is being started again";
      this.source = { ...this.source, state: "ended", why };
      this.#changed();
      if (isOver) return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #readFrom(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith(DATA)) this.#add(JSON.parse(line.slice(DATA.length)) as StreamMessage);
      }
    }
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #add({ rows, updated, lost, source }: StreamMessage): void {
    // A server that was started again counts from 1.
    const last = this.rows.at(-1)?.seq ?? 0;
    const [first] = rows;
    if (first && first.seq <= last) this.rows = [];
    if (updated) this.#update(updated);
    this.rows = [...this.rows, ...rows];
    if (this.rows.length > MOST_ROWS) this.rows = this.rows.slice(-MOST_ROWS);
    this.count += rows.length;
    this.lost += lost;
    this.source = source;
    this.#changed();
  }

  /** A hook has run after the dispatch. */
  #update(updated: readonly Row[]): void {
    const changed = new Map(updated.map((row) => [row.seq, row]));
    this.rows = this.rows.map((row) => changed.get(row.seq) ?? row);
  }

  /** At most once per frame. A page in the background draws none, and may not be told that it is one. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const tell = (): void => {
      if (!this.#isDue) return;
      this.#isDue = false;
      for (const listener of this.#listeners) listener();
    };
    requestAnimationFrame(tell);
    setTimeout(tell, LATEST_MS);
  }
}

/** Draw again when something has changed. */
export function useStore(store: Store): void {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => store.listen(() => draw(undefined)), [store]);
}
