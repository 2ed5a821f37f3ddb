import { isJsonObject } from "../read-json.ts";
import type { ClaudeHostEventName } from "./host-events.ts";
import type { ClaudeSpecific, ClaudeWords } from "./host-output.ts";

type Render = (words: ClaudeWords) => ClaudeSpecific | undefined;

/** What is said in an event's own words; undefined when nothing is, or the event has none. */
export function claudeSpecific(event: string, words: ClaudeWords): ClaudeSpecific | undefined {
  return RENDER.get(event)?.(words);
}

const TABLE: Readonly<Partial<Record<ClaudeHostEventName, Render>>> = {
  PreToolUse: (words) => {
    const { input, context } = words;
    const said = {
      ...permission(words),
      ...(input && { updatedInput: input }),
      ...(context !== undefined && { additionalContext: context }),
    };
    return Object.keys(said).length > 0 ? { hookEventName: "PreToolUse", ...said } : undefined;
  },
  PreModelSwitch: (words) => {
    const { permissionDecision, ...why } = permission(words);
    if (permissionDecision === undefined || permissionDecision === "defer") return undefined;
    return { hookEventName: "PreModelSwitch", permissionDecision, ...why };
  },
  PermissionRequest: ({ refusal, decision, input }) => {
    const hookEventName = "PermissionRequest";
    if (refusal !== undefined) {
      return { hookEventName, decision: { behavior: "deny", message: refusal } };
    }
    if (decision !== "allow") return undefined;
    return {
      hookEventName,
      decision: { behavior: "allow", ...(input && { updatedInput: input }) },
    };
  },
  PostToolUse: ({ result, context }) => {
    const said = {
      ...(result !== undefined && { updatedToolOutput: result }),
      ...(context !== undefined && { additionalContext: context }),
    };
    return Object.keys(said).length > 0 ? { hookEventName: "PostToolUse", ...said } : undefined;
  },
  Elicitation: elicitation("Elicitation"),
  ElicitationResult: elicitation("ElicitationResult"),
  PermissionDenied: ({ handed }) =>
    handed === true ? { hookEventName: "PermissionDenied", retry: true } : undefined,
  WorktreeCreate: ({ handed }) =>
    typeof handed === "string"
      ? { hookEventName: "WorktreeCreate", worktreePath: handed }
      : undefined,
  MessageDisplay: ({ handed }) =>
    typeof handed === "string"
      ? { hookEventName: "MessageDisplay", displayContent: handed }
      : undefined,
  UserPromptSubmit: contextAt("UserPromptSubmit"),
  UserPromptExpansion: contextAt("UserPromptExpansion"),
  SessionStart: contextAt("SessionStart"),
  Setup: contextAt("Setup"),
  PostModelSwitch: contextAt("PostModelSwitch"),
  SubagentStart: contextAt("SubagentStart"),
  PostToolUseFailure: contextAt("PostToolUseFailure"),
  PostToolBatch: contextAt("PostToolBatch"),
  Stop: contextAt("Stop"),
  Notification: contextAt("Notification"),
};

const RENDER: ReadonlyMap<string, Render> = new Map(Object.entries(TABLE));

function permission({ refusal, decision, reason }: ClaudeWords): {
  permissionDecision?: "allow" | "deny" | "ask" | "defer";
  permissionDecisionReason?: string;
} {
  if (refusal !== undefined) {
    return { permissionDecision: "deny", permissionDecisionReason: refusal };
  }
  if (decision === undefined) return {};
  return {
    permissionDecision: decision,
    ...(reason !== undefined && { permissionDecisionReason: reason }),
  };
}

function elicitation(hookEventName: "Elicitation" | "ElicitationResult"): Render {
  return ({ refusal, handed }) => {
    if (refusal !== undefined) return { hookEventName, action: "decline" };
    return isJsonObject(handed) ? { hookEventName, action: "accept", content: handed } : undefined;
  };
}

function contextAt(
  hookEventName: Extract<ClaudeSpecific, { additionalContext: string }>["hookEventName"],
): Render {
  return ({ context }) =>
    context === undefined ? undefined : { hookEventName, additionalContext: context };
}
