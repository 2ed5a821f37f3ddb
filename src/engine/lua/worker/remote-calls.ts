import { OrcsError, stateBy, type StateStore } from "../../../core/index.ts";
import { ContextReader } from "./context-copy.ts";
import type { FromWorker, RemoteWork, ToWorker } from "./protocol.ts";

type Post = (message: FromWorker) => void;
type Answered = Extract<ToWorker, { type: "answer" | "refused" }>;

/** Calls to the engine that the worker awaits without blocking: a message, and a message with the result. */
export class RemoteCalls {
  readonly #post: Post;
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  #call = 0;

  constructor(post: Post) {
    this.#post = post;
  }

  /** The result of work on behalf of a job. */
  make(job: number, work: RemoteWork, signal?: AbortSignal): Promise<unknown> {
    return this.#wait(signal, (call) => this.#post({ type: "call", job, call, work }));
  }

  /** A state that is elsewhere, as the scope of a job sees it. */
  stateOf(job: number): StateStore {
    return stateBy(true, (name, args) => this.make(job, { kind: "state", name, args }));
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#wait(signal, (call) => this.#post({ type: "sleep", call, ms }));
  }

  answered(message: Answered): void {
    this.#waiting.get(message.call)?.(message);
  }

  #wait(signal: AbortSignal | undefined, send: (call: number) => void): Promise<unknown> {
    const call = ++this.#call;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        // The caller has given up: nobody listens to the result.
        this.#waiting.delete(call);
        this.#post({ type: "cancel", call });
      };
      send(call);
      this.#waiting.set(call, (answered) => {
        this.#waiting.delete(call);
        signal?.removeEventListener("abort", cancel);
        if (answered.type === "refused") reject(refused(answered));
        else resolve(new ContextReader().unpack(answered.answer));
      });
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}

/** The error of the engine's thread: what happens by one of the shared state depends on its code. */
function refused({ message, code }: Extract<ToWorker, { type: "refused" }>): Error {
  return code === undefined
    ? new Error(message)
    : new OrcsError(code, message.slice(`${code}: `.length));
}
