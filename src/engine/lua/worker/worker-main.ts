import { type Json, type LuaModule, type LuaSource, messageOf } from "../../../core/index.ts";
import { LuaEnvironment } from "../environment.ts";
import type { LoadedObject } from "../loaded-object.ts";
import { runMain } from "../main-run.ts";
import type { RuntimeHooks } from "../ports.ts";
import { LuaScript } from "../script.ts";
import { LuaFailure } from "../state.ts";
import { LuaVm } from "../vm.ts";
import { ContextReader } from "./context-copy.ts";
import type { FromWorker, PostedResult, ScopeFacts, ToWorker, WorkerStart } from "./protocol.ts";
import { type RemotePorts, remotePorts } from "./remote-ports.ts";
import { RemoteCalls, RemoteScope, SyncCalls } from "./remote-scope.ts";
import { RemoteTurn } from "./remote-turn.ts";

/** Runs on the worker thread: the Lua VM and its scripts; everything else is reached by messages. */
export class WorkerMain {
  readonly #post: (message: FromWorker) => void;
  readonly #vm: LuaVm;
  readonly #sync: SyncCalls;
  readonly #calls: RemoteCalls;
  readonly #ports: RemotePorts;
  readonly #environment: LuaEnvironment;
  readonly #scripts = new Map<number, LuaScript>();
  /** The functions that scripts have returned, those of the last load of each. */
  readonly #objects = new Map<number, LoadedObject>();
  /** Of turns and calls that run. */
  readonly #aborts = new Map<number, AbortController>();

  constructor(start: WorkerStart, post: (message: FromWorker) => void) {
    const vm = LuaVm.create();
    this.#post = post;
    this.#vm = vm;
    this.#sync = new SyncCalls(post, start, vm);
    this.#calls = new RemoteCalls(post);
    this.#ports = remotePorts(start, post, this.#sync, this.#calls);
    this.#environment = new LuaEnvironment(this.#ports);
  }

  async receive(message: ToWorker): Promise<void> {
    if ("clock" in message) this.#ports.clock = message.clock;
    switch (message.type) {
      case "script":
        return this.#add(message.script, message.source);
      case "bind":
        return this.#script(message.script).adopt(message.hook, message.identity);
      case "load":
        return this.#report(message.job, async () => this.#script(message.script).load());
      case "turn":
        return this.#turn(message);
      case "main":
        return this.#main(message);
      case "call":
        return this.#call(message);
      case "abort":
        return this.#aborts.get(message.job)?.abort();
      case "answer":
      case "refused":
        return this.#calls.answered(message);
      case "unload":
        return this.#unload(message.script);
      case "ping":
        return this.#post({ type: "pong" });
    }
  }

  #add(number: number, source: LuaSource): void {
    const runtime: RuntimeHooks = {
      add: (spec, script) => {
        const id = this.#sync.ask("addHook", [number, spec]);
        script.bind(id, spec.slot);
        return id;
      },
      remove: (id) => this.#sync.ask("removeHook", [number, id]),
    };
    const findModule = (name: string): LuaModule | undefined =>
      this.#sync.ask("findModule", [number, name]);
    const found = { ...source, findModule };
    const script = new LuaScript(this.#vm, this.#environment, this.#ports, found, runtime);
    this.#scripts.set(number, script);
  }

  #main({ job, script, chunk, scope }: Extract<ToWorker, { type: "main" }>): Promise<void> {
    return this.#report(job, async (): Promise<PostedResult> => {
      const bound = scope && this.#scope(job, scope);
      const result = await runMain(this.#script(script), chunk, bound, this.#ports);
      if ("value" in result) return result;
      const { object } = result;
      this.#objects.set(script, object);
      object.onLost(() => this.#post({ type: "lost", script }));
      const { fields, methods } = object;
      return { fields, methods: [...methods] };
    });
  }

  #call(message: Extract<ToWorker, { type: "call" }>): Promise<void> {
    const { job, scope, script, method, args } = message;
    const called = async (signal: AbortSignal): Promise<Json | undefined> => {
      const object = this.#objects.get(script);
      if (!object) throw new LuaFailure("killed", "its script was unloaded");
      const values = new ContextReader().unpack(args) as (Json | undefined)[];
      return object.call(method, values, { scope: this.#scope(job, scope), signal });
    };
    return this.#report(job, () => this.#abortable(job, called));
  }

  #turn(message: Extract<ToWorker, { type: "turn" }>): Promise<void> {
    const script = this.#script(message.script);
    return this.#abortable(message.job, async (signal) =>
      new RemoteTurn(script, message, this.#sync, this.#calls, signal).run(),
    );
  }

  async #abortable<T>(job: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    this.#aborts.set(job, abort);
    try {
      return await work(abort.signal);
    } finally {
      this.#aborts.delete(job);
    }
  }

  #scope(job: number, facts: ScopeFacts): RemoteScope {
    return new RemoteScope(this.#calls, job, facts, { luaMs: 0 });
  }

  async #report(job: number, work: () => Promise<unknown>): Promise<void> {
    try {
      this.#post({ type: "done", job, value: await work() });
    } catch (thrown) {
      const kind = thrown instanceof LuaFailure ? thrown.kind : "error";
      this.#post({ type: "failed", job, failure: { kind, message: messageOf(thrown) } });
    }
  }

  #unload(number: number): void {
    const script = this.#scripts.get(number);
    if (!script) return;
    this.#scripts.delete(number);
    this.#objects.delete(number);
    script.close();
  }

  #script(number: number): LuaScript {
    const script = this.#scripts.get(number);
    if (!script) throw new Error(`the worker has no script ${number}`);
    return script;
  }
}
