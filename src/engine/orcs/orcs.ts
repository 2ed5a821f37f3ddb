import { operationPoints, OrcsError, resolvePoint, withCaller, stated } from "../../core/index.ts";
import type {
  Awaitable,
  CallEffects,
  Diagnostic,
  HookContext,
  Injection,
  Json,
  JsonObject,
  MatchSpec,
  OperationName,
  Outcome,
  PayloadOf,
  PointSet,
  PrePoint,
  ShellReading,
  ShellReadOptions,
  Tool,
  ToolAnswer,
} from "../../core/index.ts";
import type { CallInfo, CallOptions, HookDefinition } from "./options.ts";
import { boundScope, type Engine } from "./engine.ts";
import { invoke } from "../registry/index.ts";
import type {
  BegunOperation,
  EventEmitter,
  HookHandler,
  HookRegistry,
  InvokeOutcome,
  InvokeShape,
} from "../registry/index.ts";
import type { Notice, Settings } from "../../config/index.ts";
import type { Asked } from "./calls/approval.ts";
import { shownArgs } from "./shown-call.ts";
import { approvalEntry, refusedEntry, type RefusedEvent } from "./audit/log-entries.ts";
import type { Reloaded } from "./reload/configured-hooks.ts";
import type { Runtime, RuntimeOptions } from "./runtime/runtime.ts";
import type { ShownWhere } from "./state/shown-notices.ts";
import { definedHook } from "./define-hooks.ts";
import { argumentInput, toolInput } from "./calls/tool-input.ts";
import { trustEntry, type TrustLine } from "./audit/append-entry.ts";
import { resultOrThrow, unknownTool, withInjectedText } from "./calls/tool-calls.ts";

/** A tool with hooks around it, with the tool's own parameters. */
export interface WrappedTool<Params extends readonly unknown[], Result> {
  (...params: Params): Promise<Awaited<Result>>;
  /** The same tool with other options, for example for one session. */
  with(options: CallOptions): WrappedTool<Params, Result>;
}

/** Options of `wrapTool`. */
export interface WrapOptions extends CallOptions {
  /** Names of the parameters in order: hooks see `args` with these keys, so that `match.path` finds a path. */
  params?: readonly string[] | undefined;
}

/** Options of `orcs.call`. */
export interface CallWithOptions<Args, Result> extends CallOptions {
  /** The tool; default: the registered tool of this name. Its arguments are as the pre hooks left them. */
  fn?: ((args: Args, call: CallInfo) => Result) | undefined;
  /** With `fn`: whether its result is only intermediate, for example a question; it is returned without post hooks. */
  isInterim?: ((result: unknown) => boolean) | undefined;
}

/** The result of `orcs.call`. `inject` holds texts of hooks for the model that are not part of the result. */
export type CallResult<Result> =
  | { readonly ok: true; readonly result: Result; readonly inject: readonly Injection[] }
  | {
      readonly ok: false;
      readonly denied: { readonly hook: string; readonly reason: string };
      readonly inject: readonly Injection[];
    };

/**
 * The calls of one engine for one caller: everything that is dispatched through it carries the options of
 * `orcs.session`. Tools that are wrapped here are those of this session only.
 */
export class OrcsSession {
  readonly registry: HookRegistry;
  /** Events of the engine. */
  readonly events: EventEmitter;
  /** The hook points this engine knows. */
  readonly points: PointSet;
  /** The effective settings, with defaults. */
  readonly settings: Settings;
  readonly #engine: Engine;
  readonly #bound: CallOptions | undefined;
  readonly #own = new Map<string, Tool>();

  /** @param bound options of every call; without them, this is the engine itself */
  constructor(engine: Engine, bound?: CallOptions) {
    this.#engine = engine;
    this.registry = engine.registry;
    this.points = engine.points;
    this.settings = engine.settings;
    this.events = engine.registry.events;
    if (!bound) return;
    const { tools } = bound;
    this.#bound = { ...bound, tools: (name) => this.#own.get(name) ?? tools?.(name) };
  }

