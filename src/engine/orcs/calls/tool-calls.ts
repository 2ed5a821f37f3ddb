import {
  type Authority,
  type BoundTool,
  CAPABILITIES,
  capabilityNames,
  type Decision,
  denialError,
  denialText,
  type DispatchIds,
  type HookContext,
  type Injection,
  isPlainObject,
  type Json,
  type JsonObject,
  lineageOf,
  messageOf,
  OrcsError,
  type Outcome,
  type PointSpec,
  resolvePoint,
  textIn,
  type Tool,
  type ToolAnswer,
  withCaller,
} from "../../../core/index.ts";
import type { Engine } from "../engine.ts";
import type { CallOptions } from "../options.ts";
import { RunningCall, RunningCalls, RunningTool } from "./running-call.ts";
import { draftOf, invoke } from "../../registry/index.ts";
import type { BegunOperation, InvokeOutcome } from "../../registry/index.ts";
import { SHADOW_MARK } from "../shadow/shadow-scope.ts";

/** A tool that is about to run, after its pre hooks and all checks. */
export interface RecordableCall {
  /** Name of the tool; `llm` for model calls. */
  readonly kind: string;
  /** As the pre hooks left them. */
  readonly args: JsonObject;
  /** 0 for a call of the program, more for a call of a hook. */
  readonly depth: number;
  /** The hook in shadow that makes it. */
  readonly shadowHook?: string | undefined;
}

/** The end of a tool call, before its post hooks: a result or a thrown value. */
export type OperationEnd = { readonly result: unknown } | { readonly thrown: unknown };

/** Intercepts the tools of an engine: records their results or replaces them. */
export interface ToolRecorder {
  /** Returns the result in place of the tool, which then does not run. What it throws counts as thrown by the tool. */
  instead?(call: RecordableCall): unknown;
  /**
   * Called before a tool runs. The returned function is called with the end of the call. Neither throws.
   * @returns undefined when the end is of no interest
   */
  runs?(call: RecordableCall): ((end: OperationEnd) => void) | undefined;
}

/** Run an operation through the recorder, or directly when there is none. */
export function recorded(
  tap: ToolRecorder | undefined,
  call: RecordableCall,
  operation: () => unknown,
): unknown {
  if (!tap) return operation();
  if (tap.instead) return tap.instead(call);
  const ended = tap.runs?.(call);
  return ended ? recordingEnd(operation, ended) : operation();
}

async function recordingEnd(
  operation: () => unknown,
  ended: (end: OperationEnd) => void,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await operation();
  } catch (thrown) {
    ended({ thrown });
    throw thrown;
  }
  ended({ result });
  return result;
}

/** The points of a tool call. */
const TOOL_POINTS = ["tool.pre_execute", "tool.post_execute", "tool.on_failure"];

