import { join, resolve } from "node:path";
import { scriptHookReader, SHIPPED_MODULES } from "../../config/index.ts";
import type {
  HookEntry,
  Notice,
  ScriptHookReader,
  Settings,
  TrustedConfig,
  TrustedFiles,
} from "../../config/index.ts";
import {
  type Authority,
  type Caller,
  callerIn,
  type CallScope,
  CAPABILITIES,
  type Clock,
  type Environment,
  type GetOptions,
  type Hook,
  type HookContext,
  isPlainObject,
  type Json,
  type JsonObject,
  lineageOf,
  type LocalStateStore,
  type Logger,
  OrcsError,
  type Outcome,
  type PointSet,
  pointSet,
  type Redactor,
  type ScopeVerb,
  type SharedStateStore,
  SNAPSHOT,
  type StateStore,
  type ToolAnswer,
  traceContext,
  type Turn,
  UNDO_POINT,
} from "../../core/index.ts";
import { createRedactor } from "../../guards/index.ts";
import type { LuaPrompt, ScriptLoader } from "../lua/index.ts";
import { type DefineContext, HookRegistry, HookSet } from "../registry/index.ts";
import { LivePool } from "../handlers/index.ts";
import { builtinTools } from "../tools/index.ts";
import { ProcessSet } from "../../machine/index.ts";
import type { UndoPoints } from "../../undo/index.ts";
import type { AuditTrail } from "./audit/audit-trail.ts";
import { openRecords, type Records } from "./audit/recording.ts";
import { Approvals } from "./calls/approval.ts";
import { CommandChecks } from "./calls/command-checks.ts";
import { llmTool } from "./calls/llm-tool.ts";
import { type CallOptions, type EngineOptions, NeedsOwnProcess } from "./options.ts";
import { ToolCalls, type ToolRecorder } from "./calls/tool-calls.ts";
import { configReader, type ConfigReader } from "./config-reader.ts";
import { defaultAuthority, defineContext } from "./define-hooks.ts";
import { runProgram, type ScriptDeps } from "./loading/find-script.ts";
import { type LuaLoader, luaLoader, luaPorts } from "./loading/lua-loader.ts";
import { ModuleLoader } from "./loading/module-loader.ts";
import { outsideRunner } from "./loading/outside-runners.ts";
import { logLines, prefixedLogger, redactedLogger, stderrLogger } from "./loggers.ts";
import { ConfiguredHooks, type Reloaded } from "./reload/configured-hooks.ts";
import { watchConfiguration, type Watcher } from "./reload/watcher.ts";
import { RuntimeScripts } from "./runtime/runtime-scripts.ts";
import { Runtime, type RuntimeOptions } from "./runtime/runtime.ts";
import { fileState, type FileState } from "./state/file-state.ts";
import { ShadowCallScope } from "./shadow/shadow-scope.ts";
import { ShadowSet } from "./shadow/shadow-set.ts";
import type { OpenedSharedState, SharedStateOpener } from "./state/shared/open-shared.ts";
import { sharedStateOpener } from "./state/shared/open-shared.ts";
import { shadowState } from "./shadow/shadow-state.ts";
import { memoryState } from "./state/memory-state.ts";
import { oncePerSession, ShownNotices } from "./state/shown-notices.ts";

/** How long `close` waits for asynchronous hooks, in milliseconds. */
const DRAIN_MS = 5000;
/** The same for a process that ends as soon as it has answered: whoever started it may wait for its end. */
const SHORT_DRAIN_MS = 1000;

