import { AGENT_TOOLS, getOwn, POINT_ALIASES, textAt } from "../../core/index.ts";
import type { AgentTools, PointName } from "../../core/index.ts";
import { eventOf, type AgentEvent, type AgentFormat, type EventFields } from "../agent-format.ts";
import { agentTool, ourTool, swapKeys } from "../agent-tools.ts";
import type { EventLimits, Limit } from "../host-limits.ts";
import {
  BEFORE as COMMON_BEFORE,
  CANNOT_ASK_THERE,
  DENIAL_IS_SHOWN,
  NO_RESULT,
  NO_REWRITE,
  PROMPT_IS_ADDED,
  reported,
  RETRY_DENIES,
  RETRY_IGNORED,
  REWRITE_NEEDS_ALLOW,
  SKIP_DENIES,
  TEXT_IS_SHOWN,
} from "../host-limits.ts";
import type { FieldCondition, HostFields } from "../host-fields.ts";
import {
  FROM,
  IS_STOPPED,
  own,
  settable,
  SPECIFIC,
  TOP,
  unsent,
  valueAt,
  valueIs,
  valueIsNot,
} from "../host-fields.ts";
import { requiredField } from "../host-protocol.ts";

const use: EventFields = { tool_use_id: { key: "tool_use_id", otherwise: "" } };
const took: EventFields = { duration_ms: { key: "elapsed_ms" } };
const stopping: EventFields = {
  stop_hook_active: { key: "stop_hook_active", otherwise: false },
};
const agent: EventFields = { agent_id: { key: "child_id", required: true } };
const trigger: EventFields = { trigger: { key: "trigger", otherwise: "auto" } };

/** What the events that have a point carry, besides the fields of every event. */
export const CLAUDE_EVENT_FIELDS = {
  PreToolUse: use,
  PostToolUse: { ...use, ...took, tool_response: { key: "result", otherwise: null } },
  PostToolUseFailure: {
    ...use,
    ...took,
    error: { key: "error", otherwise: "" },
    is_interrupt: { otherwise: false },
  },
  PermissionRequest: { permission_suggestions: {} },
  UserPromptSubmit: { prompt: { key: "prompt", otherwise: "", required: true } },
  SessionStart: { source: { key: "source", otherwise: "startup" }, model: { key: "model_name" } },
  SessionEnd: { reason: { key: "reason", otherwise: "other" } },
  Stop: { ...stopping, last_assistant_message: { key: "message" } },
  SubagentStart: agent,
  SubagentStop: { ...agent, ...stopping, last_assistant_message: { key: "child_result" } },
  PreCompact: { ...trigger, custom_instructions: { key: "custom_instructions", otherwise: "" } },
  PostCompact: trigger,
  Notification: {
    message: { key: "message", otherwise: "" },
    notification_type: { key: "kind" },
  },
} as const satisfies Readonly<Record<string, EventFields>>;

/** The fields of every event. */
const CLAUDE_COMMON: EventFields = {
  session_id: { key: "session_id", required: true, only: "read" },
  // The base of a guard's relative paths.
  cwd: { key: "cwd", required: true, only: "read" },
  transcript_path: { key: "transcript_path", otherwise: "" },
  permission_mode: { key: "permission_mode", otherwise: "default" },
  agent_id: { key: "agent_id" },
  agent_type: { key: "agent_type" },
};

/** Events at which the plain output of handlers is context for the model. */
export const TEXT_EVENTS: readonly string[] = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
];

/** Events at which a block makes the agent continue, and `continue: false` stops it. */
export const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];

/**
 * How an event is denied: `permission` by a permission decision, `request` by a decision on the request, `block` by the
 * decision that most events share, `decline` on behalf of the user, `exit` by exit code 2.
 */
type Refusal = "permission" | "request" | "block" | "decline" | "exit";

/** What Claude Code lets hooks do at an event. */
export interface ClaudeHostEvent extends AgentEvent {
  /** Missing if it cannot be denied. */
  readonly refusal?: Refusal;
}

