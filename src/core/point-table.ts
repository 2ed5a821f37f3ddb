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

/** Specification of one payload key. */
export interface KeySpec {
  readonly kind: KeyKind;
  /** Always set by the caller. */
  readonly required?: true;
  /** A name or id: a hook that changes it has failed. */
  readonly fixed?: true;
  /** Capability bits: a hook may remove some; a hook that adds any has failed. */
  readonly shrinks?: true;
  /** The key of the same payload that has the same value: whoever reads or writes one has read or written both. */
  readonly sameAs?: string;
  /** One line for the docs and the Lua definitions. */
  readonly doc?: string;
}

/** A key of a built-in point, which always has a `doc`. */
export interface DocumentedKey extends KeySpec {
  readonly doc: string;
}

export interface PointRow {
  readonly phase: Phase;
  /** One line for the docs. */
  readonly doc: string;
  /** Asks a question: `replace` is legal, and its result is the reply. */
  readonly question?: true;
  /** Key written by a rewrite of the input. */
  readonly input?: string;
  /** Key that holds the result. */
  readonly result?: string;
  readonly keys: Readonly<Record<string, DocumentedKey>>;
}

const str = (doc: string) => ({ kind: "string", doc }) as const;
const int = (doc: string) => ({ kind: "integer", doc }) as const;
const obj = (doc: string) => ({ kind: "object", doc }) as const;
const list = (doc: string) => ({ kind: "list", doc }) as const;
const strs = (doc: string) => ({ kind: "strings", doc }) as const;
const any = (doc: string) => ({ kind: "any", doc }) as const;
const bool = (doc: string) => ({ kind: "boolean", doc }) as const;
/** A name or id given by the caller: always present, never changed by a hook. */
const name = (doc: string) => ({ kind: "string", required: true, fixed: true, doc }) as const;
/** A name or id that may be missing. */
const id = (doc: string) => ({ kind: "string", fixed: true, doc }) as const;
/** The same value as that of another key. */
const also = <Key extends string>(sameAs: Key, doc: string) =>
  ({ kind: "string", sameAs, doc }) as const;
const bits = (doc: string) => ({ kind: "integer", shrinks: true, doc }) as const;

const needed = <Kind extends KeyKind>(kind: Kind, doc: string) =>
  ({ kind, required: true, doc }) as const;

const elapsed = { elapsed_ms: int("The duration of the operation in milliseconds.") } as const;
const component = {
  component_id: id("The component, namespace::name."),
  channel_id: id("The channel of the component."),
} as const;
const session = {
  session_id: id("The session of the agent."),
  agent_id: id("The id of the agent, as sent by the coding agent."),
  turn: int("The number of the agent's turn."),
} as const;
const child = {
  child_id: id("The child's path below its component."),
  parent_id: id("The component or child that spawned it."),
} as const;
const tool = {
  tool_name: name("The tool's name."),
  tool: id("The same name under a shorter key."),
  args: needed("object", "The arguments of the call; the tool receives changes."),
  capabilities: bits(
    "The capabilities of the call: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64.",
  ),
  sandbox_root: id("The directory to which the tool is confined."),
  ...session,
  cwd: str("The working directory of the call, to which relative paths are relative."),
  messages: list("The conversation so far, as sent by the coding agent."),
  tool_use_id: id("The coding agent's id of this call."),
  recent_tools: strs("Names of the tools called before, the most recent last."),
  annotations: obj(
    "What the definition of an MCP server's tool says of it: `readOnlyHint` and the like.",
  ),
  unread: id("The reason why not all files of the call are known: `match.path` then holds."),
} as const;
const request = {
  id: name("The request's id."),
  category: str("The category, such as Request; for an event, the category of the subscription."),
  operation: needed("string", "The requested operation."),
  source: id("The sender of the request."),
  target: id("The component that receives the request."),
  payload: any("The data of the request."),
  timeout_ms: int("The time limit in milliseconds, from sending to the response."),
} as const;
const model = {
  model_provider: str("The provider of the model."),
  model_name: str("The model's name."),
} as const;
const prompt = {
  prompt: needed("string", "The text of the user; the agent receives changes."),
  user_prompt: also("prompt", "The same text under another key: a change of one changes both."),
  ...session,
  messages: list("The conversation so far, as sent by the coding agent."),
  cwd: str("Working directory of the agent."),
} as const;
const generate = {
  prompt: str("The prompt for the model."),
  system_prompt: str("The instructions before the conversation."),
  ...model,
  available_tools: strs("Names of the tools that the model can call."),
  messages: list("The conversation that is sent to the model."),
  ...session,
} as const;
const compact = {
  trigger: str("The trigger: auto or manual."),
  custom_instructions: str("Instructions for the summary."),
  messages: list("The conversation; at the post point, the compacted one."),
  ...session,
} as const;
const question = {
  query: any("The query."),
  result: any("The current value; change it with replace."),
  ...session,
} as const;

