import { messageOf } from "./errors.ts";
import { parseExact } from "./exact-json.ts";

/** A JSON value: what crosses between hosts, hooks and handlers. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Keys are data: `__proto__` is a key like any other. */
export interface JsonObject {
  [key: string]: Json;
}

/** Deepest nesting that crosses between host and hooks, in levels. */
export const MAX_JSON_DEPTH = 32;

/** Most values of a text that is parsed, keys not counted: more would hold the thread for longer than 50 ms. */
export const MAX_JSON_VALUES = 50_000;

/** True for what JSON calls an object: not null, not a list, no class of its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}

/** Whether a value is an object with these keys, each of which passes its check. Other keys may be there. */
export function isShaped(
  value: unknown,
  checks: Readonly<Record<string, (value: unknown) => boolean>>,
): value is Record<string, unknown> {
  if (!isPlainObject(value)) return false;
  return Object.entries(checks).every(([key, isValid]) => isValid(value[key]));
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The keys that have a value; undefined ones are left out. */
export function stated<T>(keys: Readonly<Record<string, T | undefined>>): Record<string, T> {
  const kept: Record<string, T> = {};
  for (const [key, value] of Object.entries(keys))
    if (value !== undefined) setOwn(kept, key, value);
  return kept;
}

/**
 * Set an own key, also when it is `__proto__`: plain assignment would change the prototype instead.
 */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}

/** Read an own key; what a prototype holds is not data and reads as undefined. */
export function getOwn<T>(source: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

/** RFC 6901 pointer of a path: `["payload", "a/b"]` is `/payload/a~1b`; the root is the empty string. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map(pointerPart).join("");
}

/** One step of a pointer, its slash in front. */
export function pointerPart(step: string | number): string {
  if (typeof step === "number" || !/[~/]/.test(step)) return `/${step}`;
  return `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Whether two texts say the same. */
export type SameText = (a: string, b: string) => boolean;

/**
 * Whether two values are the same as JSON: whatever the order of keys, and with undefined for a key that is not there.
 */
export function equalJson(a: unknown, b: unknown, sameText: SameText = isSameText): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return sameText(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => equalJson(item, b[i], sameText));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => equalJson(getOwn(a, key), getOwn(b, key), sameText));
}

/** Whether two texts are the same to the letter. */
export function isSameText(a: string, b: string): boolean {
  return a === b;
}

/** What stands in the place of a secret. */
export const MASK = "[redacted]";

/** A text parsed as one JSON value, or why it is invalid. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string };

/**
 * Parse exactly one JSON value. Keys are data, including `__proto__`: `JSON.parse` makes it an own key.
 * @param maxDepth maximum nesting
 */
export function readJson(text: string, maxDepth: number = MAX_JSON_DEPTH): ReadJson {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (thrown) {
    const why = messageOf(thrown);
    return { ok: false, why: why === TOO_MANY ? why : `is not JSON: ${why}` };
  }
  const why = fault(value, maxDepth);
  return why === undefined ? { ok: true, value } : { ok: false, why };
}

const TOO_MANY = `has more than ${MAX_JSON_VALUES} values`;

/** As `parseExact`. @throws SyntaxError, and an Error for more than `MAX_JSON_VALUES` */
export function parseJson(text: string): Json {
  if (text.length > MAX_JSON_VALUES && hasTooManyValues(text)) throw new Error(TOO_MANY);
  return parseExact(text).value;
}

/** Counts commas and opening brackets outside of strings. In a text that is not JSON, the count means nothing. */
function hasTooManyValues(text: string): boolean {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (BEGINS_VALUE.includes(code) && ++count > MAX_JSON_VALUES) return true;
    if (code !== QUOTE) continue;
    do at = text.indexOf('"', at + 1);
    while (at > 0 && isEscaped(text, at));
    if (at < 0) return false;
  }
  return false;
}

/** `,`, `[` and `{`. */
const BEGINS_VALUE = [44, 91, 123];
const QUOTE = 34;
const BACKSLASH = 92;

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}

/** As `readJson`, for an object. */
export function readJsonObject(
  text: string,
):
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly why: string } {
  const read = readJson(text);
  if (!read.ok) return read;
  return isJsonObject(read.value)
    ? { ok: true, value: read.value }
    : { ok: false, why: "is not a JSON object" };
}

/** Whether a value has more levels than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The objects in a list; none in anything else. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  const list = Array.isArray(value) ? value : [];
  return list.filter((each): each is JsonObject => isPlainObject(each));
}

/** The texts in a list; none in anything else. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The value in a JSON text; `otherwise` for a text that is not JSON. */
export function jsonOr(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** The object in a JSON text; undefined for any other text. */
export function objectIn(text: string): JsonObject | undefined {
  const value = jsonOr(text);
  return isPlainObject(value) ? (value as JsonObject) : undefined;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** Why a parsed value cannot be used. */
function fault(value: Json, levels: number): string | undefined {
  // JSON numbers are unbounded: 1e999 parses as Infinity.
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "contains a number that is too large";
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return "is nested too deeply";
  for (const item of Object.values(value)) {
    const why = fault(item, levels - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The object under a key; empty if there is none. */
export function objectAt(from: JsonObject, key: string): JsonObject {
  const value = getOwn(from, key);
  return isJsonObject(value) ? value : {};
}

/** The text under a key, or undefined. */
export function textAt(from: JsonObject, key: string): string | undefined {
  const value = getOwn(from, key);
  return typeof value === "string" ? value : undefined;
}

/** Add an item to the list under a key. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
