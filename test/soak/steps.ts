import { OrcsError } from "./built.ts";
import type { Hook, Orcs, RequestOptions, Runtime } from "orcs";
import type { Random } from "../fuzz/random.ts";
import { configuredHooks, randomHooks } from "./hooks.ts";
import type { Ledger } from "./ledger.ts";
import { TsComponent } from "./ts-component.ts";
import type { Lives } from "./ts-component.ts";
import {
  LUA_NAMES,
  randomOperation,
  randomSignal,
  randomTarget,
  randomWork,
  TS_NAMES,
  wrongAnswer,
} from "./work.ts";

/** What a load is put on. */
export interface Load {
  readonly orcs: Orcs;
  readonly runtime: Runtime;
  /** Of the engine; its hooks are exchanged. */
  readonly config: Record<string, unknown>;
  readonly ledger: Ledger;
  readonly lives: Lives;
  readonly random: Random;
  readonly dir: string;
}

/** Most calls that wait at a time. */
const MOST_WAITING = 150;
/** What is given this long is answered by the end of its channel. */
const NEVER_MS = 3_600_000;
/** Longest that starting or ending a component may take, hooks included. */
const LIFE_MS = 5000;

/** What is done to an engine, step by step; most steps are not waited for. */
export class Steps {
  readonly #load: Load;
  readonly #weighted: readonly (() => unknown)[];
  #tsHooks: readonly Hook[] = [];
  #generation = 0;
  #configured = 0;

