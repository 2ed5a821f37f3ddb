import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import {
  DENIAL_IS_SHOWN,
  NO_RESULT,
  NO_REWRITE,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import type { CodexEventName } from "./events.ts";

const CANNOT_ASK: Limit = {
  effect: "denied",
  what: "it cannot ask its user because of a hook, so the operation is denied",
  unless: {
    setting: { ask: "pass" },
    effect: "ignored",
    what: "it continues as without the hook, as configured",
  },
};
const NOT_ASKED: Limit = { effect: "ignored", what: "it asks nobody, and continues" };
const TEXT_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it passes no text to its model there: its user is shown the text",
};
const BEFORE: EventLimits = {
  ask: CANNOT_ASK,
  defer: CANNOT_ASK,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};

/** Something that Codex only reports. */
const REPORTED: EventLimits = {
  deny: DENIAL_IS_SHOWN,
  ask: NOT_ASKED,
  defer: NOT_ASKED,
  skip: DENIAL_IS_SHOWN,
  retry: DENIAL_IS_SHOWN,
  inject: TEXT_IS_SHOWN,
};

export const CODEX_LIMITS: HostLimits<CodexEventName> = {
  SessionStart: {},
  SubagentStart: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED },
  PreToolUse: {
    ...BEFORE,
    allow: {
      effect: "ignored",
      what: "whether it asks its user does not depend on it; at auth.pre_check it does",
    },
    rewrite: {
      effect: "denied",
      what: "it accepts a changed input only together with an approval, so the call is denied",
      worksWithAllow: true,
      unless: {
        setting: { rewrite: "approve" },
        effect: "otherwise",
        what: "the changed call is approved at the same time, as configured",
      },
    },
  },
  PermissionRequest: {
    defer: CANNOT_ASK,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    rewrite: {
      effect: "denied",
      what: "it grants or denies a permission only for the unchanged call, so it is denied",
    },
    inject: TEXT_IS_SHOWN,
  },
  PostToolUse: { retry: RETRY_IGNORED },
  PreCompact: { ...BEFORE, rewrite: NO_REWRITE, inject: TEXT_IS_SHOWN },
  PostCompact: {
    deny: DENIAL_IS_SHOWN,
    retry: RETRY_IGNORED,
    replace: NO_RESULT,
    inject: TEXT_IS_SHOWN,
  },
  UserPromptSubmit: {
    ...BEFORE,
    rewrite: {
      effect: "sometimes",
      what: "it keeps the original prompt, and its model reads the changed one in addition",
    },
  },
  SubagentStop: { retry: RETRY_IGNORED, replace: NO_RESULT },
  Stop: {
    ask: NOT_ASKED,
    defer: NOT_ASKED,
    rewrite: NO_REWRITE,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    inject: TEXT_IS_SHOWN,
  },
  SessionEnd: { inject: { effect: "ignored", what: "it reads nothing from hooks there" } },
  Interrupt: REPORTED,
  StopFailure: REPORTED,
};
