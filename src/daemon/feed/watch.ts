import { OrcsError } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { EventFeed } from "./event-feed.ts";
import type { FeedItem, SeenDispatch } from "./seen-dispatch.ts";

/** What a reader gets at once. */
export interface EventBatch {
  /** What has ended since the previous batch. */
  readonly events: readonly FeedItem[];
  /** How many were dropped because the reader was slow. */
  readonly lost: number;
}

/** One who follows a service. */
export interface EventReader<Batch = EventBatch> {
  /**
   * The next batch, the first one at once and empty: it says that the reader listens; undefined when there are no more.
   * One call at a time. Never rejects.
   */
  next(): Promise<Batch | undefined>;
  /** Ends it; a pending `next` gets undefined. */
  close(): void;
}

/** In milliseconds. */
const TIMES = {
  /** How long a batch waits for a first item. */
  wait: 20_000,
  /** How long further items are collected. */
  gather: 20,
};

/** Maximum number of items in a batch: building it must not hold decisions up. */
const MOST = 1000;
/** So many are sent without waiting for more: a reader of a busy service must not fall behind. */
const ENOUGH = 200;
/** Each reader costs as much as the others together. */
const MOST_READERS = 4;

/**
 * Readers of what engines do: each gets what has ended since its previous batch, as soon as there is something. Engines
 * are listened to while there is a reader, and not otherwise.
 */
export class Watch {
  readonly #times: typeof TIMES;
  readonly #readers = new Set<Reader>();
  #engine: Orcs | undefined;
  #isClosed = false;

  constructor(engine: Orcs | undefined, times: Partial<typeof TIMES> = {}) {
    this.#engine = engine;
    this.#times = { ...TIMES, ...times };
  }

  /** Another engine was opened; the previous one may still finish its calls. */
  opened(orcs: Orcs): void {
    this.#engine = orcs;
    for (const { feed } of this.#readers) feed.attach(orcs);
  }

  /**
   * A new reader, of what ends from now on.
   * @param brief whether dispatches that passed come as summaries
   * @throws OrcsError ORCS7017, ORCS7018
   */
  follow(brief = false): EventReader {
    if (this.#isClosed) throw new OrcsError("ORCS7018", "the service is ending");
    if (this.#readers.size >= MOST_READERS) {
      throw new OrcsError("ORCS7017", `${MOST_READERS} others read the events of this service`);
    }
    const reader = new Reader(this.#times, brief, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    if (this.#engine) reader.feed.attach(this.#engine);
    return reader;
  }

  /** The whole of a dispatch of which a reader got a summary; undefined when it is not kept any more. */
  dispatch(id: string): SeenDispatch | undefined {
    for (const { feed } of this.#readers) {
      const dispatch = feed.dispatch(id);
      if (dispatch) return dispatch;
    }
    return undefined;
  }

  /** End all readers, and listen no more. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.close();
  }
}

class Reader implements EventReader {
  readonly #times: typeof TIMES;
  readonly #gone: () => void;
  readonly feed: EventFeed;
  #pending: ((batch: EventBatch | undefined) => void) | undefined;
  #waiting: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isNew = true;

  constructor(times: typeof TIMES, brief: boolean, gone: () => void) {
    this.#times = times;
    this.#gone = gone;
    this.feed = new EventFeed({ brief, added: () => this.#gather() });
  }

  next(): Promise<EventBatch | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    if (this.#isNew) {
      this.#isNew = false;
      return Promise.resolve({ events: [], lost: 0 });
    }
    return new Promise((resolve) => {
      this.#pending = resolve;
      this.#waiting = setTimeout(() => this.#send(), this.#times.wait);
      if (!this.feed.isEmpty) this.#gather();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#settle(undefined);
    this.feed.detach();
    this.#gone();
  }

  #gather(): void {
    if (!this.#pending) return;
    if (this.feed.size >= ENOUGH) this.#send();
    else this.#gathering ??= setTimeout(() => this.#send(), this.#times.gather);
  }

  #send(): void {
    const { items, lost } = this.feed.take(MOST);
    this.#settle({ events: items, lost });
  }

  #settle(batch: EventBatch | undefined): void {
    clearTimeout(this.#waiting);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#pending?.(batch);
    this.#pending = undefined;
  }
}
