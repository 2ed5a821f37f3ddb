import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type {
  CallScope,
  GetOptions,
  Json,
  ScopeVerb,
  StateStore,
  ToolAnswer,
} from "../../../core/index.ts";
import { bareMessage, OrcsError, stateBy } from "../../../core/index.ts";
import type { LuaSpent } from "../limits.ts";
import type { LuaVm } from "../vm.ts";
import { ContextReader } from "./context-copy.ts";
import type {
  Ask,
  Asks,
  FromWorker,
  RemoteWork,
  Reply,
  ScopeFacts,
  ToWorker,
  WorkerStart,
} from "./protocol.ts";
import { ANSWERED, HAS_REPLY, SPENT_US } from "./protocol.ts";

type Answered = Extract<ToWorker, { type: "answer" | "refused" }>;

/** Calls to the engine that the worker awaits without blocking: a message, and a message with the result. */
export class RemoteCalls {
  readonly #post: (message: FromWorker) => void;
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  #call = 0;

  constructor(post: (message: FromWorker) => void) {
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

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
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
function refused({ message, code }: Extract<Answered, { type: "refused" }>): Error {
  return code === undefined
    ? new Error(message)
    : new OrcsError(code, bareMessage({ code, message }));
}

/** The scope of a job: its calls are made by the engine, on behalf of the hook or its caller. */
export class RemoteScope implements CallScope {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Missing if the engine's scope has none. */
  readonly verb?: ScopeVerb;
  /** For a state that waits. */
  readonly state: StateStore;
  /** Time of Lua so far. */
  readonly spent: LuaSpent;
  readonly #calls: RemoteCalls;
  readonly #job: number;

  constructor(calls: RemoteCalls, job: number, facts: ScopeFacts, spent: LuaSpent) {
    this.#calls = calls;
    this.#job = job;
    this.depth = facts.depth;
    this.mayHook = facts.mayHook;
    if (facts.hasVerbs) {
      this.verb = (name, args, signal) =>
        calls.make(job, { kind: "verb", name, args }, signal) as Promise<Json>;
    }
    this.state = calls.stateOf(job);
    this.spent = spent;
  }

  get(name: string, arg?: Json, { metadata, signal }: GetOptions = {}): Promise<ToolAnswer> {
    const work = { kind: "get", name, arg, metadata } as const;
    return this.#calls.make(this.#job, work, signal) as Promise<ToolAnswer>;
  }

  /**
   * The thread was blocked while it waited for the engine.
   * @param freeMs the part that does not count for the script
   * @param workedMs how long the engine worked for it
   */
  waited(freeMs: number, workedMs: number): void {
    this.spent.luaMs -= freeMs;
    this.spent.elsewhereMs = (this.spent.elsewhereMs ?? 0) + workedMs;
  }
}

/** Maximum wait for the engine's thread, which may be busy, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * Requests for which Lua cannot yield: a function of the C API must return with the response. The worker blocks until
 * the engine's thread has answered; that thread never waits for the worker, so there is no deadlock.
 */
export class SyncCalls {
  readonly #post: (message: FromWorker) => void;
  readonly #flag: Int32Array;
  readonly #replies: MessagePort;
  readonly #vm: LuaVm;
  #id = 0;

  constructor(post: (message: FromWorker) => void, start: WorkerStart, vm: LuaVm) {
    this.#post = post;
    this.#flag = new Int32Array(start.flag);
    this.#replies = start.replies;
    this.#vm = vm;
  }

  /**
   * Send a request, and wait for the response.
   * @throws Error with what the engine's side threw, or when it did not answer in time
   */
  ask<K extends keyof Asks>(kind: K, args: Parameters<Asks[K]>, ms = WAIT_MS): ReturnType<Asks[K]> {
    this.#id = (this.#id + 1) | 0;
    const id = this.#id;
    this.#post({ type: "ask", id, kind, args } as Ask);
    // The engine's work on a report does not count for the script; all other work does.
    const answered = this.#wait(id, ms, kind !== "settle");
    if (!answered) throw new Error(`the engine did not answer within ${ms} ms`);
    const reply = this.#flag[HAS_REPLY] === 1 ? this.#take(id) : undefined;
    if (reply?.ok === false) throw new Error(reply.message);
    return reply?.value as ReturnType<Asks[K]>;
  }

  /**
   * Block until the request was answered. The engine's work for the response counts as the script's time, as on the
   * engine's thread; the time it was busy with other things does not, and the deadlines move by that much.
   */
  #wait(id: number, ms: number, charged: boolean): boolean {
    const started = performance.now();
    const running = this.#vm.running;
    let left = ms;
    for (;;) {
      const seen = Atomics.load(this.#flag, ANSWERED);
      if (seen === id || left <= 0) break;
      Atomics.wait(this.#flag, ANSWERED, seen, left);
      left = ms - (performance.now() - started);
    }
    const answered = Atomics.load(this.#flag, ANSWERED) === id;
    const spent = answered && charged ? Atomics.load(this.#flag, SPENT_US) / 1000 : 0;
    const free = Math.max(0, performance.now() - started - spent);
    running?.limits.extend(free);
    running?.limits.charge(spent);
    const scope = running?.current?.scope;
    if (scope instanceof RemoteScope) scope.waited(free, spent);
    return answered;
  }

  /** The reply to a request; replies to abandoned requests are skipped. */
  #take(id: number): Reply | undefined {
    for (;;) {
      const received: { message: Reply } | undefined = receiveMessageOnPort(this.#replies);
      if (!received || received.message.id === id) return received?.message;
    }
  }
}
