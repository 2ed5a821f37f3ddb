import { getOwn } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../read-json.ts";
import { CODEX_EVENTS } from "./events.ts";
import type { CodexEventName } from "./events.ts";

/** What a field holds. All but `flag` may be null, which is as good as none. */
type Kind = "flag" | "text" | "any" | readonly string[] | { readonly fields: Fields };
type Fields = Readonly<Record<string, Kind>>;

const shown = { systemMessage: "text" } as const;
const all = { ...shown, continue: "flag", stopReason: "text", suppressOutput: "flag" } as const;
const block = { decision: ["block"], reason: "text" } as const;
const named = { hookEventName: Object.keys(CODEX_EVENTS) } as const;
const context = { ...named, additionalContext: "text" } as const;
const contextual = { ...all, hookSpecificOutput: { fields: context } } as const;

/** What a hook may answer to each event, field by field; Codex rejects an answer with any other. */
const OUTPUTS: Readonly<Record<CodexEventName, Fields>> = {
  SessionStart: contextual,
  SubagentStart: contextual,
  PreToolUse: {
    ...all,
    decision: ["approve", "block"],
    reason: "text",
    hookSpecificOutput: {
      fields: {
        ...context,
        permissionDecision: ["allow", "deny", "ask"],
        permissionDecisionReason: "text",
        updatedInput: "any",
      },
    },
  },
  PermissionRequest: {
    ...all,
    hookSpecificOutput: {
      fields: {
        ...named,
        decision: {
          fields: {
            behavior: ["allow", "deny"],
            message: "text",
            updatedInput: "any",
            updatedPermissions: "any",
            interrupt: "flag",
          },
        },
      },
    },
  },
  PostToolUse: {
    ...all,
    ...block,
    hookSpecificOutput: { fields: { ...context, updatedMCPToolOutput: "any" } },
  },
  PreCompact: all,
  PostCompact: all,
  UserPromptSubmit: { ...contextual, ...block },
  SubagentStop: { ...all, ...block },
  Stop: { ...all, ...block },
  SessionEnd: {},
  Interrupt: shown,
};

/** Fields that must be there when their object is. */
const REQUIRED: readonly string[] = ["hookEventName", "behavior"];

/** Why Codex would reject an answer; undefined when it would not. An event that it lacks takes what most do. */
export function wireFault(event: string, answer: JsonObject): string | undefined {
  const known = Object.hasOwn(OUTPUTS, event);
  return fault(answer, known ? OUTPUTS[event as CodexEventName] : { ...contextual, ...block });
}

function fault(object: JsonObject, fields: Fields): string | undefined {
  for (const key of REQUIRED) {
    if (Object.hasOwn(fields, key) && getOwn(object, key) === undefined) return `left out ${key}`;
  }
  for (const [key, value] of Object.entries(object)) {
    const kind = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const why = kind === undefined ? "which it does not know here" : mismatch(value, kind);
    if (why !== undefined) return `answered ${key.slice(0, 60)}, ${why}`;
  }
  return undefined;
}

function mismatch(value: Json, kind: Kind): string | undefined {
  if (kind === "flag") return typeof value === "boolean" ? undefined : "expected true or false";
  if (kind === "any" || value === null) return undefined;
  if (kind === "text") return typeof value === "string" ? undefined : "expected a text";
  if ("fields" in kind) {
    return isJsonObject(value) ? fault(value, kind.fields) : "expected an object";
  }
  return kind.some((word) => word === value) ? undefined : `expected ${kind.join(", ")}`;
}
