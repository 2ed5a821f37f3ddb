import type { EventLimits, HostLimits, Limit } from "../host-limits.ts";
import { DEFER_DENIES, NO_TEXT, RETRY_DENIES, RETRY_IGNORED, SKIP_DENIES } from "../host-limits.ts";
import type { CursorEventName } from "./events.ts";

const CANNOT_ASK: Limit = {
  effect: "denied",
  what: "it does not ask its user there, so the operation is denied",
  unless: {
    setting: { ask: "pass" },
    effect: "ignored",
    what: "it continues as without the hook, as configured",
  },
};
const ASK_DENIES: Limit = {
  effect: "denied",
  what: "it does not ask its user about a subagent, so it is denied",
};
const REWRITE_DENIES: Limit = {
  effect: "denied",
  what: "it accepts a changed input only at preToolUse, so the operation is denied",
};
const IGNORED: Limit = { effect: "ignored", what: "it ignores the hook there, and continues" };
const WITH_A_DENIAL: Limit = {
  effect: "sometimes",
  what: "its model may read the text only together with a denial",
};
const MCP_ONLY: Limit = {
  effect: "sometimes",
  what: "it replaces only results of MCP tools; of its own tools, the model reads the original result",
};
const BEFORE: EventLimits = { defer: DEFER_DENIES, skip: SKIP_DENIES, retry: RETRY_DENIES };
const TOO_LATE: EventLimits = {
  deny: IGNORED,
  ask: IGNORED,
  defer: IGNORED,
  skip: IGNORED,
  retry: RETRY_IGNORED,
  inject: NO_TEXT,
};

export const CURSOR_LIMITS: HostLimits<CursorEventName> = {
  preToolUse: { ...BEFORE, ask: CANNOT_ASK, inject: WITH_A_DENIAL },
  beforeShellExecution: { ...BEFORE, rewrite: REWRITE_DENIES, inject: WITH_A_DENIAL },
  beforeMCPExecution: { ...BEFORE, rewrite: REWRITE_DENIES, inject: WITH_A_DENIAL },
  beforeReadFile: { ...BEFORE, ask: CANNOT_ASK, rewrite: REWRITE_DENIES, inject: NO_TEXT },
  beforeTabFileRead: { ...BEFORE, ask: CANNOT_ASK, rewrite: REWRITE_DENIES, inject: NO_TEXT },
  beforeSubmitPrompt: { ...BEFORE, ask: CANNOT_ASK, rewrite: REWRITE_DENIES, inject: NO_TEXT },
  postToolUse: { deny: MCP_ONLY, retry: RETRY_IGNORED, replace: MCP_ONLY },
  postToolUseFailure: { inject: NO_TEXT },
  sessionStart: {},
  sessionEnd: { inject: NO_TEXT },
  subagentStart: { ...BEFORE, ask: ASK_DENIES, rewrite: REWRITE_DENIES, inject: NO_TEXT },
  subagentStop: {
    deny: IGNORED,
    retry: RETRY_IGNORED,
    replace: IGNORED,
    inject: {
      effect: "sometimes",
      what: "only a text with the strategy user_message has an effect: it makes the subagent continue",
    },
  },
  stop: {
    ask: IGNORED,
    defer: IGNORED,
    rewrite: IGNORED,
    skip: SKIP_DENIES,
    retry: RETRY_DENIES,
    inject: NO_TEXT,
  },
  preCompact: { ...TOO_LATE, rewrite: IGNORED },
  afterShellExecution: TOO_LATE,
  afterMCPExecution: TOO_LATE,
  afterFileEdit: TOO_LATE,
  afterTabFileEdit: TOO_LATE,
  afterAgentResponse: TOO_LATE,
  afterAgentThought: TOO_LATE,
};
