import type { Orcs } from "../engine/orcs.ts";
import { EventFeed } from "./event-feed.ts";
import type { FeedItem } from "./seen-dispatch.ts";

/** The response to a reader; with an error, it gets no more. */
export type WatchAnswer =
  | {
      /** What has ended since the previous response. */
      readonly watched: readonly FeedItem[];
      /** How many were dropped because the reader was slow. */
      readonly lost: number;
    }
  | { readonly error: string };

/** In milliseconds. */
const TIMES = {
  /** How long a response waits for a first item. */
  wait: 20_000,
  /** How long further items are collected. */
  gather: 20,
  /** After this time without a request, a reader is gone. */
  gone: 5000,
};

/** Maximum number of items in a response: building it must not hold decisions up. */
const MOST = 1000;
/** So many are sent without waiting for more: a reader of a busy service must not fall behind. */
const ENOUGH = 200;
/** Each reader costs as much as the others together. */
const MOST_READERS = 4;

/**
 * Answers readers that ask again and again: each gets what has ended since it last asked, as soon as there is something.
 * Engines are listened to while there is a reader, and not otherwise.
 */
export class Watch {
  readonly #times: typeof TIMES;
  readonly #readers = new Map<string, Reader>();
  #engine: Orcs | undefined;
  #isClosed = false;

  constructor(engine: Orcs | undefined, times: Partial<typeof TIMES> = {}) {
    this.#engine = engine;
    this.#times = { ...TIMES, ...times };
  }

  /** Another engine was opened; the previous one may still finish its calls. */
  opened(orcs: Orcs): void {
    this.#engine = orcs;
    for (const reader of this.#readers.values()) reader.attach(orcs);
  }

  /**
   * The next items; nothing at once for a reader that is new, which learns that it is heard. Never rejects.
   * @param name a name that the reader chose
   */
  poll(name: string): Promise<WatchAnswer> {
    if (this.#isClosed) return Promise.resolve({ error: "stopping" });
    const known = this.#readers.get(name);
    if (known) return known.poll();
    if (this.#readers.size >= MOST_READERS) {
      return Promise.resolve({ error: `${MOST_READERS} others watch this service` });
    }
    const reader = new Reader(this.#times, () => this.#readers.delete(name));
    this.#readers.set(name, reader);
    if (this.#engine) reader.attach(this.#engine);
    return Promise.resolve(reader.greeting());
  }

  /** Answer the readers, and listen no more. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers.values()) reader.close();
  }
}

class Reader {
  readonly #times: typeof TIMES;
  readonly #gone: () => void;
  readonly #feed = new EventFeed(() => this.#gather());
  #pending: ((answer: WatchAnswer) => void) | undefined;
  #waiting: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #going: NodeJS.Timeout | undefined;

  constructor(times: typeof TIMES, gone: () => void) {
    this.#times = times;
    this.#gone = gone;
  }

  attach(orcs: Orcs): void {
    this.#feed.attach(orcs);
  }

  greeting(): WatchAnswer {
    this.#awaitReturn();
    return { watched: [], lost: 0 };
  }

  poll(): Promise<WatchAnswer> {
    clearTimeout(this.#going);
    this.#settle({ error: "asked twice at the same time" });
    return new Promise((resolve) => {
      this.#pending = resolve;
      this.#waiting = setTimeout(() => this.#send(), this.#times.wait);
      if (!this.#feed.isEmpty) this.#gather();
    });
  }

  close(): void {
    this.#settle({ error: "stopping" });
    clearTimeout(this.#going);
    this.#feed.detach();
    this.#gone();
  }

  #gather(): void {
    if (!this.#pending) return;
    if (this.#feed.size >= ENOUGH) this.#send();
    else this.#gathering ??= setTimeout(() => this.#send(), this.#times.gather);
  }

  #send(): void {
    const { items, lost } = this.#feed.take(MOST);
    this.#settle({ watched: items, lost });
    this.#awaitReturn();
  }

  #awaitReturn(): void {
    this.#going = setTimeout(() => this.close(), this.#times.gone).unref();
  }

  #settle(answer: WatchAnswer): void {
    clearTimeout(this.#waiting);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#pending?.(answer);
    this.#pending = undefined;
  }
}
