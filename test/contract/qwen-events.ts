import { readFileSync } from "node:fs";
import type { JsonObject } from "../../src/core/json.ts";

/** Recorded from Qwen Code 0.24.4. */
export const RECORDED: readonly JsonObject[] = readFileSync(
  new URL("../fixtures/qwen.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as JsonObject);

const COMMON = {
  session_id: "e41b75c2-2e98-4f63-8697-5243eaec9c27",
  transcript_path: "/home/dev/.qwen/projects/-home-dev-project/chats/e41b75c2.jsonl",
  cwd: "/home/dev/project",
  timestamp: "2026-11-24T03:53:15.783Z",
  permission_mode: "default",
} as const;
const CALL = {
  tool_name: "run_shell_command",
  tool_input: { command: "ls", is_background: false },
} as const;
const TODO = { todo_id: "1", todo_content: "x", todo_status: "pending" } as const;

/** Events that no session brought about, with the fields that its documentation names. */
const MADE_UP: Readonly<Record<string, JsonObject>> = {
  UserPromptExpansion: { command_name: "init", command_args: "", prompt: "analyse the project" },
  SessionEnd: { reason: "prompt_input_exit" },
  SessionDelete: { deleted_session_id: "f8f00881-6c0f-4dbf-85e4-1744d6bb31de" },
  StopFailure: { error: "rate_limit", error_details: "429" },
  SubagentStop: {
    agent_id: "general-purpose-call_8",
    agent_type: "general-purpose",
    agent_transcript_path: "/home/dev/.qwen/agent.jsonl",
    stop_hook_active: false,
    last_assistant_message: "done",
    background_tasks: [],
    crons: [],
  },
  PreCompact: { trigger: "auto", custom_instructions: "" },
  PostCompact: { trigger: "auto", compact_summary: "so far" },
  PermissionRequest: { ...CALL, permission_suggestions: [] },
  PermissionDenied: { ...CALL, tool_use_id: "call_0", reason: "classifier_blocked" },
  TodoCreated: TODO,
  TodoCompleted: { ...TODO, todo_status: "completed", previous_status: "in_progress" },
  MessageDisplay: { message_id: "m", displayed_text: "hel", is_final: false },
};

/** One or more of every event. */
export const SENT: readonly JsonObject[] = [
  ...RECORDED,
  ...Object.entries(MADE_UP).map(([hook_event_name, fields]) =>
    Object.assign({ hook_event_name }, COMMON, fields),
  ),
];

/** The first event with this name, and of this tool. */
export function sent(event: string, tool?: string): JsonObject {
  const found = SENT.find(
    ({ hook_event_name: name, tool_name: used }) =>
      name === event && (tool === undefined || used === tool),
  );
  if (!found) throw new Error(`no event ${event} ${tool}`);
  return structuredClone(found);
}
