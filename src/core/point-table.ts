/** `pre` may rewrite, skip, abort; `post` may replace the result; `on` observes. */
export type Phase = "pre" | "post" | "on";

/** Kind of a payload key; `strings` is a list of strings, `any` any JSON value. */
export type KeyKind =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "object"
  | "list"
  | "strings"
  | "any";

/** What is known of one payload key. */
export interface KeySpec {
  readonly kind: KeyKind;
  /** The host always sets it. */
  readonly required?: true;
  /** Names and ids: a hook that changes one has failed. */
  readonly fixed?: true;
  /** Capability bits: what takes effect is what was there and is still there. */
  readonly shrinks?: true;
}

interface PointRow {
  readonly phase: Phase;
  readonly doc: string;
  readonly question?: true;
  readonly input?: string;
  readonly result?: string;
  readonly keys: Readonly<Record<string, KeySpec>>;
}

const str = { kind: "string" } as const;
const int = { kind: "integer" } as const;
const obj = { kind: "object" } as const;
const list = { kind: "list" } as const;
const strs = { kind: "strings" } as const;
const any = { kind: "any" } as const;
const bool = { kind: "boolean" } as const;
/** A name or id the host gives: always there, never changed by a hook. */
const name = { kind: "string", required: true, fixed: true } as const;
/** A name or id that may be missing. */
const id = { kind: "string", fixed: true } as const;
const bits = { kind: "integer", shrinks: true } as const;

const component = { component_id: id, channel_id: id } as const;
const session = { session_id: id, agent_id: id } as const;
const tool = {
  tool_name: name,
  tool: id,
  args: { kind: "object", required: true },
  capabilities: bits,
  sandbox_root: id,
  ...session,
  cwd: str,
  messages: list,
  tool_use_id: id,
  recent_tools: strs,
} as const;
const request = {
  id: name,
  category: str,
  operation: { kind: "string", required: true },
  source: id,
  target: id,
  payload: any,
  timeout_ms: int,
} as const;
const model = { model_provider: str, model_name: str } as const;
const prompt = {
  prompt: { kind: "string", required: true },
  user_prompt: str,
  ...session,
  messages: list,
  cwd: str,
} as const;
const generate = {
  prompt: str,
  system_prompt: str,
  ...model,
  available_tools: strs,
  messages: list,
  ...session,
} as const;
const compact = {
  trigger: str,
  custom_instructions: str,
  messages: list,
  ...session,
} as const;
const question = { query: any, result: any, ...session } as const;

/**
 * Every hook point, and the only place that lists them: name → phase, documentation, payload keys,
 * the key a rewrite of the input writes (`input`) and the key that holds the result (`result`).
 * Source: ADR-002 §2 for the first 25, design.md §3 for the agent set.
 */
