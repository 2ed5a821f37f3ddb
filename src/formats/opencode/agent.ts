import type { PluginAgentSpec } from "../agent-spec.ts";
import type { EventLimits, Limit } from "../host-limits.ts";
import { BEFORE, NO_TEXT, PERMISSION_IS_ITS_OWN, RETRY_IGNORED } from "../host-limits.ts";
import type { HostEvent } from "../host-protocol.ts";

const IGNORED: Limit = { effect: "ignored", what: "it only reports this" };
const REPORTED: EventLimits = { deny: IGNORED, inject: NO_TEXT };

function row(point: HostEvent["point"], limits: EventLimits): HostEvent {
  return { point, limits, refusable: limits !== REPORTED, timeoutMs: Number.POSITIVE_INFINITY };
}

/**
 * opencode. Source: 1.18.33, its program and its settings folders. It declares `permission.ask`, for which the adapter
 * has a function, and never calls it.
 */
export const OPENCODE_AGENT: PluginAgentSpec = {
  label: "opencode",
  program: "opencode",
  source: {
    read: "types of its plugins, 1.18",
    protocol: "none: a plugin in its process",
    tried: "1.18.33",
  },
  agentVariables: ["OPENCODE_PID", "OPENCODE"],
  userFolder: "opencode",
  projectFolder: ".opencode",
  file: "plugin/orcs.js",
  adapter: "adapters/opencode.js",
  switches: ["OPENCODE_PURE"],
  events: {
    "tool.execute.before": row("tool.pre_execute", { ...BEFORE, allow: PERMISSION_IS_ITS_OWN }),
    "tool.execute.after": row("tool.post_execute", { retry: RETRY_IGNORED }),
    "chat.message": row("prompt.pre_submit", BEFORE),
    "session.created": row("session.on_start", REPORTED),
    "session.deleted": row("session.on_end", REPORTED),
  },
  denying: `{
    "tool.execute.before": async () => {
      throw new Error(why);
    },
    "permission.ask": async (_, output) => {
      output.status = "deny";
    },
  }`,
  trial: `const call = { tool: "bash", sessionID: "orcs-doctor", callID: "orcs-doctor" };
  await hooks["tool.execute.before"]?.(call, { args: { command: "true" } });`,
};
