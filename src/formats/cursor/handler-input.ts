import { getOwn, isJsonObject, toJson } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { stated } from "../host-protocol.ts";
import { hostOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import type { CursorEventName } from "./events.ts";
import { currentEvent, CURSOR_EVENTS, cursorEvent, isCursorEvent } from "./events.ts";
import { mcpToolName, sentToolInputOr, toCursorInput, toCursorName } from "./tools.ts";

/**
 * Cursor's name of the event: the one that Cursor sent, if it did, since several of its events share a point; otherwise
 * the first that has the point.
 */
export function cursorEventName(call: HandlerCall): string {
  const { name } = call.point;
  const sent = sentByCursor(call)["hook_event_name"];
  if (typeof sent === "string" && cursorEvent(sent)?.point === name) return sent;
  if (name === "host.pre_event") return stringAt(call, "event") ?? name;
  return Object.keys(CURSOR_EVENTS).find((event) => cursorEvent(event)?.point === name) ?? name;
}

/**
 * The event as Cursor sends it. Keys that hooks may have changed come from the current payload, the rest from what
 * Cursor sent. A call is also in the keys of `beforeShellExecution` and `beforeReadFile`: a command written for one of
 * them works at `preToolUse` as well.
 */
export function cursorBody(call: HandlerCall): JsonObject {
  const event = cursorEventName(call);
  const host = toJson(sentByCursor(call), undefined, ["payload", "host"]) as JsonObject;
  const sent = host["hook_event_name"] === event ? host : {};
  const root = call.projectDir ?? call.cwd;
  return {
    generation_id: "",
    model: jsonAt(call, "model_name") ?? "",
    cursor_version: "",
    workspace_roots: root === undefined ? [] : [root],
    user_email: null,
    transcript_path: jsonAt(call, "transcript_path") ?? null,
    ...sent,
    conversation_id: sessionOf(call),
    hook_event_name: event,
    ...stated({ cwd: jsonAt(call, "cwd") ?? getOwn(sent, "cwd") ?? call.cwd }),
    ...(isCursorEvent(event) && FIELDS[event]?.(call, sent)),
  };
}

/** Environment variables that Cursor sets. */
export function cursorEnv(call: HandlerCall): Readonly<Record<string, string>> {
  const host = sentByCursor(call);
  const variables = {
    CURSOR_PROJECT_DIR: call.projectDir,
    CURSOR_VERSION: host["cursor_version"],
    CURSOR_USER_EMAIL: host["user_email"],
    CURSOR_TRANSCRIPT_PATH: host["transcript_path"],
  };
  const texts = Object.entries(variables).filter(
    // A variable cannot contain NUL, and a command that cannot start is no guard.
    (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[1].includes("\0"),
  );
  return Object.fromEntries(texts);
}

/** What Cursor sent, with the current names; empty when another agent, or none, sent the event. */
function sentByCursor(call: HandlerCall): Readonly<Record<string, unknown>> {
  const host = currentEvent(hostOf(call));
  const event = getOwn(host, "hook_event_name");
  return typeof event === "string" && isCursorEvent(event) ? host : {};
}

type Fields = (call: HandlerCall, sent: JsonObject) => JsonObject;

/** Fields of each event, in addition to what Cursor sent. */
const FIELDS: Readonly<Partial<Record<CursorEventName, Fields>>> = {
  preToolUse: (call, sent) => ({ ...plainCall(call), ...toolCall(call, sent) }),
  beforeShellExecution: plainCall,
  beforeMCPExecution: (call) => ({
    tool_name: mcpToolName(stringAt(call, "tool_name") ?? ""),
    tool_input: JSON.stringify(argsOf(call)),
  }),
  beforeReadFile: plainCall,
  beforeTabFileRead: plainCall,
  beforeSubmitPrompt: (call, sent) => ({
    attachments: getOwn(sent, "attachments") ?? [],
    prompt: jsonAt(call, "prompt") ?? "",
  }),
  postToolUse: (call, sent) => ({
    ...toolCall(call, sent),
    tool_output: JSON.stringify(jsonAt(call, "result") ?? null),
    ...stated({ duration: jsonAt(call, "elapsed_ms") }),
  }),
  postToolUseFailure: (call, sent) => ({
    failure_type: getOwn(sent, "failure_type") ?? "error",
    is_interrupt: getOwn(sent, "is_interrupt") ?? false,
    ...toolCall(call, sent),
    error_message: jsonAt(call, "error") ?? "",
    ...stated({ duration: jsonAt(call, "elapsed_ms") }),
  }),
  sessionStart: (call, sent) => ({
    session_id: sessionOf(call),
    is_background_agent: getOwn(sent, "is_background_agent") ?? false,
  }),
  sessionEnd: (call) => ({
    session_id: sessionOf(call),
    ...stated({ reason: jsonAt(call, "reason"), duration_ms: jsonAt(call, "elapsed_ms") }),
  }),
  subagentStart: (call) => {
    const config = jsonAt(call, "child_config");
    const { type, prompt } = isJsonObject(config) ? config : {};
    return { subagent_type: type ?? "", prompt: prompt ?? "" };
  },
  subagentStop: (call, sent) => ({
    subagent_type: jsonAt(call, "agent_type") ?? "",
    status: getOwn(sent, "status") ?? "completed",
    ...stated({ result: jsonAt(call, "child_result"), duration: jsonAt(call, "elapsed_ms") }),
  }),
  stop: (call, sent) => ({
    status: jsonAt(call, "kind") ?? "completed",
    loop_count: getOwn(sent, "loop_count") ?? (jsonAt(call, "stop_hook_active") === true ? 1 : 0),
  }),
  preCompact: (call) => ({ trigger: jsonAt(call, "trigger") ?? "auto" }),
};

function toolCall(call: HandlerCall, sent: JsonObject): JsonObject {
  const tool = stringAt(call, "tool_name") ?? "";
  return {
    // Several of Cursor's tools have the same name in ours.
    tool_name: getOwn(sent, "tool_name") ?? toCursorName(tool),
    tool_input: toCursorInput(tool, argsOf(call), sentToolInputOr(sent, {})),
    tool_use_id: jsonAt(call, "tool_use_id") ?? "",
  };
}

/** A command or a file in the keys of the events for these. */
function plainCall(call: HandlerCall): JsonObject {
  const tool = stringAt(call, "tool_name");
  const { command, cwd, path } = argsOf(call);
  if (tool === "exec") return stated({ command, cwd });
  return tool === "read" ? stated({ file_path: path }) : {};
}

function argsOf(call: HandlerCall): JsonObject {
  const args = jsonAt(call, "args");
  return isJsonObject(args) ? args : {};
}
