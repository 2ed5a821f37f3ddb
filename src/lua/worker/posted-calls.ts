import type { Json } from "../../core/json.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../../core/ports.ts";
import { ContextReader } from "./context-copy.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

type Post = (message: FromWorker) => void;
type Answered = Extract<ToWorker, { type: "answer" | "refused" }>;

/** Calls to the engine that the worker waits for without blocking: each is a message, and so is its answer. */
export class PostedCalls {
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
        // Whoever waits here has given up already: nobody listens to what it resolves with.
        this.#waiting.delete(call);
        this.#post({ type: "cancel", call });
      };
      send(call);
      this.#waiting.set(call, (answered) => {
        this.#waiting.delete(call);
        signal?.removeEventListener("abort", cancel);
        if (answered.type === "refused") reject(new Error(answered.message));
        else resolve(new ContextReader().unpack(answered.answer));
      });
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}

/** The scope of a job: its calls are made by the engine, in the name of the hook whose turn it is. */
export class PostedScope implements CallScope {
  readonly depth: number;
  /** Milliseconds of Lua so far. */
  readonly spent: { luaMs: number };
  readonly #calls: PostedCalls;
  readonly #job: number;

  constructor(calls: PostedCalls, job: number, depth: number, spent: { luaMs: number }) {
    this.#calls = calls;
    this.#job = job;
    this.depth = depth;
    this.spent = spent;
  }

  async get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer> {
    return (await this.#calls.get(this.#job, kind, arg, options)) as ToolAnswer;
  }

  /** The thread slept while it waited for the engine: that is no time of the script's. */
  waited(ms: number): void {
    this.spent.luaMs -= ms;
  }
}
