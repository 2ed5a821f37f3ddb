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
  /** Capability bits: a hook may take some away; one that adds any has failed. */
  readonly shrinks?: true;
  /** One line for the docs and the Lua definitions. */
  readonly doc?: string;
}

/** A key of a built-in point: its line is there. */
export interface DocumentedKey extends KeySpec {
  readonly doc: string;
}

export interface PointRow {
  readonly phase: Phase;
  /** One line for the docs. */
  readonly doc: string;
  /** Asks for an answer: `replace` is legal. */
  readonly question?: true;
  /** Key a rewrite of the input writes. */
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
/** A name or id the host gives: always there, never changed by a hook. */
const name = (doc: string) => ({ kind: "string", required: true, fixed: true, doc }) as const;
/** A name or id that may be missing. */
const id = (doc: string) => ({ kind: "string", fixed: true, doc }) as const;
const bits = (doc: string) => ({ kind: "integer", shrinks: true, doc }) as const;

const needed = <Kind extends KeyKind>(kind: Kind, doc: string) =>
  ({ kind, required: true, doc }) as const;

const elapsed = { elapsed_ms: int("Milliseconds that the operation took.") } as const;
const component = {
  component_id: id("The component, namespace::name."),
  channel_id: id("The channel that it lives in."),
} as const;
const session = {
  session_id: id("The session of the agent."),
  agent_id: id("The agent, as its host names it."),
} as const;
const child = {
  child_id: id("The child's path below its component."),
  parent_id: id("Who spawned it."),
} as const;
const tool = {
  tool_name: name("The tool's name."),
  tool: id("The same name, shorter to write."),
  args: needed("object", "The arguments of the call; a change is what the tool gets."),
  capabilities: bits(
    "What the call may do: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64.",
  ),
  sandbox_root: id("The directory that the tool cannot leave."),
  ...session,
  cwd: str("Working directory of the call; relative paths are relative to it."),
  messages: list("The conversation so far, as the host sends it."),
  tool_use_id: id("The host's id of this call."),
  recent_tools: strs("Names of the tools called before, the latest last."),
} as const;
const request = {
  id: name("The request's id."),
  category: str(
    "What kind it is, such as Request; events have the category that is subscribed to.",
  ),
  operation: needed("string", "What the component is asked to do."),
  source: id("Who asks."),
  target: id("The component that is asked."),
  payload: any("What it is asked with."),
  timeout_ms: int("Milliseconds from sending to the answer."),
} as const;
const model = {
  model_provider: str("Who runs the model."),
  model_name: str("The model's name."),
} as const;
const prompt = {
  prompt: needed("string", "What the user wrote; a change is what the agent gets."),
  user_prompt: str("The same, as other systems call it."),
  ...session,
  messages: list("The conversation so far, as the host sends it."),
  cwd: str("Working directory of the agent."),
} as const;
const generate = {
  prompt: str("What the model is asked."),
  system_prompt: str("The instructions above the conversation."),
  ...model,
  available_tools: strs("Names of the tools that the model may call."),
  messages: list("The conversation that goes to the model."),
  ...session,
} as const;
const compact = {
  trigger: str("Why: auto or manual."),
  custom_instructions: str("What the summary should keep."),
  messages: list("The conversation; after compacting, what is left of it."),
  ...session,
} as const;
const question = {
  query: any("What is asked."),
  result: any("The answer so far; replace gives another."),
  ...session,
} as const;

/** The closed set of 25: what happens in an ORCS-style runtime. Source: ADR-002 §2. */
export const ORCS_POINTS = {
  "component.pre_init": {
    phase: "pre",
    doc: "Before a component's init; aborting keeps it from starting.",
    input: "snapshot",
    result: "init_result",
    keys: {
      ...component,
      snapshot: any("What the component left at the end of its last life; null without."),
    },
  },
  "component.post_init": {
    phase: "post",
    doc: "After a component's init succeeded.",
    result: "init_result",
    keys: { ...component, init_result: any("What init returned."), ...elapsed },
  },
  "component.pre_shutdown": {
    phase: "pre",
    doc: "Before a component's shutdown.",
    input: "status",
    keys: { ...component, status: str("What the channel was doing: running, paused, failed.") },
  },
  "component.post_shutdown": {
    phase: "post",
    doc: "After a component's shutdown.",
    result: "snapshot",
    keys: {
      ...component,
      snapshot: any("What the component begins with next time."),
      ...elapsed,
    },
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
    keys: {
      ...request,
      ...component,
      response: any("What it answered."),
      error: str("Why it failed, when it did."),
      ...elapsed,
    },
  },
  "signal.pre_dispatch": {
    phase: "pre",
    doc: "Before a signal reaches its component.",
    input: "signal",
    result: "signal_response",
    keys: { signal: any("The signal: kind, reason, approval_id, source."), ...component },
  },
  "signal.post_dispatch": {
    phase: "post",
    doc: "After a component answered a signal.",
    input: "signal",
    result: "signal_response",
    keys: {
      signal: any("The signal: kind, reason, approval_id, source."),
      signal_response: any("What it answered: handled, ignored or abort."),
      channel_action: any("What the channel does about the signal."),
      ...component,
    },
  },
  "child.pre_spawn": {
    phase: "pre",
    doc: "Before a child is spawned; capabilities may only shrink.",
    input: "child_config",
    keys: {
      child_config: obj("What the child is made of: id, script or code, options, timeout_ms."),
      parent_id: child.parent_id,
      capabilities: bits("What the child asks for."),
      effective_capabilities: bits("What it gets: what its parent has, too."),
      ...session,
    },
  },
  "child.post_spawn": {
    phase: "post",
    doc: "After a child was spawned.",
    keys: { ...child, capabilities: bits("What the child may do."), ...session },
  },
  "child.pre_run": {
    phase: "pre",
    doc: "Before a child runs.",
    input: "input",
    result: "child_result",
    keys: { ...child, input: any("What the child is given.") },
  },
  "child.post_run": {
    phase: "post",
    doc: "After a child ran.",
    input: "input",
    result: "child_result",
    keys: { ...child, child_result: any("What the child answered."), ...elapsed, ...session },
  },
  "channel.pre_create": {
    phase: "pre",
    doc: "Before a channel's runner is spawned.",
    input: "runtime_hints",
    keys: {
      ...component,
      runtime_hints: any("How the channel runs: mailbox, request_timeout_ms."),
    },
  },
  "channel.post_create": {
    phase: "post",
    doc: "After a channel's runner started.",
    result: "handle",
    keys: { ...component, handle: obj("The channel's id, as handle.id.") },
  },
  "channel.pre_destroy": {
    phase: "pre",
    doc: "After a runner's loop ended, before its snapshot.",
    input: "exit_reason",
    keys: { ...component, exit_reason: str("Why the loop ended.") },
  },
  "channel.post_destroy": {
    phase: "post",
    doc: "After a runner's result was collected.",
    result: "snapshot",
    keys: { ...component, snapshot: any("What the component begins with next time.") },
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
    keys: { ...tool, result: any("What the tool answered; replace gives another."), ...elapsed },
  },
  "auth.pre_check": {
    phase: "pre",
    doc: "Before a permission check; may decide it.",
    input: "command",
    result: "permission_result",
    keys: {
      command: str("The command, or what else is to be permitted."),
      capabilities: bits("What the caller may do."),
      session: any("On whose behalf: id, elevated."),
      tool_name: id("The tool that asks."),
      args: obj("The arguments of its call."),
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
      permission_result: any("What the check came to: status, reason, grant_pattern."),
    },
  },
  "auth.on_grant": {
    phase: "on",
    doc: "When a permission is granted at run time.",
    keys: {
      pattern: str("The first words of the commands that may run."),
      granted_by: any("Who granted it: type, id."),
    },
  },
  "bus.pre_broadcast": {
    phase: "pre",
    doc: "Before an event is broadcast.",
    input: "event",
    result: "delivered_count",
    keys: {
      event: any("The event: category, operation, source, payload."),
      target_count: int("How many subscribe to it."),
    },
  },
  "bus.post_broadcast": {
    phase: "post",
    doc: "After an event was broadcast.",
    input: "event",
    result: "delivered_count",
    keys: {
      event: any("The event: category, operation, source, payload."),
      delivered_count: int("How many were told."),
    },
  },
  "bus.on_register": {
    phase: "on",
    doc: "When a component registers on the bus.",
    keys: {
      component_id: component.component_id,
      subscriptions: strs("Categories of events that it wants."),
    },
  },
  "bus.on_unregister": {
    phase: "on",
    doc: "When a component leaves the bus.",
    keys: { component_id: component.component_id },
  },
} as const satisfies Record<string, PointRow>;

/** What happens in an agent besides. Source: design.md §3. */
const AGENT_POINTS = {
  "tool.on_failure": {
    phase: "on",
    doc: "After a tool threw or answered ok = false.",
    input: "args",
    keys: {
      ...tool,
      result: any("What the tool answered, when it did."),
      error: str("Why it failed."),
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
    keys: {
      ...generate,
      response_text: str("What the model wrote."),
      tool_calls: list("The calls that it asks for, as the model gives them."),
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
      elapsed_ms: int("Milliseconds that the session lasted."),
      reason: str("Why it ended."),
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
    keys: {
      message: str("The last message of the agent."),
      kind: str("Why it stops."),
      stop_hook_active: bool("Whether a hook has made it go on already."),
      ...session,
    },
  },
  "agent.on_notification": {
    phase: "on",
    doc: "When an agent notifies its user.",
    keys: {
      message: str("What the user is told."),
      kind: str("What it is about, as the host says it."),
      ...session,
    },
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
    keys: { event: name("The event's name, as the host gives it."), ...session },
  },
} as const satisfies Record<string, PointRow>;

/**
 * Every hook point: name → phase, documentation, payload keys, the key a rewrite of the input writes
 * and the key that holds the result. The parser, the types, the docs and the tests derive from it.
 */
export const POINT_TABLE = { ...ORCS_POINTS, ...AGENT_POINTS } as const;

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
