import type { HostAnswer } from "../../src/formats/host-protocol.ts";
import type { Check, Keys } from "./answer-checks.ts";
import { object, oneOf, text } from "./answer-checks.ts";

const requested: Check = (value) => {
  const { behavior, message, updatedInput, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return false;
  return behavior === "deny"
    ? text(message) && updatedInput === undefined
    : behavior === "allow" && (updatedInput === undefined || object(updatedInput));
};

const context: Keys = { additionalContext: text };

/**
 * What Qwen Code reads in `hookSpecificOutput` at each event: written by hand from its documentation and from what
 * 0.24.4 did with each key. (`updatedInput` and `additionalContext` are in its documentation of `PreToolUse`, and have
 * no effect there; nor has the additional context of other events that are not here.)
 */
const SPECIFIC: Readonly<Record<string, Keys>> = {
  PreToolUse: { permissionDecision: oneOf("deny", "ask"), permissionDecisionReason: text },
  PostToolUse: context,
  PostToolUseFailure: context,
  PostToolBatch: context,
  UserPromptSubmit: context,
  UserPromptExpansion: context,
  SessionStart: context,
  SubagentStart: context,
  PermissionRequest: { decision: requested },
};

/** Events at which `decision: "block"` denies. */
const BLOCKED = [
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "TodoCreated",
  "TodoCompleted",
];
/** Events at which `continue: false` has an effect. At the second, its reason replaces the result. */
const HALTED = ["PreToolUse", "PostToolUse"];

/** Whether Qwen Code heeds a denial at an event. */
export function isRefusable(event: string): boolean {
  return BLOCKED.includes(event) || HALTED.includes(event) || event === "PermissionRequest";
}

/** What Qwen Code would not take of an answer. */
export function faults(event: string, { output = {}, code, message }: HostAnswer): string[] {
  const found: string[] = [];
  if (code !== 0 && !(code === 2 && text(message))) found.push(`code ${code}`);
  for (const [key, value] of Object.entries(output)) {
    const isTaken =
      (key === "systemMessage" && text(value)) ||
      (key === "decision" && BLOCKED.includes(event) && value === "block") ||
      (key === "reason" && output["decision"] !== undefined && text(value)) ||
      (key === "continue" && HALTED.includes(event) && value === false) ||
      (key === "stopReason" && output["continue"] === false && text(value)) ||
      (key === "hookSpecificOutput" && object(value));
    if (!isTaken) found.push(`${key} at ${event}: ${JSON.stringify(value)}`);
  }
  const specific = (output["hookSpecificOutput"] ?? {}) as Record<string, unknown>;
  for (const [key, value] of Object.entries(specific)) {
    if (key === "hookEventName" ? value !== event : SPECIFIC[event]?.[key]?.(value) !== true) {
      found.push(`${key} at ${event}: ${JSON.stringify(value)}`);
    }
  }
  return found;
}

/** Whether Qwen Code does not do what it was about to do, or the model does not read the result. */
export function refuses(event: string, { output = {}, code }: HostAnswer): boolean {
  if (code === 2) return true;
  const specific = (output["hookSpecificOutput"] ?? {}) as Record<string, unknown>;
  const { behavior } = (specific["decision"] ?? {}) as Record<string, unknown>;
  return (
    (BLOCKED.includes(event) && output["decision"] === "block") ||
    // The last `permissionDecision` of all hooks wins, so it denies nothing without the other key.
    (HALTED.includes(event) && output["continue"] === false) ||
    (event === "PermissionRequest" && behavior === "deny")
  );
}
