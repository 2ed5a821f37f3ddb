import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";

/** A turn of the conversation as Gemini CLI sends it to hooks: text only, without calls and results. */
type Message = JsonObject & { role: string; content: string };

const ROLES: readonly string[] = ["user", "model", "system"];

/** The messages of a request, if they are a list. */
export function messagesOf(request: JsonObject): Json[] | undefined {
  const messages = getOwn(request, "messages");
  return Array.isArray(messages) ? messages : undefined;
}

/** The user's last text. */
export function lastUserText(messages: readonly Json[]): string | undefined {
  const last = messages[lastUserIndex(messages)];
  return isMessage(last) ? last.content : undefined;
}

/** The messages with the user's last text replaced. */
export function withUserText(messages: readonly Json[], text: string): Json[] {
  const at = lastUserIndex(messages);
  if (at < 0) return [...messages, { role: "user", content: text }];
  return messages.map((message, i) =>
    i === at && isJsonObject(message) ? { ...message, content: text } : message,
  );
}

/** Whether it is a message that Gemini CLI accepts. */
export function isMessage(value: Json | undefined): value is Message {
  if (!isJsonObject(value)) return false;
  const role = getOwn(value, "role");
  return (
    typeof role === "string" && ROLES.includes(role) && typeof getOwn(value, "content") === "string"
  );
}

/** The text of a response: the parts of its first candidate, otherwise its `text`. */
export function responseText(response: JsonObject): string | undefined {
  const parts = getOwn(objectAt(firstCandidate(response), "content"), "parts");
  if (Array.isArray(parts) && parts.length > 0) {
    return parts.filter((part) => typeof part === "string").join("");
  }
  return textAt(response, "text");
}

/** The response with another text; its finish reason and usage stay. */
export function withResponseText(response: JsonObject, text: string): JsonObject {
  const content = { role: "model", parts: [text] };
  return { ...response, text, candidates: [{ index: 0, ...firstCandidate(response), content }] };
}

function lastUserIndex(messages: readonly Json[]): number {
  return messages.findLastIndex((message) => isMessage(message) && message.role === "user");
}

function firstCandidate(response: JsonObject): JsonObject {
  const candidates = getOwn(response, "candidates");
  const first = Array.isArray(candidates) ? candidates[0] : undefined;
  return isJsonObject(first) ? first : {};
}
