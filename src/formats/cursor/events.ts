import {
  getOwn,
  isJsonObject,
  OrcsError,
  readJson,
  setOwn,
  textAt,
  stated,
} from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { AgentEvent, AgentFormat, EventFields, NamedCall, ReadCall } from "../agent-format.ts";
import { rowsOf, snakeCased, text } from "../agent-format.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import type { EventLimits, Limit } from "../host-limits.ts";
import {
  BEFORE,
  NO_TEXT,
  reported,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import { own, settable, TOP, unsent, type HostFields } from "../host-fields.ts";
import { requiredField } from "../host-protocol.ts";
import { argsOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import {
  contradiction,
  cursorKeys,
  fromCursorName,
  fromMcpName,
  mcpToolName,
  readable,
  sentToolInput,
  toCursorName,
} from "./tools.ts";

const HOST = "cursor";

/** Keys of a response that Cursor reads. The last four are older spellings. */
export type OutputKey =
  | "permission"
  | "continue"
  | "user_message"
  | "agent_message"
  | "updated_input"
  | "updated_mcp_tool_output"
  | "additional_context"
  | "followup_message"
  | "decision"
  | "reason"
  | "userMessage"
  | "agentMessage";

/** An event of Cursor, and the response that it accepts. */
export interface CursorEvent extends AgentEvent {
  readonly takes: readonly OutputKey[];
  /** The older keys, sent in addition in a denial: versions differ in what they read. */
  readonly older: readonly OutputKey[];
}

/** Cursor's own limit for a command that states none. */
const row = rowsOf<CursorEvent>(
  { timeoutMs: 60_000, refusable: false, takes: [], older: [] },
  ({ takes = [], passes }) => ({
    refusable: passes === true || takes.includes("permission") || takes.includes("continue"),
    ...(takes.includes("user_message") && { notice: "user_message" }),
  }),
);

const IGNORED: Limit = { effect: "ignored", what: "it ignores the hook there, and continues" };
const WITH_A_DENIAL: Limit = {
  effect: "sometimes",
  what: "its model may read the text only together with a denial",
};
const MCP_ONLY: Limit = {
  effect: "sometimes",
  what: "it replaces only results of MCP tools; of its own tools, the model reads the original result",
};
const TEXTLESS: EventLimits = { inject: NO_TEXT };
const UNCHANGED: EventLimits = {
  ...BEFORE,
  rewrite: {
    effect: "denied",
    what: "it accepts a changed input only at preToolUse, so the operation is denied",
  },
  ...TEXTLESS,
};
const { ask: _asks, ...ASKED } = UNCHANGED;
const EXECUTED: EventLimits = { ...ASKED, inject: WITH_A_DENIAL };
const TOO_LATE: EventLimits = {
  ...reported(IGNORED, IGNORED),
  retry: RETRY_IGNORED,
  ...TEXTLESS,
};
const EXECUTION: Partial<CursorEvent> = {
  takes: ["permission", "user_message", "agent_message"],
  older: ["continue", "userMessage", "agentMessage"],
  // Its user is really asked.
  decisions: ["allow", "ask"],
  installed: false,
};
const FILE_READ: Partial<CursorEvent> = {
  takes: ["permission", "user_message"],
  decisions: ["allow"],
  tools: ["read"],
  readParts: (event) => fileCall("read", event),
  writeParts: plainCall,
};
const use: EventFields = { tool_use_id: text("tool_use_id", "") };
const took: EventFields = { duration: { key: "elapsed_ms", read: elapsed } };
const type: EventFields = { subagent_type: text("agent_type", "") };
const model: EventFields = { model: { ...text("model_name"), only: "read" } };
const withSession = (call: HandlerCall): JsonObject => ({ session_id: sessionOf(call) });
/** An operation that is over, which a row above covers. No guard needs all of its call. */
const past = (read: (event: JsonObject) => JsonObject = () => ({})): CursorEvent =>
  row("host.pre_event", { limits: TOO_LATE, readParts: (event) => readable(read, event) });

/**
 * Source: protocols.md §4. `preToolUse` covers shell commands, MCP calls and file reads. Events after an operation
 * that
 * `postToolUse` covers have no point of their own: the hooks would see the same call twice. A call is also in the keys
 * of `beforeShellExecution` and `beforeReadFile`: a command written for one of them works at `preToolUse` as well.
 */
export const CURSOR_EVENTS = {
  preToolUse: row("tool.pre_execute", {
    limits: { ...BEFORE, inject: WITH_A_DENIAL },
    takes: ["permission", "user_message", "agent_message", "updated_input"],
    older: ["decision", "reason"],
    decisions: ["allow"],
    writeParts: plainCall,
    fields: use,
  }),
  beforeShellExecution: row("tool.pre_execute", {
    limits: EXECUTED,
    ...EXECUTION,
    readParts: shellCall,
    writeParts: plainCall,
  }),
  beforeMCPExecution: row("tool.pre_execute", {
    limits: EXECUTED,
    ...EXECUTION,
    readParts: mcpCall,
    writeParts: (call) => ({
      tool_name: mcpToolName(stringAt(call, "tool_name") ?? ""),
      tool_input: JSON.stringify(argsOf(call)),
    }),
  }),
  beforeReadFile: row("tool.pre_execute", { limits: UNCHANGED, ...FILE_READ, installed: false }),
  beforeTabFileRead: row("tool.pre_execute", { limits: UNCHANGED, ...FILE_READ }),
  beforeSubmitPrompt: row("prompt.pre_submit", {
    limits: UNCHANGED,
    takes: ["continue", "user_message"],
    fields: {
      attachments: { otherwise: [] },
      prompt: { key: "prompt", otherwise: "", required: true },
    },
  }),
  postToolUse: row("tool.post_execute", {
    limits: { deny: MCP_ONLY, retry: RETRY_IGNORED, replace: MCP_ONLY },
    takes: ["updated_mcp_tool_output", "additional_context"],
    writeParts: (call) => ({ tool_output: JSON.stringify(jsonAt(call, "result") ?? null) }),
    fields: { ...use, ...took, tool_output: { key: "result", only: "read", read: parsed } },
  }),
  postToolUseFailure: row("tool.on_failure", {
    limits: TEXTLESS,
    // It reports something past: an incomplete event is better than none.
    readParts: (event) => ({ tool_name: "unknown", args: {}, ...readable(readTool, event) }),
    writeParts: (call, sent) => writeTool({ tool: toolOf(call), args: argsOf(call) }, sent),
    fields: {
      ...use,
      ...took,
      failure_type: { otherwise: "error" },
      is_interrupt: { otherwise: false },
      error_message: {
        ...text("error", ""),
        read: (_message, event) => textAt(event, "error_message") ?? textAt(event, "error"),
      },
    },
  }),
  sessionStart: row("session.on_start", {
    takes: ["additional_context"],
    writeParts: withSession,
    fields: { ...model, is_background_agent: { otherwise: false } },
  }),
  sessionEnd: row("session.on_end", {
    limits: TEXTLESS,
    writeParts: withSession,
    fields: { ...model, reason: text("reason"), duration_ms: { key: "elapsed_ms", read: elapsed } },
  }),
  subagentStart: row("child.pre_spawn", {
    limits: {
      ...UNCHANGED,
      ask: { effect: "denied", what: "it does not ask its user about a subagent, so it is denied" },
    },
    takes: ["permission", "user_message"],
    older: ["decision", "reason"],
    decisions: ["allow"],
    readParts: readSubagent,
    writeParts(call) {
      const config = jsonAt(call, "child_config");
      const { type: kind, prompt } = isJsonObject(config) ? config : {};
      return { subagent_type: kind ?? "", prompt: prompt ?? "" };
    },
    fields: { subagent_type: { ...text("agent_type"), only: "read" } },
  }),
  subagentStop: row("child.post_run", {
    limits: {
      deny: IGNORED,
      retry: RETRY_IGNORED,
      replace: IGNORED,
      inject: {
        effect: "sometimes",
        what: "only a text with the strategy user_message has an effect: it makes the subagent continue",
      },
    },
    takes: ["followup_message"],
    readParts: (event) => stated({ parent_id: parentOf(event) }),
    fields: {
      ...type,
      ...took,
      subagent_id: { ...text("child_id"), only: "read" },
      status: { otherwise: "completed" },
      result: { key: "child_result" },
    },
  }),
  stop: row("agent.pre_stop", {
    limits: {
      ask: IGNORED,
      defer: IGNORED,
      rewrite: IGNORED,
      skip: SKIP_DENIES,
      retry: RETRY_DENIES,
      inject: NO_TEXT,
    },
    passes: true,
    takes: ["followup_message"],
    writeParts: (call, sent) => ({
      loop_count: getOwn(sent, "loop_count") ?? (jsonAt(call, "stop_hook_active") === true ? 1 : 0),
    }),
    fields: {
      status: text("kind", "completed"),
      loop_count: {
        key: "stop_hook_active",
        only: "read",
        read: (loops) => (typeof loops === "number" ? loops > 0 : undefined),
      },
    },
  }),
  preCompact: row("context.pre_compact", {
    limits: { ...TOO_LATE, rewrite: IGNORED },
    takes: ["user_message"],
    fields: { trigger: text("trigger", "auto") },
  }),
  afterShellExecution: past(shellCall),
  afterMCPExecution: past(mcpCall),
  afterFileEdit: past((event) => fileCall("edit", event)),
  afterTabFileEdit: past((event) => fileCall("edit", event)),
  afterAgentResponse: past(),
  afterAgentThought: past(),
} as const satisfies Record<string, CursorEvent>;

export type CursorEventName = keyof typeof CURSOR_EVENTS;

/** Older names of event fields, with their current names. */
const OLDER_FIELDS: Readonly<Record<string, string>> = {
  ...snakeCased(
    "hookEventName conversationId sessionId workspaceRoots toolName toolInput toolOutput toolUseId",
    "mcpServerName filePath errorMessage loopCount durationMs subagentId subagentType",
  ),
  // The task of a subagent; newer versions use `task`.
  task: "prompt",
};

/** Older names of response keys, with their current names. */
const OLDER_ANSWERS: Readonly<Record<string, string>> = {
  decision: "permission",
  ...snakeCased("userMessage agentMessage additionalContext"),
};

type Fields<T> = Readonly<Record<string, T>>;

/** An event with the current names added. A current name that is present is kept. */
export function currentEvent<T>(event: Fields<T>): Record<string, T> {
  return withCurrent(event, OLDER_FIELDS);
}

/** The same for a response. */
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

export const CURSOR: AgentFormat<CursorEvent> = {
  name: HOST,
  label: "Cursor",
  events: CURSOR_EVENTS,
  unknown: row("host.pre_event", { refusable: true }),
  common: {
    // Some events have the conversation, some the session: it is the same id.
    conversation_id: {
      ...text("session_id"),
      only: "read",
      read: (_id, event) => textAt(event, "conversation_id") ?? textAt(event, "session_id"),
    },
    cwd: { ...text("cwd"), only: "read", read: (_cwd, event) => cwdOf(event) },
  },
  session: "conversation_id",
  current: currentEvent,
  childOf: (event, name) => (name === "subagentStop" ? textAt(event, "subagent_id") : undefined),
  usual(call) {
    const root = call.projectDir ?? call.cwd;
    return {
      generation_id: "",
      model: jsonAt(call, "model_name") ?? "",
      cursor_version: "",
      workspace_roots: root === undefined ? [] : [root],
      user_email: null,
      transcript_path: jsonAt(call, "transcript_path") ?? null,
    };
  },
  isOwn: (_call, sent, event) =>
    sent["hook_event_name"] === event && Object.hasOwn(CURSOR_EVENTS, event),
  readCall: readTool,
  writeCall: writeTool,
};

function readTool(event: JsonObject): ReadCall {
  const name = fromCursorName(requiredField(HOST, event, "tool_name", "string"));
  const input = sentToolInput(event);
  const [first, other] = contradiction(name, input) ?? [];
  if (other !== undefined) {
    const why = `an event of cursor: tool_input has both ${first} and ${other}, which is ambiguous`;
    throw new OrcsError("ORCS7001", why, { host: HOST, key: other });
  }
  return { tool_name: name, args: cursorKeys(name, input) };
}

function writeTool({ tool, args }: NamedCall, sent: JsonObject): JsonObject {
  return {
    // Several of Cursor's tools have the same name in ours.
    tool_name: getOwn(sent, "tool_name") ?? toCursorName(tool),
    tool_input: cursorKeys(tool, args, readable(sentToolInput, sent)),
  };
}

function shellCall(event: JsonObject): JsonObject {
  const command = requiredField(HOST, event, "command", "string");
  return { tool_name: "exec", args: { command, ...stated({ cwd: nonEmpty(event, "cwd") }) } };
}

function mcpCall(event: JsonObject): JsonObject {
  const name = requiredField(HOST, event, "tool_name", "string");
  const server = nonEmpty(event, "mcp_server_name") ?? nonEmpty(event, "server_name");
  return { tool_name: fromMcpName(name, server), args: sentToolInput(event) };
}

function fileCall(tool_name: string, event: JsonObject): JsonObject {
  return { tool_name, args: { path: requiredField(HOST, event, "file_path", "string") } };
}

/** A command or a file in the keys of the events for these. */
function plainCall(call: HandlerCall): JsonObject {
  const tool = toolOf(call);
  const { command, cwd, path } = argsOf(call);
  if (tool === "exec") return stated({ command, cwd });
  return tool === "read" ? stated({ file_path: path }) : {};
}

function readSubagent(event: JsonObject): JsonObject {
  const child_config = stated({
    id: textAt(event, "subagent_id"),
    type: textAt(event, "subagent_type"),
    prompt: textAt(event, "prompt"),
  });
  return { child_config, ...stated({ parent_id: parentOf(event) }) };
}

/** A result that is JSON as text, parsed; any other stays unchanged. */
function parsed(output: Json | undefined): Json | undefined {
  if (typeof output !== "string") return output;
  const read = readJson(output);
  return read.ok ? read.value : output;
}

function elapsed(_ms: Json | undefined, event: JsonObject): number | undefined {
  const ms = getOwn(event, "duration") ?? getOwn(event, "duration_ms");
  if (typeof ms !== "number" || ms < 0) return undefined;
  const whole = Math.round(ms);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function cwdOf(event: JsonObject): string | undefined {
  const roots = getOwn(event, "workspace_roots");
  const root = Array.isArray(roots) ? roots[0] : undefined;
  return nonEmpty(event, "cwd") ?? (typeof root === "string" && root !== "" ? root : undefined);
}

function parentOf(event: JsonObject): string | undefined {
  return textAt(event, "parent_conversation_id") ?? textAt(event, "conversation_id");
}

function nonEmpty(event: JsonObject, key: string): string | undefined {
  return textAt(event, key) || undefined;
}

function toolOf(call: HandlerCall): string {
  return stringAt(call, "tool_name") ?? "";
}

const EVENTS = Object.keys(CURSOR_EVENTS) as CursorEventName[];
/** What sets the keys that an event takes. */
const SET_BY: Partial<Record<OutputKey, string>> = {
  permission: "a denial or a decision",
  continue: "a denial",
  user_message: "the reason of a denial, or a notice",
  agent_message: "the reason of a denial, or `inject`",
  updated_input: "changed arguments",
  updated_mcp_tool_output: "`replace`",
  additional_context: "`inject`",
  followup_message: "a denial of the stop, or `inject` with `user_message`",
};

/**
 * Source: cursor.com/docs/hooks of September 2026, and a published reading of the program of 2026.09.18. Nothing of it
 * was tried with the real program.
 */
export const CURSOR_FIELDS: HostFields<CursorEventName> = {
  settable: [
    ...settable(TOP, ["sessionStart"], {
      env: ["object", "variables of later hooks of the session"],
    }),
    ...settable(TOP, ["beforeSubmitPrompt"], {
      additional_context: [
        "string",
        "text for the model, up to 10,000 characters; not in Cursor's documentation, but in the program of 2026.09.18",
      ],
    }),
  ],
  own: Object.entries(SET_BY).flatMap(([key, by]) =>
    own(
      TOP,
      EVENTS.filter((event) => CURSOR_EVENTS[event].takes.some((taken) => taken === key)),
      { [key]: by },
    ),
  ),
  unsent: unsent(TOP, ["sessionStart"], {
    continue: "Cursor starts the session all the same",
    user_message: "Cursor shows it only with `continue`",
  }),
};