const CANNOT_DEFER: Limit = {
  effect: "denied",
  what: "it can defer a decision only before a tool, so the operation is denied",
};
const QUESTION_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it asks nobody there: its user is shown the reason, and it continues",
};
const REASON_FOR_RESULT: Limit = {
  effect: "otherwise",
  what: "its model reads the reason in place of the result, and its user is shown the reason, too",
};
export const NO_TEXT: EventLimits = { inject: TEXT_IS_SHOWN };
/** Before an operation that can be denied. */
const BEFORE: EventLimits = { ...COMMON_BEFORE, defer: CANNOT_DEFER };
const REQUEST: EventLimits = { defer: CANNOT_DEFER, skip: SKIP_DENIES, retry: RETRY_DENIES };
const QUESTIONS: EventLimits = { ask: QUESTION_IS_SHOWN, defer: QUESTION_IS_SHOWN };
/** Before a stop, or after an operation, where a denial makes the agent continue. */
const AT_END: EventLimits = { ...QUESTIONS, skip: SKIP_DENIES, retry: RETRY_DENIES };
/** Something that Claude Code only reports. */
const REPORTED: EventLimits = reported(DENIAL_IS_SHOWN, QUESTION_IS_SHOWN);
const SILENT: EventLimits = { ...REPORTED, ...NO_TEXT };
const { retry: _again, ...RETRIED } = SILENT;
const { skip: _handed, ...DISPLAYED } = SILENT;
/** A hook's result is taken in place of the operation's. */
const HANDED: EventLimits = {
  ask: CANNOT_ASK_THERE,
  defer: CANNOT_DEFER,
  retry: RETRY_DENIES,
  ...NO_TEXT,
};

/** All events of Claude Code. Source: protocols.md §1 and the types of its SDK. */
const ROWS = {
  PreToolUse: {
    refusal: "permission",
    decisions: ["allow", "ask", "defer"],
    limits: { skip: SKIP_DENIES, retry: RETRY_DENIES },
  },
  PostToolUse: { limits: { deny: REASON_FOR_RESULT, retry: RETRY_IGNORED } },
  PostToolUseFailure: {},
  PostToolBatch: { refusal: "block", passes: true, limits: AT_END },
  Notification: {},
  UserPromptSubmit: {
    refusal: "block",
    timeoutMs: 30_000,
    limits: { ...BEFORE, rewrite: PROMPT_IS_ADDED },
  },
  UserPromptExpansion: { refusal: "block", limits: BEFORE },
  SessionStart: {},
  SessionEnd: { timeoutMs: 1_500, longestMs: 1_500, limits: NO_TEXT },
  Stop: { refusal: "block", passes: true, limits: { ...AT_END, rewrite: NO_REWRITE } },
  StopFailure: { limits: SILENT },
  SubagentStart: { limits: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED } },
  SubagentStop: { refusal: "block", passes: true, limits: { replace: NO_RESULT } },
  PreCompact: { refusal: "block", limits: { ...BEFORE, rewrite: NO_REWRITE, ...NO_TEXT } },
  PostCompact: {
    limits: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED, replace: NO_RESULT, ...NO_TEXT },
  },
  PreModelSwitch: {
    refusal: "permission",
    decisions: ["allow", "ask"],
    limits: { ...REQUEST, ...NO_TEXT },
  },
  PostModelSwitch: { limits: REPORTED },
  PermissionRequest: {
    refusal: "request",
    decisions: ["allow"],
    limits: { ...REQUEST, rewrite: REWRITE_NEEDS_ALLOW, ...NO_TEXT },
  },
  PermissionDenied: { limits: RETRIED },
  Setup: { limits: REPORTED },
  TeammateIdle: { refusal: "exit", passes: true, limits: { ...AT_END, ...NO_TEXT } },
  TaskCreated: { refusal: "exit", limits: { ...BEFORE, ...NO_TEXT } },
  TaskCompleted: { refusal: "exit", passes: true, limits: { ...AT_END, ...NO_TEXT } },
  Elicitation: { refusal: "decline", limits: HANDED },
  ElicitationResult: { refusal: "decline", limits: HANDED },
  ConfigChange: { refusal: "block", limits: { ...BEFORE, ...NO_TEXT } },
  // With an entry for it, Claude Code creates no worktree itself.
  WorktreeCreate: { refusal: "exit", installed: false, limits: HANDED },
  WorktreeRemove: { limits: SILENT },
  InstructionsLoaded: { limits: SILENT },
  CwdChanged: { limits: SILENT },
  // Its matcher determines the watched files.
  FileChanged: { installed: false, limits: SILENT },
  DirectoryAdded: { limits: SILENT },
  // Sent for every piece of text that is shown.
  MessageDisplay: { installed: false, limits: DISPLAYED },
} as const satisfies Record<string, Partial<ClaudeHostEvent>>;

