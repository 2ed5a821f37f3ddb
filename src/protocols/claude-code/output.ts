import type { Json, JsonObject } from "../../core/json.ts";
import type { HostAnswer } from "../host-protocol.ts";
import { isJsonObject } from "../read-json.ts";
import type { ClaudeHostEventName } from "./events.ts";
import { claudeHostEvent } from "./events.ts";

/** What an answer says, before it is put into the words of its event. */
interface ClaudeWords {
  /** Why the operation is refused. */
  readonly refusal?: string | undefined;
  readonly decision?: "allow" | "ask" | "defer" | undefined;
  readonly reason?: string | undefined;
  /** The whole input, in the host's keys. */
  readonly input?: JsonObject | undefined;
  readonly result?: Json | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** What hooks hand over in the place of the operation. */
  readonly handed?: Json | undefined;
}

/** What Claude Code reads on stdout. A type of its SDK has more; this is what we say. */
type ClaudeOutput = {
  systemMessage?: string;
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: ClaudeSpecific;
};

type ContextEvent =
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "SessionStart"
  | "Setup"
  | "PostModelSwitch"
  | "SubagentStart"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "Stop"
  | "Notification";

type ClaudeSpecific =
  | {
      hookEventName: "PreToolUse";
      permissionDecision?: "allow" | "deny" | "ask" | "defer";
      permissionDecisionReason?: string;
      updatedInput?: JsonObject;
      additionalContext?: string;
    }
  | {
      hookEventName: "PreModelSwitch";
      permissionDecision: "allow" | "deny" | "ask";
      permissionDecisionReason?: string;
    }
  | { hookEventName: "PermissionRequest"; decision: RequestDecision }
  | { hookEventName: "PostToolUse"; updatedToolOutput?: Json; additionalContext?: string }
  | {
      hookEventName: "Elicitation" | "ElicitationResult";
      action: "accept" | "decline";
      content?: JsonObject;
    }
  | { hookEventName: "PermissionDenied"; retry: true }
  | { hookEventName: "WorktreeCreate"; worktreePath: string }
  | { hookEventName: "MessageDisplay"; displayContent: string }
  | { hookEventName: ContextEvent; additionalContext: string };

type RequestDecision =
  | { behavior: "allow"; updatedInput?: JsonObject }
  | { behavior: "deny"; message: string };

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

/** An answer while it is being made. */
export type ClaudeDraft = { -readonly [K in keyof ClaudeWords]: ClaudeWords[K] } & {
  /** What the user is shown. */
  notes: string[];
  downgrades: string[];
};

/** An answer as a command gives it. A refusal that the event does not heed is shown to the user. */
export function claudeAnswer(event: string, draft: ClaudeDraft): HostAnswer {
  const row = claudeHostEvent(event);
  const { downgrades } = draft;
  if (draft.refusal !== undefined && !row.refusable) {
    draft.notes.push(draft.refusal);
    downgrades.push(
      `a denial at ${event}: Claude Code ignores it there, so it is shown to the user instead`,
    );
    draft.refusal = undefined;
  }
  const said = claudeOutput(event, draft);
  const output = Object.keys(said).length > 0 ? { ...said } : undefined;
  const exits = draft.refusal !== undefined && row.refusal === "exit";
  return { output, code: exits ? 2 : 0, downgrades, ...(exits && { message: draft.refusal }) };
}

/** What stands on stdout, or in the body of an HTTP answer. */
export function claudeOutput(
  event: string,
  { notes, ...words }: Omit<ClaudeDraft, "downgrades">,
): ClaudeOutput {
  const { refusal } = words;
  const way = claudeHostEvent(event).refusal;
  // A request for input is declined without a word; nobody should wonder why.
  const shown = way === "decline" && refusal !== undefined ? [...notes, refusal] : notes;
  const specific = claudeSpecific(event, words);
  // An exit code refuses whatever stands beside it; over HTTP there is none.
  const blocks = refusal !== undefined && (way === "block" || way === "exit");
  return {
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
    ...(blocks && { decision: "block", reason: refusal }),
    ...(specific && { hookSpecificOutput: specific }),
  };
}
