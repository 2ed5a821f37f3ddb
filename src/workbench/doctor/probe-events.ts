import type { HostName, JsonObject } from "../../core/index.ts";

/** The session of every synthetic event, so that hooks that count per session use a separate count. */
const SESSION = "orcs-doctor";

/** The smallest event that an agent could send. @param line what is run, if it is about a call */
export function probeEvent(
  host: HostName,
  event: string,
  project: string,
  line = "true",
): JsonObject {
  const { common, events } = SAMPLES[host];
  const own = Object.hasOwn(events, event) ? events[event] : undefined;
  const sample = { ...common(project), hook_event_name: event, ...own };
  const text = JSON.stringify(sample);
  return JSON.parse(text, (key, value: unknown) =>
    key === "command" ? line : value,
  ) as JsonObject;
}

interface Samples {
  /** Keys of every event. */
  readonly common: (project: string) => JsonObject;
  /** Keys of events that need more. */
  readonly events: Readonly<Record<string, JsonObject>>;
}

const use = { tool_use_id: SESSION } as const;
const bash = { tool_name: "Bash", tool_input: { command: "true" }, ...use } as const;
const agent = { agent_id: SESSION, agent_type: "doctor" } as const;
const stopping = { stop_hook_active: false, last_assistant_message: "" } as const;

const gemini_call = { tool_name: "run_shell_command", tool_input: { command: "true" } } as const;
const qwen_call = { ...gemini_call, ...use } as const;
const llm_request = {
  model: SESSION,
  messages: [{ role: "user", content: "orcs doctor" }],
  config: {},
};

const shell = { tool_name: "Shell", tool_input: { command: "true" }, ...use } as const;
const mcp = { tool_name: "doctor", tool_input: "{}", command: "true" } as const;
const file = { file_path: "orcs-doctor.txt" } as const;
const edited = { ...file, edits: [] };