export type ClaudeHostEventName = keyof typeof ROWS;

/** The same with the common properties of all agents' events. */
export const CLAUDE_HOST_EVENTS: Readonly<Record<string, ClaudeHostEvent>> = Object.fromEntries(
  Object.entries<Partial<ClaudeHostEvent>>(ROWS).map(([name, row]) => [name, hostEvent(name, row)]),
);

/** An event of a newer version is denied in the most common way. */
const UNKNOWN = hostEvent("", { refusal: "exit" });

/** The properties of an event. */
export function claudeHostEvent(name: string): ClaudeHostEvent {
  return eventOf({ events: CLAUDE_HOST_EVENTS, unknown: UNKNOWN }, name);
}

function hostEvent(name: string, row: Partial<ClaudeHostEvent>): ClaudeHostEvent {
  const aliases: Readonly<Record<string, PointName>> = POINT_ALIASES;
  return {
    timeoutMs: 600_000,
    // It shows a `systemMessage` to its user at every event.
    notice: "systemMessage",
    ...row,
    point: aliases[name] ?? "host.pre_event",
    refusable: row.refusal !== undefined,
    fields: claudeFields(name),
  };
}

/** What an event carries. */
export function claudeFields(name: string): EventFields {
  return getOwn<EventFields>(CLAUDE_EVENT_FIELDS, name) ?? {};
}

/** The format of Claude Code, or of an agent that has the same with tools of its own. */
export function claudeFormat<Row extends AgentEvent>(
  given: Pick<AgentFormat<Row>, "name" | "label" | "events" | "unknown" | "pointOf"> & {
    readonly tools: AgentTools;
  },
): AgentFormat<Row> & { readonly tools: AgentTools } {
  const { name: host, tools } = given;
  return {
    ...given,
    common: CLAUDE_COMMON,
    callsAnywhere: true,
    borrows: true,
    readCall(event) {
      const name = requiredField(host, event, "tool_name", "string");
      const input = requiredField(host, event, "tool_input", "object");
      const tool_name = ourTool(tools, name);
      return { tool_name, args: swapKeys(tools, tool_name, input, name) };
    },
    writeCall({ tool, args }, sent) {
      const name = textAt(sent, "tool_name");
      return {
        tool_name: agentTool(tools, tool, name),
        tool_input: swapKeys(tools, tool, args, name),
      };
    },
  };
}

export const CLAUDE = claudeFormat({
  name: "claude-code",
  label: "Claude Code",
  events: CLAUDE_HOST_EVENTS,
  unknown: UNKNOWN,
  tools: AGENT_TOOLS["claude-code"],
});

