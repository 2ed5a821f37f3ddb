import { lazyConstant, MASK, setOwn } from "../../core/index.ts";
import type { Json, JsonObject, Redactor } from "../../core/index.ts";
import { compileMask } from "../../matching/index.ts";
import { AssignmentFinder } from "./assignments.ts";
import { viewsOf, withoutSequences } from "./escape-sequences.ts";
import { isInnocentQuoted } from "./false-positives.ts";
import { isHeaderName, KeyNames } from "./key-names.ts";
import { isPairInBase64, StatementFinder } from "./statements.ts";
import {
  findDer,
  findJwts,
  findPem,
  findPutty,
  findUrlPasswords,
  Spans,
  TokenFinder,
} from "./tokens.ts";

/** What is masked in addition to the built-in rules: `[redact]`. */
interface Redact {
  /** Names of keys, in any case, whose values are masked. */
  readonly keys: readonly string[];
  /** Regular expressions, in RE2 syntax, of texts that are masked. */
  readonly patterns: readonly string[];
}

/**
 * Create a redactor that masks secrets by the names of keys and by their form.
 * @throws OrcsError ORCS1012 for an invalid pattern
 */
export function createRedactor({ keys, patterns }: Redact = { keys: [], patterns: [] }): Redactor {
  const masks = patterns.map((pattern) => compileMask("redact", pattern));
  // Many processes mask nothing.
  const made = lazyConstant(() => {
    const names = new KeyNames(keys);
    const text = textRedactor(names, masks);
    return { text, value: valueRedactor(names, text) };
  });
  return {
    text: (text) => made().text(text),
    value: <T extends Json | undefined>(value: T): T =>
      value === undefined ? value : (made().value(value) as T),
  };
}

/** Mask in a text what is a secret by its form, where there is no engine. */
export function maskedText(text: string): string {
  return createRedactor().text(text);
}

/** A masked text may match again; more rounds than this were never needed. */
const MAX_ROUNDS = 8;

/** Masks secrets in texts by their form, and by the names before them. */
function textRedactor(
  names: KeyNames,
  masks: readonly ((text: string) => string)[],
): (text: string) => string {
  // Created for the first text: most processes that answer a coding agent have none to mask.
  const finders = lazyConstant(() => makeFinders(names));
  const once = (text: string): string => {
    const spans = new Spans();
    for (const view of viewsOf(text)) {
      const found = new Spans();
      for (const find of finders()) find(view.text, found);
      spans.addAll(found, view.at);
    }
    return spans.maskedIn(text);
  };
  const own = (text: string): string => masks.reduce((before, mask) => mask(before), text);
  const masked = (text: string): string => {
    let left = own(text);
    // What a mask matches across escape sequences loses them.
    const plain = masks.length > 0 ? withoutSequences(left) : left;
    if (plain !== left) left = own(plain) === plain ? left : own(plain);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = once(left);
      if (next === left) break;
      left = next;
    }
    return left;
  };
  // Keys, ids of sessions and names of tools come again with each event.
  const clean = new Set<string>();
  return (text) => {
    if (text.length > MAX_KNOWN_LENGTH) return masked(text);
    if (clean.has(text)) return text;
    const left = masked(text);
    if (left === text) {
      // Texts come from outside, so there can be any number.
      if (clean.size >= MAX_KNOWN) clean.clear();
      clean.add(text);
    }
    return left;
  };
}

/** Texts without secrets that are known, and the longest of them in characters. */
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 200;

function makeFinders(names: KeyNames): readonly ((text: string, spans: Spans) => void)[] {
  const tokens = new TokenFinder();
  const statements = new StatementFinder();
  const assignments = new AssignmentFinder(names);
  return [
    findPem,
    findDer,
    findPutty,
    findJwts,
    (text, spans) => tokens.find(text, spans),
    findUrlPasswords,
    (text, spans) => statements.find(text, spans),
    (text, spans) => assignments.find(text, spans),
  ];
}

/** `"pass": 97.5`, the share of tests that passed. */
function isRate(key: string, value: number): boolean {
  return /^pass$/i.test(key) && !Number.isInteger(value);
}

/** Values nested deeper than this are masked completely; they would not be passed to a hook either. */
const MAX_DEPTH = 64;

