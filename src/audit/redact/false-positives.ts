import { MASK } from "../../core/json.ts";
import { isTellingName, squeezed } from "./key-names.ts";

/** A longer value is never a false positive by its looks: each value is read only once. */
export const MAX_INNOCENT = 200;

/** Placeholders in place of a value, in lower case. */
const WORDS: ReadonlySet<string> = new Set([
  "any",
  "array",
  "bool",
  "boolean",
  "false",
  "include",
  "int",
  "integer",
  "never",
  "nil",
  "none",
  "null",
  "number",
  "object",
  "omit",
  "optional",
  "required",
  "same-origin",
  "str",
  "string",
  "true",
  "undefined",
  "unknown",
  "void",
  "{}",
  "[]",
]);

/** Expressions in source code that look up a value by name. */
const OBJECTS =
  /^(?:args|cfg|config|configuration|conf|credentials|ctx|data|env|event|import|input|key|kwargs|match|node|opts|options|os|params|parsed|payload|process|props|req|request|res|response|result|secrets|self|session|settings|state|this|user|value|vars)[.[?!]/;
const PATH = /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$#][\w$]*)+$/;
/** Words that begin an expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  "async",
  "await",
  "function",
  "if",
  "local",
  "new",
  "not",
  "return",
  "throw",
  "typeof",
  "yield",
]);
const CALL = /^!?[A-Za-z_$][\w$]*(?:[.:]{1,2}[\w$]+)*[!?]?\(/;
const TYPE = /^[A-Za-z_$][\w$]*(?:\[|<|\||!$)/;

/** Whether a text refers to a secret and is not one: a variable, a placeholder. */
export function isReference(text: string): boolean {
  if (text.length > MAX_INNOCENT) return false;
  return text === MASK || REFERENCES.some((reference) => reference.test(text));
}

const REFERENCES: readonly RegExp[] = [
  /^\\?\$\{[^{}]*\}$/,
  /^\$\([^()]*\)$/,
  /^\$[A-Z_][A-Z0-9_]*$/,
  /^%[A-Za-z_]\w*%$/,
  /^\{\{[^{}]*\}\}$/,
  /^\$\{\{[^{}]*\}\}$/,
  /^\{[a-z_]+\}$/,
  /^(?:YOUR[_-])?(?:API[_-]?|ACCESS[_-]?)?(?:TOKEN|KEY|PASSWORD|SECRET)$/,
  // The version of a package with such a name.
  /^(?:[~^]|>=)?\d{1,4}\.\d{1,4}\.\d{1,4}$/,
  /^<[A-Za-z][A-Za-z _.-]*>$/,
  /^\[[A-Za-z][A-Za-z _.-]*\]$/,
  /^(?:\*+|•+|x{3,}|X{3,}|\.{2,}|…)$/,
];

/** Whether a quoted value under a telltale name is not a secret. */
export function isInnocentQuoted(value: string, name: string): boolean {
  if (value.length > MAX_INNOCENT) return false;
  if (value.trim() === "" || isReference(value) || WORDS.has(value.toLowerCase())) return true;
  return isPlace(value, name);
}

/** Whether an unquoted value after a telltale name is not a secret. */
export function isInnocentBare(value: string, name: string): boolean {
  if (isInnocentQuoted(value, name)) return true;
  if (value.length > MAX_INNOCENT) return false;
  return squeezed(value) === squeezed(name) || isCode(value);
}

/** Whether a word is source code: a call, a property, the beginning of an expression. */
export function isCode(value: string): boolean {
  if (value.length > MAX_INNOCENT) return false;
  if (EXPRESSIONS.has(value) || CALL.test(value) || OBJECTS.test(value)) return true;
  return PATH.test(value) && isTellingName(value);
}

/** Whether a word after `: ` or ` = ` is source code or prose. */
export function isWording(value: string): boolean {
  if (value.length > MAX_INNOCENT) return false;
  const word = /^[\w$-]*/.exec(value)?.[0] ?? "";
  if (WORDS.has(word.toLowerCase()) && !/\w/.test(value.slice(word.length))) return true;
  if (isCode(value) || /^[([{|>&*]/.test(value)) return true;
  if (TYPE.test(value) && !/\d/.test(value)) return true;
  // A path, a URL, a comment.
  if (/^(?:~|\.{0,2})\/|^[a-z]{2,12}:\/\//.test(value)) return true;
  return /^\d{1,3}$/.test(value) || !/[^A-Za-z'’-]/.test(value);
}

/** `pwd` is also the working directory. */
function isPlace(value: string, name: string): boolean {
  return /pwd$/i.test(name) && /^(?:\/|~|\.{1,2}(?:\/|$)|[A-Za-z]:[\\/])/.test(value);
}
