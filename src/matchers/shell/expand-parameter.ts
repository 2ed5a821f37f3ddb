import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import type { Value } from "./scope.ts";

/** What `${…}` is expanded with. */
export interface ParameterSources {
  /** Undefined for a name that the line has not set. */
  lookup(name: string): Value | undefined;
  assign(name: string, value: Value): void;
  /** A word of the expansion as text; null when it is not known. */
  text(word: Word): string | null;
}

/** What `${…}` stands for; null when it is not known. */
export function expandParameter(part: ParameterExpansionPart, from: ParameterSources): Value {
  const { parameter, prefix, operation, index } = part;
  let value = index ? element(parameter, index, from) : from.lookup(parameter);
  if (prefix === "!") {
    if (operation?.type === "Names" || typeof value !== "string") return null;
    value = from.lookup(value);
  }
  if (prefix === "#") return length(value);
  if (!operation) return value ?? null;
  if (operation.type === "Default") return withDefault(parameter, value, operation, from);
  return typeof value === "string" ? (changed(value, operation, from) ?? null) : null;
}

function element(name: string, index: Word, from: ParameterSources): Value | undefined {
  const at = from.text(index);
  const whole = from.lookup(`${name}[@]`);
  if (at === null) return null;
  if (at === "@" || at === "*") return whole ?? from.lookup(name);
  if (!Array.isArray(whole)) return at === "0" ? from.lookup(name) : null;
  const value: unknown = whole.at(Number(at));
  return typeof value === "string" ? value : null;
}

function length(value: Value | undefined): Value {
  if (value === undefined || value === null) return null;
  return String(value.length);
}

function withDefault(
  name: string,
  value: Value | undefined,
  operation: Extract<ParameterOperation, { type: "Default" }>,
  from: ParameterSources,
): Value {
  const { operator, operand } = operation;
  if (value === null) return null;
  const isEmpty = value !== undefined && value.length === 0 && operator.startsWith(":");
  const stands = value !== undefined && !isEmpty;
  switch (operator) {
    case "+":
    case ":+":
      // What the line has not set may come from outside.
      if (value === undefined) return null;
      return stands ? from.text(operand) : "";
    case "?":
    case ":?":
      return stands ? value : null;
    case "=":
    case ":=": {
      if (stands) return value;
      const text = from.text(operand);
      from.assign(name, text);
      return text;
    }
    default:
      return stands ? value : from.text(operand);
  }
}

/** A text with a part of it removed, replaced, cut or in another case; undefined when it is not known. */
function changed(
  value: string,
  operation: Exclude<ParameterOperation, { type: "Default" }>,
  from: ParameterSources,
): string | undefined {
  switch (operation.type) {
    case "Remove":
      return without(value, operation.operator, from.text(operation.operand));
    case "Replace": {
      const pattern = from.text(operation.pattern);
      const replacement = from.text(operation.replacement);
      if (pattern === null || replacement === null || isGlob(pattern)) return undefined;
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
    default:
      return undefined;
  }
}

/** Patterns without globs, and such as begin or end with one `*`. */
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
  if (pattern === "") return value;
  switch (operator) {
    case "//":
      return value.replaceAll(pattern, () => by);
    case "/#":
      return value.startsWith(pattern) ? by + value.slice(pattern.length) : value;
    case "/%":
      return value.endsWith(pattern) ? value.slice(0, -pattern.length) + by : value;
    default:
      return value.replace(pattern, () => by);
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
  return value.slice(begin, count < 0 ? value.length + count : begin + count);
}

function integer(text: string | null): number | undefined {
  return text !== null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

function recased(value: string, operator: string): string {
  const upper = operator.startsWith("^");
  const end = operator.length === 2 ? value.length : 1;
  const head = value.slice(0, end);
  return (upper ? head.toUpperCase() : head.toLowerCase()) + value.slice(end);
}

function isGlob(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}
