import { getOwn, POINT_TABLE } from "../../core/index.ts";
import type { AgentEvent, AgentFormat, EventFields } from "../agent-format.ts";
import { readTexts, rowsOf, text } from "../agent-format.ts";
import type { EventLimits } from "../host-limits.ts";
import {
  BEFORE_STOP,
  CANNOT_ASK_THERE,
  DENIAL_IS_SHOWN,
  NO_RESULT,
  NO_REWRITE,
  PROMPT_IS_ADDED,
  REPORTED,
  REQUEST_IS_UNCHANGED,
  RETRY_DENIES,
  RETRY_IGNORED,
  REWRITE_NEEDS_ALLOW,
  SKIP_DENIES,
  TEXT_IS_SHOWN,
} from "../host-limits.ts";
import type { HostFields } from "../host-fields.ts";
import {
  FROM,
  IS_STOPPED,
  own,
  settable,
  SPECIFIC,
  TOP,
  unsent,
  valueIsNot,
} from "../host-fields.ts";
import { requiredField } from "../host-protocol.ts";
import { fromCodexCall, toCodexCall } from "./tools.ts";

/**
 * How an event is denied in Codex: an object under `hookSpecificOutput` for a tool call or a permission, `decision:
 * "block"`, or `continue: false`.
 */
type Refusal = "deny" | "permission" | "block" | "halt";

/** What Codex lets hooks do at an event. Source: protocols.md §2 and Codex's own schemas of hook output. */
export interface CodexEvent extends AgentEvent {
  /** Undefined if it cannot be denied. */
  readonly refusal?: Refusal;
  /** Requires an object on stdout even without a decision. */
  readonly speaks?: true;
  /** Ignores all output of hooks. */
  readonly deaf?: true;
}

/** Codex waits one second for these, and three at most, whatever its settings state. */
const brief = { timeoutMs: 1_000, longestMs: 3_000 } as const;

const row = rowsOf<CodexEvent>(
  { refusable: false, timeoutMs: 600_000, notice: "systemMessage" },
  // What is over cannot be denied, but its result withheld.
  ({ refusal }, point) => ({
    refusable: refusal !== undefined && POINT_TABLE[point].phase === "pre",
  }),
);
const REQUEST: EventLimits = { defer: CANNOT_ASK_THERE, skip: SKIP_DENIES, retry: RETRY_DENIES };
/** It asks its user because of no hook. */
const BEFORE: EventLimits = { ask: CANNOT_ASK_THERE, ...REQUEST };

const model: EventFields = { model: { key: "model_name", otherwise: "", only: "write" } };
const turn: EventFields = { ...model, turn_id: { otherwise: "" } };
const mode: EventFields = { permission_mode: text("permission_mode", "default") };
const agent: EventFields = { agent_id: text("agent_id"), agent_type: text("agent_type") };
const usual: EventFields = { ...turn, ...mode, ...agent };
const call: EventFields = { ...usual, tool_use_id: text("tool_use_id", "") };
const compaction: EventFields = { ...turn, ...agent, trigger: text("trigger", "auto") };
const subagent: EventFields = {
  ...usual,
  agent_id: text("child_id", ""),
  agent_type: text("agent_type", "default"),
};
const active: EventFields = {
  stop_hook_active: { key: "stop_hook_active", kind: "boolean", otherwise: false },
};
const last = (key: string): EventFields => ({ last_assistant_message: text(key, null) });

