import type { JsonObject } from "../../../src/core/json.ts";
import type { CodexEventName } from "../../../src/formats/codex/events.ts";

const common = { session_id: "s-1", transcript_path: null, cwd: "/project" };
const turn = { ...common, turn_id: "t-1", model: "m", permission_mode: "default" };
const { permission_mode: _none, ...compaction } = turn;
const agent = { agent_id: "a-1", agent_type: "worker" };
const call = { ...turn, ...agent, tool_name: "Bash", tool_input: { command: "ls" } };

/** One event of each name, with every field that Codex's schemas of its hooks' input have. */
const EVENTS: Readonly<Record<CodexEventName, JsonObject>> = {
  SessionStart: { ...common, model: "m", permission_mode: "default", source: "startup" },
  SubagentStart: { ...turn, ...agent },
  PreToolUse: { ...call, tool_use_id: "c-1" },
  PermissionRequest: call,
  PostToolUse: { ...call, tool_use_id: "c-1", tool_response: "out" },
  PreCompact: { ...compaction, ...agent, trigger: "auto" },
  PostCompact: { ...compaction, ...agent, trigger: "manual" },
  UserPromptSubmit: { ...turn, ...agent, prompt: "tidy" },
  SubagentStop: {
    ...turn,
    ...agent,
    agent_transcript_path: null,
    stop_hook_active: false,
    last_assistant_message: "done",
  },
  Stop: { ...turn, stop_hook_active: true, last_assistant_message: null },
  SessionEnd: { ...common, reason: "other" },
  Interrupt: turn,
  StopFailure: {
    ...turn,
    error: "overloaded",
    error_details: null,
    last_assistant_message: null,
  },
};

/** An event as Codex sends it, with other fields than usual. */
export function codexEventOf(name: CodexEventName, fields: JsonObject = {}): JsonObject {
  return { ...EVENTS[name], hook_event_name: name, ...fields };
}

/** A call of a tool, before it runs. */
export function toolUse(tool_name: string, tool_input: JsonObject): JsonObject {
  return codexEventOf("PreToolUse", { tool_name, tool_input });
}

/** A patch with these headers. */
export function patchOf(...headers: string[]): string {
  return ["*** Begin Patch", ...headers.flatMap((line) => [line, "+x"]), "*** End Patch"].join(
    "\n",
  );
}
