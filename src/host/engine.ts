import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { LoadedConfig } from "../config/load.ts";
import { GrantBook } from "../auth/grants.ts";
import { isLua } from "../config/handler.ts";
import type { HookEntry } from "../config/hook-entry.ts";
import { scriptHookReader } from "../config/script-hook.ts";
import type { ScriptHookReader } from "../config/script-hook.ts";
import type { Settings } from "../config/settings.ts";
import { capabilityBits } from "../core/capabilities.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { OrcsError } from "../core/errors.ts";
import type { Hook } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import { pointSet } from "../core/points.ts";
import type { Authority } from "../core/permission.ts";
import type { PointSet } from "../core/points.ts";
import type { CallScope, Clock, Logger } from "../core/ports.ts";
import { LuaLayer } from "../lua/layer.ts";
import type { LuaPorts, ScriptLoader } from "../lua/ports.ts";
import { WorkerLayer } from "../lua/worker/worker-layer.ts";
import { globMatcher } from "../matchers/glob.ts";
import { compileRegex } from "../matchers/regex.ts";
import type { DefineContext } from "../registry/define.ts";
import { HookRegistry } from "../registry/registry.ts";
import { ProcessSet } from "../spawn/process-set.ts";
import { builtinTools } from "../tools/builtin-tools.ts";
import { Approvals } from "./approval.ts";
import { CommandChecks } from "./command-checks.ts";
import { HookScope } from "./bound-scope.ts";
import { systemClock } from "./clock.ts";
import { llmTool } from "./llm-tool.ts";
import { loadHooks } from "./load-hooks.ts";
import { memoryState } from "./memory-state.ts";
import { findModule } from "./modules.ts";
import type { CreateOrcsOptions } from "./options.ts";
import { outsideRunner } from "./outside-runners.ts";
import { readNamedScript } from "./find-script.ts";
import { Runtime } from "./runtime.ts";
import type { RuntimeOptions } from "./runtime.ts";
import { RuntimeScripts } from "./runtime-scripts.ts";
import { RuntimeRegistrar } from "./runtime-registrar.ts";
import { SHIPPED_HOOKS, SHIPPED_MODULES } from "./script-sources.ts";
import { stderrLogger } from "./stderr-logger.ts";
import { ToolCalls } from "./tool-calls.ts";

/** How long `close` waits for the hooks that nobody waits for, in milliseconds. */
const DRAIN_MS = 5000;

/** The parts of an engine, wired. This is the only place where layers meet. */
export class Engine {
  readonly points: PointSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly registry: HookRegistry;
  readonly tools: ToolCalls;
  readonly checks: CommandChecks;
  /** What calls may do whose caller has no authority of its own. */
  readonly authority: Authority;
  readonly defining: DefineContext;
  readonly warnings: readonly Diagnostic[];
  /** What paths of scripts, and of places in messages, are relative to. */
  readonly #cwd: string;
  readonly #lua: ScriptLoader;
  readonly #processes = new ProcessSet();
  readonly #close = new AbortController();
  /** Ends what handlers and retries wait for. */
  readonly closing: AbortSignal = this.#close.signal;
  readonly #readStated: ScriptHookReader;
  readonly approvals: Approvals;
  readonly #runtimes = new Set<Runtime>();
  #closed = false;

  /**
   * Load the configuration and everything it names.
   * @throws OrcsError ORCS1015 with every mistake; nothing keeps running then
   */
  static async create(options: CreateOrcsOptions): Promise<Engine> {
    const cwd = resolve(options.cwd ?? process.cwd());
    const points = pointSet(options.points);
    const config = await loadConfig({
      ...(options.config !== undefined && { config: options.config }),
      ...(options.overrides && { overrides: options.overrides }),
      ...(options.agent !== undefined && { agent: options.agent }),
      cwd,
      points,
      shippedDir: SHIPPED_HOOKS,
    });
    const engine = new Engine(options, config, cwd, points);
    try {
      await engine.#load(config);
      return engine;
    } catch (thrown) {
      await engine.close();
      throw thrown;
    }
  }

