import { messageOf } from "../../core/errors.ts";
import { ContextWriter } from "./context-copy.ts";
import type { ToWorker } from "./protocol.ts";

/** Calls that the worker waits for, as the engine's thread makes them. */
export class EngineCalls {
  readonly #post: (message: ToWorker) => void;
  readonly #running = new Map<number, AbortController>();

  constructor(post: (message: ToWorker) => void) {
    this.#post = post;
  }

  /** Do it and post the answer, unless the worker has given up on it by then. */
  async make(call: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    this.#running.set(call, abort);
    let message: ToWorker;
    try {
      const answer = new ContextWriter(Infinity).pack(await work(abort.signal));
      message = { type: "answer", call, answer };
    } catch (thrown) {
      message = { type: "refused", call, message: messageOf(thrown) };
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