/** The parts of an engine, connected. This is the only place where layers meet. */
export class Engine {
  readonly points: PointSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly settings: Settings;
  readonly registry: HookRegistry;
  readonly tools: ToolCalls;
  readonly checks: CommandChecks;
  /** The authority of callers that have none of their own. */
  readonly authority: Authority;
  readonly defining: DefineContext;
  /** The base of relative script paths, and of paths in messages. */
  readonly #cwd: string;
  readonly #lua: ScriptLoader;
  readonly #processes = new ProcessSet();
  readonly #live = new LivePool();
  readonly #hooks: HookSet;
  readonly #modules: ModuleLoader;
  readonly #close = new AbortController();
  /** Aborts what handlers and retries wait for. */
  readonly closing: AbortSignal = this.#close.signal;
  readonly maxStreamBytes: number;
  readonly #readStated: ScriptHookReader;
  readonly approvals: Approvals;
  /** The hooks of its configuration. */
  readonly configured: ConfiguredHooks;
  readonly #file: FileState | undefined;
  /** What hooks in shadow run in, and keep: nothing of it is shared with the others. */
  readonly #shadowLua: ScriptLoader;
  readonly #shadowState: StateStore;
  readonly #shadowFile: FileState | undefined;
  readonly #shadow: ShadowSet;
  readonly #drainMs: number;
  #undo: Promise<UndoPoints> | undefined;
  #undoPoints: UndoPoints | undefined;
  /** Of calls that bring none; undefined: that of this process. */
  readonly #environment: Environment | undefined;
  /** Notices besides those about the configuration. */
  readonly otherNotices: () => readonly Notice[];
  /** `orcs.state`. */
  readonly state: LocalStateStore | SharedStateStore;
  readonly #shared: OpenedSharedState | undefined;
  readonly shownNotices: ShownNotices;
  /** The audit log, if enabled. */
  readonly trail: AuditTrail | undefined;
  /** Records the results of tools, or replaces them with recorded ones. */
  readonly tap: ToolRecorder | undefined;
  readonly #records: Records;
  readonly #runtimes = new Set<Runtime>();
  #watcher: Watcher | undefined;
  #closed = false;

  /**
   * Load the configuration and everything it names.
   * @throws OrcsError ORCS1015 with every error; nothing keeps running then
   */
  static async create(options: EngineOptions): Promise<Engine> {
    const cwd = resolve(options.cwd ?? process.cwd());
    const points = pointSet(options.points);
    const readConfig = configReader(options, cwd, points);
    const started = Date.now();
    const config = await readConfig();
    const hasModule = config.hooks.some(({ handler }) => handler.kind === "module");
    if (options.modules === false && hasModule) throw new NeedsOwnProcess();
    const Lua = await luaLoader(config.settings.lua, options.lines);
    const openShared = await sharedStateOpener(config.settings);
    const engine = new Engine(options, config, readConfig, Lua, cwd, points, openShared);
    try {
      await engine.configured.begin(options.projectLoads ?? "before");
      if (options.watch === true) {
        const looksFor = options.config === undefined ? [cwd] : [];
        engine.#watcher = watchConfiguration(engine.configured, looksFor, engine);
        await engine.#watcher.start(started);
      }
      return engine;
    } catch (thrown) {
      await engine.close();
      throw thrown;
    }
  }

