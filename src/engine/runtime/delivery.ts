import { type Clock, type Json, OrcsError, type Request } from "../../core/index.ts";
import type { CallState } from "./caller-identity.ts";
import { MAX_MS } from "./with-timeout.ts";

const DISARMED = "disarmed";
const ANSWERED = "another approver has answered";

/** A request or event on its way to a component. It is settled exactly once. */
export class Delivery {
  readonly request: Request;
  readonly call: CallState;
  readonly #clock: Clock;
  readonly #sent: number;
  /** The caller's promise; an event has none. */
  readonly #waiting: { resolve(answer: Json): void; reject(error: OrcsError): void } | undefined;
  #controller: AbortController | undefined;
  #arming: NodeJS.Immediate | undefined;
  #timer: AbortController | undefined;
  #settled = false;
  /** The error it was settled with, if any. */
  #error: OrcsError | undefined;
  #queued: (() => void) | undefined;

  constructor(
    request: Request,
    call: CallState,
    clock: Clock,
    waiting?: { resolve(answer: Json): void; reject(error: OrcsError): void },
  ) {
    this.request = request;
    this.call = call;
    this.#clock = clock;
    this.#waiting = waiting;
    this.#sent = waiting ? clock.now() : 0;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** Whether a caller waits for the response. */
  get isAwaited(): boolean {
    return this.#waiting !== undefined;
  }

  /** Aborts when the response is no longer wanted. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#settled) this.#controller.abort(this.#error);
    return this.#controller.signal;
  }

  /** It was put into a mailbox: `withdraw` is called if it is settled before it is taken. */
  queued(withdraw: () => void): void {
    this.#queued = withdraw;
  }

  /** It was taken from the mailbox. */
  taken(): void {
    this.#queued = undefined;
  }

  /** Set its time limit: for a request from when it was sent, replacing the previous limit; for an event from now. */
  arm(ms: number): void {
    this.#disarm();
    if (this.#settled) return;
    const from = this.#waiting ? this.#sent : this.#clock.now();
    // Most are settled within this turn of the event loop, and never need a timer.
    this.#arming = setImmediate(() => void this.#expireAt(from + ms, ms));
  }

  answer(value: Json): void {
    if (!this.#settle()) return;
    // Work that the component started for it must not continue when nobody waits.
    this.#controller?.abort(ANSWERED);
    this.#waiting?.resolve(value);
  }

  /** Settle it with an error, and end the work on it. */
  fail(error: OrcsError): void {
    if (!this.#settle()) return;
    this.#error = error;
    this.#controller?.abort(error);
    this.#waiting?.reject(error);
  }

  async #expireAt(end: number, ms: number): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    const left = Math.min(Math.max(0, end - this.#clock.now()), MAX_MS);
    await this.#clock.sleep(left, timer.signal);
    if (timer.signal.aborted) return;
    const { target, operation } = this.request;
    const why = `${target} did not respond to ${operation} within ${ms} ms`;
    this.fail(new OrcsError("ORCS6003", why, { target, operation, timeout_ms: ms }));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#disarm();
    this.#queued?.();
    return true;
  }

  #disarm(): void {
    clearImmediate(this.#arming);
    // Always with a reason: otherwise one would be created with a stack that nobody reads.
    this.#timer?.abort(DISARMED);
  }
}
