import type { JsonObject } from "../core/json.ts";
import type { TraceEntry } from "../core/outcome.ts";
import type { EngineEvents } from "../registry/events.ts";
import { thoseThatActed } from "./trace-table.ts";

/** A dispatch as `orcs run --json` prints it, one to a line. */
export interface DispatchLine {
  readonly point: string;
  readonly component: string;
  /** Path of the child that it concerns. */
  readonly child?: string;
  readonly channel: string;
  readonly action: string;
  readonly decision?: string;
  /** Whose action or decision it is. */
  readonly hook?: string;
  readonly reason?: string;
  /** Of tool calls; arguments as the hooks left them. */
  readonly tool?: string;
  readonly args?: JsonObject;
  /** As the hooks left the payload. */
  readonly payload_keys: readonly string[];
  readonly hooks: readonly TraceEntry[];
  readonly duration_ms: number;
}

/** What a line says of a dispatch. */
export function dispatchLine(event: EngineEvents["dispatched"]): DispatchLine {
  const { point, component, child, outcome, duration_ms } = event;
  const { ctx, action } = outcome;
  const { tool_name, args } = ctx.payload;
  return {
    point,
    component,
    ...(child !== undefined && { child }),
    channel: ctx.channel_id,
    action,
    ...("decision" in outcome && { decision: outcome.decision }),
    ...("hook" in outcome && { hook: outcome.hook }),
    ...("reason" in outcome && { reason: outcome.reason }),
    ...(point.startsWith("tool.") && { tool: String(tool_name), args: args as JsonObject }),
    payload_keys: Object.keys(ctx.payload),
    hooks: thoseThatActed(outcome.trace ?? []),
    duration_ms,
  };
}
