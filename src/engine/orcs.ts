import type { Settings } from "../config/settings.ts";
import type { HookContext } from "../core/context.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { MatchSpec } from "../core/hook.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import type { OperationName, PayloadOf, PointSet, PrePoint } from "../core/points.ts";
import { resolvePoint } from "../core/points.ts";
import type { ToolAnswer } from "../core/ports.ts";
import { compileHook } from "../registry/compile-hook.ts";
import type { EventEmitter } from "../registry/events.ts";
import type { HookHandler } from "../registry/function-runner.ts";
import { FunctionRunner } from "../registry/function-runner.ts";
import type { InvokeOutcome, InvokeShape } from "../registry/invoke.ts";
import { invoke } from "../registry/invoke.ts";
import type { DispatchOptions, HookRegistry } from "../registry/registry.ts";
import type { Notice } from "../trust/notice.ts";
import type { RefusedEvent } from "./audit/audit-trail.ts";
import { refusedEntry } from "./audit/audit-trail.ts";
import { BoundScope } from "./engine.ts";
import type { CallOptions } from "./calls/tool-calls.ts";
import { resultOrThrow } from "./calls/tool-calls.ts";
import { checkDefinition } from "./define-hooks.ts";
import type { Engine } from "./engine.ts";
import type { HookDefinition } from "./options.ts";
import type { Reloaded } from "./reload/configured-hooks.ts";
import type { Runtime, RuntimeOptions } from "./runtime/runtime.ts";
import type { ShownWhere } from "./state/shown-notices.ts";

/** A tool with hooks around it. */
export type WrappedTool<Args extends object, Result> = (
  args: Args,
  options?: DispatchOptions,
) => Promise<Result>;

