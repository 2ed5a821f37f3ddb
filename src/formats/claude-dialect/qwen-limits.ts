import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import {
  CANNOT_ASK_THERE,
  DEFER_DENIES,
  NO_RESULT,
  NO_REWRITE,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import type { QwenEventName } from "./qwen.ts";

const ASKS_NOBODY: Limit = { effect: "ignored", what: "it asks nobody there, and continues" };
const NO_DENIAL: Limit = {
  effect: "ignored",
  what: "it ignores a denial there",
};
const NO_TEXT: EventLimits = {
  inject: {
    effect: "ignored",
    what: "it passes no text to its model there",
  },
};
const IN_DENIAL: EventLimits = {
  inject: { effect: "ignored", what: "its model reads the text only with a denial" },
};
const AS_STOP_REASON: Limit = {
  effect: "otherwise",
  what: "its model reads the text as the reason to stop, in place of the result",
};

/** Before an operation that can be denied. */
const BEFORE: EventLimits = {
  ask: CANNOT_ASK_THERE,
  defer: DEFER_DENIES,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};
/** Before a stop, or after an operation, where a denial makes the agent continue. */
const AT_END: EventLimits = {
  ask: ASKS_NOBODY,
  defer: ASKS_NOBODY,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};
/** Something that it only reports. */
const REPORTED: EventLimits = {
  deny: NO_DENIAL,
  ask: ASKS_NOBODY,
  defer: ASKS_NOBODY,
  skip: NO_DENIAL,
  retry: NO_DENIAL,
  ...NO_TEXT,
};

export const QWEN_LIMITS: HostLimits<QwenEventName> = {
  PreToolUse: {
    defer: DEFER_DENIES,
    allow: {
      effect: "ignored",
      what: "it follows the last decision of all hooks, where an approval would win over a denial of another hook, so no approval is sent, and its own rules decide",
    },
    rewrite: {
      effect: "denied",
      what: "it accepts no changed input, so the call is denied, and the reason contains the changed arguments for another call",
    },
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    ...IN_DENIAL,
  },
  PostToolUse: { deny: AS_STOP_REASON, retry: RETRY_IGNORED, replace: AS_STOP_REASON },
  PostToolUseFailure: {},
  PostToolBatch: AT_END,
  UserPromptSubmit: {
    ...BEFORE,
    rewrite: {
      effect: "sometimes",
      what: "it keeps the original prompt, and its model reads the changed one in addition",
    },
  },
  UserPromptExpansion: BEFORE,
  SessionStart: {},
  SessionEnd: NO_TEXT,
  Stop: { ...AT_END, rewrite: NO_REWRITE, ...IN_DENIAL },
  StopFailure: REPORTED,
  SubagentStart: { deny: NO_DENIAL, retry: RETRY_IGNORED },
  SubagentStop: { replace: NO_RESULT },
  PreCompact: { ...REPORTED, rewrite: NO_REWRITE },
  PostCompact: { deny: NO_DENIAL, retry: RETRY_IGNORED, replace: NO_RESULT, ...NO_TEXT },
  PermissionRequest: {
    defer: DEFER_DENIES,
    rewrite: {
      effect: "denied",
      what: "it accepts a changed input only together with the permission, so the call is denied",
      worksWithAllow: true,
      unless: {
        setting: { rewrite: "approve" },
        effect: "otherwise",
        what: "the changed call is approved at the same time, as configured",
      },
    },
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    ...NO_TEXT,
  },
  PermissionDenied: REPORTED,
  Notification: NO_TEXT,
  TodoCreated: { ...BEFORE, ...NO_TEXT },
  TodoCompleted: { ...AT_END, ...NO_TEXT },
  InstructionsLoaded: REPORTED,
  SessionDelete: REPORTED,
  MessageDisplay: REPORTED,
};
