import type { Context, Span, Tracer } from "@opentelemetry/api";
import { context, createTraceState, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { messageOf, textIn, toJson } from "../../core/index.ts";
import type { Json, TraceContext, Writable } from "../../core/index.ts";
import type { EngineEvents, HookStep } from "../../engine/index.ts";
import type { AttributeValues } from "./attributes.ts";

/** What spans are made with. */
export interface SpanOptions {
  readonly tracer: Tracer;
  /** Whether they carry arguments and results. */
  readonly content: boolean;
  /** Masks secrets. */
  readonly redact: <T extends Json | undefined>(value: T) => T;
}

/** A span that has begun. */
interface OpenSpan {
  readonly span: Span;
  /** For the spans below it. */
  readonly context: Context;
  /** Whether it stands for a whole operation, not for one dispatch. */
  readonly isOperation: boolean;
  /** The dispatch that it began with. */
  readonly id: string;
  /** Asynchronous hooks that have not run yet. */
  queued: number;
  isEnded: boolean;
}

/** Spans that may be open at the same time; the oldest are given up, for example those of dispatches that threw. */
const MOST_OPEN = 10_000;
/** The longest argument or result, in characters. */
const MOST_CONTENT = 16_384;

/**
 * Turns the events of an engine into spans: one for each operation, or for a dispatch that belongs to none, and below
 * it one for each hook that ran. Each dispatch is known by its id until it has ended.
 */
export class SpanWriter {
  readonly #options: SpanOptions;
  readonly #open = new Map<string, OpenSpan>();

  constructor(options: SpanOptions) {
    this.#options = options;
  }

  started(event: EngineEvents["dispatch_started"]): void {
    const { dispatch_id, call_id } = event;
    const operation = call_id === undefined ? undefined : this.#open.get(call_id);
    if (operation) return this.#keep(dispatch_id, operation);
    const parent = this.#parentOf(event);
    const span = this.#options.tracer.startSpan(nameOf(event), {}, parent);
    span.setAttributes(this.#attributesOf(event));
    this.#keep(dispatch_id, {
      span,
      context: trace.setSpan(parent, span),
      isOperation: call_id === dispatch_id,
      id: dispatch_id,
      queued: 0,
      isEnded: false,
    });
  }

  /** A hook: a span that has ended already. */
  hook(step: HookStep): void {
    const of = this.#open.get(step.dispatch_id);
    if (!of) return;
    if (step.status === "queued") of.queued++;
    if (step.duration_us === undefined) return;
    const end = performance.timeOrigin + performance.now();
    const startTime = end - step.duration_us / 1000;
    const span = this.#options.tracer.startSpan(`hook ${step.hook}`, { startTime }, of.context);
    span.setAttributes(hookAttributes(step));
    if (step.status !== "ran") {
      span.setStatus({ code: SpanStatusCode.ERROR, ...(step.reason && { message: step.reason }) });
    }
    span.end(end);
    if (step.async && --of.queued === 0 && of.isEnded) this.#open.delete(step.dispatch_id);
  }

  dispatched({ dispatch_id, outcome }: EngineEvents["dispatched"]): void {
    const of = this.#open.get(dispatch_id);
    if (!of) return;
    of.span.setAttributes(this.#outcomeAttributes(outcome));
    if (!of.isOperation) this.#end(dispatch_id, of);
    // A later dispatch of an operation is no longer needed, unless asynchronous hooks are to join it.
    else if (of.queued === 0 && dispatch_id !== of.id) this.#open.delete(dispatch_id);
  }

  operationEnded(event: EngineEvents["operation_ended"]): void {
    const { dispatch_id, outcome, error } = event;
    const of = this.#open.get(dispatch_id);
    if (!of) return;
    if (outcome) {
      of.span.setAttributes(this.#outcomeAttributes(outcome));
      if ("result" in outcome && event.operation === "tool.execute") {
        of.span.setAttributes({ "gen_ai.tool.call.result": this.#content(outcome.result) });
      }
    } else {
      const type = error instanceof Error ? error.name : typeof error;
      of.span.setAttributes({ "error.type": type });
      const message = this.#options.redact(messageOf(error));
      of.span.setStatus({ code: SpanStatusCode.ERROR, message });
    }
    this.#end(dispatch_id, of);
  }

  /** End what is still open. */
  close(): void {
    for (const { span } of new Set(this.#open.values())) span.end();
    this.#open.clear();
  }

  #end(id: string, of: OpenSpan): void {
    of.span.end();
    of.isEnded = true;
    if (of.queued === 0) this.#open.delete(id);
  }

  #keep(id: string, of: OpenSpan): void {
    this.#open.set(id, of);
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest] = this.#open;
    if (!oldest) return;
    this.#open.delete(oldest[0]);
    oldest[1].span.end();
  }

  #parentOf({ parent_id, trace_context }: EngineEvents["dispatch_started"]): Context {
    const parent = parent_id === undefined ? undefined : this.#open.get(parent_id);
    if (parent) return parent.context;
    const active = context.active();
    if (trace.getSpan(active) || !trace_context) return active;
    return remoteContext(trace_context);
  }

  #attributesOf(event: EngineEvents["dispatch_started"]): AttributeValues {
    const { point, component, child, dispatch_id, session_id, tool_use_id, ctx } = event;
    const { payload } = ctx;
    const values: Writable<AttributeValues> = {
      "orcs.point": point,
      "orcs.component": component,
      "orcs.child": child,
      "orcs.dispatch_id": dispatch_id,
      "gen_ai.conversation.id": session_id,
      "gen_ai.agent.id": textIn(payload, "agent_id"),
    };
    if (point.startsWith("llm.")) {
      values["gen_ai.operation.name"] = "chat";
      values["gen_ai.request.model"] = textIn(payload, "model_name");
      values["gen_ai.provider.name"] = textIn(payload, "model_provider");
      return values;
    }
    const tool = point.startsWith("tool.") ? textIn(payload, "tool_name") : undefined;
    if (tool === undefined) return values;
    values["gen_ai.operation.name"] = "execute_tool";
    values["gen_ai.tool.name"] = tool;
    values["gen_ai.tool.call.id"] = tool_use_id;
    values["gen_ai.tool.call.arguments"] = this.#content(payload["args"]);
    values["gen_ai.tool.call.result"] = this.#content(payload["result"]);
    return values;
  }

  #outcomeAttributes(outcome: Ended): AttributeValues {
    const { action, decision, hook, reason } = outcome;
    return {
      "orcs.action": action,
      "orcs.decision": decision,
      "orcs.hook.id": hook,
      "orcs.reason": this.#options.redact(reason),
    };
  }

  /** A value as JSON, masked; undefined unless content is wanted. */
  #content(value: unknown): string | undefined {
    if (!this.#options.content || value === undefined) return undefined;
    try {
      const text = JSON.stringify(this.#options.redact(toJson(value)));
      return text.length > MOST_CONTENT ? `${text.slice(0, MOST_CONTENT)}…` : text;
    } catch {
      // What cannot be written as JSON is not sent.
      return undefined;
    }
  }
}

/** What an outcome of a dispatch or of an operation says. */
interface Ended {
  readonly action: string;
  readonly decision?: string;
  readonly hook?: string;
  readonly reason?: string;
}

function hookAttributes(step: HookStep): AttributeValues {
  const { hook, point, source, status, action, decision, reason, patch, async } = step;
  return {
    "orcs.hook.id": hook,
    "orcs.point": point,
    "orcs.hook.source": source && `${source.file}:${source.line}`,
    "orcs.hook.status": status,
    "orcs.action": action,
    "orcs.decision": decision,
    "orcs.reason": reason,
    "orcs.hook.changes": patch?.length,
    "orcs.hook.async": async,
    "error.type": status === "ran" ? undefined : status,
  };
}

function nameOf({ point, ctx: { payload } }: EngineEvents["dispatch_started"]): string {
  const tool = textIn(payload, "tool_name");
  if (point.startsWith("tool.") && tool !== undefined) return `execute_tool ${tool}`;
  if (!point.startsWith("llm.")) return point;
  const model = textIn(payload, "model_name");
  return model === undefined ? "chat" : `chat ${model}`;
}

function remoteContext({ traceparent, tracestate }: TraceContext): Context {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}