  private constructor(
    options: EngineOptions,
    config: TrustedConfig,
    readConfig: ConfigReader,
    Lua: LuaLoader,
    cwd: string,
    points: PointSet,
    openShared: SharedStateOpener | undefined,
  ) {
    this.points = points;
    this.otherNotices = options.notices ?? (() => []);
    this.#cwd = cwd;
    this.#environment = options.environment;
    const { settings } = config;
    this.settings = settings;
    this.maxStreamBytes = settings.engine.max_payload_mb * 2 ** 20;
    this.clock = options.clock ?? systemClock();
    this.redactor = createRedactor(settings.redact);
    const logger = options.logger ?? stderrLogger(settings.debug ? "debug" : "warn");
    this.logger = redactedLogger(logger, this.redactor);
    this.#modules = new ModuleLoader(this.logger);
    const stateDir = options.stateDir && (settings.paths.state ?? options.stateDir);
    const state = stateDir ? fileState(join(stateDir, "state.jsonl"), this.logger) : undefined;
    this.#file = state;
    const own = state ?? memoryState(this.clock);
    const { clock } = this;
    this.#shared = openShared?.({ own, stateDir, clock, logger: this.logger });
    this.state = this.#shared?.state ?? own;
    const shadowPath = stateDir && join(stateDir, "shadow-state.jsonl");
    this.#shadowFile = shadowPath ? fileState(shadowPath, this.logger) : undefined;
    this.#shadowState = shadowState(this.state, this.#shadowFile ?? memoryState(this.clock));
    this.shownNotices = new ShownNotices(state, this.logger);
    this.defining = defineContext(points, settings, { name: options.agent }, options.tools);
    this.#readStated = scriptHookReader(this.defining);
    const digest = (): string => this.configured.digest;
    this.#records = openRecords(this, options, { cwd, config: config.digest, digest });
    this.trail = this.#records.trail;
    this.tap = this.#records.tap;
    this.#hooks = options.hookSet ?? new HookSet();
    this.registry = new HookRegistry({
      hooks: this.#hooks,
      points,
      logger: this.logger,
      clock: this.clock,
      log: this.#records.log,
      maxDepth: settings.engine.max_depth,
      onError: settings.engine.on_error,
      trace: options.trace ?? false,
      traceContext: traceContext(options),
      redactor: this.redactor,
      once: (this.#shared || state) && oncePerSession(this.state),
      shadowOnce: this.#shadowFile && oncePerSession(this.#shadowFile),
      scopeFor: (ctx, caller, turn) => new HookScope(this, ctx, caller, turn),
      shadowScopeFor: (hook, ctx, caller, effects, turn) => {
        const limited = hook.limit ? { ...caller, limit: hook.limit } : caller;
        const real = new HookScope(this, ctx, limited, turn);
        return new ShadowCallScope(hook, real, this.#shadowState, effects);
      },
    });
    this.#drainMs = options.shadowAtClose ? SHORT_DRAIN_MS : DRAIN_MS;
    if (options.shadowAtClose) this.registry.shadow.queue.hold();
    this.#records.follow(this.registry.events);
    this.approvals = new Approvals(settings.hil, options, this.clock, this.#records.approvals);
    this.authority = defaultAuthority(settings.permissions);
    this.checks = new CommandChecks(this);
    this.tools = new ToolCalls(this);
    const { root, env = [] } = settings.permissions;
    const { environment } = options;
    const tools = builtinTools({ root, env, processes: this.#processes, environment });
    for (const tool of tools) this.tools.add(tool);
    this.tools.add(llmTool(this, options.llm));
    const given = { redactor: this.redactor, effects: this.defining.effects };
    const { output } = options;
    const enforced = { ...given, output, state: this.state };
    this.#lua = new Lua(luaPorts(settings, this.clock, this.logger, enforced));
    const shadowLogger = prefixedLogger(this.logger, "shadow: ");
    const ofShadow = { ...given, state: this.#shadowState };
    this.#shadowLua = new Lua(luaPorts(settings, this.clock, shadowLogger, ofShadow));
    const loading = { ...this.#loading(options.runnerFor), edited: options.edited };
    const { registry } = this;
    const around = { registry, logger: this.logger, cwd };
    const isLazy = options.shadowAtClose === true;
    const shadow = new ShadowSet({ ...around, lua: this.#shadowLua, loading, isLazy });
    this.#shadow = shadow;
    const more = { begins: options.loading, shadowRunner: shadow.runnerOf.bind(shadow) };
    const deps = {
      ...around,
      hooks: this.#hooks,
      lua: this.#lua,
      loading: { ...loading, ...more },
      modules: this.#modules,
      shadow,
      readConfig,
      untrusted: options.untrusted ?? "throw",
    };
    this.configured = new ConfiguredHooks(deps, config);
  }

  /**
   * Reload the configuration and its scripts; on any error the previous hooks stay active.
   * @param saved whether a saved file caused it, which may not be complete yet
   * @throws OrcsError ORCS1015, ORCS2007
   */
  async reload(saved = false): Promise<Reloaded> {
    const { events } = this.registry;
    try {
      const reloaded = await this.configured.reload(() => this.clock.now(), saved);
      for (const key of reloaded.pending) {
        this.logger.warn(`${key} has changed; the change takes effect at the next start`);
      }
      events.emit("reloaded", reloaded);
      return reloaded;
    } catch (thrown) {
      if (thrown instanceof OrcsError) {
        logLines(this.logger, `the previous hooks stay active: ${thrown.message}`);
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
    return runProgram(file, scope, this.#scriptDeps(), () => this.expectOpen());
  }

  /**
   * A prompt with the modules of this engine, and tools that only read: whoever types may be an agent.
   * @param globals besides those of scripts
   */
  async prompt(globals: JsonObject): Promise<LuaPrompt> {
    const { LuaLayer, LuaPrompt } = await import("../lua/index.ts");
    const given = { redactor: this.redactor, effects: this.defining.effects, state: this.state };
    const ports = luaPorts(this.settings, this.clock, this.logger, given);
    const layer = new LuaLayer(ports);
    await layer.open();
    const roots = [...this.settings.scriptRoots, SHIPPED_MODULES];
    const refuse = (): never => {
      throw new Error("a prompt cannot register hooks: write a script, and use orcs test");
    };
    const script = layer.script(
      { name: "prompt", roots, chunks: [] },
      { add: refuse, remove: refuse },
    );
    const authority = { ...this.authority, capabilities: CAPABILITIES.READ };
    return new LuaPrompt(script, ports.limits, globals, boundScope(this.tools, { authority }));
  }

  /** A runtime on this engine; it closes with the engine. */
  runtime(options?: RuntimeOptions): Runtime {
    this.expectOpen();
    const scripts = new RuntimeScripts(this.#scriptDeps(), this.registry);
    const runtime = new Runtime(this, scripts, options);
    this.#runtimes.add(runtime);
    return runtime;
  }

  /** Most engines take no undo points. */
  undo(): Promise<UndoPoints> {
    this.#undo ??= this.#openUndo();
    return this.#undo;
  }

  /** A call that is denied loses nothing. */
  withoutPoint<T extends Outcome>(outcome: T): T {
    if (outcome.action === "abort") this.#undoPoints?.forget(outcome.ctx);
    return outcome;
  }

  async #openUndo(): Promise<UndoPoints> {
    const { UndoPoints } = await import("../../undo/index.ts");
    const { effects } = this.defining;
    const { root } = this.settings.permissions;
    const redact = (text: string): string => this.redactor.text(text);
    this.#undoPoints = new UndoPoints({ effects, root, redact });
    return this.#undoPoints;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Must be first: a call that is drained may be waiting for an approval.
    this.approvals.close();
    const watched = this.#watcher?.close();
    await Promise.all([watched, ...[...this.#runtimes].map((runtime) => runtime.close())]);
    try {
      await this.registry.drain(this.#drainMs);
    } finally {
      this.#shadow.close();
      this.tools.close();
      // They end by themselves, if they do so at once; everything else is killed.
      await this.#live.close();
      const closing = Promise.all([this.#lua.close(), this.#shadowLua.close()]);
      this.#processes.close();
      this.#close.abort();
      await closing;
      await this.#records.close();
      this.#shared?.close();
      this.#file?.close();
      this.#shadowFile?.close();
    }
  }

  #scriptDeps(): ScriptDeps {
    const { scriptRoots: roots } = this.settings;
    return { lua: this.#lua, registering: this.#loading(), cwd: this.#cwd, roots };
  }

  /** @param runnerFor replaces the runner of handlers outside Lua */
  #loading(runnerFor?: EngineOptions["runnerFor"]) {
    const ports = {
      cwd: this.settings.permissions.root,
      environment: this.#environment ?? { variables: process.env },
      isPerCall: this.#environment !== undefined,
      processes: this.#processes,
      signal: this.closing,
      maxAnswerBytes: this.settings.engine.max_payload_mb * 2 ** 20,
      redactor: this.redactor,
      live: this.#live,
      modules: this.#modules,
      logger: this.logger,
    };
    return {
      ...this.defining,
      register: (hook: Hook) => this.registry.register(hook),
      unregister: (id: string) => this.#hooks.unregister(id),
      registered: (id: string) => this.registry.get(id),
      readStated: this.#readStated,
      runnerFor: async (entry: HookEntry, projectTrust?: TrustedFiles, withinMs?: number) =>
        runnerFor?.(entry) ?? outsideRunner(entry, ports, projectTrust, withinMs),
    };
  }
}

/** The calls of a program: component, channel and principal are set once and cannot be claimed by a call. */
export function boundScope(tools: ToolCalls, options: CallOptions): CallScope {
  return {
    depth: 0,
    get: (kind, arg, more = {}) => tools.get(kind, arg, withMore(options, more)),
  };
}

/**
 * The calls of a hook during a dispatch: with the component, channel, principal, capabilities and metadata of that
 * dispatch, one level deeper. Most hooks make no call, so this is assembled only when one does.
 */
class HookScope implements CallScope {
  readonly #engine: Engine;
  readonly #ctx: HookContext;
  readonly #caller: Caller;
  readonly #turn: Pick<Turn, "hook" | "spent">;
  /** Only in the runtime. */
  readonly verb?: ScopeVerb;

  constructor(
    engine: Engine,
    ctx: HookContext,
    caller: Caller,
    turn: Pick<Turn, "hook" | "spent">,
  ) {
    this.#turn = turn;
    this.#engine = engine;
    this.#ctx = ctx;
    this.#caller = caller;
    if (caller.runtime) this.verb = (...asked) => this.#verb(...asked);
  }

  get depth(): number {
    return this.#ctx.depth + 1;
  }

  get state(): StateStore {
    const { state } = this.#engine;
    const { hook, spent } = this.#turn;
    return state.waits ? state.for({ onStoreError: hook.onStoreError, spent }) : state;
  }

  said(line: string): void {
    const { ids } = this.#caller;
    const { registry, redactor } = this.#engine;
    const { events } = registry;
    if (!ids || !events.heard("logged")) return;
    const [hook, point] = [this.#turn.hook.id, this.#ctx.hook_point];
    events.emit("logged", { ...ids, hook, point, text: redactor.text(line) });
  }

  get mayHook(): boolean {
    return (this.#authority.capabilities & CAPABILITIES.SPAWN) !== 0;
  }

  snapshot(reason: string): Promise<ToolAnswer> {
    return this.get(SNAPSHOT, { reason });
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    if (kind === SNAPSHOT || kind === UNDO_POINT) return this.#undo(kind, arg);
    const { component_id, channel_id, principal, metadata } = this.#ctx;
    const { child, instance, runtime, tools } = this.#caller;
    const options: CallOptions = {
      ...lineageOf(this.#caller),
      ...callerIn(this.#ctx.payload),
      component: component_id,
      child,
      instance,
      channel: channel_id,
      principal,
      metadata,
      authority: this.#authority,
      runtime,
      tools,
      depth: this.depth,
    };
    return this.#engine.tools.get(kind, arg, withMore(options, more));
  }

  async #undo(kind: string, arg: Json | undefined): Promise<ToolAnswer> {
    const asker = { ctx: this.#ctx, hook: this.#turn.hook };
    const undo = await this.#engine.undo();
    if (kind === UNDO_POINT) return undo.taken(asker);
    const { reason, ...limits } = isPlainObject(arg) ? arg : {};
    return undo.take(asker, typeof reason === "string" ? reason : undefined, limits);
  }

  async #verb(...[name, args, signal, more]: Parameters<ScopeVerb>): Promise<Json> {
    const metadata = { ...this.#ctx.metadata, ...more };
    const authority = this.#authority;
    // The call would run under the principal of the dispatch, which could then approve what the owner of the hook
    // wants.
    if (name === "send_signal" && args[1] === "approve" && this.#caller.limit?.elevated === false) {
      return { ok: false, error: "a hook whose owner needs grants cannot approve anything" };
    }
    const lineage = lineageOf(this.#caller);
    const context = this.#caller.runtime?.at({ depth: this.depth, metadata, authority, lineage });
    const answer = await context?.verb?.(name, args, signal);
    return answer ?? { ok: false, error: "there is no runtime in this engine" };
  }

  /**
   * The capabilities of the call that the hook serves; in a tool call, those that earlier hooks left. A hook of a
   * component never has more than its owner.
   */
  get #authority(): Authority {
    const authority = this.#caller.authority ?? this.#engine.authority;
    const { hook_point, payload } = this.#ctx;
    const { capabilities: left } = payload;
    const { limit } = this.#caller;
    const isNarrowed = typeof left === "number" && hook_point.startsWith("tool.");
    if (!isNarrowed && !limit) return authority;
    const capabilities =
      authority.capabilities & (isNarrowed ? left : ~0) & (limit?.capabilities ?? ~0);
    const session =
      limit?.elevated === false ? { ...authority.session, elevated: false } : authority.session;
    return { ...authority, capabilities, session };
  }
}

function withMore(options: CallOptions, more: GetOptions): CallOptions {
  return { ...options, ...more, metadata: { ...options.metadata, ...more.metadata } };
}

/** The system clock, starting at 0. */
export function systemClock(): Clock {
  const start = performance.now();
  return {
    now: () => performance.now() - start,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener("abort", done);
      }),
  };
}
