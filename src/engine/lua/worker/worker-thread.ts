import { Worker } from "node:worker_threads";
import { type CallScope, type HookReport, messageOf, operate } from "../../../core/index.ts";
import { cpuMsOf, loadLimitMs } from "../limits.ts";
import type { LuaPorts } from "../ports.ts";
import { LuaFailure } from "../state.ts";
import { givenUp } from "../task-run.ts";
import { EngineCalls, portRequests, SyncAnswers } from "./port-requests.ts";
import type {
  Ask,
  Asks,
  Failure,
  FromWorker,
  RemoteWork,
  ToWorker,
  Work,
  WorkerStart,
} from "./protocol.ts";
import { readClock } from "./protocol.ts";
import { TurnJob } from "./turn-job.ts";
import { Watchdog } from "./watchdog.ts";
import type { WorkerScript } from "./worker-script.ts";

/**
 * Memory limit of the worker's own objects, in MB: mostly contexts, each up to `max_payload_mb` in transit and several
 * times that as objects. Lua's own memory is limited per state.
 */
const HEAP_MB = 256;
const HEAP_PER_PAYLOAD = 16;

/** Work of the thread. */
export interface Job {
  readonly script: WorkerScript;
  /** The scope of its calls. */
  readonly scope: CallScope | undefined;
  /** Whether it is the first load of its script. */
  readonly isLoad?: boolean;
  /** Called with its result, for work with one. */
  done?(value: unknown): void;
  /** Called when the thread is gone or the script was unloaded: no report will arrive. */
  lost(failure: LuaFailure): void;
}

/** One worker thread from start to end, after which another one replaces it. */
export class WorkerThread {
  /** Resolves when it has started; rejects with a `LuaFailure` when it could not. */
  readonly ready: Promise<void>;
  readonly #ports: LuaPorts;
  readonly #worker: Worker;
  readonly #sync = new SyncAnswers();
  readonly #answers: Asks;
  readonly #calls: EngineCalls;
  readonly #watchdog: Watchdog;
  readonly #scripts = new Map<number, WorkerScript>();
  readonly #jobs = new Map<number, Job>();
  /** Scripts whose last hook ran to its end: the state of any other may have to be loaded first. */
  readonly #loaded = new Set<WorkerScript>();
  #started!: (failure?: LuaFailure) => void;
  #isReady = false;
  /** The system's id of the thread. */
  #thread: number | undefined;
  #count = 0;
  #mostChunks = 0;
  #death: LuaFailure | undefined;

