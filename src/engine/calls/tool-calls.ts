import type { Settings } from "../../config/settings.ts";
import type { Decision } from "../../core/actions.ts";
import type { HookContext } from "../../core/context.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isPlainObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Authority } from "../../core/permission.ts";
import { CAPABILITIES, capabilityNames } from "../../core/permission.ts";
import type { GetOptions, ToolAnswer } from "../../core/ports.ts";
import type { Tool } from "../../core/tools.ts";
import { globMatcher } from "../../patterns/glob.ts";
import { compileRegex } from "../../patterns/regex.ts";
import { draftOf } from "../../registry/function-runner.ts";
import type { InvokeHost, InvokeOutcome } from "../../registry/invoke.ts";
import { invoke } from "../../registry/invoke.ts";
import type { DispatchOptions } from "../../registry/registry.ts";
import type { ProcessSet } from "../../spawn/processes.ts";
import { builtinTools } from "../../tools/builtin-tools.ts";
import type { Approvals } from "./approval.ts";
import type { CommandChecks } from "./command-checks.ts";

/** A tool that is about to run, after its pre hooks and all checks. */
export interface RecordableCall {
  /** Name of the tool; `llm` for model calls. */
  readonly kind: string;
  /** As the pre hooks left them. */
  readonly args: JsonObject;
  /** 0 for a call of the program, more for a call of a hook. */
  readonly depth: number;
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
  return ended ? told(operation, ended) : operation();
}

