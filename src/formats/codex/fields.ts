import type { FieldCondition, HostFields } from "../host-fields.ts";
import { SPECIFIC, TOP } from "../host-fields.ts";
import type { CodexEventName } from "./events.ts";

const REQUEST = [...SPECIFIC, "decision"];
/** Events that have the fields which all of Codex's schemas share. */
const COMMON = [
  "SessionStart",
  "SubagentStart",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "UserPromptSubmit",
  "SubagentStop",
  "Stop",
  "StopFailure",
] as const satisfies CodexEventName[];
const STOPPABLE = [
  "SessionStart",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "UserPromptSubmit",
  "SubagentStop",
  "Stop",
] as const satisfies CodexEventName[];
const NOT_STOPPABLE = ["SubagentStart", "PreToolUse", "PermissionRequest", "StopFailure"] as const;

const NOT_BLOCKED: FieldCondition = {
  text: "no hook denies or replaces anything",
  holds: (output) => output["decision"] !== "block",
};
const IS_STOPPED: FieldCondition = {
  text: "`continue` is false",
  holds: (output) => output["continue"] === false,
};

/**
 * Source: `codex-rs/hooks/schema/generated/*.output.schema.json` of Codex, with which
 * `test/unit/formats/codex-reads.ts` has the same fields. `StopFailure` is in its source, and not yet in 0.169.
 */
export const CODEX_FIELDS: HostFields<CodexEventName> = {
  settable: [
    {
      field: "continue",
      at: STOPPABLE,
      kind: [false],
      place: TOP,
      when: NOT_BLOCKED,
      doc: "the agent stops; before a compaction, it does not happen",
    },
    {
      field: "stopReason",
      at: STOPPABLE,
      kind: "string",
      place: TOP,
      when: IS_STOPPED,
      doc: "why the agent stopped",
    },
    {
      field: "recovery",
      at: ["StopFailure"],
      kind: "object",
      place: SPECIFIC,
      doc: 'the turn is tried again: `{ action = "retry" }`, optionally with a `model` and a `reason`; not tried with the real program',
    },
  ],
  own: [
    {
      field: "systemMessage",
      at: [...COMMON, "Interrupt"],
      place: TOP,
      by: "a text that only its user can be shown",
    },
    {
      field: "decision",
      at: ["PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"],
      place: TOP,
      by: "a denial, or a replaced result",
    },
    {
      field: "reason",
      at: ["PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"],
      place: TOP,
      by: "the reason of a denial, or a replaced result",
    },
    {
      field: "additionalContext",
      at: ["SessionStart", "SubagentStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
      place: SPECIFIC,
      by: "`inject`",
    },
    {
      field: "permissionDecision",
      at: ["PreToolUse"],
      place: SPECIFIC,
      by: "a denial, or a rewrite with `allow`",
    },
    {
      field: "permissionDecisionReason",
      at: ["PreToolUse"],
      place: SPECIFIC,
      by: "the reason of a denial",
    },
    {
      field: "updatedInput",
      at: ["PreToolUse"],
      place: SPECIFIC,
      by: "changed arguments with `allow`",
    },
    { field: "behavior", at: ["PermissionRequest"], place: REQUEST, by: "a denial or `allow`" },
    { field: "message", at: ["PermissionRequest"], place: REQUEST, by: "the reason of a denial" },
  ],
  unsent: [
    {
      field: "suppressOutput",
      at: COMMON,
      place: TOP,
      why: "Codex does nothing with it, and rejects it around tools",
    },
    {
      field: "continue",
      at: NOT_STOPPABLE,
      place: TOP,
      why: "Codex ignores it there, or rejects the response",
    },
    {
      field: "stopReason",
      at: NOT_STOPPABLE,
      place: TOP,
      why: "Codex ignores it there, or rejects the response",
    },
    {
      field: "decision",
      at: ["PreToolUse"],
      place: TOP,
      why: "it is the older form of `permissionDecision`",
    },
    {
      field: "reason",
      at: ["PreToolUse"],
      place: TOP,
      why: "it is the older form of `permissionDecisionReason`",
    },
    {
      field: "updatedMCPToolOutput",
      at: ["PostToolUse"],
      place: SPECIFIC,
      why: "Codex reserves it, and rejects the response",
    },
    ...(["updatedInput", "updatedPermissions", "interrupt"] as const).map((field) => ({
      field,
      at: ["PermissionRequest"] as const,
      place: REQUEST,
      why: "Codex reserves it, and denies the request",
    })),
  ],
};
