import { getOwn } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { asText } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";

/** Gemini CLI puts words of its own in the place of an empty reason. */
const NOTHING_LEFT = "a hook took the result away";

/** A result as a model is to read it: what was meant for it, of parts their text. Never empty. */
export function resultText(result: Json): string {
  const content = isJsonObject(result) ? getOwn(result, "llmContent") : undefined;
  return textOf(content ?? result) || NOTHING_LEFT;
}

/** What a hook answered in the place of a model: a text, or as a tool answers with one. */
export function modelText(result: Json): string {
  return result === null ? "" : textOf(result);
}

function textOf(content: Json): string {
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  const text = isJsonObject(content) ? getOwn(content, "text") : undefined;
  return typeof text === "string" ? text : asText(content);
}
