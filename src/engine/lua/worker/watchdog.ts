/** The thread that a watchdog watches. */
export interface Watched {
  /** Whether it has work. */
  isBusy(): boolean;
  /** Maximum time without a message, in milliseconds. */
  patienceMs(): number;
  /** CPU time of the thread in milliseconds, if known. */
  cpuMs(): number | undefined;
  /** Request a message from the thread. */
  probe(): void;
  /** It did not respond. */
  expired(silentMs: number): void;
}

/** Additional time for copying, garbage collection and a busy machine. */
const GRACE_MS = 1000;

/** Multiple of its patience that may pass while the thread does not get CPU time. */
const MOST_STARVED = 10;

/**
 * Detects that a thread no longer responds. Silence alone is not a sign (its hooks may all be waiting for tools), so
 * after a while it is asked for a message, which any stretch of Lua within its limits allows in time.
 */
export class Watchdog {
  readonly #watched: Watched;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heard = true;
  /** The current delay before a probe. */
  #armedMs = 0;
  #stopped = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** The thread has work. */
  watch(): void {
    if (this.#stopped) return;
    // Earlier work may have been allowed to take longer.
    const isTooPatient = this.#armedMs > this.#watched.patienceMs();
    if (isTooPatient) clearTimeout(this.#timer);
    if (!this.#timer || isTooPatient) this.#arm();
  }

  /** The thread has sent a message. */
  heard(): void {
    this.#heard = true;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#heard = false;
    this.#armedMs = this.#watched.patienceMs();
    this.#after(this.#armedMs, () => {
      this.#armedMs = 0;
      if (!this.#watched.isBusy()) this.#timer = undefined;
      else if (this.#heard) this.#arm();
      else this.#probe();
    });
  }

  #probe(since = this.#watched.cpuMs(), probes = 1): void {
    const patience = this.#watched.patienceMs();
    if (probes === 1) this.#watched.probe();
    this.#after(patience + GRACE_MS, () => {
      // The timer may be late because this thread was busy: process arrived messages first.
      setImmediate(() => {
        if (this.#stopped) return;
        if (this.#heard) return this.#arm();
        const used = this.#watched.cpuMs();
        const enough = patience + GRACE_MS / 2;
        const isStarved = used !== undefined && since !== undefined && used - since < enough;
        const silentMs = (probes + 1) * patience + probes * GRACE_MS;
        if (isStarved && silentMs < MOST_STARVED * patience) return this.#probe(since, probes + 1);
        return this.#watched.expired(silentMs);
      });
    });
  }

  /** The thread keeps the program alive while it has work, not this timer. */
  #after(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, Math.min(ms, 2 ** 31 - 1)).unref();
  }
}
