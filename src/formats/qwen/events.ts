import { AGENT_TOOLS } from "../../core/index.ts";
import { rowsOf, type AgentEvent } from "../agent-format.ts";
import { claudeFields, claudeFormat } from "../claude-code/events.ts";

import type { EventLimits, Limit } from "../host-limits.ts";
import {
  ASKS_NOBODY,
  AT_END,
  BEFORE,
  NO_RESULT,
  NO_REWRITE,
  NO_TEXT,
  PROMPT_IS_ADDED,
  reported,
  REQUEST,
  RETRY_IGNORED,
  REWRITE_NEEDS_ALLOW,
  TEXT_IN_DENIAL,
} from "../host-limits.ts";

/**
 * Its default time is the longest: it sends events over a bus of its own whose requests end after this time, or the
 * shorter one of an event, and then continues. (It also reads a `timeout` from 1000 as milliseconds.)
 */
const row = rowsOf<AgentEvent>({ timeoutMs: 60_000, longestMs: 60_000, refusable: false });

const NO_DENIAL: Limit = { effect: "ignored", what: "it ignores a denial there" };
const AS_STOP_REASON: Limit = {
  effect: "otherwise",
  what: "its model reads the text as the reason to stop, in place of the result",
};
const TEXTLESS: EventLimits = { inject: NO_TEXT };
/** Something that it only reports. */
const REPORTED: EventLimits = { ...reported(NO_DENIAL, ASKS_NOBODY), ...TEXTLESS };
const refusable = { refusable: true } as const;
/** Only a hook can deny it, not an error of orcs: it would keep an agent from stopping. */
const passes = { refusable: true, passes: true } as const;

/** Its events. What each accepts is documented at `QWEN`. */
const QWEN_EVENTS = {
  PreToolUse: row("tool.pre_execute", {
    limits: {
      ...REQUEST,
      allow: {
        effect: "ignored",
        what: "it follows the last decision of all hooks, where an approval would win over a denial of another hook, so no approval is sent, and its own rules decide",
      },
      rewrite: {
        effect: "denied",
        what: "it accepts no changed input, so the call is denied, and the reason contains the changed arguments for another call",
      },
      inject: TEXT_IN_DENIAL,
    },
    ...refusable,
    decisions: ["ask"],
  }),
  PostToolUse: row("tool.post_execute", {
    limits: { deny: AS_STOP_REASON, retry: RETRY_IGNORED, replace: AS_STOP_REASON },
    ...refusable,
  }),
  PostToolUseFailure: row("tool.on_failure"),
  PostToolBatch: row("host.pre_event", {
    limits: AT_END,
    ...passes,
    timeoutMs: 15_000,
    longestMs: 15_000,
  }),
  UserPromptSubmit: row("prompt.pre_submit", {
    limits: { ...BEFORE, rewrite: PROMPT_IS_ADDED },
    ...refusable,
  }),
  UserPromptExpansion: row("host.pre_event", { limits: BEFORE, ...refusable }),
  SessionStart: row("session.on_start"),
  SessionEnd: row("session.on_end", { limits: TEXTLESS }),
  // Before the end of a turn, a message of a hook is only in its debug log.
  Stop: row("agent.pre_stop", {
    limits: { ...AT_END, rewrite: NO_REWRITE, inject: TEXT_IN_DENIAL },
    ...passes,
    notice: "systemMessage",
  }),
  StopFailure: row("host.pre_event", { limits: REPORTED }),
  SubagentStart: row("child.post_spawn", { limits: { deny: NO_DENIAL, retry: RETRY_IGNORED } }),
  SubagentStop: row("child.post_run", { limits: { replace: NO_RESULT }, ...passes }),
  PreCompact: row("context.pre_compact", { limits: { ...REPORTED, rewrite: NO_REWRITE } }),
  PostCompact: row("context.post_compact", {
    limits: { deny: NO_DENIAL, retry: RETRY_IGNORED, replace: NO_RESULT, inject: NO_TEXT },
  }),
  PermissionRequest: row("auth.pre_check", {
    limits: { ...REQUEST, rewrite: REWRITE_NEEDS_ALLOW, inject: NO_TEXT },
    ...refusable,
    decisions: ["allow", "ask"],
  }),
  PermissionDenied: row("host.pre_event", { limits: REPORTED }),
  Notification: row("agent.on_notification", { limits: TEXTLESS }),
  TodoCreated: row("host.pre_event", { limits: { ...BEFORE, inject: NO_TEXT }, ...refusable }),
  TodoCompleted: row("host.pre_event", { limits: { ...AT_END, inject: NO_TEXT }, ...passes }),
  InstructionsLoaded: row("host.pre_event", { limits: REPORTED }),
  SessionDelete: row("host.pre_event", { limits: REPORTED }),
  // Sent for every piece of text that is shown.
  MessageDisplay: row("host.pre_event", { limits: REPORTED, installed: false }),
} as const satisfies Readonly<Record<string, AgentEvent>>;

/**
 * Qwen Code. Source: the hook documentation in its package, its code, and what version 0.24.4 did with a scripted
 * model:
 * - It ignores `updatedInput` before a tool (its documentation names it), and text for the model there.
 * - It has no key for another result of a tool. `continue: false` replaces the result by `stopReason`.
 * - The last `permissionDecision` of all hooks wins, so an approval wins over a denial that only has this key. For the
 *   same reason an approval, which has no effect by itself, is not sent.
 * - It reads stderr as the response when stdout is empty.
 * - It sends `UserPromptSubmit` again for each result of a tool, with an empty prompt.
 */
export const QWEN = claudeFormat({
  name: "qwen",
  label: "Qwen Code",
  tools: AGENT_TOOLS.qwen,
  events: Object.fromEntries(
    Object.entries(QWEN_EVENTS).map(([name, event]) => [
      name,
      { ...event, fields: claudeFields(name) },
    ]),
  ),
  unknown: row("host.pre_event", { ...refusable }),
  pointOf(name, { prompt, submitted_prompt: submitted }) {
    const isResult = name === "UserPromptSubmit" && prompt === "" && submitted === undefined;
    return isResult ? "host.pre_event" : undefined;
  },
});
