import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import {
  DENIAL_IS_SHOWN,
  NO_REWRITE,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import type { CopilotEventName } from "./events.ts";

const PASSES = {
  setting: { ask: "pass" },
  effect: "ignored",
  what: "it continues as without the hook, as configured",
} as const;
const CANNOT_ASK: Limit = {
  effect: "denied",
  what: "it cannot ask its user about a prompt, so it is denied",
  unless: PASSES,
};
const DEFER_DENIES: Limit = {
  effect: "denied",
  what: "it cannot defer a decision: denied",
  unless: PASSES,
};
const ASKS_NOBODY: Limit = { effect: "ignored", what: "it asks nobody there, and continues" };
const TEXT_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it passes no text to its model there: its user is shown the text",
};
const CANNOT_DENY: EventLimits = {
  deny: DENIAL_IS_SHOWN,
  ask: ASKS_NOBODY,
  defer: ASKS_NOBODY,
  skip: DENIAL_IS_SHOWN,
  retry: DENIAL_IS_SHOWN,
  inject: TEXT_IS_SHOWN,
};

export const COPILOT_LIMITS: HostLimits<CopilotEventName> = {
  SessionStart: {},
  UserPromptSubmit: { ask: CANNOT_ASK, defer: DEFER_DENIES, retry: RETRY_DENIES },
  PreToolUse: { defer: DEFER_DENIES, skip: SKIP_DENIES, retry: RETRY_DENIES },
  PermissionRequest: {
    defer: DEFER_DENIES,
    rewrite: {
      effect: "denied",
      what: "it grants or denies a permission only for the unchanged call, so it is denied",
    },
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    inject: {
      effect: "ignored",
      what: "it passes no text to its model there",
    },
  },
  PostToolUse: { retry: RETRY_IGNORED },
  PostToolUseFailure: {},
  SubagentStart: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED },
  SubagentStop: { retry: RETRY_IGNORED },
  Stop: {
    ask: ASKS_NOBODY,
    defer: ASKS_NOBODY,
    rewrite: NO_REWRITE,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    inject: TEXT_IS_SHOWN,
  },
  PreCompact: { ...CANNOT_DENY, rewrite: NO_REWRITE },
  Notification: {},
  ErrorOccurred: CANNOT_DENY,
  SessionEnd: { inject: TEXT_IS_SHOWN },
};