export const CODEX_EVENTS = {
  SessionStart: row("session.on_start", {
    fields: { model: text("model_name", ""), ...mode, source: text("source", "startup") },
  }),
  SubagentStart: row("child.post_spawn", {
    limits: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED },
    fields: subagent,
  }),
  PreToolUse: row("tool.pre_execute", {
    limits: {
      ...BEFORE,
      allow: {
        effect: "ignored",
        what: "whether it asks its user does not depend on it; at auth.pre_check it does",
      },
      rewrite: REWRITE_NEEDS_ALLOW,
    },
    refusal: "deny",
    fields: call,
  }),
  PermissionRequest: row("auth.pre_check", {
    limits: { ...REQUEST, rewrite: REQUEST_IS_UNCHANGED, inject: TEXT_IS_SHOWN },
    refusal: "permission",
    decisions: ["allow"],
    fields: { ...usual, tool_use_id: { ...text("tool_use_id"), only: "read" } },
  }),
  PostToolUse: row("tool.post_execute", {
    limits: { retry: RETRY_IGNORED },
    refusal: "block",
    fields: { ...call, tool_response: { key: "result", otherwise: null } },
  }),
  PreCompact: row("context.pre_compact", {
    limits: { ...BEFORE, rewrite: NO_REWRITE, inject: TEXT_IS_SHOWN },
    refusal: "halt",
    fields: compaction,
  }),
  PostCompact: row("context.post_compact", {
    limits: {
      deny: DENIAL_IS_SHOWN,
      retry: RETRY_IGNORED,
      replace: NO_RESULT,
      inject: TEXT_IS_SHOWN,
    },
    fields: compaction,
  }),
  UserPromptSubmit: row("prompt.pre_submit", {
    limits: { ...BEFORE, rewrite: PROMPT_IS_ADDED },
    refusal: "block",
    fields: { ...usual, prompt: { key: "prompt", otherwise: "", required: true } },
  }),
  SubagentStop: row("child.post_run", {
    limits: { retry: RETRY_IGNORED, replace: NO_RESULT },
    refusal: "block",
    speaks: true,
    passes: true,
    fields: {
      ...subagent,
      ...active,
      agent_transcript_path: { otherwise: null },
      ...last("child_result"),
    },
  }),
  Stop: row("agent.pre_stop", {
    limits: BEFORE_STOP,
    refusal: "block",
    speaks: true,
    passes: true,
    fields: { ...turn, ...mode, ...active, ...last("message") },
  }),
  SessionEnd: row("session.on_end", {
    limits: { inject: { effect: "ignored", what: "it reads nothing from hooks there" } },
    ...brief,
    deaf: true,
    notice: "stderr",
    fields: { reason: text("reason", "other") },
  }),
  Interrupt: row("host.pre_event", { limits: REPORTED, ...brief, fields: { ...turn, ...mode } }),
  // In Codex's source, and in no program yet.
  StopFailure: row("host.pre_event", {
    limits: REPORTED,
    installed: false,
    fields: {
      ...turn,
      ...mode,
      error: { otherwise: "unknown" },
      error_details: { otherwise: null },
      last_assistant_message: { otherwise: null },
    },
  }),
} as const satisfies Record<string, CodexEvent>;

export type CodexEventName = keyof typeof CODEX_EVENTS;

export const CODEX: AgentFormat<CodexEvent> = {
  name: "codex",
  label: "Codex",
  events: CODEX_EVENTS,
  // What a newer Codex accepts at a new event is unknown.
  unknown: row("host.pre_event", { refusable: true, notice: "stderr", fields: usual }),
  common: {
    ...readTexts("session_id", "cwd"),
    transcript_path: text("transcript_path", null),
    ...readTexts("permission_mode", "agent_id", "agent_type"),
  },
  borrows: true,
  isOwn: ({ ctx }, sent, event) =>
    ctx.component_id === "agent::codex" && sent["hook_event_name"] === event,
  readCall(event) {
    const tool = requiredField("codex", event, "tool_name", "string");
    // A tool without arguments may come with none.
    const isNone = getOwn(event, "tool_input") === null;
    const input = isNone ? {} : requiredField("codex", event, "tool_input", "object");
    // A patch that cannot be read must not bypass the guards of its files.
    const key = "tool_input.command";
    const patched = { ...event, [key]: getOwn(input, "command") ?? null };
    if (tool === "apply_patch") requiredField("codex", patched, key, "string");
    const { name, args } = fromCodexCall(tool, input);
    return { tool_name: name, args };
  },
  writeCall({ tool, args }) {
    const { name, args: input } = toCodexCall(tool, args);
    return { tool_name: name, tool_input: input };
  },
};

