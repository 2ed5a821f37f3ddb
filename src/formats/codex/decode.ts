import { getOwn, textAt } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import { codexEvent, isCodexEvent } from "./events.ts";
import type { CodexEventName } from "./events.ts";
import { fromCodexCall } from "./tools.ts";

type Reader = (event: JsonObject) => JsonObject;

/**
 * Decode an event of Codex.
 * @throws OrcsError ORCS7001
 */
export function decodeCodex(event: JsonObject): DecodedEvent {
  const name = requiredField("codex", event, "hook_event_name", "string");
  const row = codexEvent(name);
  const agent = textAt(event, "agent_id");
  const common = {
    session_id: textAt(event, "session_id"),
    cwd: textAt(event, "cwd"),
    transcript_path: textAt(event, "transcript_path"),
    permission_mode: textAt(event, "permission_mode"),
    agent_id: agent,
    agent_type: textAt(event, "agent_type"),
  };
  const own = isCodexEvent(name) ? READERS[name](event) : { event: name };
  return {
    event: name,
    point: row?.point ?? "host.pre_event",
    payload: { ...stated(common), ...own, host: event },
    component: "agent::codex",
    child: agent === "" ? undefined : agent,
    timeoutMs: row?.timeoutMs ?? 600_000,
  };
}

/** Reads the other fields of each event. */
const READERS: Readonly<Record<CodexEventName, Reader>> = {
  SessionStart: (event) =>
    stated({ model_name: textAt(event, "model"), source: textAt(event, "source") }),
  SessionEnd: (event) => stated({ reason: textAt(event, "reason") }),
  UserPromptSubmit: (event) => ({ prompt: requiredField("codex", event, "prompt", "string") }),
  PreToolUse: toolCall,
  PostToolUse: (event) => ({
    ...toolCall(event),
    ...stated({ result: getOwn(event, "tool_response") }),
  }),
  PermissionRequest: (event) => {
    const call = toolCall(event);
    const command =
      call["tool_name"] === "exec" ? getOwn(call["args"] as JsonObject, "command") : 0;
    return typeof command === "string" ? { ...call, command } : call;
  },
  PreCompact: compaction,
  PostCompact: compaction,
  SubagentStart: subagent,
  SubagentStop: (event) => ({
    ...subagent(event),
    ...stopping(event),
    ...stated({ child_result: textAt(event, "last_assistant_message") }),
  }),
  Stop: (event) => ({
    ...stopping(event),
    ...stated({ message: textAt(event, "last_assistant_message") }),
  }),
  Interrupt: () => ({ event: "Interrupt" }),
  StopFailure: () => ({ event: "StopFailure" }),
};

function toolCall(event: JsonObject): JsonObject {
  const tool = requiredField("codex", event, "tool_name", "string");
  // A tool without arguments may come with none.
  const input =
    getOwn(event, "tool_input") === null
      ? {}
      : requiredField("codex", event, "tool_input", "object");
  // A patch that cannot be read must not bypass the guards of its files.
  if (tool === "apply_patch") requiredPatch(event, input);
  const { name, args } = fromCodexCall(tool, input);
  return {
    tool_name: name,
    args,
    ...stated({ tool_use_id: textAt(event, "tool_use_id") }),
  };
}

function requiredPatch(event: JsonObject, input: JsonObject): void {
  const named = { ...event, "tool_input.command": getOwn(input, "command") ?? null };
  requiredField("codex", named, "tool_input.command", "string");
}

function compaction(event: JsonObject): JsonObject {
  return stated({ trigger: textAt(event, "trigger") });
}

function subagent(event: JsonObject): JsonObject {
  return stated({ child_id: textAt(event, "agent_id") });
}

function stopping(event: JsonObject): JsonObject {
  const active = getOwn(event, "stop_hook_active");
  return typeof active === "boolean" ? { stop_hook_active: active } : {};
}