  constructor(load: Load) {
    this.#load = load;
    const { random } = load;
    const steps: readonly (readonly [number, () => unknown])[] = [
      [5, () => this.#spawnTs()],
      [5, () => this.#spawnLua()],
      [24, () => this.#request()],
      [4, () => this.#cancelled()],
      [2, () => this.#burst()],
      [8, () => this.#event()],
      [5, () => this.#signal()],
      [1, () => this.#end("stop")],
      [1, () => this.#end("kill")],
      [2, () => this.#replace()],
      [1, () => this.#reload()],
      [6, () => new Promise((resolve) => setTimeout(resolve, random.below(4)))],
    ];
    this.#weighted = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
  }

  /** Hooks that are not the components'. */
  get hooks(): number {
    return this.#tsHooks.length + this.#configured;
  }

  /** Lua states that the hooks of the configuration may have: one for each of their options. */
  get configuredStates(): number {
    const hooks = this.#load.config["hooks"] as readonly { options: { state: number } }[];
    return new Set(hooks.map(({ options }) => options.state)).size;
  }

  async step(): Promise<void> {
    const { ledger, random } = this.#load;
    await random.pick(this.#weighted)();
    if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
    while (ledger.waiting > MOST_WAITING) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** End all channels one by one, when what is under way has ended; until then they serve, whatever was done to them. */
  async endAll(): Promise<void> {
    const { runtime, ledger } = this.#load;
    await ledger.idle();
    for (const { component } of runtime.channels) {
      void ledger.track("signal", component, runtime.signal(component, "resume"), LIFE_MS);
      const n = ledger.number();
      const asked = runtime.request(component, "echo", { n }, { timeout_ms: LIFE_MS });
      void ledger.track("echo", `${n} ${component}`, asked, LIFE_MS, wrongAnswer(n));
    }
    await ledger.idle();
    for (const { component } of runtime.channels) {
      void ledger.track("end", component, runtime.stop(component), LIFE_MS);
    }
    await ledger.idle();
  }

  /** End all channels at once while they are at work. */
  async shutDown(): Promise<void> {
    const { runtime, ledger } = this.#load;
    for (const _ of [1, 2, 3]) this.#spawnTs();
    for (const _ of [1, 2, 3]) this.#spawnLua();
    for (let i = 0; i < 60; i++) this.#request(undefined, { timeout_ms: NEVER_MS });
    await new Promise((resolve) => setTimeout(resolve, 3));
    for (let i = 0; i < 30; i++) this.#request(undefined, { timeout_ms: NEVER_MS });
    const running = runtime.channels.length;
    const results = await ledger.track("end", "all", runtime.shutdownParallel(10), LIFE_MS);
    if (results?.length !== running)
      ledger.fault(`${results?.length} of ${running} were shut down`);
    await ledger.idle();
    const late = runtime.spawn(new TsComponent("builtin::late", undefined, this.#load));
    const refused = await late.catch((thrown: unknown) => thrown);
    if (!(refused instanceof OrcsError) || refused.code !== "ORCS2006") {
      ledger.fault("a component was spawned after the shutdown");
    }
  }

  #spawnTs(): void {
    const { runtime, ledger, random } = this.#load;
    const instance = random.chance(0.1) ? "second" : undefined;
    const component = new TsComponent(random.pick(TS_NAMES), instance, this.#load);
    const options = {
      instance,
      ...(random.chance(0.3) && { elevated: false }),
      ...(random.chance(0.2) && { capabilities: ["READ", "EXECUTE"] as const }),
      ...(random.chance(0.1) && { snapshot: { by: "hook" } }),
    };
    const spawned = runtime.spawn(component, options);
    void ledger.track("spawn", component.id, spawned, LIFE_MS, (channel) => {
      if (channel) component.life.adopted();
      return undefined;
    });
  }

  #spawnLua(): void {
    const { runtime, ledger, random } = this.#load;
    const id = random.pick(LUA_NAMES);
    const fails = random.pick(["no", "no", "no", "init", "signal", "shutdown", "snapshot"]);
    const options = { name: id, fails, also: random.pick(["*", "Tock", "Approval"]) };
    const spawned = runtime.spawnScript("component.lua", {
      id,
      options,
      ...(random.chance(0.2) && { request_timeout_ms: 20 }),
    });
    void ledger.track("spawn", id, spawned, LIFE_MS);
  }

  /** Mostly somebody who is there. */
  #target(): string {
    const { runtime, random } = this.#load;
    const { channels } = runtime;
    const known = randomTarget(random);
    const place = random.next();
    if (random.chance(0.3)) return known;
    return channels[Math.floor(place * channels.length)]?.component ?? known;
  }

  #request(
    target = this.#target(),
    { signal, timeout_ms = 3 + this.#load.random.below(50) }: RequestOptions = {},
  ): void {
    const { runtime, ledger, random } = this.#load;
    const n = ledger.number();
    const operation = randomOperation(random);
    const work = randomWork(random, n);
    const asked = runtime.request(target, operation, { ...work }, { timeout_ms, signal });
    void ledger.track(
      "request",
      `${n} ${operation} of ${target}`,
      asked,
      Math.min(timeout_ms, LIFE_MS),
      wrongAnswer(n),
    );
  }

  #cancelled(): void {
    const { random } = this.#load;
    const cancel = new AbortController();
    this.#request(undefined, { signal: cancel.signal });
    if (random.chance(0.3)) cancel.abort();
    else setTimeout(() => cancel.abort(), random.below(8));
  }

  /** More than a mailbox holds. */
  #burst(): void {
    const target = this.#target();
    for (let i = 0; i < 24; i++) this.#request(target);
  }

  #event(): void {
    const { runtime, ledger, random } = this.#load;
    const n = ledger.number();
    const category = random.pick(["Tick", "Tock", "Nobody"]);
    const event = {
      category,
      operation: randomOperation(random),
      payload: { ...randomWork(random, n) },
    };
    void ledger.track("emit", n, runtime.broadcast(event), LIFE_MS);
  }

  #signal(): void {
    const { runtime, ledger, random } = this.#load;
    const target = random.chance(0.05) ? "*" : this.#target();
    const kind = randomSignal(random);
    void ledger.track("signal", target, runtime.signal(target, kind), LIFE_MS);
  }

  #end(how: "stop" | "kill"): void {
    const { runtime, ledger, random } = this.#load;
    const target = randomTarget(random);
    void ledger.track("end", target, runtime[how](target), LIFE_MS);
  }

  /** Exchange all hooks in TypeScript in one step, whatever is under way. */
  #replace(): void {
    const { orcs, ledger, random } = this.#load;
    const next = randomHooks(random, ledger, ++this.#generation).map((definition) => {
      const remove = orcs.hook(definition);
      const hook = orcs.registry.get(definition.id ?? "");
      remove();
      return hook as Hook;
    });
    orcs.registry.replace(
      this.#tsHooks.map(({ id }) => id),
      next,
    );
    this.#tsHooks = next;
  }

  /** Exchange the configured hooks, which are in Lua. */
  async #reload(): Promise<void> {
    const { orcs, config, ledger, random } = this.#load;
    const hooks = configuredHooks(random, ++this.#generation);
    config["hooks"] = hooks;
    const reloaded = await ledger.track("reload", "", orcs.reload(), LIFE_MS);
    if (reloaded?.hooks !== hooks.length) ledger.fault("a reload has lost hooks");
    this.#configured = hooks.length;
  }
}