/** The fixed set of 25 points: events in an ORCS-style runtime. Source: ADR-002 §2. */
export const ORCS_POINTS = {
  "component.pre_init": {
    phase: "pre",
    doc: "Before a component is initialised; abort prevents the start.",
    input: "snapshot",
    result: "init_result",
    keys: {
      ...component,
      snapshot: any("The snapshot of the component's last run; null if there is none."),
    },
  },
  "component.post_init": {
    phase: "post",
    doc: "After a component was initialised successfully.",
    result: "init_result",
    keys: { ...component, init_result: any("The return value of init."), ...elapsed },
  },
  "component.pre_shutdown": {
    phase: "pre",
    doc: "Before a component is shut down.",
    input: "status",
    keys: { ...component, status: str("The status of the channel: running, paused, failed.") },
  },
  "component.post_shutdown": {
    phase: "post",
    doc: "After a component was shut down.",
    result: "snapshot",
    keys: {
      ...component,
      snapshot: any("The snapshot for the next start of the component."),
      ...elapsed,
    },
  },
  "request.pre_dispatch": {
    phase: "pre",
    doc: "Before a request is delivered to its component.",
    input: "payload",
    result: "response",
    keys: { ...request, ...component },
  },
  "request.post_dispatch": {
    phase: "post",
    doc: "After a component responded to a request.",
    input: "payload",
    result: "response",
    keys: {
      ...request,
      ...component,
      response: any("The response."),
      error: str("The error, if the request failed."),
      ...elapsed,
    },
  },
  "signal.pre_dispatch": {
    phase: "pre",
    doc: "Before a signal is delivered to its component.",
    input: "signal",
    result: "signal_response",
    keys: { signal: any("The signal: kind, reason, approval_id, source."), ...component },
  },
  "signal.post_dispatch": {
    phase: "post",
    doc: "After a component handled a signal.",
    input: "signal",
    result: "signal_response",
    keys: {
      signal: any("The signal: kind, reason, approval_id, source."),
      signal_response: any("The response: handled, ignored or abort."),
      channel_action: any("The action of the channel for this signal."),
      ...component,
    },
  },
  "child.pre_spawn": {
    phase: "pre",
    doc: "Before a child is spawned; capabilities can only be removed.",
    input: "child_config",
    keys: {
      child_config: obj("The configuration of the child: id, script or code, options, timeout_ms."),
      parent_id: child.parent_id,
      capabilities: bits("The capabilities that the child requests."),
      effective_capabilities: bits(
        "The capabilities that it receives: those that its parent has, too.",
      ),
      ...session,
    },
  },
  "child.post_spawn": {
    phase: "post",
    doc: "After a child was spawned.",
    keys: { ...child, capabilities: bits("The capabilities of the child."), ...session },
  },
  "child.pre_run": {
    phase: "pre",
    doc: "Before a child runs.",
    input: "input",
    result: "child_result",
    keys: { ...child, input: any("The input of the child.") },
  },
  "child.post_run": {
    phase: "post",
    doc: "After a child ran.",
    input: "input",
    result: "child_result",
    keys: { ...child, child_result: any("The result of the child."), ...elapsed, ...session },
  },
  "channel.pre_create": {
    phase: "pre",
    doc: "Before a channel's runner is spawned.",
    input: "runtime_hints",
    keys: {
      ...component,
      runtime_hints: any("Settings of the channel: mailbox, request_timeout_ms."),
    },
  },
  "channel.post_create": {
    phase: "post",
    doc: "After a channel's runner started.",
    result: "handle",
    keys: { ...component, handle: obj("The handle of the channel; handle.id is its id.") },
  },
  "channel.pre_destroy": {
    phase: "pre",
    doc: "After a runner's loop ended, before its snapshot.",
    input: "exit_reason",
    keys: { ...component, exit_reason: str("The reason why the loop ended.") },
  },
  "channel.post_destroy": {
    phase: "post",
    doc: "After a runner's result was collected.",
    result: "snapshot",
    keys: { ...component, snapshot: any("The snapshot for the next start of the component.") },
  },
  "tool.pre_execute": {
    phase: "pre",
    doc: "Before a tool runs: rewrite its arguments, skip it with a result, or deny it.",
    input: "args",
    result: "result",
    keys: tool,
  },
  "tool.post_execute": {
    phase: "post",
    doc: "After a tool ran, also if it returned ok = false: replace or deny its result.",
    input: "args",
    result: "result",
    keys: { ...tool, result: any("The result of the tool; change it with replace."), ...elapsed },
  },
  "auth.pre_check": {
    phase: "pre",
    doc: "Before a permission check: can decide it.",
    input: "command",
    result: "permission_result",
    keys: {
      command: str("The command, or another operation that needs permission."),
      capabilities: bits("The capabilities of the caller."),
      session: any("The session of the caller: id, elevated."),
      tool_name: id("The tool that requests the check."),
      args: obj("The arguments of the call."),
      ...session,
    },
  },
  "auth.post_check": {
    phase: "post",
    doc: "After a permission check.",
    input: "command",
    result: "permission_result",
    keys: {
      command: str("The command that was checked."),
      permission_result: any("The result of the check: status, reason, grant_pattern."),
      ...session,
    },
  },
  "auth.on_grant": {
    phase: "on",
    doc: "When a permission is granted at run time.",
    keys: {
      pattern: str("The first words of the granted commands."),
      granted_by: any("The principal that granted it: type, id."),
      ...session,
    },
  },
  "bus.pre_broadcast": {
    phase: "pre",
    doc: "Before an event is broadcast.",
    input: "event",
    result: "delivered_count",
    keys: {
      event: any("The event: category, operation, source, payload."),
      target_count: int("The number of subscribers."),
    },
  },
  "bus.post_broadcast": {
    phase: "post",
    doc: "After an event was broadcast.",
    input: "event",
    result: "delivered_count",
    keys: {
      event: any("The event: category, operation, source, payload."),
      delivered_count: int("The number of recipients."),
    },
  },
  "bus.on_register": {
    phase: "on",
    doc: "When a component registers on the bus.",
    keys: {
      component_id: component.component_id,
      subscriptions: strs("The categories of events to which it subscribes."),
    },
  },
  "bus.on_unregister": {
    phase: "on",
    doc: "When a component leaves the bus.",
    keys: { component_id: component.component_id },
  },
} as const satisfies Record<string, PointRow>;

