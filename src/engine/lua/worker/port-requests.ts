import type { MessagePort } from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import { messageOf, operate } from "../../../core/index.ts";
import { type LuaPorts, moduleFor } from "../ports.ts";
import type { Asks, Reply } from "./protocol.ts";
import { ANSWERED, HAS_REPLY, SPENT_US } from "./protocol.ts";
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
