import { MessageChannel } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { messageOf } from "../../core/errors.ts";
import { ANSWERED, HAS_REPLY, SPENT_US } from "./protocol.ts";
import type { Reply } from "./protocol.ts";

/** The engine's end of the questions that the worker waits for. */
export class SyncAnswers {
  /** For the worker's start. */
  readonly flag = new SharedArrayBuffer(12);
  readonly replies: MessagePort;
  readonly #flag = new Int32Array(this.flag);
  readonly #port: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.replies = port2;
  }

  /** Answer an ask with what a function returns or throws. It is answered whatever happens. */
  answer(id: number, respond: () => unknown): void {
    let reply: Reply | undefined;
    const began = performance.now();
    try {
      const value = respond();
      // Most answers are nothing; the flag alone says so at a fraction of a message's price.
      if (value !== undefined) reply = { id, ok: true, value };
    } catch (thrown) {
      reply = { id, ok: false, message: messageOf(thrown) };
    }
    try {
      if (reply) this.#port.postMessage(reply);
    } catch (thrown) {
      reply = { id, ok: false, message: messageOf(thrown) };
      this.#port.postMessage(reply);
    }
    Atomics.store(this.#flag, HAS_REPLY, reply ? 1 : 0);
    Atomics.store(this.#flag, SPENT_US, Math.min((performance.now() - began) * 1000, 2 ** 31 - 1));
    Atomics.store(this.#flag, ANSWERED, id);
    Atomics.notify(this.#flag, ANSWERED);
  }

  close(): void {
    this.#port.close();
  }
}