/** Runs tools between their hooks: the one path of a tool call, whoever makes it. */
export class ToolCalls {
  readonly #engine: Engine;
  readonly #tools = new Map<string, Tool>();
  readonly #running = new RunningCalls();
  readonly #prePoint: PointSpec;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#prePoint = resolvePoint("tool.pre_execute", engine.points);
  }

  /** Cancel running tools; a tool that ignores the signal runs to its end. */
  close(): void {
    this.#running.cancel();
  }

  /** Register a tool for `orcs.get`. It replaces one of the same name. */
  add(tool: Tool): void {
    this.#tools.set(tool.name, tool);
  }

  /**
   * Register a tool until it is withdrawn. It cannot take the place of another one.
   * @returns withdraws it
   * @throws OrcsError ORCS6002 when there is one of this name
   */
  offer(tool: Tool): () => void {
    const { name } = tool;
    if (this.#tools.has(name)) {
      const why = `there is already a tool ${JSON.stringify(name)}; give this one another name`;
      throw new OrcsError("ORCS6002", why, { tool: name });
    }
    this.add(tool);
    return () => {
      if (this.#tools.get(name) === tool) this.#tools.delete(name);
    };
  }

  /** The tool of a session, or a registered one. @returns undefined when there is none of this name */
  find(name: string, { tools }: CallOptions): Tool | undefined {
    return tools?.(name) ?? this.#tools.get(name) ?? standIn(name, this.#engine.tap);
  }

  /**
   * Run a tool by name. Errors, denials and failures are returned, never thrown.
   * @param arg its arguments, or the value of its main argument
   */
  async get(kind: string, arg: Json | undefined, options: CallOptions): Promise<ToolAnswer> {
    const tool = this.find(kind, options);
    if (!tool) return { ok: false, error: unknownTool(kind) };
    try {
      return answerOf(await this.run(tool, arg, options));
    } catch (thrown) {
      return { ok: false, error: messageOf(thrown) };
    }
  }

  /**
   * Run a tool between its hooks; it is cancelled when the engine closes.
   * @param arg its arguments, or the value of its main argument
   * @throws what the tool throws
   */
  async run(tool: Tool, arg: unknown, options: CallOptions): Promise<InvokeOutcome> {
    const running = new RunningCall(options.signal);
    this.#running.add(running);
    try {
      const { child, instance, runtime, traceparent, tracestate, environment } = options;
      const bound = bind(tool, arg);
      const run: ToolRun = (args, ctx, authority, ids) => {
        const component = ctx.component_id;
        const of = { traceparent, tracestate, environment, ids };
        const caller = { component, child, instance, authority, runtime, ...of };
        return bound.run(args, new RunningTool(running, ctx, caller));
      };
      return await this.call(tool.name, bound.args, run, options, { tool, running });
    } finally {
      running.end();
      this.#running.delete(running);
    }
  }

  /** Whether nobody would see a call: no hooks, no listeners, no recorder. Its hooks may then be omitted. */
  isQuiet({ component, depth }: CallOptions): boolean {
    const { registry, tap } = this.#engine;
    // A component is validated by a dispatch.
    if (tap || component !== undefined || registry.events.idsHeard) return false;
    return registry.isQuiet(TOOL_POINTS, depth);
  }

  /**
   * One call between `tool.pre_execute` and `tool.post_execute`: permission, approval and operation.
   * @throws OrcsError ORCS2003 when the arguments are not an object; what the operation throws
   */
  async call(
    name: string,
    args: JsonObject,
    run: ToolRun,
    options: CallOptions,
    { tool, running, begun }: CallParts = {},
  ): Promise<InvokeOutcome> {
    const { clock, registry } = this.#engine;
    const own = options.authority ?? this.#engine.authority;
    const { capabilities, sandboxRoot } = own;
    const started = clock.now();
    let decision: Decision | undefined;
    const call = { tool_name: name, args, capabilities, sandbox_root: sandboxRoot };
    const payload = withCaller(this.#prePoint, call, options);
    const ids = registry.newOperation(payload, options.links);
    const linked = ids
      ? { ...options, links: { ...options.links, call_id: ids.call_id } }
      : options;
    const outcome = await invoke(
      this.#engine,
      "tool.execute",
      payload,
      async (after, ctx) => {
        const { effective, missing } = capabilitiesOf(tool, capabilities, after);
        if (missing !== undefined) return { ok: false, error: missing };
        const given = after["args"] as JsonObject;
        const authority = { ...own, capabilities: effective };
        // A hook that allows has decided, and the question of a hook that asks has been answered.
        if (tool?.capability === "EXECUTE" && decision === undefined) {
          const signal = running?.signal ?? options.signal;
          const lineage = lineageOf({ ...options, ids });
          const links = ids && { ...lineage?.links, tool_use_id: ids.tool_use_id };
          const call = { ...options, ...lineage, links, authority, signal };
          const refused = await this.#engine.checks.objection(given, call, ctx);
          if (refused !== undefined) return { ok: false, error: `${name}: ${refused}` };
        }
        const operation = (): unknown => run(given, ctx, authority, ids);
        if (tool?.isNested) return operation();
        const shadowHook = textIn(ctx.metadata, SHADOW_MARK);
        const called = { kind: name, args: given, depth: ctx.depth, shadowHook };
        return recorded(this.#engine.tap, called, operation);
      },
      linked,
      (pre) => {
        decision = pre.action === "continue" ? pre.decision : undefined;
        return this.permit(name, pre, running ?? options, options.onAsk);
      },
      tool?.isInterim && { isInterim: (result) => tool.isInterim?.(result) === true },
      begun,
    );
    if (ids) {
      const duration_ms = clock.now() - started;
      registry.events.emit("called", { ...ids, tool: name, args, outcome, duration_ms });
    }
    return outcome;
  }

  /**
   * Why a call that the hooks allowed is still denied.
   * @param name of the operation, when its payload names no tool
   */
  permit(
    name: string,
    pre: Outcome,
    caller: { readonly signal?: AbortSignal | undefined } = {},
    onAsk?: CallOptions["onAsk"],
  ): string | undefined | Promise<string | undefined> {
    if (pre.action !== "continue") return undefined;
    const { decision, reason, hook } = pre;
    const because = reason === undefined ? "" : `: ${reason}`;
    if (decision === "defer") return `deferred, but nobody decided it${because}`;
    if (decision !== "ask") return undefined;
    // As a draft: an approver must not change the call.
    const { ctx } = draftOf(pre.ctx, true);
    const { tool_name } = ctx.payload;
    const tool = typeof tool_name === "string" ? tool_name : name;
    const args = (ctx.payload["args"] ?? {}) as JsonObject;
    return this.#engine.approvals.refusal({ tool, args, reason, hook, ctx }, caller.signal, onAsk);
  }
}

/** What may be known of a call. */
interface CallParts {
  readonly tool?: Tool;
  readonly running?: RunningCall;
  /** Has run already, while the engine was quiet. */
  readonly begun?: BegunOperation | undefined;
}

/**
 * What runs between the hooks of a call.
 * @param ids of the call, while somebody listens
 */
type ToolRun = (
  args: JsonObject,
  ctx: HookContext,
  authority: Authority,
  ids: DispatchIds | undefined,
) => unknown;

/** The result of a call for callers that want a result or an exception. */
export function resultOrThrow(tool: string, outcome: InvokeOutcome): unknown {
  if (outcome.action !== "abort") return outcome.result;
  throw denialError(tool, outcome, { tool });
}

/** A replay does not have the tools of the recorded program. */
function standIn(name: string, tap: ToolRecorder | undefined): Tool | undefined {
  if (!tap?.instead) return undefined;
  return { name, capability: undefined, mainArg: "value", run: () => undefined };
}

/** The call of a tool with an argument of `orcs.get`; a value that is no object is its main argument. */
function bind(tool: Tool, arg: unknown): BoundTool {
  if ("bind" in tool) return tool.bind(arg);
  const none = arg === undefined || arg === null;
  const args = isPlainObject(arg) ? arg : none ? {} : { [tool.mainArg]: arg };
  return { args: args as JsonObject, run: (after, call) => tool.run(after, call) };
}

/** The error text for a name without a tool. */
export function unknownTool(name: string): string {
  return `unknown tool ${JSON.stringify(name)}`;
}

/** Hooks can remove capabilities, never add any. */
function capabilitiesOf(
  tool: Tool | undefined,
  capabilities: number,
  payload: Readonly<Record<string, unknown>>,
): { readonly effective: number; readonly missing: string | undefined } {
  const { capabilities: left } = payload;
  const effective = typeof left === "number" ? capabilities & left : 0;
  if (!tool?.capability || (effective & CAPABILITIES[tool.capability]) !== 0) {
    return { effective, missing: undefined };
  }
  const has = capabilityNames(effective).join(", ") || "none";
  const missing = `${tool.name} needs the capability ${tool.capability}; this call has ${has}`;
  return { effective, missing };
}

function answerOf(outcome: InvokeOutcome): ToolAnswer {
  if (outcome.action === "abort") return { ok: false, error: denialText(outcome) };
  const { result } = withInjectedText(outcome.result, outcome.inject);
  if (!isPlainObject(result)) return { ok: true, result: (result ?? null) as Json };
  if (result["ok"] === false) {
    const { error } = result;
    const message = typeof error === "string" ? error : "the tool failed";
    return { ...(result as JsonObject), ok: false, error: message };
  }
  return { ...(result as JsonObject), ok: true };
}

/** The texts for the model that belong to the result: those with `strategy = "tool_result"`. */
function isForResult(text: Injection): text is Exclude<Injection, string> {
  return typeof text !== "string" && text.strategy === "tool_result";
}

/**
 * A result with the texts that hooks want to have in it. Only a text can hold them; with any other result they stay in
 * `inject`, for the caller to deliver.
 */
export function withInjectedText(
  result: unknown,
  inject: readonly Injection[],
): { readonly result: unknown; readonly inject: readonly Injection[] } {
  if (inject.length === 0 || typeof result !== "string") return { result, inject };
  const texts = inject.filter(isForResult).map(({ content }) => content);
  if (texts.length === 0) return { result, inject };
  return {
    result: [result, ...texts].join("\n\n"),
    inject: inject.filter((text) => !isForResult(text)),
  };
}