  private constructor(
    options: CreateOrcsOptions,
    { settings, warnings }: LoadedConfig,
    cwd: string,
    points: PointSet,
  ) {
    this.points = points;
    this.#cwd = cwd;
    this.settings = settings;
    this.warnings = warnings;
    this.clock = options.clock ?? systemClock();
    this.logger = options.logger ?? stderrLogger(settings.debug ? "debug" : "warn");
    // Relative paths mean the same to a guard as to the tools.
    this.defining = { points, cwd: settings.permissions.root, realpath };
    this.#readStated = scriptHookReader(this.defining);
    this.registry = new HookRegistry({
      points,
      logger: this.logger,
      clock: this.clock,
      maxDepth: settings.engine.max_depth,
      onError: settings.engine.on_error,
      trace: options.trace ?? settings.engine.trace,
      scopeFor: (ctx, caller) => new HookScope(this, ctx, caller),
    });
    this.approvals = new Approvals(settings.hil, options, this.clock);
    const { capabilities, root, grants } = settings.permissions;
    this.authority = {
      capabilities: capabilityBits(capabilities),
      sandboxRoot: root,
      // Where nobody speaks of grants, commands need none.
      session: { id: "main", elevated: grants === undefined },
      grants: new GrantBook(),
    };
    for (const pattern of grants ?? []) this.authority.grants.add(pattern, "persistent");
    const calls = {
      closing: this.closing,
      registry: this.registry,
      points,
      clock: this.clock,
      approvals: this.approvals,
      authority: this.authority,
    };
    this.checks = new CommandChecks(calls);
    this.tools = new ToolCalls({ ...calls, checks: this.checks });
    for (const tool of this.#builtins()) this.tools.add(tool);
    this.tools.add(llmTool(this, options.llm));
    const ports = this.#luaPorts(options);
    this.#lua = settings.lua.isolation === "worker" ? new WorkerLayer(ports) : new LuaLayer(ports);
  }

  /** @throws OrcsError ORCS2006 after `close` */
  expectOpen(): void {
    if (this.#closed) throw new OrcsError("ORCS2006", "this engine is closed");
  }

  /** Run a Lua file as a program. */
  async run(file: string, scope: CallScope): Promise<Json | undefined> {
    const { name, dir, code } = readNamedScript(resolve(this.#cwd, file), this.#cwd);
    const roots = [...new Set([...this.settings.scriptRoots, dir, SHIPPED_MODULES])];
    await this.#lua.open();
    // Closed while the VM started: the program must not start in an engine that nobody closes again.
    this.expectOpen();
    const runtime = new RuntimeRegistrar(this.#loading(), { name, origin: "script", rank: 0 });
    const chunk = { file: name, code, kind: "script" } as const;
    const result = await this.#lua.run(chunk, { name, roots }, scope, runtime);
    if ("value" in result) return result.value;
    result.object.close();
    throw new OrcsError("ORCS6010", "the script returned functions; it is no program");
  }

  /** A runtime on this engine; it ends with it. */
  runtime(options?: RuntimeOptions): Runtime {
    this.expectOpen();
    const scripts = new RuntimeScripts({
      lua: this.#lua,
      registry: this.registry,
      registering: this.#loading(),
      cwd: this.#cwd,
      roots: this.settings.scriptRoots,
      shippedModules: SHIPPED_MODULES,
    });
    const runtime = new Runtime(this, scripts, options);
    this.#runtimes.add(runtime);
    return runtime;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // First of all: what is drained may be waiting for somebody's answer.
    this.approvals.close();
    await Promise.all([...this.#runtimes].map((runtime) => runtime.close()));
    try {
      await this.registry.drain(DRAIN_MS);
    } finally {
      this.tools.close();
      const closing = this.#lua.close();
      this.#processes.close();
      this.#close.abort();
      await closing;
    }
  }

  async #load(config: LoadedConfig): Promise<void> {
    for (const warning of config.warnings) {
      const { place, message } = warning;
      this.logger.warn(place ? `${place.file}:${place.line}: ${message}` : message);
    }
    if (config.hooks.length === 0) return;
    if (config.hooks.some(({ handler }) => isLua(handler))) await this.#lua.open();
    const { hooks } = await loadHooks(config.hooks, this.#lua, this.#loading(), this.#cwd);
    this.registry.replace([], hooks);
  }

  #loading() {
    const ports = {
      cwd: this.settings.permissions.root,
      environment: process.env,
      processes: this.#processes,
      signal: this.closing,
      maxAnswerBytes: this.settings.engine.max_payload_mb * 2 ** 20,
    };
    return {
      ...this.defining,
      register: (hook: Hook) => this.registry.register(hook),
      unregister: (id: string) => this.registry.unregister(id),
      readStated: this.#readStated,
      runnerFor: (entry: HookEntry) => outsideRunner(entry, ports),
    };
  }

  #builtins() {
    const { root, env } = this.settings.permissions;
    return builtinTools({
      root,
      env: env ?? [],
      processes: this.#processes,
      compileRegex: (pattern) => compileRegex("pattern", pattern),
      compileGlob: globMatcher,
    });
  }

  #luaPorts(options: CreateOrcsOptions): LuaPorts {
    const { clock, logger } = this;
    const { lua, engine } = this.settings;
    return {
      logger,
      state: memoryState(clock),
      limits: {
        maxRunMs: lua.max_run_ms,
        maxChainMs: lua.max_chain_ms,
        memoryBytes: lua.memory_mb * 2 ** 20,
        maxValueBytes: engine.max_payload_mb * 2 ** 20,
      },
      now: () => clock.now(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      output: options.output ?? ((text) => logger.info(text)),
      glob: globMatcher,
      findModule,
    };
  }
}

/** A path with its links resolved, or as it is when it does not exist. */
function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
