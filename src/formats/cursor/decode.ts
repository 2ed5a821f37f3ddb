import { getOwn, OrcsError, readJson, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import type { CursorEventName } from "./events.ts";
import { currentEvent, CURSOR_TIMEOUT_MS, cursorEvent, isCursorEvent } from "./events.ts";
import {
  contradiction,
  fromCursorInput,
  fromCursorName,
  fromMcpName,
  sentToolInput,
} from "./tools.ts";

type Reader = (event: JsonObject) => JsonObject;

const HOST = "cursor";

/**
 * Decode an event of Cursor.
 * @throws OrcsError ORCS7001
 */
export function decodeCursor(sent: JsonObject): DecodedEvent {
  const event = currentEvent(sent);
  const name = requiredField(HOST, event, "hook_event_name", "string");
  const row = cursorEvent(name);
  const point = row?.point ?? "host.pre_event";
  const own = isCursorEvent(name) ? READERS[name](event) : {};
  return {
    event: name,
    point,
    payload: {
      ...stated({
        // Some events have the conversation, some the session: it is the same id.
        session_id: textAt(event, "conversation_id") ?? textAt(event, "session_id"),
        cwd: cwdOf(event),
        event: point === "host.pre_event" ? name : undefined,
      }),
      ...own,
      host: sent,
    },
    component: `agent::${HOST}`,
    child: name === "subagentStop" ? textAt(event, "subagent_id") : undefined,
    timeoutMs: row?.timeoutMs ?? CURSOR_TIMEOUT_MS,
  };
}

/** Reads the other fields of each event. */
const READERS: Readonly<Record<CursorEventName, Reader>> = {
  preToolUse: toolCall,
  beforeShellExecution: shellCall,
  beforeMCPExecution: mcpCall,
  beforeReadFile: fileRead,
  beforeTabFileRead: fileRead,
  beforeSubmitPrompt: (event) => ({ prompt: requiredField(HOST, event, "prompt", "string") }),
  postToolUse: (event) => ({
    ...toolCall(event),
    ...stated({ result: parsed(getOwn(event, "tool_output")), elapsed_ms: elapsed(event) }),
  }),
  postToolUseFailure: (event) => ({
    // It reports something past: an incomplete event is better than none.
    tool_name: "unknown",
    args: {},
    ...callOf(toolCall, event),
    ...stated({
      error: textAt(event, "error_message") ?? textAt(event, "error"),
      elapsed_ms: elapsed(event),
    }),
  }),
  sessionStart: (event) => stated({ model_name: textAt(event, "model") }),
  sessionEnd: (event) =>
    stated({
      model_name: textAt(event, "model"),
      reason: textAt(event, "reason"),
      elapsed_ms: elapsed(event),
    }),
  subagentStart: (event) => ({
    child_config: stated({
      id: textAt(event, "subagent_id"),
      type: textAt(event, "subagent_type"),
      prompt: textAt(event, "prompt"),
    }),
    ...stated({ parent_id: parentOf(event), agent_type: textAt(event, "subagent_type") }),
  }),
  subagentStop: (event) =>
    stated({
      child_id: textAt(event, "subagent_id"),
      parent_id: parentOf(event),
      agent_type: textAt(event, "subagent_type"),
      child_result: getOwn(event, "result"),
      elapsed_ms: elapsed(event),
    }),
  stop: (event) => {
    const loops = getOwn(event, "loop_count");
    return stated({
      kind: textAt(event, "status"),
      stop_hook_active: typeof loops === "number" ? loops > 0 : undefined,
    });
  },
  preCompact: (event) => stated({ trigger: textAt(event, "trigger") }),
  afterShellExecution: (event) => callOf(shellCall, event),
  afterMCPExecution: (event) => callOf(mcpCall, event),
  afterFileEdit: (event) => callOf(fileEdit, event),
  afterTabFileEdit: (event) => callOf(fileEdit, event),
  afterAgentResponse: () => ({}),
  afterAgentThought: () => ({}),
};

function toolCall(event: JsonObject): JsonObject {
  const name = fromCursorName(requiredField(HOST, event, "tool_name", "string"));
  const input = sentToolInput(event);
  const [first, other] = contradiction(name, input) ?? [];
  if (other !== undefined) {
    const why = `an event of cursor: tool_input has both ${first} and ${other}, which is ambiguous`;
    throw new OrcsError("ORCS7001", why, { host: HOST, key: other });
  }
  return {
    tool_name: name,
    args: fromCursorInput(name, input),
    ...stated({ tool_use_id: textAt(event, "tool_use_id") }),
  };
}

function shellCall(event: JsonObject): JsonObject {
  const command = requiredField(HOST, event, "command", "string");
  return { tool_name: "exec", args: { command, ...stated({ cwd: nonEmpty(event, "cwd") }) } };
}

function mcpCall(event: JsonObject): JsonObject {
  const name = requiredField(HOST, event, "tool_name", "string");
  const server = nonEmpty(event, "mcp_server_name") ?? nonEmpty(event, "server_name");
  return { tool_name: fromMcpName(name, server), args: sentToolInput(event) };
}

function fileRead(event: JsonObject): JsonObject {
  return { tool_name: "read", args: { path: requiredField(HOST, event, "file_path", "string") } };
}

function fileEdit(event: JsonObject): JsonObject {
  return { tool_name: "edit", args: { path: requiredField(HOST, event, "file_path", "string") } };
}

/** The call, where the event has one: for a past operation, no guard needs all of it. */
function callOf(read: Reader, event: JsonObject): JsonObject {
  try {
    return read(event);
  } catch (thrown) {
    if (thrown instanceof OrcsError) return {};
    throw thrown;
  }
}

/** A result that is JSON as text, parsed; any other stays unchanged. */
function parsed(output: Json | undefined): Json | undefined {
  if (typeof output !== "string") return output;
  const read = readJson(output);
  return read.ok ? read.value : output;
}

function elapsed(event: JsonObject): number | undefined {
  const ms = getOwn(event, "duration") ?? getOwn(event, "duration_ms");
  if (typeof ms !== "number" || ms < 0) return undefined;
  const whole = Math.round(ms);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function cwdOf(event: JsonObject): string | undefined {
  const roots = getOwn(event, "workspace_roots");
  const root = Array.isArray(roots) ? roots[0] : undefined;
  return nonEmpty(event, "cwd") ?? (typeof root === "string" && root !== "" ? root : undefined);
}

function parentOf(event: JsonObject): string | undefined {
  return textAt(event, "parent_conversation_id") ?? textAt(event, "conversation_id");
}

function nonEmpty(event: JsonObject, key: string): string | undefined {
  return textAt(event, key) || undefined;
}