  /** The session that its calls belong to, unless a call names another one. */
  get sessionId(): string | undefined {
    return this.#bound?.session_id;
  }

  /**
   * The same calls for one caller: its options are those of every call, unless a call has its own.
   * @param options for example `session_id`, `agent_id`, `cwd`, `onAsk`
   */
  session(options: CallOptions): OrcsSession {
    this.#engine.expectOpen();
    // An undefined one must not hide that of this session; so everywhere below.
    return new OrcsSession(this.#engine, { ...this.#bound, ...stated({ ...options }) });
  }

  /**
   * Redact a value as in the log: known kinds of secrets, and what `[redact]` adds. Parts without secrets are shared
   * with the given value.
   */
  redact<T extends Json | undefined>(value: T): T {
    return this.#engine.redactor.value(value);
  }

  /** The arguments of a call with their secrets masked, for a person: what a shell would run of them is not hidden. */
  shownArgs(payload: JsonObject & { readonly args: JsonObject }): JsonObject {
    return shownArgs(payload, this.#engine.defining.effects, (value) => this.redact(value));
  }

  /**
   * The commands that a command line would run, as `orcs.shell` in Lua. Never throws.
   * @param cwd directory in which the line starts; a relative one is below the sandbox root
   */
  shell(line: string, cwd?: string, options?: ShellReadOptions): ShellReading {
    return this.#engine.defining.effects.shell.read(line, cwd, options);
  }

  /**
   * What a call of any tool does, as `orcs.effects` in Lua.
   * @param payload of `tool.pre_execute` or a similar point
   */
  effects(payload: Readonly<Record<string, unknown>>): CallEffects {
    return this.#engine.defining.effects.ofCall(payload);
  }

  /**
   * Run the chain of a point. The payload is never modified; `outcome.ctx.payload` is the payload after the hooks.
   * @param point name or alias, such as `tool.pre_execute` or `PreToolUse`
   * @throws OrcsError ORCS1005 (unknown point), ORCS2003 (invalid payload), ORCS2006 (closed)
   */
  dispatch<P extends string>(
    point: P,
    payload: PayloadOf<P>,
    options?: CallOptions,
  ): Promise<Outcome<P>> {
    // Not an async function: a chain that does not wait costs one promise instead of three.
    try {
      this.#engine.expectOpen();
      const all = this.#with(options);
      const filled = all ? withCaller(resolvePoint(point, this.points), payload, all) : payload;
      const outcome = this.registry.dispatch(point, filled, all);
      // A chain in which a hook takes an undo point waits.
      return outcome instanceof Promise
        ? outcome.then((ended) => this.#engine.withoutPoint(ended))
        : Promise.resolve(outcome);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /**
   * Dispatch the pre point, run the operation, and dispatch the post point, with shared metadata.
   * @param name operation: `tool.execute` for `tool.pre_execute` and `tool.post_execute`
   * @param operation gets the payload and the context as the pre hooks left them
   * @param shape tells which results are intermediate, and how the post point sees one
   * @throws OrcsError as `dispatch`; what the operation throws
   */
  async invoke<O extends OperationName>(
    name: O,
    payload: PayloadOf<PrePoint<O>>,
    operation: (payload: PayloadOf<PrePoint<O>>, ctx: HookContext<PrePoint<O>>) => unknown,
    options?: CallOptions,
    shape?: Pick<InvokeShape, "isInterim" | "after">,
  ): Promise<InvokeOutcome> {
    this.#engine.expectOpen();
    const all = this.#with(options);
    const pre = all && resolvePoint(operationPoints(name)?.pre ?? name, this.points);
    const outcome = await invoke(
      this.#engine,
      name,
      all && pre ? withCaller(pre, payload, all) : payload,
      (after, ctx) =>
        operation(after as PayloadOf<PrePoint<O>>, ctx as unknown as HookContext<PrePoint<O>>),
      all,
      (before) => this.#engine.tools.permit(name, before, all, all?.onAsk),
      shape,
    );
    rejectAborted(outcome, all);
    return outcome;
  }

  /**
   * Wrap a function with hooks around each call. The wrapped function has the same parameters, and returns a promise.
   * `orcs.get(name, …)` also calls it. It replaces a tool of the same name, including a built-in one.
   * It throws OrcsError ORCS2001 when a hook denies, with the fields `hook` and `reason`, and whatever the tool throws.
   * @param run gets the parameters as the pre hooks left them; how hooks see them is in docs/reference/embedding.md
   */
  wrapTool<Params extends readonly unknown[], Result>(
    name: string,
    run: (...params: Params) => Result,
    options: WrapOptions = {},
  ): WrappedTool<Params, Result> {
    this.#engine.expectOpen();
    const { params: names, ...own } = options;
    this.#add({
      name,
      capability: undefined,
      bind: (arg) => {
        const input = argumentInput(arg, names);
        return { args: input.args, run: (after) => call(run, undefined, input.params(after)) };
      },
    });
    return this.#wrapped(name, run, names, own);
  }

  #wrapped<Params extends readonly unknown[], Result>(
    name: string,
    run: (...params: Params) => Result,
    names: readonly string[] | undefined,
    options: CallOptions,
  ): WrappedTool<Params, Result> {
    const engine = this.#engine;
    const all = this.#with(options) ?? {};
    const wrapped = async function (this: unknown, ...params: Params): Promise<Awaited<Result>> {
      engine.expectOpen();
      let begun: BegunOperation | undefined;
      if (engine.tools.isQuiet(all)) {
        all.signal?.throwIfAborted();
        const started = engine.clock.now();
        let result: Awaited<Result>;
        try {
          result = await call(run, this, params);
          if (engine.tools.isQuiet(all)) return result;
          begun = { started, end: () => result };
        } catch (thrown) {
          if (engine.tools.isQuiet(all)) throw thrown;
          const end = (): never => {
            throw thrown;
          };
          begun = { started, end };
        }
        // Hooks came meanwhile: they see how the call ended.
      }
      const input = toolInput(params, names);
      const outcome = await engine.tools.call(
        name,
        input.args,
        (after) => {
          all.signal?.throwIfAborted();
          return call(run, this, input.params(after));
        },
        all,
        { begun },
      );
      rejectAborted(outcome, all);
      const result = resultOrThrow(name, outcome);
      return withInjectedText(result, outcome.inject).result as Awaited<Result>;
    };
    return Object.assign(wrapped, {
      with: (more: CallOptions): WrappedTool<Params, Result> =>
        this.#wrapped(name, run, names, { ...options, ...stated({ ...more }) }),
    });
  }

  /**
   * Register a tool for `orcs.get` and `orcs.call`, in scripts too, that gets the call as well. It replaces a tool of
   * the same name. To keep a function's own parameters, use `wrapTool`.
   * @param fn gets the arguments as the pre hooks left them: always an object, `{ value }` for `orcs.get(name, "x")`
   */
  addTool(name: string, fn: (args: JsonObject, call: CallInfo) => unknown): void {
    this.#engine.expectOpen();
    this.#add({ name, capability: undefined, mainArg: "value", run: fn });
  }

  /**
   * Run a tool through its hooks, with everything that they decide: its result, or who denied it and why, and texts for
   * the model.
   * @param args its arguments, or the value of its main argument
   * @param options with `fn`, the tool is this function, and need not be registered
   * @throws OrcsError ORCS2006 (closed), ORCS4002 (unknown tool); what the tool throws
   */
  async call<Args = unknown, Result = unknown>(
    name: string,
    args?: Args,
    options: CallWithOptions<Args, Result> = {},
  ): Promise<CallResult<Awaited<Result>>> {
    this.#engine.expectOpen();
    const { fn, isInterim, ...own } = options;
    const all = this.#with(own) ?? {};
    const { tools } = this.#engine;
    const tool = fn ? toolOf(name, fn, isInterim, all.signal) : tools.find(name, all);
    if (!tool) throw new OrcsError("ORCS4002", unknownTool(name), { tool: name });
    const outcome = await tools.run(tool, args, all);
    if (outcome.action === "abort") {
      const { hook, reason, inject } = outcome;
      return { ok: false, denied: { hook, reason }, inject };
    }
    const { result, inject } = withInjectedText(outcome.result, outcome.inject);
    return { ok: true, result: result as Awaited<Result>, inject };
  }

  /**
   * Run a tool by name through its hooks.
   * @param arg its arguments, or the value of its main argument: `get("exec", "ls")`
   * @returns always: denials and failures are `{ ok: false, error }`
   * @throws OrcsError ORCS2006 (closed), nothing else
   */
  async get(kind: string, arg?: Json, options: CallOptions = {}): Promise<ToolAnswer> {
    this.#engine.expectOpen();
    return this.#engine.tools.get(kind, arg, this.#with(options) ?? {});
  }

  /**
   * Run a Lua file as a program whose tool calls pass the hooks; it can register hooks of its own.
   * @returns what the file returns
   * @throws OrcsError ORCS1009, ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async run(file: string, options: CallOptions = {}): Promise<Json | undefined> {
    this.#engine.expectOpen();
    return this.#engine.run(file, boundScope(this.#engine.tools, this.#with(options) ?? {}));
  }

  #add(tool: Tool): void {
    if (this.#bound) this.#own.set(tool.name, tool);
    else this.#engine.tools.add(tool);
  }

  /** The options of a call; those of the call itself come first. */
  #with(options: CallOptions | undefined): CallOptions | undefined {
    if (!this.#bound) return options;
    return options ? { ...this.#bound, ...stated({ ...options }) } : this.#bound;
  }
}

/** A hook engine. Made by `createOrcs`; `close` when done. */
export class Orcs extends OrcsSession {
  readonly #engine: Engine;
  #hookCount = 0;

  constructor(engine: Engine) {
    super(engine);
    this.#engine = engine;
  }

  /** The variables that hooks and tools read from the environment of a call, besides the usual ones. */
  get variables(): readonly string[] {
    const { configured, settings } = this.#engine;
    return [...new Set([...configured.variables, ...(settings.permissions.env ?? [])])];
  }

  /** Parts of the configuration that are ignored, with places. */
  get warnings(): readonly Diagnostic[] {
    return this.#engine.configured.warnings;
  }

  /**
   * Notices to show once per session to the user of this engine, for example that a project is not trusted or has
   * changed since it was trusted.
   */
  get notices(): readonly Notice[] {
    return [...this.#engine.otherNotices(), ...this.#engine.configured.notices];
  }

  /** Why the hooks of a discovered project are not active; undefined when they are, or when there is no project. */
  get untrusted(): string | undefined {
    return this.#engine.configured.untrusted;
  }

  /** Why guards are inactive; undefined when none is known to be. */
  get inactive(): string | undefined {
    return this.notices.find(({ isInactive }) => isInactive)?.text;
  }

  /** The first notice; undefined when there is none. */
  get notice(): Notice | undefined {
    return this.notices[0];
  }

  /**
   * The notices that are due in a session, as one text. They count as reported from then on, for every process that
   * shares this engine's state.
   * @param session undefined for an unnamed session, which lasts as long as this engine
   * @param how a notice that was printed to stderr only is due again for the user
   */
  takeNotice(session: string | undefined, how: ShownWhere): string | undefined {
    const { shownNotices } = this.#engine;
    const due = this.notices.filter((notice) => shownNotices.isDue(notice, session, how));
    return due.length === 0 ? undefined : due.map(({ text }) => text).join("; ");
  }

  /** The value of a key of `orcs.state`. @throws OrcsError ORCS5002 when its file cannot be read */
  stateValue(key: string): Awaitable<Json | undefined> {
    return this.#engine.state.get(key);
  }

  /**
   * Record in the audit log that an event of a coding agent was denied before its hooks returned, for example because
   * they took too long. Never rejects.
   */
  async refused(refusal: RefusedEvent): Promise<void> {
    await this.#engine.trail?.note(refusedEntry(refusal));
  }

  /** Record in the audit log what a person answered about a call. @param by who; undefined for nobody */
  async answered(asked: Asked, refusal: string | undefined, by: string | undefined): Promise<void> {
    this.events.emit("answered", { ctx: asked.ctx, refusal, by });
    await this.#engine.trail?.note(approvalEntry(asked, refusal, by));
  }

  /** Record in the audit log what became of a changed file. Never rejects. */
  async noted(line: TrustLine): Promise<void> {
    await this.#engine.trail?.note(trustEntry(line));
  }

  /**
   * Reload the configuration and its scripts, and exchange the hooks in one step: dispatches in flight finish with the
   * previous ones. `orcs.state` and hooks of the program and of components stay. Emits `reloaded`.
   * @throws OrcsError ORCS1015 with every error, ORCS2006, ORCS2007: the previous hooks stay active, and
   * `reload_failed` is emitted
   */
  async reload(): Promise<Reloaded> {
    this.#engine.expectOpen();
    return this.#engine.reload();
  }

  /**
   * Register a hook. Returns a function that removes it, which can be called more than once.
   * @throws OrcsError ORCS1003–1007, ORCS1011–1013, ORCS2007 for an invalid definition
   */
  hook<P extends string>(definition: HookDefinition<P>): () => void {
    this.#engine.expectOpen();
    const given = definition as unknown as HookDefinition;
    const { defining, settings } = this.#engine;
    const hook = definedHook(given, this.#hookCount + 1, defining, settings.engine.mode);
    if (given.id === undefined) this.#hookCount++;
    this.registry.register(hook);
    return () => {
      // Another hook may use the id by now.
      if (this.registry.get(hook.id) === hook) this.registry.unregister(hook.id);
    };
  }

  /** Register a handler for a point, with or without a match. Returns a function that removes it. */
  on<P extends string>(point: P, handler: HookHandler<P>): () => void;
  on<P extends string>(point: P, match: MatchSpec, handler: HookHandler<P>): () => void;
  on<P extends string>(
    point: P,
    matchOrHandler: MatchSpec | HookHandler<P>,
    handler?: HookHandler<P>,
  ): () => void {
    if (typeof matchOrHandler === "function") return this.hook({ point, handler: matchOrHandler });
    return this.hook({ point, match: matchOrHandler, handler: handler as HookHandler<P> });
  }

  /**
   * A runtime for components: they live in channels, talk over a bus and have children, and every step of their
   * lifecycle passes the hooks. It closes with this engine.
   * @throws OrcsError ORCS1003, ORCS1004 (limits), ORCS2006 (closed)
   */
  runtime(options?: RuntimeOptions): Runtime {
    return this.#engine.runtime(options);
  }

  /** Close the engine: running tools and scripts end, further calls are rejected. */
  async close(): Promise<void> {
    await this.#engine.close();
  }
}

/** Call a function with parameters that hooks may have changed: their types are no longer certain. */
function call<Result>(
  run: (...params: never) => Result,
  self: unknown,
  params: readonly unknown[],
): Result {
  return Reflect.apply(run, self, params) as Result;
}

/** Nobody waits for the answer of a question, or of a hook, any more. @throws the reason of the caller's signal */
function rejectAborted({ action }: InvokeOutcome, options: CallOptions | undefined): void {
  if (action === "abort") options?.signal?.throwIfAborted();
}

/** A function as a tool with one argument. */
function toolOf(
  name: string,
  fn: (args: never, call: CallInfo) => unknown,
  isInterim: ((result: unknown) => boolean) | undefined,
  signal: AbortSignal | undefined,
): Tool {
  return {
    name,
    capability: undefined,
    ...(isInterim && { isInterim }),
    bind: (arg) => {
      const input = argumentInput(arg);
      return {
        args: input.args,
        run: (after, toolCall) => {
          signal?.throwIfAborted();
          const [args = after] = input.params(after);
          return fn(args as never, toolCall);
        },
      };
    },
  };
}
