import type { HookEvent } from "@anthropic-ai/claude-agent-sdk";
import type { HostAnswer } from "../../src/formats/host-protocol.ts";
import type { Check, Keys } from "./answer-checks.ts";
import { object, oneOf, text } from "./answer-checks.ts";

const flag: Check = (value) => typeof value === "boolean";
const anything: Check = () => true;
const context: Keys = { additionalContext: text };
const elicited: Keys = { action: oneOf("accept", "decline", "cancel"), content: object };

/** What the SDK's types of each event's own answer hold, besides `hookEventName`; written by hand from sdk.d.ts. */
const SPECIFIC: Readonly<Record<HookEvent, Keys | undefined>> = {
  PreToolUse: {
    permissionDecision: oneOf("allow", "deny", "ask", "defer"),
    permissionDecisionReason: text,
    updatedInput: object,
    additionalContext: text,
  },
  PostToolUse: { ...context, updatedToolOutput: anything },
  PostToolUseFailure: context,
  PostToolBatch: context,
  Notification: context,
  UserPromptSubmit: { ...context, sessionTitle: text, suppressOriginalPrompt: flag },
  UserPromptExpansion: { ...context, suppressOriginalPrompt: flag },
  SessionStart: { ...context, initialUserMessage: text, sessionTitle: text, reloadSkills: flag },
  SessionEnd: undefined,
  Stop: context,
  StopFailure: undefined,
  SubagentStart: context,
  SubagentStop: context,
  PreCompact: undefined,
  PostCompact: undefined,
  PreModelSwitch: {
    permissionDecision: oneOf("allow", "deny", "ask"),
    permissionDecisionReason: text,
  },
  PostModelSwitch: context,
  PermissionRequest: { decision: isRequestDecision },
  PermissionDenied: { retry: flag },
  Setup: context,
  TeammateIdle: undefined,
  TaskCreated: undefined,
  TaskCompleted: undefined,
  Elicitation: elicited,
  ElicitationResult: elicited,
  ConfigChange: undefined,
  WorktreeCreate: { worktreePath: text },
  WorktreeRemove: undefined,
  InstructionsLoaded: undefined,
  CwdChanged: {},
  FileChanged: {},
  DirectoryAdded: undefined,
  MessageDisplay: { displayContent: text },
};

/** Events that heed the decision they share, from protocols.md and the page on decision control. */
const BLOCKED: readonly HookEvent[] = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PostToolBatch",
  "Stop",
  "SubagentStop",
  "ConfigChange",
  "PreCompact",
];
/** Events that heed exit code 2 and no answer. */
const EXITED: readonly HookEvent[] = [
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "WorktreeCreate",
];

/** What of an answer Claude Code would not take at an event; nothing when it is as it should be. */
export function faults(event: HookEvent, answer: HostAnswer): string[] {
  const { output, code, message } = answer;
  const found: string[] = [];
  if (code !== 0 && !(code === 2 && EXITED.includes(event))) found.push(`exit code ${code}`);
  if ((code === 2) !== (message !== undefined && message !== "")) found.push("message");
  if (output === undefined) return found;
  if (Object.keys(output).length === 0) found.push("an empty object");
  const blocks = [...BLOCKED, ...(code === 2 ? EXITED : [])].includes(event);
  const common: Keys = {
    systemMessage: text,
    ...(blocks && { decision: oneOf("block"), reason: text }),
    hookSpecificOutput: object,
  };
  found.push(...strays(output, common));
  if ("decision" in output !== "reason" in output) found.push("decision without reason");
  const specific = output["hookSpecificOutput"] as Record<string, unknown> | undefined;
  if (specific === undefined) return found;
  const keys = SPECIFIC[event];
  if (keys === undefined) return [...found, "hookSpecificOutput at an event that has none"];
  if (Object.keys(specific).length < 2) found.push("hookSpecificOutput says nothing");
  return [...found, ...strays(specific, { ...keys, hookEventName: oneOf(event) })];
}

/** Whether an answer refuses, in the way of its event. */
export function refuses(event: HookEvent, { output, code }: HostAnswer): boolean {
  if (code === 2) return true;
  const specific = (output?.["hookSpecificOutput"] ?? {}) as Record<string, unknown>;
  const request = (specific["decision"] ?? {}) as Record<string, unknown>;
  return (
    (BLOCKED.includes(event) && output?.["decision"] === "block" && !lets(event, output)) ||
    specific["permissionDecision"] === "deny" ||
    request["behavior"] === "deny" ||
    specific["action"] === "decline" ||
    specific["action"] === "cancel"
  );
}

/** Whether an answer lets the agent end, which comes before a denial that would make it go on. */
function lets(event: HookEvent, output: Readonly<Record<string, unknown>>): boolean {
  return ["Stop", "SubagentStop", "PostToolBatch"].includes(event) && output["continue"] === false;
}

function strays(found: Readonly<Record<string, unknown>>, keys: Keys): string[] {
  return Object.entries(found)
    .filter(([key, value]) => !(Object.hasOwn(keys, key) && keys[key]?.(value)))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
}

function isRequestDecision(value: unknown): boolean {
  if (!object(value)) return false;
  const decision = value as Record<string, unknown>;
  const keys: Keys =
    decision["behavior"] === "allow"
      ? { behavior: anything, updatedInput: object }
      : { behavior: oneOf("deny"), message: text };
  return "behavior" in decision && strays(decision, keys).length === 0;
}
