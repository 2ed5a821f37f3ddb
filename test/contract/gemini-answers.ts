import type { Json, JsonObject } from "../../src/core/json.ts";
import type { HostAnswer } from "../../src/formats/host-protocol.ts";

type Check = (value: Json) => boolean;
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === "string" && value !== "";
const anyText: Check = (value) => typeof value === "string";
const one =
  (...words: Json[]): Check =>
  (value) =>
    words.some((word) => word === value);
const object: Check = (value) => isObject(value);
const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item);
const shape =
  (allowed: Shape, required: readonly string[] = []): Check =>
  (value) =>
    isObject(value) &&
    required.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, inner]) => allowed[key]?.(inner) ?? false);

const MESSAGE = shape({ role: one("user", "model", "system"), content: anyText }, [
  "role",
  "content",
]);
const RESPONSE = shape(
  {
    text: anyText,
    candidates: list(
      shape(
        {
          content: shape({ role: one("model"), parts: list(anyText) }, ["role", "parts"]),
          finishReason: one("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"),
          index: (value) => Number.isInteger(value),
        },
        ["content"],
      ),
    ),
    usageMetadata: object,
  },
  ["candidates"],
);

const notice = { systemMessage: text };
const deny = { ...notice, decision: one("deny"), reason: text };

interface Accepted {
  readonly top: Shape;
  readonly own?: Shape;
}

/**
 * What each event takes, of the types that Gemini CLI 0.61 has for its hooks and of its reference, by which all of
 * them take a `systemMessage` but BeforeToolSelection.
 */
const ACCEPTED: Readonly<Record<string, Accepted>> = {
  SessionStart: { top: notice, own: { additionalContext: text } },
  SessionEnd: { top: notice },
  PreCompress: { top: notice },
  Notification: { top: notice },
  BeforeAgent: { top: deny, own: { additionalContext: text } },
  AfterAgent: { top: deny },
  BeforeModel: {
    top: deny,
    own: {
      llm_request: shape({ model: text, messages: list(MESSAGE) }),
      llm_response: RESPONSE,
    },
  },
  // Only denied, a chunk passes in 0.61, calls and all: seen with the program itself.
  AfterModel: {
    top: { ...deny, continue: one(false), stopReason: text },
    own: { llm_response: RESPONSE },
  },
  BeforeToolSelection: {
    top: {},
    own: {
      toolConfig: shape({ mode: one("AUTO", "ANY", "NONE"), allowedFunctionNames: list(text) }, [
        "mode",
      ]),
    },
  },
  BeforeTool: {
    top: { ...deny, decision: one("deny", "ask", "allow") },
    own: { tool_input: object },
  },
  AfterTool: { top: deny, own: { additionalContext: text } },
};

/** Of an event that we do not know, nobody has said what it shows. */
const UNKNOWN: Accepted = { top: { decision: one("deny"), reason: text } };

/** What of an answer Gemini CLI does not know, would not heed, or reads otherwise than meant. */
export function faults(event: string, { output, code, message }: HostAnswer): string[] {
  const found: string[] = [];
  if (code !== 0) found.push(`code ${code}`);
  // Where nothing is on stdout, what is on stderr is the answer.
  if (message !== undefined) found.push("a message on stderr");
  if (output === undefined) return event === "BeforeToolSelection" ? found : [...found, "nothing"];
  const { top, own = {} }: Accepted = ACCEPTED[event] ?? UNKNOWN;
  for (const [key, value] of Object.entries(output)) {
    if (key === "hookSpecificOutput") found.push(...ownFaults(event, own, value));
    else if (!top[key]?.(value)) found.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (output["decision"] === "deny" && !text(output["reason"] ?? null)) found.push("no reason");
  if (event === "BeforeToolSelection" && !output["hookSpecificOutput"]) {
    found.push("an empty choice of tools is a choice");
  }
  return found;
}

function ownFaults(event: string, own: Shape, value: Json): string[] {
  if (!isObject(value)) return ["hookSpecificOutput is no object"];
  const { hookEventName, ...rest } = value;
  const found = hookEventName === event ? [] : [`hookEventName: ${JSON.stringify(hookEventName)}`];
  if (Object.keys(rest).length === 0) found.push("hookSpecificOutput says nothing");
  for (const [key, inner] of Object.entries(rest)) {
    if (!own[key]?.(inner)) found.push(`${key}: ${JSON.stringify(inner)}`);
  }
  return found;
}

/** Whether what the event is about does not happen, or what happened already is hidden. */
export function refuses(event: string, { output = {} }: HostAnswer): boolean {
  if (event === "AfterModel") return output["continue"] === false;
  if (event !== "BeforeToolSelection") return output["decision"] === "deny";
  const own = output["hookSpecificOutput"];
  const config = isObject(own) ? own["toolConfig"] : undefined;
  return isObject(config) && config["mode"] === "NONE";
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
