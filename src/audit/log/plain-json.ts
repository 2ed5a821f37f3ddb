import type { JsonObject } from "../../core/json.ts";

/** What a terminal or an editor does not show as it stands: controls, marks of direction, separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const NOT_PLAIN = /[^\x20-\x7e]/;

/**
 * The members of an object as JSON on one line, without the braces; what nobody can see is escaped.
 * @param without names of members that are left out
 * @throws TypeError, RangeError for what JSON cannot say
 */
export function plainMembers(entry: JsonObject, without: ReadonlySet<string>): string {
  const json = JSON.stringify(leaveOut(entry, without));
  const plain = NOT_PLAIN.test(json) ? json.replaceAll(UNSEEN, escaped) : json;
  return plain.slice(1, -1);
}

function leaveOut(entry: JsonObject, without: ReadonlySet<string>): JsonObject {
  const keys = Object.keys(entry);
  if (!keys.some((key) => without.has(key))) return entry;
  // fromEntries defines keys rather than assigning them, so `__proto__` stays data.
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !without.has(key)));
}

/** In units of UTF-16, as JSON has it. */
function escaped(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    out += `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return out;
}
