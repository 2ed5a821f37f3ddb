import { once } from "node:events";
import { BroadcastChannel } from "node:worker_threads";
import type { Worker } from "node:worker_threads";
import type { LuaPorts, ScriptLoader, ScriptRunner } from "../../src/engine/lua/ports.ts";
import { WorkerLayer } from "../../src/engine/lua/worker/worker-layer.ts";
import type { ProbeAnswer, ProbeAnswers } from "./worker-probe.ts";

/**
 * Worker layers that serve one rig after another: a thread takes longer to start than most attacks take,
 * and so each attack shows what those before have left of it.
 */
export class WorkerPool {
  readonly #layers: PooledLayer[] = [];

  /** @param own a thread that nobody else has had: its memory is to be measured */
  take(ports: LuaPorts, own = false): PooledLayer {
    let layer = own ? undefined : this.#layers.find((at) => at.fits(ports));
    if (!layer) this.#layers.push((layer = new PooledLayer(ports)));
    layer.take(ports);
    return layer;
  }

  /** Why threads were lost since it was last asked; none must be, whatever a script does. */
  async lost(): Promise<string[]> {
    const losers = this.#layers.filter(({ lost }) => lost.length > 0);
    for (const layer of losers) await this.end(layer);
    return losers.flatMap(({ lost }) => lost);
  }

  /** What each thread answers. */
  ask<K extends keyof ProbeAnswers>(what: K): Promise<ProbeAnswers[K][]> {
    return Promise.all(this.#layers.map((layer) => layer.ask(what)));
  }

  async end(layer: PooledLayer): Promise<void> {
    const index = this.#layers.indexOf(layer);
    if (index !== -1) this.#layers.splice(index, 1);
    await layer.end();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#layers].map((layer) => this.end(layer)));
  }
}

/** Longest that a thread may take to answer; it may be at a script that runs to the end of its time. */
const ANSWER_MS = 15_000;

/** A worker layer as one rig has it, until it closes it. */
export class PooledLayer implements ScriptLoader {
  /** Why its thread was lost. */
  readonly lost: string[] = [];
  readonly #limits: string;
  readonly #layer: WorkerLayer;
  readonly #scripts = new Set<ScriptRunner>();
  #ports: LuaPorts;
  #taken = false;
  #worker: Worker | undefined;

  constructor(ports: LuaPorts) {
    this.#ports = ports;
    this.#limits = JSON.stringify(ports.limits);
    this.#layer = new WorkerLayer(this.#portsOfWhoever(ports.limits));
  }

  fits(ports: LuaPorts): boolean {
    return !this.#taken && JSON.stringify(ports.limits) === this.#limits;
  }

  take(ports: LuaPorts): void {
    this.#ports = ports;
    this.#taken = true;
  }

  async open(): Promise<void> {
    if (this.#worker) return;
    const started = once(process, "worker");
    await this.#layer.open();
    [this.#worker] = (await started) as [Worker];
  }

  async load(...of: Parameters<ScriptLoader["load"]>): ReturnType<ScriptLoader["load"]> {
    const loaded = await this.#layer.load(...of);
    this.#scripts.add(loaded.runner);
    return loaded;
  }

  run(...of: Parameters<ScriptLoader["run"]>): ReturnType<ScriptLoader["run"]> {
    return this.#layer.run(...of);
  }

  retire(script: ScriptRunner): void {
    this.#layer.retire(script);
  }

  unload(script: ScriptRunner): void {
    this.#scripts.delete(script);
    this.#layer.unload(script);
  }

  close(): void {
    for (const script of this.#scripts) this.unload(script);
    this.#taken = false;
  }

  async ask<K extends keyof ProbeAnswers>(what: K): Promise<ProbeAnswers[K]> {
    if (!this.#worker) throw new Error("it was not opened");
    const channel = new BroadcastChannel(`orcs-probe-${this.#worker.threadId}`);
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answered = once(channel as unknown as EventTarget, "message", { signal });
    channel.postMessage(what);
    const [{ data }] = (await answered) as [{ data: ProbeAnswer }];
    channel.close();
    return data.answer as ProbeAnswers[K];
  }

  async end(): Promise<void> {
    await this.#layer.close();
  }

  /** The ports of the rig that has it at the time. */
  #portsOfWhoever(limits: LuaPorts["limits"]): LuaPorts {
    const ports = (): LuaPorts => this.#ports;
    return {
      limits,
      logger: {
        debug: (text) => ports().logger.debug(text),
        info: (text) => ports().logger.info(text),
        warn: (text) => ports().logger.warn(text),
        error: (text) => {
          if (text.startsWith("lua: the worker thread")) this.lost.push(text);
          ports().logger.error(text);
        },
      },
      get state() {
        return ports().state;
      },
      now: () => ports().now(),
      wallMs: () => ports().wallMs(),
      get isUtc() {
        return ports().isUtc;
      },
      sleep: (ms, signal) => ports().sleep(ms, signal),
      output: (text) => ports().output(text),
      glob: (pattern) => ports().glob(pattern),
      redact: (value) => ports().redact(value),
      shell: (line, cwd, options) => ports().shell(line, cwd, options),
      effects: (payload) => ports().effects(payload),
      onlyReads: (payload) => ports().onlyReads(payload),
      realPath: (path, cwd) => ports().realPath(path, cwd),
      findModule: (name, roots) => ports().findModule(name, roots),
    };
  }
}