const REQUEST_DECISION = [...SPECIFIC, "decision"];
/** Events that have the fields which all of Codex's schemas share. */
const COMMON = (Object.keys(CODEX_EVENTS) as CodexEventName[]).filter(
  (event) => event !== "SessionEnd" && event !== "Interrupt",
);
const NOT_STOPPABLE: readonly CodexEventName[] = [
  "SubagentStart",
  "PreToolUse",
  "PermissionRequest",
  "StopFailure",
];
const STOPPABLE = COMMON.filter((event) => !NOT_STOPPABLE.includes(event));

const NOT_BLOCKED = valueIsNot("no hook denies or replaces anything", ["decision"], "block");

/**
 * Source: `codex-rs/hooks/schema/generated/*.output.schema.json` of Codex, with which
 * `test/unit/formats/codex-reads.ts` has the same fields. `StopFailure` is in its source, and not yet in 0.169.
 */
export const CODEX_FIELDS: HostFields<CodexEventName> = {
  settable: [
    ...settable(TOP, STOPPABLE, {
      continue: [
        [false],
        "the agent stops; before a compaction, it does not happen",
        { when: NOT_BLOCKED },
      ],
      stopReason: ["string", "why the agent stopped", { when: IS_STOPPED }],
    }),
    ...settable(SPECIFIC, ["StopFailure"], {
      recovery: [
        "object",
        'the turn is tried again: `{ action = "retry" }`, optionally with a `model` and a `reason`; not tried with the real program',
      ],
    }),
  ],
  own: [
    ...own(TOP, [...COMMON, "Interrupt"], {
      systemMessage: ["a text that only its user can be shown", FROM.notes],
    }),
    ...own(TOP, ["PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"], {
      decision: [
        "a denial, or a replaced result",
        ({ refusal, result }) => ((refusal ?? result) === undefined ? undefined : "block"),
      ],
      reason: [
        "the reason of a denial, or a replaced result",
        ({ refusal, result }) => refusal ?? result,
      ],
    }),
    ...own(
      SPECIFIC,
      ["SessionStart", "SubagentStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
      { additionalContext: ["`inject`", FROM.context] },
    ),
    ...own(SPECIFIC, ["PreToolUse"], {
      permissionDecision: [
        "a denial, or a rewrite with `allow`",
        ({ refusal, input }) => (refusal === undefined ? input && "allow" : "deny"),
      ],
      permissionDecisionReason: ["the reason of a denial", FROM.denial],
      updatedInput: ["changed arguments with `allow`", FROM.input],
    }),
    ...own(REQUEST_DECISION, ["PermissionRequest"], {
      behavior: ["a denial or `allow`", FROM.decision],
      message: ["the reason of a denial", FROM.denial],
    }),
  ],
  unsent: [
    ...unsent(TOP, COMMON, {
      suppressOutput: "Codex does nothing with it, and rejects it around tools",
    }),
    ...unsent(TOP, NOT_STOPPABLE, {
      "continue stopReason": "Codex ignores it there, or rejects the response",
    }),
    ...unsent(TOP, ["PreToolUse"], {
      decision: "it is the older form of `permissionDecision`",
      reason: "it is the older form of `permissionDecisionReason`",
    }),
    ...unsent(SPECIFIC, ["PostToolUse"], {
      updatedMCPToolOutput: "Codex reserves it, and rejects the response",
    }),
    ...unsent(REQUEST_DECISION, ["PermissionRequest"], {
      "updatedInput updatedPermissions interrupt": "Codex reserves it, and denies the request",
    }),
  ],
};
