import type { Json, JsonObject } from "../../core/json.ts";

/** The longest text in a line of the log, in characters: a reason may be as long as a payload. */
export const MOST_CHARS = 4096;

/** The entry with long texts cut, and how much of each was left out. */
export function cutTexts(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, cut(value)]));
}

function cut(value: Json): Json {
  if (typeof value === "string") {
    const more = value.length - MOST_CHARS;
    return more > 0 ? `${value.slice(0, MOST_CHARS)}… (${more} more characters)` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(cut) : cutTexts(value);
}
