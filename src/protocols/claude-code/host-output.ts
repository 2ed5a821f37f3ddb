import type { Json, JsonObject } from "../../core/json.ts";

/** What an answer says, before it is put into the words of its event. */
export interface ClaudeWords {
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
export type ClaudeOutput = {
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

export type ClaudeSpecific =
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