/** Other events of an agent. Source: design.md §3. */
const AGENT_POINTS = {
  "tool.on_failure": {
    phase: "on",
    doc: "After a tool threw or returned ok = false.",
    input: "args",
    keys: {
      ...tool,
      result: any("The result of the tool, if there is one."),
      error: str("The error."),
      ...elapsed,
    },
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
    doc: "Before the model is called.",
    input: "prompt",
    result: "response_text",
    keys: generate,
  },
  "llm.post_generate": {
    phase: "post",
    doc: "After the model responded.",
    input: "prompt",
    result: "response_text",
    keys: {
      ...generate,
      response_text: str("The text of the model."),
      tool_calls: list("The tool calls that the model requests, in the model's format."),
      usage: obj("prompt_tokens, completion_tokens and total_tokens."),
      ...elapsed,
    },
  },
  "session.on_start": {
    phase: "on",
    doc: "When a session starts.",
    keys: { ...session, system_prompt: generate.system_prompt, ...model },
  },
  "session.on_end": {
    phase: "on",
    doc: "When a session ends.",
    keys: {
      ...session,
      system_prompt: generate.system_prompt,
      ...model,
      total_tokens: int("Tokens of the whole session."),
      total_tool_calls: int("Tool calls of the whole session."),
      elapsed_ms: int("The duration of the session in milliseconds."),
      reason: str("The reason why it ended."),
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
    doc: "Before an agent stops; a denial makes it continue.",
    input: "message",
    keys: {
      message: str("The last message of the agent."),
      kind: str("The reason why it stops."),
      stop_hook_active: bool("Whether a hook has already made the agent continue."),
      ...session,
    },
  },
  "agent.on_notification": {
    phase: "on",
    doc: "When an agent notifies its user.",
    keys: {
      message: str("The text of the notification."),
      kind: str("The kind of notification, in the coding agent's terms."),
      ...session,
    },
  },
  "ui.on_status_line": {
    phase: "on",
    doc: "Requests the status line.",
    question: true,
    keys: question,
  },
  "ui.on_file_suggestion": {
    phase: "on",
    doc: "Requests file names to suggest.",
    question: true,
    keys: question,
  },
  "tool.on_list": {
    phase: "on",
    doc: "Requests the list of tools to offer.",
    question: true,
    keys: question,
  },
  "host.pre_event": {
    phase: "pre",
    doc: "An event of a coding agent that has no point of its own; payload.event is its name.",
    input: "event",
    keys: { event: name("The name of the event, as sent by the coding agent."), ...session },
  },
} as const satisfies Record<string, PointRow>;

/**
 * All hook points: name → phase, documentation, payload keys, the key written by a rewrite of the input, and the key
 * that holds the result. The parser, the types, the docs and the tests derive from it.
 */
export const POINT_TABLE = { ...ORCS_POINTS, ...AGENT_POINTS } as const;

/**
 * Other systems' names for points, accepted wherever a point is written; case and underscores are ignored. An alias of
 * `host.pre_event` is one event of a coding agent: the point restricted to the events of that name.
 */
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
  PostAssistantResponse: "llm.post_generate",
  SessionStart: "session.on_start",
  SessionEnd: "session.on_end",
  SubagentStart: "child.post_spawn",
  SubagentStop: "child.post_run",
  PreCompact: "context.pre_compact",
  PreCompress: "context.pre_compact",
  PostCompact: "context.post_compact",
  Stop: "agent.pre_stop",
  AfterAgent: "agent.pre_stop",
  TurnComplete: "agent.pre_stop",
  PermissionRequest: "auth.pre_check",
  Notification: "agent.on_notification",
  NotificationEvent: "agent.on_notification",
  StatusLine: "ui.on_status_line",
  FileSuggestion: "ui.on_file_suggestion",
  // Events of Claude Code and cocode without a point of their own.
  Setup: "host.pre_event",
  UserPromptExpansion: "host.pre_event",
  PostToolBatch: "host.pre_event",
  StopFailure: "host.pre_event",
  PermissionDenied: "host.pre_event",
  PreModelSwitch: "host.pre_event",
  PostModelSwitch: "host.pre_event",
  TeammateIdle: "host.pre_event",
  TaskCreated: "host.pre_event",
  TaskCompleted: "host.pre_event",
  Elicitation: "host.pre_event",
  ElicitationResult: "host.pre_event",
  ConfigChange: "host.pre_event",
  InstructionsLoaded: "host.pre_event",
  WorktreeCreate: "host.pre_event",
  WorktreeRemove: "host.pre_event",
  CwdChanged: "host.pre_event",
  FileChanged: "host.pre_event",
  DirectoryAdded: "host.pre_event",
  MessageDisplay: "host.pre_event",
} as const satisfies Record<string, keyof typeof POINT_TABLE>;

/** Points that decide whether a tool may be called. */
export const GATING_POINTS: ReadonlySet<string> = new Set(["tool.pre_execute", "auth.pre_check"]);
