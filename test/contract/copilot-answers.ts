import type { HostAnswer } from "../../src/formats/host-protocol.ts";
import type { Check, Keys } from "./answer-checks.ts";
import { object, oneOf } from "./answer-checks.ts";

const text: Check = (value) =>
  typeof value === "string" && value.trim() !== "" && value.search(/\p{Surrogate}/u) < 0;
const result: Check = (value) => {
  const { resultType, textResultForLlm } = value as Record<string, unknown>;
  return resultType === "success" && text(textResultForLlm);
};

const context: Keys = { additionalContext: text };
const block: Keys = { decision: oneOf("block"), reason: text };

/** What each event takes; written by hand from its hooks reference and what 1.0.102 did with each key. */
export const TAKES: Readonly<Record<string, Keys>> = {
  SessionStart: context,
  UserPromptSubmit: {
    ...context,
    ...block,
    modifiedPrompt: text,
    handled: oneOf(true),
    responseContent: text,
  },
  PreToolUse: {
    ...context,
    permissionDecision: oneOf("allow", "deny", "ask"),
    permissionDecisionReason: text,
    modifiedArgs: (value) => object(value) || text(value),
  },
  PermissionRequest: { behavior: oneOf("allow", "deny"), message: text },
  PostToolUse: { ...context, ...block, modifiedResult: result },
  PostToolUseFailure: context,
  SubagentStart: context,
  SubagentStop: { ...block, modifiedResponse: text },
  Stop: block,
  PreCompact: {},
  Notification: context,
  ErrorOccurred: {},
  SessionEnd: {},
};

/** Events at which exit code 2 shows stderr to the user, and has no other effect. */
const WARNS = new Set(
  Object.keys(TAKES).filter(
    (event) => !["PreToolUse", "PermissionRequest", "PostToolUseFailure"].includes(event),
  ),
);

/** The key and the word with which each event is denied. */
const DENIED: Readonly<Record<string, readonly [key: string, word?: string]>> = {
  PreToolUse: ["permissionDecision", "deny"],
  PermissionRequest: ["behavior", "deny"],
  UserPromptSubmit: ["decision", "block"],
  PostToolUse: ["decision", "block"],
  Stop: ["decision", "block"],
  SubagentStop: ["modifiedResponse"],
};

/** What Copilot CLI would not take of an answer. */
export function faults(event: string, { output = {}, code, message }: HostAnswer): string[] {
  if (!Object.hasOwn(TAKES, event)) return Object.keys(output).map((key) => `${key} is of no use`);
  const wrong: string[] = [];
  if (code !== 0 && !(code === 2 && WARNS.has(event) && text(message))) wrong.push(`code ${code}`);
  for (const [key, value] of Object.entries(output)) {
    const check = TAKES[event]?.[key];
    if (!check) wrong.push(`${key} is none of ${event}`);
    else if (!check(value)) wrong.push(`${key} is ${JSON.stringify(value)}`);
  }
  return wrong;
}

/** Whether Copilot CLI keeps what it was about to do from happening, or the model from its result. */
export function refuses(event: string, { output = {}, code }: HostAnswer): boolean {
  if (!Object.hasOwn(TAKES, event)) return code === 2;
  const [key, word] = DENIED[event] ?? [];
  return key !== undefined && Object.hasOwn(output, key) && (!word || output[key] === word);
}

/** Whether Copilot CLI heeds a refusal at the event. */
export function isRefusable(event: string): boolean {
  return !Object.hasOwn(TAKES, event) || Object.hasOwn(DENIED, event);
}

export function warns(event: string): boolean {
  return WARNS.has(event);
}
