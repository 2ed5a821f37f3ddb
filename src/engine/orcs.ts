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
import type { RefusedEvent } from "./audit/entries.ts";
import { refusedEntry } from "./audit/entries.ts";
import { BoundScope } from "./calls/call-scope.ts";
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
  /** What happens in the engine, to listen to. */
  readonly events: EventEmitter;
  /** The hook points this engine knows. */
  readonly points: PointSet;
  /** What the configuration comes to, defaults filled in. */
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

  /** What the configuration says that was ignored, with places. */
  get warnings(): readonly Diagnostic[] {
    return this.#engine.warnings;
  }

  /**
   * What whoever works with this engine should be told once in a session: that a project is not trusted, or that its
   * folder is not what was trusted, say.
   */
  get notices(): readonly Notice[] {
    return this.#engine.notices;
  }

  /** Why the hooks of a discovered project are not active; undefined where they are, or there is none. */
  get untrusted(): string | undefined {
    return this.#engine.untrusted;
  }

  /** The first of the notices; undefined where there is none. */
  get notice(): Notice | undefined {
    return this.notices[0];
  }

  /**
   * What of the notices is still to be reported in a session, as one text; it counts as reported from then on, for
   * every process that shares this engine's state.
   * @param session undefined for one that has no name, which lasts as long as this engine
   * @param how what was on stderr alone is still to be shown
   */
  takeNotice(session: string | undefined, how: ShownWhere): string | undefined {
    return this.#engine.takeNotice(session, how);
  }

  /**
   * Write down in the audit log that an event of a host was refused without an answer of its hooks: they took too
   * long, say. Never rejects.
   */
  async refused(refusal: RefusedEvent): Promise<void> {
    await this.#engine.trail?.note(refusedEntry(refusal));
  }

  /**
   * A value with its secrets masked, as in the log: what is known to be one, and what `[redact]` says. What holds
   * none is shared with what was given.
   */
  redact<T extends Json | undefined>(value: T): T {
    return this.#engine.redactor.value(value);
  }

  /**
   * Load the configuration and its scripts anew and exchange the hooks in one step: dispatches in flight end
   * on the old ones. `orcs.state`, hooks of the program and of components stay. The event `reloaded` is told.
   * @throws OrcsError ORCS1015 with every mistake, ORCS2006, ORCS2007: the previous hooks stay active, and the event
   *   `reload_failed` is told
   */
  async reload(): Promise<Reloaded> {
    this.#engine.expectOpen();
    return this.#engine.reload();
  }

  /**
   * Run the chain of a point. The payload is never written to; `outcome.ctx.payload` is what the hooks
   * made of it.
   *
   * @param point name or alias, such as `tool.pre_execute` or `PreToolUse`
   * @throws OrcsError ORCS1005 (unknown point), ORCS2003 (the payload does not fit), ORCS2006 (closed)
   */
  dispatch<P extends string>(
    point: P,
    payload: PayloadOf<P>,
    options?: DispatchOptions,
  ): Promise<Outcome<P>> {
    // Not an async function: a chain that does not wait costs one promise, not three.
    try {
      this.#engine.expectOpen();
      return Promise.resolve(this.registry.dispatch(point, payload, options));
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /**
   * Dispatch the pre point, run the operation, dispatch the post point, with one metadata bag.
   *
   * @param name operation: `tool.execute` for `tool.pre_execute` and `tool.post_execute`
   * @param operation gets the payload and the context as the pre hooks left them
   * @param shape says which results are none yet
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
   * A function with hooks around each call; `orcs.get(name, …)` reaches it, too, with a bare value as
   * its argument `value`. A tool of the same name, a built-in one included, is replaced there.
   *
   * The function returned throws OrcsError ORCS2001 when a hook refuses, with the fields `hook` and
   * `reason`, and what the tool throws.
   *
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
   * @param arg its arguments, or the value of its main one: `get("exec", "ls")`
   * @returns always an answer: refusals and failures are `{ ok: false, error }`
   * @throws OrcsError ORCS2006 (closed), nothing else
   */
  async get(kind: string, arg?: Json, options: CallOptions = {}): Promise<ToolAnswer> {
    this.#engine.expectOpen();
    return this.#engine.tools.get(kind, arg, options);
  }

  /**
   * Register a hook; returns a function that removes it, and may be called more than once.
   * @throws OrcsError ORCS1003–1007, ORCS1011–1013, ORCS2007 for what is wrong with it
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
      // Another hook may have taken the id since.
      if (this.registry.get(id) === hook) this.registry.unregister(id);
    };
  }

  /** Register a handler for a point, with a match or without; returns a function that removes it. */
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
   * Run a Lua file as a program whose tool calls are hooked; it may register hooks of its own.
   * @returns what it returned
   * @throws OrcsError ORCS1009, ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async run(file: string, options: CallOptions = {}): Promise<Json | undefined> {
    this.#engine.expectOpen();
    return this.#engine.run(file, new BoundScope(this.#engine.tools, options));
  }

  /**
   * A runtime for components: they live in channels, talk over a bus, have children, and every step of
   * their lives passes the hooks. It ends with this engine.
   * @throws OrcsError ORCS1003, ORCS1004 (limits), ORCS2006 (closed)
   */
  runtime(options?: RuntimeOptions): Runtime {
    return this.#engine.runtime(options);
  }

  /** Stop: running tools and scripts end, further calls are refused. */
  async close(): Promise<void> {
    await this.#engine.close();
  }
}
