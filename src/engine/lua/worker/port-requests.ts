import { MessageChannel, type MessagePort } from "node:worker_threads";
import { messageOf, operate, OrcsError } from "../../../core/index.ts";
import { type LuaPorts, moduleFor } from "../ports.ts";
import { ContextWriter, TooLarge } from "./context-copy.ts";
import { ANSWERED, type Asks, HAS_REPLY, type Reply, SPENT_US, type ToWorker } from "./protocol.ts";
import type { TurnJob } from "./turn-job.ts";
import type { WorkerScript } from "./worker-script.ts";

/** What requests of the worker refer to. */
interface Asked {
  readonly ports: LuaPorts;
  readonly script: (number: number) => WorkerScript | undefined;
  readonly turn: (job: number) => TurnJob | undefined;
  /** The worker has finished a job. */
  readonly ended: (job: number) => void;
}

/** The engine's responses to the requests of the worker. */
export function portRequests({ ports, script, turn, ended }: Asked): Asks {
  return {
    settle(job, report, shared, spent) {
      const next = turn(job)?.settle(report, shared, spent);
      if (!next) ended(job);
      return next;
    },
    part: (job, number) => turn(job)?.part(number),
    state(operation, args) {
      const { state } = ports;
      if (state.waits) throw new Error("unreachable: the worker asks for it without blocking");
      return operate(state, operation, args);
    },
    matchGlob: (pattern, text) => ports.glob(pattern)(text),
    redact: (value) => ports.redact(value),
    shell: (line, cwd, options) => ports.shell(line, cwd, options),
    effects: (payload) => ports.effects(() => payload),
    onlyReads: (payload) => ports.onlyReads(() => payload),
    realPath: (path, cwd) => ports.realPath(path, cwd),
    findModule(number, name) {
      const asking = script(number);
      const found = asking && moduleFor(asking.source, name, ports);
      if (!found) return undefined;
      asking.requires.add(found.file);
      // A copy: the bytes may be in a larger buffer, which would be sent as a whole.
      return { file: found.file, bytes: new Uint8Array(found.bytes) };
    },
    addHook: (number, spec) => expect(script(number)).addHook(spec),
    removeHook: (number, id) => expect(script(number)).removeHook(id),
  };
}

function expect(script: WorkerScript | undefined): WorkerScript {
  if (!script) throw new Error("its script was unloaded");
  return script;
}

/** The engine's end of the requests that block the worker. */
export class SyncAnswers {
  /** Shared with the worker at its start. */
  readonly flag = new SharedArrayBuffer(12);
  readonly replies: MessagePort;
  readonly #flag = new Int32Array(this.flag);
  readonly #port: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.replies = port2;
  }

  /** Answer a request with what a function returns or throws. It is answered in any case. */
  answer(id: number, respond: () => unknown): void {
    const began = performance.now();
    try {
      const value = respond();
      // Most responses are empty; the flag alone conveys that at a fraction of a message's cost.
      this.#send(id, value === undefined ? undefined : { id, ok: true, value }, began);
    } catch (thrown) {
      this.#send(id, { id, ok: false, message: messageOf(thrown) }, began);
    }
  }

  #send(id: number, given: Reply | undefined, began: number): void {
    let reply = given;
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

/** Calls that the worker waits for, made on the engine's thread. */
export class EngineCalls {
  readonly #post: (message: ToWorker) => void;
  readonly #maxBytes: number;
  readonly #running = new Map<number, AbortController>();

  /** @param maxBytes memory limit of a state: a larger result would not fit */
  constructor(post: (message: ToWorker) => void, maxBytes: number) {
    this.#post = post;
    this.#maxBytes = maxBytes;
  }

  /** Do it and post the result, unless the worker has given up meanwhile. */
  async make(call: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    this.#running.set(call, abort);
    let message: ToWorker;
    try {
      const answer = new ContextWriter(this.#maxBytes).pack(await work(abort.signal));
      message = { type: "answer", call, answer };
    } catch (thrown) {
      const code = thrown instanceof OrcsError ? thrown.code : undefined;
      message = { type: "refused", call, message: refusal(thrown), code };
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

/** Why something was not sent to the worker, or failed. */
export function refusal(thrown: unknown): string {
  return thrown instanceof TooLarge
    ? "the value exceeds the script's memory limit"
    : messageOf(thrown);
}
