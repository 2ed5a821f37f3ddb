import type { JsonObject } from "../../core/json.ts";
import type { EngineEvents, EventEmitter } from "../../registry/events.ts";
import type { ApprovalRecord, Asked } from "../calls/approval.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { stated } from "./dispatch-entry.ts";

// What is written besides dispatches.

/** Write down reloads, those that failed, and hooks that were dropped. */
export function noteEvents(
  trail: AuditTrail | undefined,
  events: EventEmitter,
  config: () => string | undefined,
): void {
  if (!trail) return;
  events.on("reloaded", (event) => void trail.note(reloaded(event, config())));
  events.on("reload_failed", (event) => void trail.note(reloadFailed(event, config())));
  events.on("dropped", ({ hook, point }) => void trail.note({ kind: "dropped", point, hook }));
}

function reloaded(
  { hooks, pending, duration_ms }: EngineEvents["reloaded"],
  config: string | undefined,
): JsonObject {
  return stated({
    kind: "reload",
    hooks,
    pending: pending.length > 0 ? [...pending] : undefined,
    config,
    duration_ms: Number(duration_ms.toFixed(3)),
  });
}

/** @param config which is still in force */
function reloadFailed(
  { error }: EngineEvents["reload_failed"],
  config: string | undefined,
): JsonObject {
  return stated({ kind: "reload_failed", reason: error.message, config });
}

/** An event of a host, or a call of an MCP client, that was refused without an answer of its hooks. */
export interface RefusedEvent {
  /** `claude-code` and the like; `mcp` for a client of MCP. */
  readonly host: string;
  /** The host's name of it, where it is known. */
  readonly event: string | undefined;
  readonly component?: string;
  readonly session?: string;
  readonly tool?: string;
  readonly reason: string;
}

export function refusedEntry(refused: RefusedEvent): JsonObject {
  const { host, event, component, session, tool, reason } = refused;
  const about = { host, event, component, session, tool };
  return stated({ kind: "refused", ...about, action: "abort", reason });
}

/** Writes down what was answered to calls that hooks want approved. */
export function approvalRecord(trail: AuditTrail | undefined): ApprovalRecord | undefined {
  return trail && ((asked, refusal) => trail.note(approvalEntry(asked, refusal)));
}

function approvalEntry(
  { ctx, tool, hook, reason }: Asked,
  refusal: string | undefined,
): JsonObject {
  const { session_id: session } = ctx.payload;
  return stated({
    kind: "approval",
    point: ctx.hook_point,
    component: ctx.component_id,
    session: typeof session === "string" ? session : undefined,
    action: refusal === undefined ? "allow" : "deny",
    tool,
    hook,
    reason,
    refusal,
  });
}