/** Masks secrets in JSON: by the names of keys, and in its texts. Parts without secrets are shared. */
function valueRedactor(names: KeyNames, text: (text: string) => string): (value: Json) => Json {
  const walk = (value: Json, depth: number, whole: boolean): Json => {
    if (typeof value === "string") return whole && value !== "" ? MASK : text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MAX_DEPTH) return MASK;
    if (!Array.isArray(value)) return object(value, depth + 1, whole);
    if (isPairs(value)) return mapped(value, (item) => pair(item, depth + 2, whole));
    return mapped(value, (item, i) => walk(item, depth + 1, whole || followsName(value, i, names)));
  };
  /** `["password", "…"]` in a list of pairs, as a Map is read. */
  const pair = (value: readonly [string, Json], depth: number, whole: boolean): Json => {
    const [key, item] = value;
    const telling = names.isTelling(key);
    const masked = walkUnder(item, key, depth, whole || telling || isHeaderName(key), telling);
    const name = text(key);
    return masked === item && name === key ? (value as unknown as Json) : [name, masked];
  };
  const object = (value: JsonObject, depth: number, whole: boolean): JsonObject => {
    const pair = isTellingPair(value, names);
    let copy: JsonObject | undefined;
    const entries = Object.entries(value);
    const free = freeNames(value);
    const isJwk = Object.hasOwn(value, "kty");
    entries.forEach(([key, item], i) => {
      const telling = names.isTelling(key);
      const under =
        whole ||
        telling ||
        (pair && key === "value") ||
        (isJwk && JWK_PRIVATE.test(key)) ||
        isDockerAuth(key, item);
      const masked = walkUnder(item, key, depth, under, telling);
      const name = text(key);
      if (masked === item && name === key && !copy) return;
      copy ??= copied(entries, i);
      setOwn(copy, name === key ? key : free(name), masked);
    });
    return copy ?? value;
  };
  const walkUnder = (
    item: Json,
    key: string,
    depth: number,
    under: boolean,
    telling: boolean,
  ): Json => {
    if (telling && typeof item === "number" && !isRate(key, item)) return MASK;
    // The working directory or the name of a variable: as in texts.
    const innocent = telling && typeof item === "string" && isPlainlyInnocent(item, key);
    return walk(item, depth, under && !innocent);
  };
  return (value) => walk(value, 0, false);
}

/** The private members of a JSON Web Key: RFC 7518, 6. */
const JWK_PRIVATE = /^(?:d|k|p|q|dp|dq|qi|oth)$/;

/** `{ auths: { host: { auth: "…" } } }`, the user name and the password in Base64. */
function isDockerAuth(key: string, value: Json): boolean {
  return (key === "auth" || key === "_auth") && typeof value === "string" && isPairInBase64(value);
}

/** Under `pwd`, a path is not a secret. */
function isPlainlyInnocent(text: string, key: string): boolean {
  return /pwd$/i.test(key) && text.length > 1 && isInnocentQuoted(text, key);
}

/** `{ name: "API_KEY", value: "…" }`, as in lists of variables and headers. */
function isTellingPair(value: JsonObject, names: KeyNames): boolean {
  if (!Object.hasOwn(value, "value")) return false;
  return ["name", "key"].some((key) => {
    const name = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof name === "string" && name.length < 200 && names.isTelling(name);
  });
}

/** The value after `--password` in the words of a command, or after the name of a header. */
function followsName(list: readonly Json[], i: number, names: KeyNames): boolean {
  const before = list[i - 1];
  if (typeof before !== "string" || before.length > 200) return false;
  if (before.startsWith("-")) return names.isTelling(before) && !/[=:\s]/.test(before);
  return list.length === 2 && isHeaderName(before);
}

/** A list that consists of pairs of a name and a value. */
function isPairs(list: readonly Json[]): list is (Json[] & [string, Json])[] {
  return (
    list.length > 0 &&
    list.every((item) => Array.isArray(item) && item.length === 2 && isName(item[0]))
  );
}

function isName(value: Json | undefined): boolean {
  return typeof value === "string" && value.length < 200;
}

function mapped<T extends Json>(list: T[], change: (item: T, i: number) => Json): Json[] {
  let copy: Json[] | undefined;
  list.forEach((item, i) => {
    const changed = change(item, i);
    if (changed === item) return;
    copy ??= [...list] as Json[];
    copy[i] = changed;
  });
  return copy ?? list;
}

function copied(entries: readonly (readonly [string, Json])[], until: number): JsonObject {
  const copy: JsonObject = {};
  for (const [key, item] of entries.slice(0, until)) setOwn(copy, key, item);
  return copy;
}

/** Names for masked keys that are not used by other keys. */
function freeNames(all: JsonObject): (name: string) => string {
  const taken = new Map<string, number>();
  return (name) => {
    let n = (taken.get(name) ?? 0) + 1;
    while (Object.hasOwn(all, numbered(name, n))) n++;
    taken.set(name, n);
    return numbered(name, n);
  };
}

function numbered(name: string, n: number): string {
  return n === 1 ? name : `${name}~${n}`;
}