/** A hook engine. Made by `createOrcs`; `close` when done. */
export class Orcs {
  readonly registry: HookRegistry;
  /** Events of the engine. */
  readonly events: EventEmitter;
  /** The hook points this engine knows. */
  readonly points: PointSet;
  /** The effective settings, with defaults. */
  readonly settings: Settings;
  readonly #engine: Engine;
  #hookCount = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.registry = engine.registry;
    this.points = engine.points;
    this.settings = engine.settings;
    this.events = engine.registry.events;
  }

  /** Parts of the configuration that are ignored, with places. */
  get warnings(): readonly Diagnostic[] {
    return this.#engine.warnings;
  }

  /**
   * Notices to show once per session to the user of this engine, for example that a project is not trusted or has
   * changed since it was trusted.
   */
  get notices(): readonly Notice[] {
    return this.#engine.notices;
  }

  /** Why the hooks of a discovered project are not active; undefined when they are, or when there is no project. */
  get untrusted(): string | undefined {
    return this.#engine.untrusted;
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
    return this.#engine.takeNotice(session, how);
  }

  /**
   * Record in the audit log that an event of a coding agent was denied before its hooks returned, for example because
   * they took too long. Never rejects.
   */
  async refused(refusal: RefusedEvent): Promise<void> {
    await this.#engine.trail?.note(refusedEntry(refusal));
  }

  /**
   * Redact a value as in the log: known kinds of secrets, and what `[redact]` adds. Parts without secrets are shared
   * with the given value.
   */
  redact<T extends Json | undefined>(value: T): T {
    return this.#engine.redactor.value(value);
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
   * Run the chain of a point. The payload is never modified; `outcome.ctx.payload` is the payload after the hooks.
   * @param point name or alias, such as `tool.pre_execute` or `PreToolUse`
   * @throws OrcsError ORCS1005 (unknown point), ORCS2003 (invalid payload), ORCS2006 (closed)
   */
  dispatch<P extends string>(
    point: P,
    payload: PayloadOf<P>,
    options?: DispatchOptions,
  ): Promise<Outcome<P>> {
    // Not an async function: a chain that does not wait costs one promise instead of three.
    try {
      this.#engine.expectOpen();
      return Promise.resolve(this.registry.dispatch(point, payload, options));
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /**
   * Dispatch the pre point, run the operation, and dispatch the post point, with shared metadata.
   * @param name operation: `tool.execute` for `tool.pre_execute` and `tool.post_execute`
   * @param operation gets the payload and the context as the pre hooks left them
   * @param shape tells which results are intermediate
   * @throws OrcsError as `dispatch`; what the operation throws
   */
  async invoke<O extends OperationName>(
    name: O,
    payload: PayloadOf<PrePoint<O>>,
    operation: (payload: PayloadOf<PrePoint<O>>, ctx: HookContext<PrePoint<O>>) => unknown,
    options?: DispatchOptions,
    shape?: Pick<InvokeShape, "isInterim">,
  ): Promise<InvokeOutcome> {
    this.#engine.expectOpen();
    return invoke(
      this.#engine,
      name,
      payload,
      (after, ctx) =>
        operation(after as PayloadOf<PrePoint<O>>, ctx as unknown as HookContext<PrePoint<O>>),
      options,
      (pre) => this.#engine.tools.permit(name, pre),
      shape,
    );
  }

  /**
   * Wrap a function with hooks around each call. `orcs.get(name, …)` also calls it; there a bare value becomes the
   * argument `value`. It replaces a tool of the same name, including a built-in one.
   * The returned function throws OrcsError ORCS2001 when a hook denies, with the fields `hook` and `reason`, and
   * whatever the tool throws.
   * @param run gets the arguments as the pre hooks left them
   */
  wrapTool<Args extends object, Result>(
    name: string,
    run: (args: Args, ctx: HookContext) => Result | Promise<Result>,
    options: DispatchOptions = {},
  ): WrappedTool<Args, Result> {
    this.#engine.expectOpen();
    const { tools } = this.#engine;
    tools.add({
      name,
      capability: undefined,
      mainArg: "value",
      run: (args, { ctx }) => run(args as Args, ctx),
    });
    return async (args, callOptions) => {
      this.#engine.expectOpen();
      const merged = { ...options, ...callOptions };
      const call = (after: JsonObject, ctx: HookContext): unknown => run(after as Args, ctx);
      const outcome = await tools.call(name, args as JsonObject, call, merged);
      return resultOrThrow(name, outcome) as Result;
    };
  }

  /**
   * Run a tool by name through its hooks.
   * @param arg its arguments, or the value of its main argument: `get("exec", "ls")`
   * @returns always: denials and failures are `{ ok: false, error }`
   * @throws OrcsError ORCS2006 (closed), nothing else
   */
  async get(kind: string, arg?: Json, options: CallOptions = {}): Promise<ToolAnswer> {
    this.#engine.expectOpen();
    return this.#engine.tools.get(kind, arg, options);
  }

  /**
   * Register a hook. Returns a function that removes it, which can be called more than once.
   * @throws OrcsError ORCS1003–1007, ORCS1011–1013, ORCS2007 for an invalid definition
   */
  hook<P extends string>(definition: HookDefinition<P>): () => void {
    this.#engine.expectOpen();
    checkDefinition(definition as unknown as HookDefinition);
    const point = resolvePoint(definition.point, this.#engine.points);
    const id = definition.id ?? `code:${point.name}:${++this.#hookCount}`;
    const runner = new FunctionRunner(definition.handler as unknown as HookHandler);
    const from = { origin: "code" };
    const hook = compileHook(id, point, definition, runner, from, this.#engine.defining);
    this.registry.register(hook);
    return () => {
      // Another hook may use the id by now.
      if (this.registry.get(id) === hook) this.registry.unregister(id);
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
   * Run a Lua file as a program whose tool calls pass the hooks; it can register hooks of its own.
   * @returns what the file returns
   * @throws OrcsError ORCS1009, ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async run(file: string, options: CallOptions = {}): Promise<Json | undefined> {
    this.#engine.expectOpen();
    return this.#engine.run(file, new BoundScope(this.#engine.tools, options));
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
