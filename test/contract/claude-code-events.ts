import type { HookEvent, HookInput } from "@anthropic-ai/claude-agent-sdk";

type InputOf<E extends HookEvent> = Extract<HookInput, { hook_event_name: E }>;

const common = {
  session_id: "s-1",
  transcript_path: "/home/dev/.claude/projects/x.jsonl",
  cwd: "/home/dev/project",
  permission_mode: "default",
};
const call = { tool_name: "Bash", tool_input: { command: "ls", timeout: 5 }, tool_use_id: "t-1" };
const model = {
  from_model: "a",
  to_model: "b",
  requested_model: null,
  context_tokens: 5,
  prompt_cache_warm: true,
  cache_ttl: "5m",
  estimated_cache_write_usd: 0.25,
  pricing: "catalog",
} as const;
const task = { task_id: "1", task_subject: "tidy", teammate_name: "ann" };

/** One event of each kind, as the types of Claude Code's SDK want it. */
export const SYNTHETIC: { readonly [E in HookEvent]: InputOf<E> } = {
  PreToolUse: { ...common, hook_event_name: "PreToolUse", ...call },
  PostToolUse: {
    ...common,
    hook_event_name: "PostToolUse",
    ...call,
    tool_response: { stdout: "a", stderr: "", interrupted: false },
    duration_ms: 3.5,
  },
  PostToolUseFailure: {
    ...common,
    hook_event_name: "PostToolUseFailure",
    ...call,
    error: "Exit code 3",
  },
  PostToolBatch: { ...common, hook_event_name: "PostToolBatch", tool_calls: [call] },
  Notification: {
    ...common,
    hook_event_name: "Notification",
    message: "waiting",
    notification_type: "idle_prompt",
  },
  UserPromptSubmit: { ...common, hook_event_name: "UserPromptSubmit", prompt: "tidy" },
  UserPromptExpansion: {
    ...common,
    hook_event_name: "UserPromptExpansion",
    expansion_type: "slash_command",
    command_name: "tidy",
    command_args: "",
    prompt: "/tidy",
  },
  SessionStart: { ...common, hook_event_name: "SessionStart", source: "startup", model: "m" },
  SessionEnd: { ...common, hook_event_name: "SessionEnd", reason: "other" },
  Stop: {
    ...common,
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: "done",
  },
  StopFailure: { ...common, hook_event_name: "StopFailure", error: "rate_limit" },
  SubagentStart: {
    ...common,
    hook_event_name: "SubagentStart",
    agent_id: "a-1",
    agent_type: "Explore",
  },
  SubagentStop: {
    ...common,
    hook_event_name: "SubagentStop",
    stop_hook_active: true,
    agent_id: "a-1",
    agent_type: "Explore",
    agent_transcript_path: "/home/dev/.claude/projects/a.jsonl",
    last_assistant_message: "found",
  },
  PreCompact: {
    ...common,
    hook_event_name: "PreCompact",
    trigger: "auto",
    custom_instructions: null,
  },
  PostCompact: {
    ...common,
    hook_event_name: "PostCompact",
    trigger: "manual",
    compact_summary: "short",
  },
  PreModelSwitch: { ...common, hook_event_name: "PreModelSwitch", ...model, source: "sdk" },
  PostModelSwitch: { ...common, hook_event_name: "PostModelSwitch", ...model, source: "auto" },
  PermissionRequest: { ...common, hook_event_name: "PermissionRequest", ...call },
  PermissionDenied: { ...common, hook_event_name: "PermissionDenied", ...call, reason: "risky" },
  Setup: { ...common, hook_event_name: "Setup", trigger: "init" },
  TeammateIdle: {
    ...common,
    hook_event_name: "TeammateIdle",
    teammate_name: "ann",
    team_name: "t",
  },
  TaskCreated: { ...common, hook_event_name: "TaskCreated", ...task },
  TaskCompleted: { ...common, hook_event_name: "TaskCompleted", ...task },
  Elicitation: {
    ...common,
    hook_event_name: "Elicitation",
    mcp_server_name: "files",
    message: "Which?",
    requested_schema: { type: "object" },
  },
  ElicitationResult: {
    ...common,
    hook_event_name: "ElicitationResult",
    mcp_server_name: "files",
    action: "accept",
    content: { which: "a" },
  },
  ConfigChange: { ...common, hook_event_name: "ConfigChange", source: "user_settings" },
  WorktreeCreate: { ...common, hook_event_name: "WorktreeCreate", name: "fix" },
  WorktreeRemove: { ...common, hook_event_name: "WorktreeRemove", worktree_path: "/tmp/fix" },
  InstructionsLoaded: {
    ...common,
    hook_event_name: "InstructionsLoaded",
    file_path: "/home/dev/project/CLAUDE.md",
    memory_type: "Project",
    load_reason: "session_start",
  },
  CwdChanged: { ...common, hook_event_name: "CwdChanged", old_cwd: "/a", new_cwd: "/b" },
  FileChanged: { ...common, hook_event_name: "FileChanged", file_path: "/a/b", event: "change" },
  DirectoryAdded: {
    ...common,
    hook_event_name: "DirectoryAdded",
    directory: "/a",
    source: "slash_command",
  },
  MessageDisplay: {
    ...common,
    hook_event_name: "MessageDisplay",
    turn_id: "t",
    message_id: "m",
    index: 0,
    final: true,
    delta: "hello",
  },
};
