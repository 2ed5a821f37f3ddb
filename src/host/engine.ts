import { join, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { LoadedConfig } from "../config/load.ts";
import { GrantBook } from "../auth/grants.ts";
import type { HookEntry } from "../config/hook-entry.ts";
import { scriptHookReader } from "../config/script-hook.ts";
import type { ScriptHookReader } from "../config/script-hook.ts";
import type { Settings } from "../config/settings.ts";
import { capabilityBits } from "../core/capabilities.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import type { Hook } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import { pointSet } from "../core/points.ts";
import type { Authority } from "../core/permission.ts";
import type { PointSet } from "../core/points.ts";
import type { CallScope, Clock, Logger, Redactor } from "../core/ports.ts";
import type { ScriptLoader } from "../lua/ports.ts";
import type { DefineContext } from "../registry/define.ts";
import { HookRegistry } from "../registry/registry.ts";
import { ProcessSet } from "../spawn/process-set.ts";
import { Approvals } from "./calls/approval.ts";
import { CommandChecks } from "./calls/command-checks.ts";
import { HookScope } from "./calls/bound-scope.ts";
import { systemClock } from "./clock.ts";
import { ConfiguredHooks } from "./configured-hooks.ts";
import type { Reloaded } from "./configured-hooks.ts";
import { engineTools } from "./calls/engine-tools.ts";
import { fileState } from "./file-state.ts";
import type { FileState } from "./file-state.ts";
import { llmTool } from "./calls/llm-tool.ts";
import { luaLoader } from "./lua-loader.ts";
import type { LuaLoader } from "./lua-loader.ts";
import { luaPorts } from "./lua-ports.ts";
import type { CreateOrcsOptions } from "./options.ts";
import { oncePerSession } from "./once-per-session.ts";
import { outsideRunner } from "./outside-runners.ts";
import { readNamedScript } from "./find-script.ts";
import { realpath } from "./realpath.ts";
import { redactorOf } from "./redaction.ts";
import { Runtime } from "./runtime/runtime.ts";
import type { RuntimeOptions } from "./runtime/runtime.ts";
import { RuntimeScripts } from "./runtime/runtime-scripts.ts";
import { RuntimeRegistrar } from "./runtime/runtime-registrar.ts";
import { SHIPPED_HOOKS, SHIPPED_MODULES } from "./script-sources.ts";
import { stderrLogger } from "./stderr-logger.ts";
import type { Notice } from "./trust/notice.ts";
import { Watcher } from "./watcher.ts";
import { ToolCalls } from "./calls/tool-calls.ts";

/** How long `close` waits for the hooks that nobody waits for, in milliseconds. */
const DRAIN_MS = 5000;

/** The parts of an engine, wired. This is the only place where layers meet. */
export class Engine {
  readonly points: PointSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly settings: Settings;
  readonly registry: HookRegistry;
  readonly tools: ToolCalls;
  readonly checks: CommandChecks;
  /** What calls may do whose caller has no authority of its own. */
  readonly authority: Authority;
  readonly defining: DefineContext;
  /** What paths of scripts, and of places in messages, are relative to. */
  readonly #cwd: string;
  readonly #lua: ScriptLoader;
  readonly #processes = new ProcessSet();
  readonly #close = new AbortController();
  /** Ends what handlers and retries wait for. */
  readonly closing: AbortSignal = this.#close.signal;
  readonly #readStated: ScriptHookReader;
  readonly approvals: Approvals;
  readonly #configured: ConfiguredHooks;
  readonly #state: FileState | undefined;
  readonly #runtimes = new Set<Runtime>();
  #watcher: Watcher | undefined;
  #closed = false;

  /**
   * Load the configuration and everything it names.
   * @throws OrcsError ORCS1015 with every mistake; nothing keeps running then
   */
  static async create(options: CreateOrcsOptions): Promise<Engine> {
    const cwd = resolve(options.cwd ?? process.cwd());
    const points = pointSet(options.points);
    const readConfig = (): Promise<LoadedConfig> =>
      loadConfig({
        ...(options.config !== undefined && { config: options.config }),
        ...(options.overrides && { overrides: options.overrides }),
        ...(options.agent !== undefined && { agent: options.agent }),
        cwd,
        points,
        shippedDir: SHIPPED_HOOKS,
      });
    const started = Date.now();
    const config = await readConfig();
    const Lua = await luaLoader(config.settings.lua);
    const engine = new Engine(options, config, readConfig, Lua, cwd, points);
    try {
      await engine.#configured.begin();
      if (options.watch === true) await engine.#watch(options, started);
      return engine;
    } catch (thrown) {
      await engine.close();
      throw thrown;
    }
  }

  private constructor(
    options: CreateOrcsOptions,
    config: LoadedConfig,
    readConfig: () => Promise<LoadedConfig>,
    Lua: LuaLoader,
    cwd: string,
    points: PointSet,
  ) {
    this.points = points;
    this.#cwd = cwd;
    const { settings } = config;
    this.settings = settings;
    this.clock = options.clock ?? systemClock();
    this.redactor = redactorOf(settings);
    this.logger = options.logger ?? stderrLogger(settings.debug ? "debug" : "warn");
    const stateDir = options.stateDir && (settings.paths.state ?? options.stateDir);
    const state = stateDir ? fileState(join(stateDir, "state.jsonl"), this.logger) : undefined;
    this.#state = state;
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
      once: state && oncePerSession(state),
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
    for (const tool of engineTools(settings, this.#processes)) this.tools.add(tool);
    this.tools.add(llmTool(this, options.llm));
    const ports = luaPorts(settings, this.clock, this.logger, { output: options.output, state });
    this.#lua = new Lua(ports);
    this.#configured = new ConfiguredHooks(
      {
        registry: this.registry,
        lua: this.#lua,
        logger: this.logger,
        cwd,
        loading: this.#loading(),
        readConfig,
      },
      config,
    );
  }

  /** What the configuration says that was ignored, with places. */
  get warnings(): readonly Diagnostic[] {
    return this.#configured.warnings;
  }

  /** What is to be told of trust, if anything. */
  get notice(): Notice | undefined {
    return undefined;
  }

  /**
   * Load the configuration and its scripts anew; on any mistake the last good hooks stay.
   * @throws OrcsError ORCS1015, ORCS2007
   */
  async reload(): Promise<Reloaded> {
    const { events } = this.registry;
    try {
      const reloaded = await this.#configured.reload(() => this.clock.now());
      for (const key of reloaded.pending) {
        this.logger.warn(`${key} has changed: it takes effect at the next start`);
      }
      events.emit("reloaded", reloaded);
      return reloaded;
    } catch (thrown) {
      if (thrown instanceof OrcsError) {
        // Line by line: a log shows none of its own, and a caret stands below what it points at.
        for (const line of `the last good hooks stay: ${thrown.message}`.split("\n")) {
          this.logger.error(line);
        }
        events.emit("reload_failed", { error: thrown });
      }
      throw thrown;
    }
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
    const why = `${name} returns functions: it is a component, for orcs.runtime().run`;
    throw new OrcsError("ORCS6010", why, { script: name });
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
    const watched = this.#watcher?.close();
    await Promise.all([watched, ...[...this.#runtimes].map((runtime) => runtime.close())]);
    try {
      await this.registry.drain(DRAIN_MS);
    } finally {
      this.tools.close();
      const closing = this.#lua.close();
      this.#processes.close();
      this.#close.abort();
      await closing;
      this.#state?.close();
    }
  }

  /** @param since when the configuration began to be read */
  async #watch({ config }: CreateOrcsOptions, since: number): Promise<void> {
    const configured = this.#configured;
    this.#watcher = new Watcher({
      files: () => configured.files,
      // Where a configuration is looked for, one may yet be written.
      folders: () =>
        config === undefined ? [this.#cwd, ...configured.folders] : configured.folders,
      changed: async () => {
        try {
          const { hooks, duration_ms } = await this.reload();
          this.logger.info(`reloaded: ${hooks} hooks in ${duration_ms.toFixed(0)} ms`);
        } catch (thrown) {
          // Mistakes were told; anything else must not end the watching.
          if (!(thrown instanceof OrcsError)) this.logger.error(`reload: ${messageOf(thrown)}`);
        }
      },
    });
    await this.#watcher.start(since);
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
      registered: (id: string) => this.registry.get(id),
      readStated: this.#readStated,
      runnerFor: (entry: HookEntry) => outsideRunner(entry, ports),
    };
  }
}