const SAMPLES: Readonly<Record<HostName, Samples>> = {
  "claude-code": {
    common: (cwd) => ({
      session_id: SESSION,
      transcript_path: "",
      cwd,
      permission_mode: "default",
    }),
    events: {
      PreToolUse: bash,
      PostToolUse: { ...bash, tool_response: {} },
      PostToolUseFailure: { ...bash, error: "orcs doctor", is_interrupt: false },
      PostToolBatch: { tool_calls: [] },
      PermissionRequest: bash,
      PermissionDenied: { ...bash, reason: "orcs doctor" },
      UserPromptSubmit: { prompt: "orcs doctor" },
      UserPromptExpansion: { prompt: "orcs doctor" },
      SessionStart: { source: "startup" },
      SessionEnd: { reason: "other" },
      Notification: { message: "orcs doctor" },
      Stop: stopping,
      SubagentStart: agent,
      SubagentStop: { ...agent, ...stopping },
      PreCompact: { trigger: "auto", custom_instructions: "" },
      PostCompact: { trigger: "auto" },
    },
  },
  codex: {
    common: (cwd) => ({
      session_id: SESSION,
      turn_id: SESSION,
      transcript_path: null,
      cwd,
      model: SESSION,
      permission_mode: "default",
    }),
    events: {
      PreToolUse: bash,
      PostToolUse: { ...bash, tool_response: "" },
      PermissionRequest: bash,
      UserPromptSubmit: { prompt: "orcs doctor" },
      SessionStart: { source: "startup" },
      SessionEnd: { reason: "other" },
      PreCompact: { trigger: "auto" },
      PostCompact: { trigger: "auto" },
      SubagentStart: agent,
      SubagentStop: { ...agent, ...stopping },
      Stop: stopping,
    },
  },
  gemini: {
    common: (cwd) => ({
      session_id: SESSION,
      transcript_path: "",
      cwd,
      timestamp: new Date().toISOString(),
    }),
    events: {
      SessionStart: { source: "startup" },
      SessionEnd: { reason: "other" },
      BeforeAgent: { prompt: "orcs doctor" },
      AfterAgent: { prompt: "orcs doctor", prompt_response: "", stop_hook_active: false },
      BeforeModel: { llm_request },
      AfterModel: { llm_request, llm_response: { candidates: [] } },
      BeforeToolSelection: { llm_request },
      BeforeTool: gemini_call,
      AfterTool: { ...gemini_call, tool_response: { llmContent: "", returnDisplay: "" } },
      PreCompress: { trigger: "auto" },
      Notification: { notification_type: "ToolPermission", message: "orcs doctor", details: {} },
    },
  },
  cursor: {
    common: (cwd) => ({
      conversation_id: SESSION,
      generation_id: SESSION,
      model: SESSION,
      cursor_version: "",
      workspace_roots: [cwd],
      user_email: null,
      transcript_path: null,
    }),
    events: {
      preToolUse: shell,
      postToolUse: { ...shell, tool_output: "{}", duration: 0 },
      postToolUseFailure: { ...shell, error_message: "orcs doctor", failure_type: "error" },
      beforeShellExecution: { command: "true", cwd: "" },
      afterShellExecution: { command: "true", output: "", duration: 0 },
      beforeMCPExecution: mcp,
      afterMCPExecution: { ...mcp, result_json: "{}" },
      beforeReadFile: { ...file, content: "", attachments: [] },
      beforeTabFileRead: { ...file, content: "" },
      afterFileEdit: edited,
      afterTabFileEdit: edited,
      beforeSubmitPrompt: { prompt: "orcs doctor", attachments: [] },
      sessionStart: { session_id: SESSION, is_background_agent: false },
      sessionEnd: { session_id: SESSION, reason: "completed", duration_ms: 0 },
      subagentStart: { subagent_id: SESSION, subagent_type: "doctor", prompt: "orcs doctor" },
      subagentStop: { subagent_id: SESSION, subagent_type: "doctor", status: "completed" },
      stop: { status: "completed", loop_count: 0 },
      preCompact: { trigger: "auto" },
      afterAgentResponse: { text: "" },
      afterAgentThought: { text: "" },
    },
  },
  copilot: {
    common: (cwd) => ({ session_id: SESSION, timestamp: new Date().toISOString(), cwd }),
    events: {
      SessionStart: { source: "new" },
      SessionEnd: { reason: "complete" },
      UserPromptSubmit: { prompt: "orcs doctor" },
      PreToolUse: bash,
      PermissionRequest: bash,
      PostToolUse: { ...bash, tool_result: { result_type: "success", text_result_for_llm: "" } },
      PostToolUseFailure: { ...bash, error: "orcs doctor" },
      Stop: { ...stopping, stop_reason: "end_turn" },
      SubagentStart: { ...agent, agent_name: "doctor" },
      SubagentStop: { ...agent, ...stopping, agent_name: "doctor", stop_reason: "end_turn" },
      PreCompact: { trigger: "auto", custom_instructions: "" },
      Notification: { notification_type: "shell_completed", message: "orcs doctor" },
      ErrorOccurred: { error: { message: "orcs doctor", name: "Error" } },
    },
  },
  qwen: {
    common: (cwd) => ({
      session_id: SESSION,
      transcript_path: "",
      cwd,
      timestamp: new Date().toISOString(),
      permission_mode: "default",
    }),
    events: {
      PreToolUse: qwen_call,
      PostToolUse: { ...qwen_call, tool_response: { llmContent: "", returnDisplay: "" } },
      PostToolUseFailure: { ...qwen_call, error: "orcs doctor", is_interrupt: false },
      PostToolBatch: { tool_calls: [] },
      PermissionRequest: qwen_call,
      PermissionDenied: { ...qwen_call, reason: "classifier_blocked" },
      UserPromptSubmit: { prompt: "orcs doctor", submitted_prompt: "orcs doctor" },
      UserPromptExpansion: { command_name: "doctor", command_args: "", prompt: "orcs doctor" },
      SessionStart: { source: "startup", model: SESSION },
      SessionEnd: { reason: "other" },
      Notification: { message: "orcs doctor", notification_type: "idle_prompt" },
      Stop: stopping,
      SubagentStart: agent,
      SubagentStop: { ...agent, ...stopping },
      PreCompact: { trigger: "auto", custom_instructions: "" },
      PostCompact: { trigger: "auto", compact_summary: "" },
    },
  },
};
