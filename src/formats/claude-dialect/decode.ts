import { getOwn, isJsonObject, textAt } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { decodeClaudeEvent } from "../claude-code/decode.ts";
import { claudeEvent } from "../claude-code/events.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import type { ClaudeDialect } from "./dialect.ts";
import { dialectEvent } from "./dialect.ts";
import { ourTool, swapKeys } from "../agent-tools.ts";

/**
 * Decode an event of an agent that speaks Claude Code's protocol.
 * @throws OrcsError ORCS7001
 */
export function decodeDialectEvent(dialect: ClaudeDialect, sent: JsonObject): DecodedEvent {
  const event = requiredField(dialect.name, sent, "hook_event_name", "string");
  expectFields(dialect, event, sent);
  const { point: usual, timeoutMs } = dialectEvent(dialect, event);
  const point = dialect.pointOf?.(event, sent) ?? usual;
  const { payload: read, child } = decodeClaudeEvent(sent);
  const common = { session_id: read["session_id"], cwd: read["cwd"], host: sent };
  const payload =
    point === usual && point !== "host.pre_event"
      ? { ...read, ...calledTool(dialect, point, sent), host: sent }
      : stated({ event, ...common, ...calledTool(dialect, point, sent) });
  return { event, point, payload, component: `agent::${dialect.name}`, child, timeoutMs };
}

/** Claude Code's protocol would name Claude Code as the sender. */
function expectFields({ name }: ClaudeDialect, event: string, sent: JsonObject): void {
  const { tool, fields } = claudeEvent(event);
  requiredField(name, sent, "session_id", "string");
  requiredField(name, sent, "cwd", "string");
  for (const [field, { required }] of Object.entries(fields)) {
    if (required) requiredField(name, sent, field, "string");
  }
  if (!tool) return;
  requiredField(name, sent, "tool_name", "string");
  requiredField(name, sent, "tool_input", "object");
}

/** The call in our names. A permission may be requested for a command. */
function calledTool({ tools }: ClaudeDialect, point: string, sent: JsonObject): JsonObject {
  const name = textAt(sent, "tool_name");
  const input = getOwn(sent, "tool_input");
  if (name === undefined || !isJsonObject(input)) return {};
  const tool_name = ourTool(tools, name);
  const args = swapKeys(tools, tool_name, input, name);
  const asks = point === "auth.pre_check" && tool_name === "exec";
  return stated({ tool_name, args, command: asks ? textAt(args, "command") : undefined });
}
