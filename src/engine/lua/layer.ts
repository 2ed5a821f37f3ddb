import type { CallScope, LuaChunk, LuaSource } from "../../core/index.ts";
import { LuaEnvironment } from "./environment.ts";
import type { LineSteps } from "./line-steps.ts";
import { loadError } from "./load-error.ts";
import { runMain } from "./main-run.ts";
import type {
  LoadedScript,
  LuaPorts,
  ProgramResult,
  RuntimeHooks,
  ScriptLoader,
  ScriptRunner,
} from "./ports.ts";
import { type MainResult, type ProgramLayer, startProgram } from "./program.ts";
import { LuaScript } from "./script.ts";
import { type BytecodeCache, LuaVm } from "./vm.ts";

/** Scripts run slower when their lines are recorded. */
const RECORDED = 20;

/** Loads scripts, one state each, into one instance of the Lua VM on this thread. */
export class LuaLayer implements ScriptLoader, ProgramLayer<LuaScript> {
  readonly #ports: LuaPorts;
  readonly #environment: LuaEnvironment;
  readonly #coverage: LineSteps | undefined;
  readonly #bytecode: BytecodeCache | undefined;
  readonly #scripts = new Set<LuaScript>();
  #vm: LuaVm | undefined;

  /**
   * @param coverage sees the lines that run, which slows scripts down
   * @param bytecode keeps what was compiled, for tests that load the same scripts many times
   */
  constructor(ports: LuaPorts, coverage?: LineSteps, bytecode?: BytecodeCache) {
    const { limits } = ports;
    const slow = { maxRunMs: limits.maxRunMs * RECORDED, maxChainMs: limits.maxChainMs * RECORDED };
    this.#ports = coverage ? { ...ports, limits: { ...limits, ...slow } } : ports;
    this.#coverage = coverage;
    this.#bytecode = bytecode;
    this.#environment = new LuaEnvironment(this.#ports);
  }

  async open(): Promise<void> {
    // All scripts share one VM.
    this.#vm ??= LuaVm.create(this.#coverage, this.#bytecode);
  }

  async load(source: LuaSource, runtime: RuntimeHooks): Promise<LoadedScript> {
    return this.loadNow(source, runtime);
  }

  /** As `load`, without waiting when the VM is on this thread. */
  loadNow(source: LuaSource, runtime: RuntimeHooks): LoadedScript {
    const runner = this.script(source, runtime);
    try {
      return { runner, specs: runner.load() };
    } catch (thrown) {
      this.unload(runner);
      throw loadError(thrown, source);
    }
  }

  async run(...asked: Parameters<ScriptLoader["run"]>): Promise<ProgramResult> {
    return startProgram(this, ...asked);
  }

  /** Run a chunk as a program. */
  async main(
    script: LuaScript,
    chunk: LuaChunk,
    scope: CallScope | undefined,
  ): Promise<MainResult> {
    // When called from Lua (by a logger or listener): after that call has ended.
    if (this.#vm?.busy) await Promise.resolve();
    return runMain(script, chunk, scope, this.#ports);
  }

  retire(script: ScriptRunner): void {
    if (script instanceof LuaScript) script.retire(() => this.#scripts.delete(script));
  }

  unload(script: ScriptRunner): void {
    if (!(script instanceof LuaScript)) return;
    this.#scripts.delete(script);
    script.close();
  }

  close(): void {
    for (const script of this.#scripts) script.close();
    this.#scripts.clear();
  }

  /** A script that is not loaded yet. */
  script(source: LuaSource, runtime: RuntimeHooks): LuaScript {
    if (!this.#vm) throw new Error("the Lua layer is not open");
    const script = new LuaScript(this.#vm, this.#environment, this.#ports, source, runtime);
    this.#scripts.add(script);
    return script;
  }
}
