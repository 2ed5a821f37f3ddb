import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import {
  CANNOT_ASK_THERE,
  DENIAL_IS_SHOWN,
  NO_RESULT,
  NO_REWRITE,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import type { ClaudeHostEventName } from "./events.ts";

const CANNOT_DEFER: Limit = {
  effect: "denied",
  what: "it can defer a decision only before a tool, so the operation is denied",
};
const QUESTION_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it asks nobody there: its user is shown the reason, and it continues",
};
const TEXT_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it passes no text to its model there: its user is shown the text",
};

/** Before an operation that can be denied. */
const BEFORE: EventLimits = {
  ask: CANNOT_ASK_THERE,
  defer: CANNOT_DEFER,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};
/** Before a stop, or after an operation, where a denial makes the agent continue. */
const AT_END: EventLimits = {
  ask: QUESTION_IS_SHOWN,
  defer: QUESTION_IS_SHOWN,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};
/** Something that Claude Code only reports. */
const REPORTED: EventLimits = {
  deny: DENIAL_IS_SHOWN,
  ask: QUESTION_IS_SHOWN,
  defer: QUESTION_IS_SHOWN,
  skip: DENIAL_IS_SHOWN,
  retry: DENIAL_IS_SHOWN,
};
export const NO_TEXT: EventLimits = { inject: TEXT_IS_SHOWN };

export const CLAUDE_LIMITS: HostLimits<ClaudeHostEventName> = {
  PreToolUse: { skip: SKIP_DENIES, retry: RETRY_DENIES },
  PostToolUse: {
    deny: {
      effect: "otherwise",
      what: "its model reads the reason in place of the result, and its user is shown the reason, too",
    },
    retry: RETRY_IGNORED,
  },
  PostToolUseFailure: {},
  PostToolBatch: AT_END,
  Notification: {},
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
  Stop: { ...AT_END, rewrite: NO_REWRITE },
  StopFailure: { ...REPORTED, ...NO_TEXT },
  SubagentStart: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED },
  SubagentStop: { replace: NO_RESULT },
  PreCompact: { ...BEFORE, rewrite: NO_REWRITE, ...NO_TEXT },
  PostCompact: {
    deny: DENIAL_IS_SHOWN,
    retry: RETRY_IGNORED,
    replace: NO_RESULT,
    ...NO_TEXT,
  },
  PreModelSwitch: {
    defer: CANNOT_DEFER,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    ...NO_TEXT,
  },
  PostModelSwitch: REPORTED,
  PermissionRequest: {
    defer: CANNOT_DEFER,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
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
    ...NO_TEXT,
  },
  PermissionDenied: {
    deny: DENIAL_IS_SHOWN,
    ask: QUESTION_IS_SHOWN,
    defer: QUESTION_IS_SHOWN,
    skip: DENIAL_IS_SHOWN,
    ...NO_TEXT,
  },
  Setup: REPORTED,
  TeammateIdle: { ...AT_END, ...NO_TEXT },
  TaskCreated: { ...BEFORE, ...NO_TEXT },
  TaskCompleted: { ...AT_END, ...NO_TEXT },
  Elicitation: { ask: CANNOT_ASK_THERE, defer: CANNOT_DEFER, retry: RETRY_DENIES, ...NO_TEXT },
  ElicitationResult: {
    ask: CANNOT_ASK_THERE,
    defer: CANNOT_DEFER,
    retry: RETRY_DENIES,
    ...NO_TEXT,
  },
  ConfigChange: { ...BEFORE, ...NO_TEXT },
  WorktreeCreate: { ask: CANNOT_ASK_THERE, defer: CANNOT_DEFER, retry: RETRY_DENIES, ...NO_TEXT },
  WorktreeRemove: { ...REPORTED, ...NO_TEXT },
  InstructionsLoaded: { ...REPORTED, ...NO_TEXT },
  CwdChanged: { ...REPORTED, ...NO_TEXT },
  FileChanged: { ...REPORTED, ...NO_TEXT },
  DirectoryAdded: { ...REPORTED, ...NO_TEXT },
  MessageDisplay: {
    deny: DENIAL_IS_SHOWN,
    ask: QUESTION_IS_SHOWN,
    defer: QUESTION_IS_SHOWN,
    retry: DENIAL_IS_SHOWN,
    ...NO_TEXT,
  },
};
