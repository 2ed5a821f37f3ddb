/** How a watchdog learns and tells of the thread it watches. */
export interface Watched {
  /** Whether there is anything to wait for. */
  isBusy(): boolean;
  /** Longest that the thread may be silent for a good reason, in milliseconds. */
  patienceMs(): number;
  /** Milliseconds of processor time that the thread has used, where that is known. */
  cpuMs(): number | undefined;
  /** Have the thread say something, if it can. */
  probe(): void;
  /** It could not. */
  expired(silentMs: number): void;
}

/** What is granted on top: for copying, for collecting garbage, for a machine with other things to do. */
const GRACE_MS = 1000;

/** So many times its patience may pass while the thread does not get to use what it may: others have the processors. */
const MOST_STARVED = 10;

/**
 * Notices that a thread has stopped answering. Silence alone says nothing (its hooks may all be waiting
 * for tools), so after a while it is asked for a sign of life, which any stretch of Lua that keeps its
 * limits lets it give in time.
 */
export class Watchdog {
  readonly #watched: Watched;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heard = true;
  /** How long it waits before it probes, while it does. */
  #armedMs = 0;
  #stopped = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** There is something to wait for. */
  watch(): void {
    if (this.#stopped) return;
    // What it waited for may have been allowed to take longer.
    const isTooPatient = this.#armedMs > this.#watched.patienceMs();
    if (isTooPatient) clearTimeout(this.#timer);
    if (!this.#timer || isTooPatient) this.#arm();
  }

  /** The thread has said something. */
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
      // The timer may be late because this thread was busy: what has arrived meanwhile comes first.
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

  /** The thread is what keeps the program alive while it has work, not this timer. */
  #after(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, Math.min(ms, 2 ** 31 - 1)).unref();
  }
}
