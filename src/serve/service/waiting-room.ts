/** How many may wait, and for how long. Times in milliseconds. */
export interface WaitingLimits {
  /** More of them are not kept for longer than a moment. */
  readonly most: number;
  /** More of them are not kept at all. */
  readonly burst: number;
  /** The longest that anybody waits, where there is a limit. */
  readonly deadlineMs?: number;
}

/** Why somebody has to go. */
export type Dismissal = "crowded" | "late";

/** The moment: time enough to be heard for whoever means to say something. */
const GRACE_MS = 100;

/**
 * Connections that nobody waits for: who says nothing costs a file descriptor that others may need. When there are too
 * many, those go that have waited longest, whoever has just come is heard.
 */
export class WaitingRoom<T> {
  readonly #limits: WaitingLimits;
  readonly #dismiss: (one: T, why: Dismissal) => void;
  /** Since when each has waited; whoever has waited longest stands first. */
  readonly #since = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
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

  /** It waits no more: it has said something, or is gone. */
  leave(one: T): void {
    this.#since.delete(one);
  }

  #plan(): void {
    const { most, deadlineMs = Infinity } = this.#limits;
    const [since] = this.#since.values();
    const after = this.#since.size > most ? GRACE_MS : deadlineMs;
    if (since === undefined || after === Infinity) return;
    const due = since + after;
    // One that comes too early looks again: most leave long before.
    if (this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    // What has come while something held the thread is read before anybody is sent away for having said nothing.
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
