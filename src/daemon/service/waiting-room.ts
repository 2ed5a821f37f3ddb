/** Limits of a waiting room, times in milliseconds. */
export interface WaitingLimits {
  /** Above this number, members stay only for a short time. */
  readonly most: number;
  /** Above this number, members are dismissed at once. */
  readonly burst: number;
  /** Maximum waiting time, if limited. */
  readonly deadlineMs?: number;
}

/** Why a member is dismissed. */
export type Dismissal = "crowded" | "late";

/** The short time: enough for a client that is about to send. */
const GRACE_MS = 100;

/**
 * Idle connections: each costs a file descriptor that others may need. When there are too many, those that have waited
 * longest are dismissed, so that new ones are served.
 */
export class WaitingRoom<T> {
  readonly #limits: WaitingLimits;
  readonly #dismiss: (one: T, why: Dismissal) => void;
  /** When each started to wait; the longest waiting is first. */
  readonly #since = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #due = Infinity;

  constructor(limits: WaitingLimits, dismiss: (one: T, why: Dismissal) => void) {
    this.#limits = limits;
    this.#dismiss = dismiss;
  }

  enter(one: T): void {
    this.#since.delete(one);
    this.#since.set(one, performance.now());
    if (this.#since.size > this.#limits.burst) this.#dismissFirst("crowded");
    this.#plan();
  }

  /** A member has sent something, or is gone. */
  leave(one: T): void {
    this.#since.delete(one);
  }

  #plan(): void {
    const { most, deadlineMs = Infinity } = this.#limits;
    const [since] = this.#since.values();
    const after = this.#since.size > most ? GRACE_MS : deadlineMs;
    if (since === undefined || after === Infinity) return;
    const due = since + after;
    // The timer fires too early and is set again then: most members leave long before.
    if (this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    // Input that arrived while the thread was blocked is read before anybody is dismissed for silence.
    const sweep = (): void => void setImmediate(() => this.#sweep());
    this.#timer = setTimeout(sweep, Math.max(0, due - performance.now())).unref();
  }

  #sweep(): void {
    const { most, deadlineMs = Infinity } = this.#limits;
    const now = performance.now();
    this.#due = Infinity;
    for (const since of this.#since.values()) {
      if (now - since >= deadlineMs) this.#dismissFirst("late");
      else if (this.#since.size > most && now - since >= GRACE_MS) this.#dismissFirst("crowded");
      else break;
    }
    this.#plan();
  }

  #dismissFirst(why: Dismissal): void {
    const [first] = this.#since.keys();
    if (first === undefined) return;
    this.#since.delete(first);
    this.#dismiss(first, why);
  }
}