export const POINT_TABLE = {
  "component.pre_init": {
    phase: "pre",
    doc: "Before a component's init; aborting keeps it from starting.",
    input: "snapshot",
    result: "init_result",
    keys: { ...component, snapshot: any },
  },
  "component.post_init": {
    phase: "post",
    doc: "After a component's init succeeded.",
    result: "init_result",
    keys: { ...component, init_result: any, elapsed_ms: int },
  },
  "component.pre_shutdown": {
    phase: "pre",
    doc: "Before a component's shutdown.",
    input: "status",
    keys: { ...component, status: str },
  },
  "component.post_shutdown": {
    phase: "post",
    doc: "After a component's shutdown.",
    result: "snapshot",
    keys: { ...component, snapshot: any, elapsed_ms: int },
  },
  "request.pre_dispatch": {
    phase: "pre",
    doc: "Before a request reaches its component.",
    input: "payload",
    result: "response",
    keys: { ...request, ...component },
  },
  "request.post_dispatch": {
    phase: "post",
    doc: "After a component answered a request.",
    input: "payload",
    result: "response",
    keys: { ...request, ...component, response: any, error: str, elapsed_ms: int },
  },
  "signal.pre_dispatch": {
    phase: "pre",
    doc: "Before a signal reaches its component.",
    input: "signal",
    result: "signal_response",
    keys: { signal: any, ...component },
  },
  "signal.post_dispatch": {
    phase: "post",
    doc: "After a component answered a signal.",
    input: "signal",
    result: "signal_response",
    keys: { signal: any, signal_response: any, channel_action: any, ...component },
  },
  "child.pre_spawn": {
    phase: "pre",
    doc: "Before a child is spawned; capabilities may only shrink.",
    input: "child_config",
    keys: {
      child_config: obj,
      parent_id: id,
      capabilities: bits,
      effective_capabilities: bits,
      ...session,
    },
  },
  "child.post_spawn": {
    phase: "post",
    doc: "After a child was spawned.",
    keys: { child_id: id, parent_id: id, capabilities: bits, ...session },
  },
  "child.pre_run": {
    phase: "pre",
    doc: "Before a child runs.",
    input: "input",
    result: "child_result",
    keys: { child_id: id, parent_id: id, input: any },
  },
  "child.post_run": {
    phase: "post",
    doc: "After a child ran.",
    input: "input",
    result: "child_result",
    keys: { child_id: id, parent_id: id, child_result: any, elapsed_ms: int, ...session },
  },
  "channel.pre_create": {
    phase: "pre",
    doc: "Before a channel's runner is spawned.",
    input: "runtime_hints",
    keys: { ...component, runtime_hints: any },
  },
  "channel.post_create": {
    phase: "post",
    doc: "After a channel's runner started.",
    result: "handle",
    keys: { ...component, handle: obj },
  },
  "channel.pre_destroy": {
    phase: "pre",
    doc: "After a runner's loop ended, before its snapshot.",
    input: "exit_reason",
    keys: { ...component, exit_reason: str },
  },
  "channel.post_destroy": {
    phase: "post",
    doc: "After a runner's result was collected.",
    result: "snapshot",
    keys: { ...component, snapshot: any },
  },
  "tool.pre_execute": {
    phase: "pre",
    doc: "Before a tool runs: rewrite its arguments, skip it with a result, or refuse it.",
    input: "args",
    result: "result",
    keys: tool,
  },
  "tool.post_execute": {
    phase: "post",
    doc: "After a tool ran, also when it answered ok = false: replace its result.",
    input: "args",
    result: "result",
    keys: { ...tool, result: any, elapsed_ms: int },
  },
  "auth.pre_check": {
    phase: "pre",
    doc: "Before a permission check; may decide it.",
    input: "command",
    result: "permission_result",
    keys: {
      command: str,
      capabilities: bits,
      session: any,
      tool_name: id,
      args: obj,
      ...session,
    },
  },
  "auth.post_check": {
    phase: "post",
    doc: "After a permission check.",
    input: "command",
    result: "permission_result",
    keys: { command: str, permission_result: any },
  },
  "auth.on_grant": {
    phase: "on",
    doc: "When a permission is granted at run time.",
    keys: { pattern: str, granted_by: any },
  },
  "bus.pre_broadcast": {
    phase: "pre",
    doc: "Before an event is broadcast.",
    input: "event",
    result: "delivered_count",
    keys: { event: any, target_count: int },
  },
  "bus.post_broadcast": {
    phase: "post",
    doc: "After an event was broadcast.",
    input: "event",
    result: "delivered_count",
    keys: { event: any, delivered_count: int },
  },
  "bus.on_register": {
    phase: "on",
    doc: "When a component registers on the bus.",
    keys: { component_id: id, subscriptions: strs },
  },
  "bus.on_unregister": {
    phase: "on",
    doc: "When a component leaves the bus.",
    keys: { component_id: id },
  },
  "tool.on_failure": {
    phase: "on",
    doc: "After a tool threw or answered ok = false.",
    input: "args",
    keys: { ...tool, result: any, error: str, elapsed_ms: int },
  },
  "prompt.pre_submit": {
    phase: "pre",
    doc: "Before a user's prompt is processed.",
    input: "prompt",
    keys: prompt,
  },
  "prompt.post_submit": {
    phase: "post",
    doc: "After a user's message was added to the conversation.",
    input: "prompt",
    keys: prompt,
  },
  "llm.pre_generate": {
    phase: "pre",
    doc: "Before the model is asked.",
    input: "prompt",
    result: "response_text",
    keys: generate,
  },
  "llm.post_generate": {
    phase: "post",
    doc: "After the model answered.",
    input: "prompt",
    result: "response_text",
    keys: { ...generate, response_text: str, tool_calls: list, usage: obj, elapsed_ms: int },
  },
  "session.on_start": {
    phase: "on",
    doc: "When a session starts.",
    keys: { ...session, system_prompt: str, ...model },
  },
  "session.on_end": {
    phase: "on",
    doc: "When a session ends.",
    keys: {
      ...session,
      system_prompt: str,
      ...model,
      total_tokens: int,
      total_tool_calls: int,
      elapsed_ms: int,
      reason: str,
    },
  },
  "context.pre_compact": {
    phase: "pre",
    doc: "Before a conversation is compacted.",
    input: "custom_instructions",
    keys: compact,
  },
  "context.post_compact": {
    phase: "post",
    doc: "After a conversation was compacted.",
    result: "messages",
    keys: compact,
  },
  "agent.pre_stop": {
    phase: "pre",
    doc: "Before an agent stops; refusing makes it go on.",
    input: "message",
    keys: { message: str, kind: str, stop_hook_active: bool, ...session },
  },
  "agent.on_notification": {
    phase: "on",
    doc: "When an agent notifies its user.",
    keys: { message: str, kind: str, ...session },
  },
  "ui.on_status_line": {
    phase: "on",
    doc: "Asks for the status line.",
    question: true,
    keys: question,
  },
  "ui.on_file_suggestion": {
    phase: "on",
    doc: "Asks for file names to suggest.",
    question: true,
    keys: question,
  },
  "tool.on_list": {
    phase: "on",
    doc: "Asks which tools to offer.",
    question: true,
    keys: question,
  },
  "host.pre_event": {
    phase: "pre",
    doc: "Any event of a host that has no point of its own; payload.event names it.",
    input: "event",
    keys: { event: name, ...session },
  },
} as const satisfies Record<string, PointRow>;

