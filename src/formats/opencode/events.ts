import type { PluginAgentName } from "../../core/index.ts";
import type { EventLimits, Limit } from "../host-limits.ts";
import { BEFORE, NO_TEXT, PERMISSION_IS_ITS_OWN, RETRY_IGNORED } from "../host-limits.ts";
import type { HostEvent } from "../host-protocol.ts";

const IGNORED: Limit = { effect: "ignored", what: "it only reports this" };
const REPORTED: EventLimits = { deny: IGNORED, inject: NO_TEXT };

function row(point: HostEvent["point"], limits: EventLimits): HostEvent {
  return { point, limits, refusable: limits !== REPORTED, timeoutMs: Number.POSITIVE_INFINITY };
}

/** What its adapter dispatches, by the functions of a plugin. */
export const PLUGIN_EVENTS: Readonly<Record<PluginAgentName, Readonly<Record<string, HostEvent>>>> =
  {
    opencode: {
      "tool.execute.before": row("tool.pre_execute", { ...BEFORE, allow: PERMISSION_IS_ITS_OWN }),
      "tool.execute.after": row("tool.post_execute", { retry: RETRY_IGNORED }),
      "chat.message": row("prompt.pre_submit", BEFORE),
      "session.created": row("session.on_start", REPORTED),
      "session.deleted": row("session.on_end", REPORTED),
    },
  };