async function told(
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

/** Options of a tool call: what it concerns, and its initial values. */
export type CallOptions = DispatchOptions & Pick<GetOptions, "signal">;

/** What tool calls need from their engine. */
interface ToolCallDeps extends InvokeHost {
  readonly approvals: Approvals;
  readonly checks: CommandChecks;
  /** For callers without an authority of their own. */
  readonly authority: Authority;
  /** Records the results of tools, or replaces them. */
  readonly tap?: ToolRecorder | undefined;
}

/** Runs tools between their hooks: the one path of a tool call, whoever makes it. */
export class ToolCalls {
  readonly #host: ToolCallDeps;
  readonly #tools = new Map<string, Tool>();
  readonly #running = new Set<AbortController>();

  constructor(host: ToolCallDeps) {
    this.#host = host;
  }

  /** Cancel running tools; a tool that ignores the signal runs to its end. */
  close(): void {
    for (const running of this.#running) running.abort();
  }

  /** Register a tool for `orcs.get`. It replaces one of the same name. */
  add(tool: Tool): void {
    this.#tools.set(tool.name, tool);
  }

  /**
   * Run a tool by name. Errors, denials and failures are returned, never thrown.
   * @param arg its arguments, or the value of its main argument
   */
  async get(kind: string, arg: Json | undefined, options: CallOptions): Promise<ToolAnswer> {
    const tool = this.#tools.get(kind) ?? standIn(kind, this.#host.tap);
    if (!tool) return { ok: false, error: `unknown tool ${JSON.stringify(kind)}` };
    const running = new AbortController();
    const { signal } = running;
    const cancel = (): void => running.abort();
    this.#running.add(running);
    options.signal?.addEventListener("abort", cancel);
    if (options.signal?.aborted) cancel();
    try {
      const { child, instance, runtime } = options;
      const run = (args: JsonObject, ctx: HookContext, authority: Authority): unknown => {
        const caller = { component: ctx.component_id, child, instance, authority, runtime };
        return tool.run(args, { signal, ctx, caller });
      };
      const args = argumentsOf(tool, arg);
      return answerOf(await this.call(tool.name, args, run, { ...options, signal }, tool));
    } catch (thrown) {
      return { ok: false, error: messageOf(thrown) };
    } finally {
      options.signal?.removeEventListener("abort", cancel);
      this.#running.delete(running);
    }
  }

  /**
   * One call between `tool.pre_execute` and `tool.post_execute`: permission, approval and operation.
   * @throws OrcsError ORCS2003 when the arguments are not an object; what the operation throws
   */
  async call(
    name: string,
    args: JsonObject,
    run: (args: JsonObject, ctx: HookContext, authority: Authority) => unknown,
    options: CallOptions,
    tool?: Tool,
  ): Promise<InvokeOutcome> {
    const { clock, registry } = this.#host;
    const { capabilities, sandboxRoot } = options.authority ?? this.#host.authority;
    const started = clock.now();
    let decision: Decision | undefined;
    const payload = { tool_name: name, args, capabilities, sandbox_root: sandboxRoot };
    const outcome = await invoke(
      this.#host,
      "tool.execute",
      payload,
      async (after, ctx) => {
        const { effective, missing } = capabilitiesOf(tool, capabilities, after);
        if (missing !== undefined) return { ok: false, error: missing };
        const given = after["args"] as JsonObject;
        const authority = { ...this.#authority(options), capabilities: effective };
        // A hook that allows has decided, and the question of a hook that asks has been answered.
        if (tool?.capability === "EXECUTE" && decision === undefined) {
          const refused = await this.#commandRefused(given, { ...options, authority }, ctx);
          if (refused !== undefined) return { ok: false, error: `${name}: ${refused}` };
        }
        const operation = (): unknown => run(given, ctx, authority);
        if (tool?.isNested) return operation();
        return recorded(this.#host.tap, { kind: name, args: given, depth: ctx.depth }, operation);
      },
      options,
      (pre) => {
        decision = pre.action === "continue" ? pre.decision : undefined;
        return this.permit(name, pre, options.signal);
      },
    );
    registry.events.emit("called", {
      tool: name,
      args,
      outcome,
      duration_ms: clock.now() - started,
    });
    return outcome;
  }

  #authority({ authority }: CallOptions): Authority {
    return authority ?? this.#host.authority;
  }

  /** Why a command may not run. A value that is not a command is rejected by the tool itself. */
  async #commandRefused(
    { command, cwd, env }: JsonObject,
    call: CallOptions,
    ctx: HookContext,
  ): Promise<string | undefined> {
    if (typeof command !== "string") return undefined;
    const given = {
      command,
      cwd: typeof cwd === "string" ? cwd : undefined,
      env: isPlainObject(env) && Object.keys(env).length > 0 ? env : undefined,
    };
    return this.#host.checks.objection(given, { ...call, metadata: ctx.metadata }, ctx);
  }

  /**
   * Why a call that the hooks allowed is still denied.
   * @param name of the operation, when its payload names no tool
   */
  permit(
    name: string,
    pre: Outcome,
    signal?: AbortSignal,
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
    return this.#host.approvals.refusal({ tool, args, reason, hook, ctx }, signal);
  }
}

/** The result of a call for callers that want a result or an exception. */
export function resultOrThrow(tool: string, outcome: InvokeOutcome): unknown {
  if (outcome.action !== "abort") return outcome.result;
  const { hook, reason } = outcome;
  throw new OrcsError("ORCS2001", `${tool} was denied by hook ${hook}: ${reason}`, {
    tool,
    hook,
    reason,
  });
}

/** A replay does not have the tools of the recorded program. */
function standIn(name: string, tap: ToolRecorder | undefined): Tool | undefined {
  if (!tap?.instead) return undefined;
  return { name, capability: undefined, mainArg: "value", run: () => undefined };
}

function argumentsOf(tool: Tool, arg: Json | undefined): JsonObject {
  if (arg === undefined || arg === null) return {};
  return isPlainObject(arg) ? arg : { [tool.mainArg]: arg };
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
  if (outcome.action === "abort") {
    return { ok: false, error: `denied by hook ${outcome.hook}: ${outcome.reason}` };
  }
  const { result } = outcome;
  if (!isPlainObject(result)) return { ok: true, result: (result ?? null) as Json };
  if (result["ok"] === false) {
    const { error } = result;
    const message = typeof error === "string" ? error : "the tool failed";
    return { ...(result as JsonObject), ok: false, error: message };
  }
  return { ...(result as JsonObject), ok: true };
}

/** The built-in tools, limited by the settings. */
export function engineTools({ permissions }: Settings, processes: ProcessSet): readonly Tool[] {
  const { root, env = [] } = permissions;
  return builtinTools({
    root,
    env,
    processes,
    compileRegex: (pattern) => compileRegex("pattern", pattern),
    compileGlob: globMatcher,
  });
}