/** Other systems' names for points, accepted wherever a point is written; case and underscores are ignored. */
export const POINT_ALIASES = {
  PreToolUse: "tool.pre_execute",
  BeforeTool: "tool.pre_execute",
  PostToolUse: "tool.post_execute",
  AfterTool: "tool.post_execute",
  PostToolUseFailure: "tool.on_failure",
  UserPromptSubmit: "prompt.pre_submit",
  PrePromptSubmit: "prompt.pre_submit",
  BeforeAgent: "prompt.pre_submit",
  beforeSubmitPrompt: "prompt.pre_submit",
  PostUserMessage: "prompt.post_submit",
  GenerateStart: "llm.pre_generate",
  BeforeModel: "llm.pre_generate",
  GenerateEnd: "llm.post_generate",
  AfterModel: "llm.post_generate",
  SessionStart: "session.on_start",
  SessionEnd: "session.on_end",
  SubagentStart: "child.post_spawn",
  SubagentStop: "child.post_run",
  PreCompact: "context.pre_compact",
  PreCompress: "context.pre_compact",
  PostCompact: "context.post_compact",
  Stop: "agent.pre_stop",
  AfterAgent: "agent.pre_stop",
  PermissionRequest: "auth.pre_check",
  Notification: "agent.on_notification",
  NotificationEvent: "agent.on_notification",
  StatusLine: "ui.on_status_line",
  FileSuggestion: "ui.on_file_suggestion",
} as const satisfies Record<string, keyof typeof POINT_TABLE>;

/** Arguments of tools that are paths, for matching and normalising. */
export const PATH_ARGS = ["path", "file_path", "from", "to", "cwd", "notebook_path"] as const;
