import { getOwn } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../read-json.ts";

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

type Kind = "boolean" | "string" | "object" | readonly string[];
type Kinds = Readonly<Record<string, Kind>>;
interface TypeOf {
  boolean: boolean;
  string: string;
  object: JsonObject;
}
type Typed<K extends Kinds> = {
  readonly [N in keyof K]?: K[N] extends keyof TypeOf
    ? TypeOf[K[N]]
    : K[N] extends readonly (infer W)[]
      ? W
      : never;
};

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

/** The keys that a table knows, or what is wrong with one. Null is as good as none. */
function typed<K extends Kinds>(from: JsonObject, kinds: K): Typed<K> | string {
  const found: Record<string, Json> = {};
  for (const [key, kind] of Object.entries(kinds)) {
    const value = getOwn(from, key) ?? undefined;
    if (value === undefined) continue;
    if (!isKind(value, kind)) {
      const expected = typeof kind === "string" ? `a ${kind}` : kind.join(", ");
      return `answered ${key} with ${JSON.stringify(value).slice(0, 60)}, expected ${expected}`;
    }
    found[key] = value;
  }
  return found as Typed<K>;
}

function isKind(value: Json, kind: Kind): boolean {
  if (kind === "object") return isJsonObject(value);
  return typeof kind === "string" ? typeof value === kind : kind.some((word) => word === value);
}