const ALL = Object.keys(CLAUDE_HOST_EVENTS) as ClaudeHostEventName[];
/** Where a denial makes the agent continue, so that `continue: false` would be the opposite of one. */
const ENDS = ALL.filter((event) => CLAUDE_HOST_EVENTS[event]?.passes);
/** Where a text for the model is a key of its own. */
const WITH_CONTEXT: readonly ClaudeHostEventName[] = ALL.filter(
  (event) => event !== "SubagentStop" && CLAUDE_HOST_EVENTS[event]?.limits?.inject === undefined,
);
const REQUEST_DECISION = [...SPECIFIC, "decision"];
const ELICITED = ["Elicitation", "ElicitationResult"] as const;

const PROMPT_IS_DENIED = valueIs("hooks deny the prompt", ["decision"], "block");
const REQUEST_IS_ALLOWED: FieldCondition = {
  text: "a hook returns `allow`",
  holds: (output, outcome) =>
    outcome.action === "continue" &&
    outcome.decision === "allow" &&
    valueAt(output, [...REQUEST_DECISION, "behavior"]) === "allow",
};
const BEHAVIOR = [...REQUEST_DECISION, "behavior"];
const REQUEST_IS_DENIED = valueIs("hooks deny the request", BEHAVIOR, "deny");
const NOT_MADE_TO_CONTINUE = valueIsNot("no hook makes the agent continue", ["decision"], "block");
// 2.1.197 runs the tool and then stops; after a denial it continues.
const PERMISSION = [...SPECIFIC, "permissionDecision"];
const TOOL_RUNS = valueIsNot("no hook denies the call", PERMISSION, "deny");

/**
 * Source: `SyncHookJSONOutput` in `sdk.d.ts` of the Claude Agent SDK, with which
 * `test/unit/formats/claude-code-fields.test.ts` compares it.
 */
