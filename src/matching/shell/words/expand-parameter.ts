import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import { parse } from "unbash";
import type { Expanded, Keyed } from "../value.ts";
import { elementIndex, elementKey, isUnset, maybe, UNSET, withoutVariables } from "../value.ts";

/** The sources for expanding `${…}`. */
export interface ParameterSources {
  /** Undefined for a name that the line has not set. */
  lookup(name: string): Expanded | undefined;
  /** The associative array of this name; undefined if there is none. */
  keyed(name: string): Keyed | undefined;
  assign(name: string, value: Expanded): void;
  /** A word of the expansion as text; null when a part of it is unknown. */
  text(word: Word): string | null;
  /** A word of the expansion as a value. */
  value(word: Word): string | null;
}

/** The value of `${…}`; null when unknown. */
export function expandParameter(part: ParameterExpansionPart, from: ParameterSources): Expanded {
  const { parameter, prefix, operation, index } = part;
  let value = index ? element(parameter, index, from) : from.lookup(parameter);
  if (prefix === "!") {
    if (operation?.type === "Names" || typeof value !== "string" || !NAME.test(value)) return null;
    value = from.lookup(value);
  }
  if (prefix === "#") return length(value);
  if (!operation) return value ?? null;
  if (operation.type === "Default") return withDefault(parameter, value, operation, from);
  if (Array.isArray(value) && operation.type === "Slice") {
    return slicedList(value, parameter === "@" || parameter === "*", operation, from);
  }
  if (isUnset(value)) return "";
  if (typeof value !== "string") return null;
  const known = withoutVariables(value);
  const result = changed(known, operation, from);
  if (result === undefined) return null;
  return known === value ? result : maybe(parameter, result);
}

const NAME = /^(?:[A-Za-z_]\w*|[1-9])$/;

function element(name: string, index: Word, from: ParameterSources): Expanded | undefined {
  const at = from.text(index);
  const lookup = (other: string): Expanded | undefined => from.lookup(other);
  const whole = from.lookup(`${name}[@]`);
  if (at === null) return null;
  const keyed = from.keyed(name);
  if (at === "@" || at === "*") return keyed ? whole : (whole ?? from.lookup(name));
  if (keyed) {
    const key = elementKey(keyed, at, lookup);
    if (key === undefined) return null;
    return keyed.has(key) ? keyed.get(key) : UNSET;
  }
  const number = /^-[1-9]\d{0,3}$/.test(at) ? Number(at) : elementIndex(at, lookup);
  if (number === undefined) return null;
  if (!Array.isArray(whole)) return number === 0 ? from.lookup(name) : null;
  const value: unknown = whole.at(number);
  if (value === undefined) return number < 0 ? null : UNSET;
  return typeof value === "string" ? value : null;
}

function length(value: Expanded | undefined): Expanded {
  if (value === undefined || value === null) return null;
  return typeof value === "string" && !ASCII.test(value) ? null : String(value.length);
}

function withDefault(
  name: string,
  value: Expanded | undefined,
  operation: Extract<ParameterOperation, { type: "Default" }>,
  from: ParameterSources,
): Expanded {
  const { operator, operand } = operation;
  if (value === null) return null;
  const isEmpty = value !== undefined && value.length === 0 && operator.startsWith(":");
  const stands = value !== undefined && !isUnset(value) && !isEmpty;
  switch (operator) {
    case "+":
    case ":+":
      // A variable that the line has not set may come from the environment.
      if (value === undefined) return null;
      return stands ? from.value(operand) : "";
    case "?":
    case ":?":
      return stands ? value : null;
    case "=":
    case ":=": {
      if (stands) return value;
      const text = from.value(operand);
      from.assign(name, text);
      return text;
    }
    default:
      return stands ? value : from.value(operand);
  }
}

/** Texts whose characters all shells count and convert alike. */
const ASCII = /^[\0-\x7f]*$/;

/** A text with a part removed, replaced, cut or in another case; undefined when unknown. */
function changed(
  value: string,
  operation: Exclude<ParameterOperation, { type: "Default" }>,
  from: ParameterSources,
): string | undefined {
  if (!ASCII.test(value)) return undefined;
  switch (operation.type) {
    case "Remove":
      return without(value, operation.operator, patternOf(operation.operand, from));
    case "Replace": {
      const pattern = patternOf(operation.pattern, from);
      const replacement = from.text(operation.replacement);
      if (pattern === null || replacement === null || isGlob(pattern)) return undefined;
      // In some shells `&` is the matched text.
      if (/[&\\]/.test(replacement)) return undefined;
      return replaced(value, operation.operator, pattern, replacement);
    }
    case "Slice":
      return sliced(
        value,
        from.text(operation.offset),
        operation.length ? from.text(operation.length) : undefined,
      );
    case "CaseModification":
      return operation.operand ? undefined : recased(value, operation.operator);
    case "Transform":
      return TRANSFORMS[operation.operand.value]?.(value);
    default:
      return undefined;
  }
}

