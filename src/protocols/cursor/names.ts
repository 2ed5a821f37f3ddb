import { getOwn, setOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { OutputKey } from "./events.ts";

/** Fields of events as some versions spell them, and as they are spelled now. */
const OLDER_FIELDS: Readonly<Record<string, string>> = {
  hookEventName: "hook_event_name",
  conversationId: "conversation_id",
  sessionId: "session_id",
  workspaceRoots: "workspace_roots",
  toolName: "tool_name",
  toolInput: "tool_input",
  toolOutput: "tool_output",
  toolUseId: "tool_use_id",
  mcpServerName: "mcp_server_name",
  filePath: "file_path",
  errorMessage: "error_message",
  loopCount: "loop_count",
  durationMs: "duration_ms",
  subagentId: "subagent_id",
  subagentType: "subagent_type",
  // What a subagent is to do; newer versions say task.
  task: "prompt",
};

/** Keys of answers in the same way. */
const OLDER_ANSWERS: Readonly<Record<string, OutputKey>> = {
  decision: "permission",
  userMessage: "user_message",
  agentMessage: "agent_message",
  additionalContext: "additional_context",
};

type Fields<T> = Readonly<Record<string, T>>;

/** An event with the names of today besides. A name of today's that is there stays as it is. */
export function currentEvent<T>(event: Fields<T>): Record<string, T> {
  return withCurrent(event, OLDER_FIELDS);
}

/** The same for an answer. */
export function currentAnswer(answer: JsonObject): JsonObject {
  return withCurrent(answer, OLDER_ANSWERS);
}

function withCurrent<T>(from: Fields<T>, older: Fields<string>): Record<string, T> {
  const current: Record<string, T> = { ...from };
  for (const [old, now] of Object.entries(older)) {
    const value = getOwn(from, old);
    const there = getOwn(from, now) ?? null;
    if (value !== undefined && value !== null && there === null) setOwn(current, now, value);
  }
  return current;
}
