import type { Json } from "../../../src/core/json.ts";
import type { HostAnswer } from "../../../src/formats/host-protocol.ts";

// How Codex CLI 0.169 takes what a hook answers, written down from its schemas (`*.command.output`) and tried
// with the program. It shares nothing with the code under test.

type Type = "boolean" | "string?" | "any" | readonly string[] | { readonly [field: string]: Type };
const U = {
  continue: "boolean",
  stopReason: "string?",
  suppressOutput: "boolean",
  systemMessage: "string?",
} as const;
const context = (event: string) =>
  ({ hookEventName: [event], additionalContext: "string?" }) as const;

/** The fields of each event's output; every one else makes Codex reject the whole. */
const SCHEMAS: Readonly<Record<string, { readonly [field: string]: Type }>> = {
  SessionStart: { ...U, hookSpecificOutput: context("SessionStart") },
  SubagentStart: { ...U, hookSpecificOutput: context("SubagentStart") },
  PreToolUse: {
    ...U,
    decision: ["approve", "block"],
    reason: "string?",
    hookSpecificOutput: {
      ...context("PreToolUse"),
      permissionDecision: ["allow", "deny", "ask"],
      permissionDecisionReason: "string?",
      updatedInput: "any",
    },
  },
  PermissionRequest: {
    ...U,
    hookSpecificOutput: {
      hookEventName: ["PermissionRequest"],
      // updatedInput, updatedPermissions and interrupt are known, and fail when they are there.
      decision: { behavior: ["allow", "deny"], message: "string?" },
    },
  },
  PostToolUse: {
    ...U,
    decision: ["block"],
    reason: "string?",
    // updatedMCPToolOutput is known, and fails when it is there.
    hookSpecificOutput: context("PostToolUse"),
  },
  PreCompact: U,
  PostCompact: U,
  UserPromptSubmit: {
    ...U,
    decision: ["block"],
    reason: "string?",
    hookSpecificOutput: context("UserPromptSubmit"),
  },
  SubagentStop: { ...U, decision: ["block"], reason: "string?" },
  Stop: { ...U, decision: ["block"], reason: "string?" },
  Interrupt: { systemMessage: "string?" },
  // Of Codex's source; 0.169 does not send it.
  StopFailure: { ...U, hookSpecificOutput: { hookEventName: ["StopFailure"], recovery: "any" } },
};
/** Where exit code 2 blocks, or is feedback, when there is something on stderr. */
const EXIT_2 = [
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "UserPromptSubmit",
  "SubagentStop",
  "Stop",
];

/** What Codex makes of an answer. */
export interface Read {
  /** Why it rejects it, and goes on. */
  readonly rejected?: string;
  readonly blocked?: string;
  readonly allowed?: true;
  readonly input?: Json;
  readonly context?: string;
  readonly shown?: string;
}

export function codexReads(event: string, answer: HostAnswer): Read {
  if (answer.code === 2) {
    const reason = rustTrim(answer.message ?? "");
    const heeded = EXIT_2.includes(event) || !Object.hasOwn(SCHEMAS, event);
    return heeded && reason !== "" ? { blocked: reason } : { rejected: "exit code 2" };
  }
  if (answer.code !== 0) return { rejected: `exit code ${answer.code}` };
  if (answer.output === undefined) return {};
  const schema = SCHEMAS[event];
  if (schema === undefined) return { rejected: `no output at ${event}` };
  const text = JSON.stringify(answer.output);
  // serde_json refuses half a character, and what is nested more than 127 deep.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(text)) return { rejected: "half a character" };
  const output: unknown = JSON.parse(text);
  const fault = faultIn(output, schema, "");
  return fault === undefined ? meaning(event, output as Output) : { rejected: fault };
}

function faultIn(value: unknown, type: Type, at: string): string | undefined {
  if (type === "any") return undefined;
  if (type === "boolean") return typeof value === "boolean" ? undefined : `${at}: no boolean`;
  if (type === "string?") return typeof value === "string" ? undefined : `${at}: no string`;
  if (Array.isArray(type)) return type.includes(value) ? undefined : `${at}: unknown word`;
  if (typeof value !== "object" || value === null) return `${at}: no object`;
  const fields = type as Readonly<Record<string, Type>>;
  for (const required of ["hookEventName", "behavior"]) {
    if (required in fields && !Object.hasOwn(value, required)) return `${at}: no ${required}`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(fields, key)) return `${at}/${key}: unknown field`;
    const fault = faultIn(item, fields[key] as Type, `${at}/${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** An output that fits its schema. */
interface Output {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly systemMessage?: string;
  readonly decision?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: Specific;
}
interface Specific {
  readonly additionalContext?: string;
  readonly permissionDecision?: string;
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Json;
  readonly decision?: { readonly behavior?: string; readonly message?: string };
}

function meaning(event: string, output: Output): Read {
  const own = output.hookSpecificOutput ?? {};
  const read = {
    ...(own.additionalContext !== undefined && { context: own.additionalContext }),
    ...(output.systemMessage !== undefined && { shown: output.systemMessage }),
  };
  const isTool = event === "PreToolUse" || event === "PermissionRequest";
  if (isTool && ("continue" in output || "stopReason" in output || output.suppressOutput)) {
    return { rejected: "what ends a turn" };
  }
  if (event === "PermissionRequest") {
    const { behavior, message } = own.decision ?? {};
    if (behavior === "allow") return { ...read, allowed: true };
    return behavior === "deny" ? { ...read, blocked: message ?? "denied" } : read;
  }
  if (event === "PreToolUse") return toolMeaning(output, own, read);
  if (output.continue === false) return { ...read, blocked: output.stopReason ?? "stopped" };
  if (output.decision === "block") {
    const reason = output.reason ?? "";
    return rustTrim(reason) === ""
      ? { rejected: "blank reason" }
      : { ...read, blocked: reason ?? "" };
  }
  return "reason" in output ? { rejected: "reason without decision" } : read;
}

function toolMeaning(output: Output, own: Specific, read: Read): Read {
  if ("decision" in output || "reason" in output) return { rejected: "the older words" };
  const { permissionDecision: word, permissionDecisionReason: reason, updatedInput: input } = own;
  if (input !== undefined && word !== "allow") return { rejected: "updatedInput without allow" };
  if (word === "allow") {
    return input === undefined ? { rejected: "allow alone" } : { ...read, allowed: true, input };
  }
  if (word === "deny") {
    return rustTrim(reason ?? "") === ""
      ? { rejected: "deny without a reason" }
      : { ...read, blocked: reason ?? "" };
  }
  if (word !== undefined) return { rejected: `permissionDecision ${word}` };
  return reason === undefined ? read : { rejected: "reason without a decision" };
}

/** Rust trims what has the property White_Space: U+0085 too, and not the mark of byte order. */
function rustTrim(text: string): string {
  return text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
}