/** A pattern; null when it is unknown, or has quoted globs. */
function patternOf(word: Word, from: ParameterSources): string | null {
  const pattern = from.text(word);
  return pattern !== null && isGlob(pattern) && /["'\\$`]/.test(word.text) ? null : pattern;
}

/** Patterns without globs, and those with one `*` at the start or end. */
function without(value: string, operator: string, pattern: string | null): string | undefined {
  if (pattern === null) return undefined;
  const atEnd = operator.startsWith("%");
  const longest = operator.length === 2;
  const star = atEnd ? pattern.endsWith("*") : pattern.startsWith("*");
  const rest = star ? (atEnd ? pattern.slice(0, -1) : pattern.slice(1)) : pattern;
  if (isGlob(rest)) return undefined;
  if (!star) {
    if (atEnd) return value.endsWith(rest) ? value.slice(0, value.length - rest.length) : value;
    return value.startsWith(rest) ? value.slice(rest.length) : value;
  }
  const first = atEnd ? longest : !longest;
  const at = first ? value.indexOf(rest) : value.lastIndexOf(rest);
  if (at < 0) return value;
  return atEnd ? value.slice(0, at) : value.slice(at + rest.length);
}

function replaced(value: string, operator: string, pattern: string, by: string): string {
  switch (operator) {
    case "//":
      return pattern === "" ? value : value.replaceAll(pattern, () => by);
    case "/#":
      return value.startsWith(pattern) ? by + value.slice(pattern.length) : value;
    case "/%":
      return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) + by : value;
    default:
      return pattern === "" ? value : value.replace(pattern, () => by);
  }
}

function sliced(
  value: string,
  offset: string | null,
  length: string | null | undefined,
): string | undefined {
  const from = integer(offset);
  const count = length === undefined ? value.length : integer(length);
  if (from === undefined || count === undefined) return undefined;
  const begin = from < 0 ? value.length + from : from;
  if (begin < 0) return "";
  const end = count < 0 ? value.length + count : begin + count;
  return end < begin ? undefined : value.slice(begin, end);
}

/** Elements of a list; positional parameters start at 1. */
function slicedList(
  value: readonly string[],
  isPositional: boolean,
  operation: Extract<ParameterOperation, { type: "Slice" }>,
  from: ParameterSources,
): Expanded {
  const offset = integer(from.text(operation.offset));
  const count = operation.length ? integer(from.text(operation.length)) : value.length;
  const begin = offset === undefined ? -1 : offset - (isPositional ? 1 : 0);
  if (begin < 0 || count === undefined || count < 0) return null;
  return value.slice(begin, begin + count);
}

function integer(text: string | null): number | undefined {
  return text !== null && /^\s*-?(?:0|[1-9]\d{0,8})\s*$/.test(text) ? Number(text) : undefined;
}

function recased(value: string, operator: string): string {
  const upper = operator.startsWith("^");
  const end = operator.length === 2 ? value.length : 1;
  const head = value.slice(0, end);
  return (upper ? head.toUpperCase() : head.toLowerCase()) + value.slice(end);
}

/** `${x@E}` and the like; undefined when unknown. */
const TRANSFORMS: Readonly<Record<string, (value: string) => string | undefined>> = {
  E: unescaped,
  L: (value) => value.toLowerCase(),
  U: (value) => value.toUpperCase(),
  u: (value) => recased(value, "^"),
  Q: (value) => (/^[\x20-\x26\x28-\x7e]*$/.test(value) ? `'${value}'` : undefined),
};

/** The text with the escapes of `$'…'`. */
function unescaped(value: string): string | undefined {
  if (value.includes("'")) return undefined;
  const { commands, errors } = parse(`_ $'${value}'`);
  const [command, ...others] = commands.map((statement) => statement.command);
  if (errors || others.length > 0 || command?.type !== "Command") return undefined;
  const [word, ...more] = command.args;
  if (word?.type !== "Word" || more.length > 0) return undefined;
  const [part, ...rest] = word.parts ?? [];
  return part?.type === "AnsiCQuoted" && rest.length === 0 ? part.value : undefined;
}

function isGlob(pattern: string): boolean {
  return /[*?[\\]|[@!+]\(/.test(pattern);
}