export const CLAUDE_FIELDS: HostFields<ClaudeHostEventName> = {
  settable: [
    ...settable(TOP, ALL, {
      suppressOutput: ["boolean", "the output of the hook is not shown in the transcript"],
      terminalSequence: [
        "string",
        "an escape sequence for the terminal: a notification, a title or the bell",
      ],
    }),
    ...settable(TOP, ["PreToolUse"], {
      continue: [
        [false],
        "the agent stops after the call; together with a denial, it continues",
        { when: TOOL_RUNS },
      ],
    }),
    ...settable(
      TOP,
      ALL.filter((event) => event !== "PreToolUse" && !ENDS.includes(event)),
      { continue: [[false], "the agent stops"] },
    ),
    ...settable(TOP, ENDS, {
      continue: [
        [false],
        "the agent stops, whatever hooks of its own settings want",
        { when: NOT_MADE_TO_CONTINUE },
      ],
    }),
    ...settable(TOP, ALL, {
      stopReason: ["string", "why the agent stopped, for its user", { when: IS_STOPPED }],
    }),
    ...settable(SPECIFIC, ["UserPromptSubmit", "SessionStart"], {
      sessionTitle: ["string", "the title of the session"],
    }),
    ...settable(SPECIFIC, ["UserPromptSubmit", "UserPromptExpansion"], {
      suppressOriginalPrompt: [
        "boolean",
        "the message about the denial does not repeat the prompt",
        { when: PROMPT_IS_DENIED },
      ],
    }),
    ...settable(SPECIFIC, ["SessionStart"], {
      initialUserMessage: ["string", "the first message of the user"],
    }),
    ...settable(SPECIFIC, ["SessionStart", "CwdChanged", "FileChanged"], {
      watchPaths: [
        "strings",
        "absolute paths of files whose changes are sent as `FileChanged`; with a large folder, the agent hangs",
      ],
    }),
    ...settable(SPECIFIC, ["SessionStart"], {
      reloadSkills: [
        "boolean",
        "skills and commands that hooks installed are available in this session",
      ],
    }),
    ...settable(REQUEST_DECISION, ["PermissionRequest"], {
      updatedPermissions: [
        "objects",
        "changes of the permission rules, as in the event's `permission_suggestions`",
        { when: REQUEST_IS_ALLOWED },
      ],
      interrupt: [
        "boolean",
        "the agent stops instead of trying something else",
        { when: REQUEST_IS_DENIED },
      ],
    }),
    ...settable(SPECIFIC, ["PostToolUse"], {
      classifierContext: [
        "string",
        "a statement of the user about this call for the classifier of the mode `auto`; never text from tools or models",
      ],
    }),
    ...settable(SPECIFIC, ELICITED, {
      action: [
        ["cancel"],
        "the request for input is cancelled instead of declined",
        { replaces: ["decline"] },
      ],
    }),
  ],
  own: [
    ...own(TOP, ALL, {
      systemMessage: ["a text that only its user can be shown", shownTo],
      decision: [
        "a denial (`approve` is never sent)",
        (wish, event) => (blocks(wish, event) === undefined ? undefined : "block"),
      ],
      reason: ["the reason of a denial", blocks],
    }),
    ...own(SPECIFIC, ["PreToolUse", "PreModelSwitch"], {
      permissionDecision: ["a denial or a decision", FROM.decision],
      permissionDecisionReason: ["the reason of a denial or of a decision", FROM.reason],
    }),
    ...own(SPECIFIC, ["PreToolUse"], {
      updatedInput: ["changed arguments", FROM.input],
    }),
    ...own(REQUEST_DECISION, ["PermissionRequest"], {
      behavior: [
        "a denial or `allow`",
        ({ refusal, decision }) => (refusal === undefined ? allowed(decision) : "deny"),
      ],
      updatedInput: [
        "changed arguments",
        ({ refusal, decision, input }) =>
          refusal === undefined ? allowed(decision) && input : undefined,
      ],
      message: ["the reason of a denial", FROM.denial],
    }),
    ...own(SPECIFIC, WITH_CONTEXT, { additionalContext: ["`inject`", FROM.context] }),
    ...own(SPECIFIC, ["PostToolUse"], { updatedToolOutput: ["`replace`", ({ result }) => result] }),
    ...own(SPECIFIC, ["PermissionDenied"], { retry: ["`retry`", ({ handed }) => handed] }),
    ...own(SPECIFIC, ELICITED, {
      action: [
        "a denial, or `skip` with an object",
        ({ refusal, handed }) => (refusal === undefined ? handed && "accept" : "decline"),
      ],
      content: [
        "`skip` with an object",
        ({ refusal, handed }) => (refusal === undefined ? handed : undefined),
      ],
    }),
    ...own(SPECIFIC, ["WorktreeCreate"], {
      worktreePath: ["`skip` with a path", ({ handed }) => handed],
    }),
    ...own(SPECIFIC, ["MessageDisplay"], {
      displayContent: ["`skip` with a text", ({ handed }) => handed],
    }),
  ],
  unsent: [
    ...unsent(SPECIFIC, ["SubagentStop"], {
      additionalContext:
        'text of `inject` is sent as the reason of `decision: "block"`, which older versions read, too',
    }),
    ...unsent(SPECIFIC, ["PostToolUse"], {
      updatedMCPToolOutput: "`replace` is sent as `updatedToolOutput`, which is for all tools",
    }),
  ],
};

function allowed(decision: string | undefined): "allow" | undefined {
  return decision === "allow" ? decision : undefined;
}

/** The reason of a denial by the decision that events share; an exit code denies whatever is on stdout. */
function blocks(
  { refusal }: { readonly refusal?: string | undefined },
  event: string,
): string | undefined {
  const way = claudeHostEvent(event).refusal;
  return way === "block" || way === "exit" ? refusal : undefined;
}

/** A request for input is declined silently, so the user gets a note. */
function shownTo(
  { notes, refusal }: { readonly notes: readonly string[]; readonly refusal?: string | undefined },
  event: string,
): string | undefined {
  const isDeclined = claudeHostEvent(event).refusal === "decline" && refusal !== undefined;
  return [...notes, ...(isDeclined ? [refusal] : [])].join("\n") || undefined;
}
