import { isPlainObject } from "../core/json.ts";

/** What a value is, in the words of a message: `"high"`, `a list`, `a date`. Long strings are cut. */
export function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "bigint") {
    return `${value}, ${Number.isSafeInteger(Number(value)) ? "a bigint" : "an integer beyond 2^53"}`;
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  if (typeof value === "object") return isPlainObject(value) ? "a table" : "an instance of a class";
  return `a ${typeof value}`;
}

/** A string in quotes, on one line, cut when it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}