  constructor(ports: LuaPorts) {
    this.#ports = ports;
    this.ready = new Promise((resolve, reject) => {
      this.#started = (failure) => (failure ? reject(failure) : resolve());
    });
    // Awaited by whoever needs it; a thread started for a hook reports to its jobs.
    this.ready.catch(() => undefined);
    this.#answers = portRequests({
      ports,
      script: (number) => this.#scripts.get(number),
      turn: (number) => {
        const job = this.#jobs.get(number);
        return job instanceof TurnJob ? job : undefined;
      },
      ended: (number) => this.#ended(number),
    });
    this.#calls = new EngineCalls((message) => this.#post(message), ports.limits.memoryBytes);
    this.#watchdog = new Watchdog({
      isBusy: () => this.#jobs.size > 0,
      patienceMs: () => this.#longestStretchMs() * (this.#mostChunks + 1),
      cpuMs: () => (this.#thread === undefined ? undefined : cpuMsOf(this.#thread)),
      probe: () => this.#post({ type: "ping" }),
      expired: (ms) => this.#die(`the worker thread did not respond for ${ms} ms`),
    });
    this.#worker = this.#start();
  }

  /** Why it can no longer be used; undefined while it can. */
  get death(): LuaFailure | undefined {
    return this.#death;
  }

  /** Give it work on a script; returns the job's number. The program stays alive until it is done. */
  begin(job: Job, work: Work): number {
    const clock = readClock(this.#ports);
    if (this.#jobs.size === 0) this.#worker.ref();
    const number = ++this.#count;
    this.#jobs.set(number, job);
    this.#introduce(job.script);
    this.#post({ ...work, job: number, script: job.script.number, clock });
    if (this.#isReady) this.#watchdog.watch();
    return number;
  }

  /**
   * Give it work with one result; rejects with a `LuaFailure`.
   * @param scope of its calls
   * @param how `signal` gives it up, and the promise rejects at once; `arrived` is called as soon as there is a result
   */
  result<T>(
    script: WorkerScript,
    work: Work,
    scope?: CallScope,
    { signal, arrived }: { signal?: AbortSignal; arrived?: (value: T) => void } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const isLoad = work.type === "load";
      const lost = (failure: LuaFailure): void => {
        signal?.removeEventListener("abort", giveUp);
        reject(failure);
      };
      const done = (value: unknown): void => {
        signal?.removeEventListener("abort", giveUp);
        arrived?.(value as T);
        resolve(value as T);
      };
      const giveUp = (): void => {
        this.#ended(number);
        this.abort(number);
        lost(givenUp());
      };
      const number = this.begin({ script, scope, isLoad, done, lost }, work);
      signal?.addEventListener("abort", giveUp);
    });
  }

  /** What a job waits for there is given up; it reports its end as any other. */
  abort(number: number): void {
    this.#post({ type: "abort", job: number });
  }

  /** Set the identity of a hook; one registered at run time is known to the script itself. */
  bind(script: WorkerScript, hook: string, identity: string): void {
    if (identity === "" || !this.#scripts.has(script.number)) return;
    this.#post({ type: "bind", script: script.number, hook, identity });
  }

  /** Remove a script; its jobs are lost. */
  unload(script: WorkerScript): void {
    this.#loaded.delete(script);
    if (!this.#scripts.delete(script.number)) return;
    this.#post({ type: "unload", script: script.number });
    const failure = new LuaFailure("killed", "its script was unloaded while it was waiting");
    for (const [number, job] of this.#jobs) {
      if (job.script !== script) continue;
      this.#ended(number);
      job.lost(failure);
    }
  }

  /** End the thread; all its jobs are lost. Resolves when it is gone. */
  async close(failure: LuaFailure): Promise<void> {
    if (this.#death) return;
    this.#death = failure;
    this.#watchdog.stop();
    this.#calls.close();
    const gone = this.#worker.terminate();
    this.#sync.close();
    this.#started(failure);
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.lost(failure);
    await gone;
  }

  #start(): Worker {
    const { limits } = this.#ports;
    const { flag, replies } = this.#sync;
    const clock = readClock(this.#ports);
    const stateWaits = this.#ports.state.waits;
    const start: WorkerStart = { limits, clock, stateWaits, flag, replies };
    const worker = new Worker(entryUrl(), {
      name: "orcs-lua",
      workerData: start,
      transferList: [replies],
      // Nothing of the program's own set-up is needed there.
      argv: [],
      execArgv: [],
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB + HEAP_PER_PAYLOAD * (limits.maxValueBytes / 2 ** 20),
      },
    });
    worker.on("message", (message: FromWorker) => this.#receive(message));
    worker.on("error", (error) => this.#die(`the worker thread failed: ${messageOf(error)}`));
    worker.on("exit", (code) => this.#die(`the worker thread ended with code ${code}`));
    return worker;
  }

  #introduce(script: WorkerScript): void {
    const { number } = script;
    // Functions cannot be sent.
    const { findModule: _here, ...source } = script.source;
    if (this.#scripts.has(number)) return;
    this.#scripts.set(number, script);
    this.#mostChunks = Math.max(this.#mostChunks, source.chunks.length);
    this.#post({ type: "script", script: number, source });
    for (const [hook, identity] of script.identities) this.bind(script, hook, identity);
  }

  #post(message: ToWorker): void {
    if (!this.#death) this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    if (this.#death) return;
    this.#watchdog.heard();
    switch (message.type) {
      case "ready":
        return this.#becomeReady(message.thread);
      case "pong":
        return;
      case "lost":
        return this.#lose(message.script);
      case "done":
        return this.#done(message.job, message.value);
      case "failed":
        return this.#failed(message.job, message.failure);
      case "call":
        return this.#call(message);
      case "sleep":
        return void this.#calls.make(message.call, async (signal) => {
          await this.#ports.sleep(message.ms, signal);
        });
      case "cancel":
        return this.#calls.cancel(message.call);
      case "log":
        return this.#tell(() => this.#ports.logger[message.level](message.text));
      case "output":
        return this.#tell(() => this.#ports.output(message.text));
      case "ask":
        return this.#answer(message);
    }
  }

  /** Call the embedder's own code. Nobody here waits for what it throws, which would end the program. */
  #tell(what: () => void): void {
    try {
      what();
    } catch (thrown) {
      try {
        this.#ports.logger.error(`lua: the handler of script output threw: ${messageOf(thrown)}`);
      } catch {
        // The logger threw.
      }
    }
  }

  #becomeReady(thread: number | undefined): void {
    this.#isReady = true;
    this.#thread = thread;
    this.#started();
    if (this.#jobs.size > 0) this.#watchdog.watch();
    else this.#worker.unref();
  }

  /** The longest allowed stretch of its current work without waiting, in milliseconds. */
  #longestStretchMs(): number {
    const { limits } = this.#ports;
    for (const job of this.#jobs.values()) {
      const mayLoad = job instanceof TurnJob && !this.#loaded.has(job.script);
      if (mayLoad || job.isLoad) return loadLimitMs(limits);
    }
    return limits.maxRunMs;
  }

  #answer({ id, kind, args }: Ask): void {
    if (kind === "settle") this.#settling(args[0], args[1]);
    const answer = this.#answers[kind] as (...args: readonly unknown[]) => unknown;
    this.#sync.answer(id, () => answer(...args));
  }

  #settling(job: number, report: HookReport): void {
    const script = this.#jobs.get(job)?.script;
    if (!script) return;
    if ("failure" in report) this.#loaded.delete(script);
    else this.#loaded.add(script);
  }

  #call({ job, call, work }: Extract<FromWorker, { type: "call" }>): void {
    // A lost job has nobody to make calls for; the worker learns of it later.
    const scope = this.#jobs.get(job)?.scope;
    if (scope) void this.#calls.make(call, async (signal) => this.#made(work, scope, signal));
  }

  #made(work: RemoteWork, scope: CallScope, signal: AbortSignal): unknown {
    switch (work.kind) {
      case "get": {
        const { name, arg, metadata } = work;
        return scope.get(name, arg, { signal, ...(metadata !== undefined && { metadata }) });
      }
      case "verb":
        return scope.verb?.(work.name, work.args, signal);
      case "state":
        return operate(scope.state ?? this.#ports.state, work.name, work.args);
    }
  }

  #lose(number: number): void {
    const script = this.#scripts.get(number);
    if (script) script.stateLost = true;
  }

  #done(number: number, value: unknown): void {
    const job = this.#jobs.get(number);
    this.#ended(number);
    if (job?.isLoad) this.#loaded.add(job.script);
    job?.done?.(value);
  }

  #failed(number: number, { kind, message }: Failure): void {
    const job = this.#jobs.get(number);
    this.#ended(number);
    job?.lost(new LuaFailure(kind, message));
  }

  #ended(number: number): void {
    this.#jobs.delete(number);
    // Until it is ready, somebody may be waiting for that.
    if (this.#isReady && this.#jobs.size === 0) this.#worker.unref();
  }

  #die(why: string): void {
    if (this.#death) return;
    const { logger } = this.#ports;
    this.#tell(() => logger.error(`lua: ${why}; a new one is started when needed`));
    void this.close(new LuaFailure("killed", why));
  }
}

/** The built code of the worker: a thread cannot start from TypeScript on Node 20. */
function entryUrl(): URL {
  const built = import.meta.url.endsWith(".js");
  return new URL(
    built ? "./entry.js" : "../../../../dist/engine/lua/worker/entry.js",
    import.meta.url,
  );
}
