import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import {
  DEFER_DENIES,
  DENIAL_IS_SHOWN,
  NO_REWRITE,
  NO_TEXT,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
} from "../host-limits.ts";
import type { GeminiEventName } from "./events.ts";

const CANNOT_ASK: Limit = {
  effect: "denied",
  what: "it can ask its user only before tools, so the operation is denied",
  unless: {
    setting: { ask: "pass" },
    effect: "ignored",
    what: "it continues as without the hook, as configured",
  },
};
const BEFORE: EventLimits = { defer: DEFER_DENIES, skip: SKIP_DENIES, retry: RETRY_DENIES };

export const GEMINI_LIMITS: HostLimits<GeminiEventName> = {
  SessionStart: {},
  SessionEnd: { inject: NO_TEXT },
  BeforeAgent: {
    ...BEFORE,
    ask: CANNOT_ASK,
    rewrite: {
      effect: "sometimes",
      what: "it keeps the original prompt, and its model reads the changed one in addition; a change at llm.pre_generate replaces it",
    },
  },
  AfterAgent: { ...BEFORE, ask: CANNOT_ASK, rewrite: NO_REWRITE, inject: NO_TEXT },
  BeforeModel: { defer: DEFER_DENIES, ask: CANNOT_ASK, retry: RETRY_DENIES, inject: NO_TEXT },
  AfterModel: {
    deny: { effect: "otherwise", what: "it can only end the whole turn" },
    retry: RETRY_IGNORED,
    inject: NO_TEXT,
  },
  BeforeToolSelection: { inject: NO_TEXT },
  BeforeTool: {
    ...BEFORE,
    allow: {
      effect: "sometimes",
      what: "it still asks its user according to its own policy",
    },
    ask: {
      effect: "denied",
      what: "without a user who can answer (`-p`, no terminal) it would wait for ever, so the call is denied; with one, it asks",
      unless: {
        setting: { ask: "pass" },
        effect: "ignored",
        what: "without a user, it continues as without the hook, as configured",
      },
    },
    inject: { effect: "ignored", what: "its model reads the text only with a denial" },
  },
  AfterTool: {
    retry: RETRY_IGNORED,
    replace: {
      effect: "otherwise",
      what: "its model reads the changed result after the words `Tool result blocked:`",
    },
  },
  PreCompress: {
    deny: DENIAL_IS_SHOWN,
    ask: {
      ...DENIAL_IS_SHOWN,
      unless: {
        setting: { ask: "pass" },
        effect: "ignored",
        what: "it continues as without the hook, as configured",
      },
    },
    defer: DENIAL_IS_SHOWN,
    rewrite: NO_REWRITE,
    skip: DENIAL_IS_SHOWN,
    retry: DENIAL_IS_SHOWN,
    inject: NO_TEXT,
  },
  Notification: { inject: NO_TEXT },
};
