import type { JsonObject } from "../../core/json.ts";
import { typed } from "../typed-fields.ts";
import type { Typed } from "../typed-fields.ts";

const WORDS = ["allow", "approve", "deny", "block", "ask"] as const;

/** What the keys hold that mean something to a hook engine. The others concern Gemini CLI's own screen. */
const KINDS = {
  continue: "boolean",
  stopReason: "string",
  decision: WORDS,
  reason: "string",
  hookSpecificOutput: "object",
} as const;
const SPECIFIC_KINDS = {
  additionalContext: "string",
  tool_input: "object",
  llm_request: "object",
  llm_response: "object",
  toolConfig: "object",
  tailToolCallRequest: "object",
} as const;

/** What is Gemini CLI's own to an event. */
export type Specific = Typed<typeof SPECIFIC_KINDS>;

/** A handler's answer, each part of the kind it must be. */
export interface Answer {
  readonly stops: boolean;
  readonly decision: (typeof WORDS)[number] | undefined;
  readonly reason: string;
  readonly specific: Specific;
}

/** The parts of an answer, or what is wrong with it. */
export function readAnswer(output: JsonObject): Answer | string {
  const common = typed(output, KINDS);
  if (typeof common === "string") return common;
  const specific = typed(common.hookSpecificOutput ?? {}, SPECIFIC_KINDS);
  if (typeof specific === "string") return specific;
  return {
    stops: common.continue === false,
    decision: common.decision,
    // The reason to stop goes before that of a decision, whatever comes of them.
    reason: common.stopReason || common.reason || "",
    specific,
  };
}
