import { OrcsError } from "../../../core/index.ts";
import type { GetOptions, Json, RuntimeVerb, StateStore } from "../../../core/index.ts";
import { ContextReader } from "./context-copy.ts";
import type { FromWorker, StateArgs, StateOperation, ToWorker } from "./protocol.ts";

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

  get(
    job: number,
    kind: string,
    arg: Json | undefined,
    { metadata, signal }: GetOptions = {},
  ): Promise<unknown> {
    return this.#wait(signal, (call) =>
      this.#post({ type: "get", job, call, kind, arg, metadata }),
    );
  }

  verb(
    job: number,
    name: RuntimeVerb,
    args: readonly (Json | undefined)[],
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#wait(signal, (call) => this.#post({ type: "verb", job, call, name, args }));
  }

  /** A state that is elsewhere, as the scope of a job sees it. */
  stateOf(job: number): StateStore {
    const ask = (operation: StateOperation, ...args: StateArgs): Promise<unknown> =>
      this.#wait(undefined, (call) => this.#post({ type: "state", job, call, operation, args }));
    return {
      waits: true,
      get: (key) => ask("get", key) as Promise<Json | undefined>,
      set: (key, value) => ask("set", key, value) as Promise<void>,
      delete: (key) => ask("delete", key) as Promise<boolean>,
      incr: (key: string, by: number, ttlMs?: number, max?: number) =>
        ask("incr", key, by, ttlMs, max) as Promise<number>,
      compareAndSet: (key, expected, value) =>
        ask("compareAndSet", key, expected, value) as Promise<boolean>,
    };
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
