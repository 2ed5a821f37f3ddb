import { messageOf } from "../../core/errors.ts";
import { ContextWriter, TooLarge } from "./context-copy.ts";
import type { ToWorker } from "./protocol.ts";

/** Calls that the worker waits for, as the engine's thread makes them. */
export class EngineCalls {
  readonly #post: (message: ToWorker) => void;
  readonly #maxBytes: number;
  readonly #running = new Map<number, AbortController>();

  /** @param maxBytes memory of a state: an answer that is larger would not fit */
  constructor(post: (message: ToWorker) => void, maxBytes: number) {
    this.#post = post;
    this.#maxBytes = maxBytes;
  }

  /** Do it and post the answer, unless the worker has given up on it by then. */
  async make(call: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    this.#running.set(call, abort);
    let message: ToWorker;
    try {
      const answer = new ContextWriter(this.#maxBytes).pack(await work(abort.signal));
      message = { type: "answer", call, answer };
    } catch (thrown) {
      message = { type: "refused", call, message: refusal(thrown) };
    }
    if (this.#running.delete(call)) this.#post(message);
  }

  cancel(call: number): void {
    const abort = this.#running.get(call);
    this.#running.delete(call);
    abort?.abort();
  }

  close(): void {
    for (const call of this.#running.keys()) this.cancel(call);
  }
}

/** Why something did not cross to the worker, or came to nothing. */
export function refusal(thrown: unknown): string {
  return thrown instanceof TooLarge
    ? "the value is larger than the memory of a script"
    : messageOf(thrown);
}
