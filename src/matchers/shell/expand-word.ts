import { parse } from "unbash";
import type { ParameterExpansionPart, Word, WordPart } from "unbash";
import { expandBraces } from "./braces.ts";
import { expandParameter } from "./expand-parameter.ts";
import type { Field } from "./field.ts";
import type { Budget } from "./limits.ts";
import type { Scope, Value } from "./scope.ts";
import { FieldBuilder } from "./split-fields.ts";

/** What words are expanded with. */
export interface Surroundings {
  readonly scope: Scope;
  readonly budget: Budget;
  /** Texts that something else is put in place of: `{}` of `find -exec`. */
  readonly templates: readonly string[];
  /** What a script prints, where that is known. */
  outputOf(script: ScriptNode, around: Surroundings): string | undefined;
}

type ScriptNode = NonNullable<Extract<WordPart, { type: "CommandExpansion" }>["script"]>;

/** What the shell makes of a word of a command: braces, `~`, expansions, and the words these are split into. */
export function expandWord(word: Word, around: Surroundings): readonly Field[] {
  const { parts } = word;
  around.budget.spendText(word.text);
  if (!parts) {
    const text = word.text.startsWith("~") ? untilde(word.value, around.scope) : word.value;
    const field = { text, known: true };
    return [around.templates.length > 0 ? mark(field, around) : field];
  }
  if (parts.some((part) => part.type === "BraceExpansion")) return expandBraced(word, around);
  const builder = new FieldBuilder();
  expandParts(parts, builder, around, true);
  builder.end();
  return builder.fields.map((field) => mark(field, around));
}

/** What the shell makes of a word that stays one: a value, a target, a here-document. */
export function expandText(word: Word | readonly WordPart[], around: Surroundings): Field {
  const isWord = "type" in word;
  const parts = isWord ? word.parts : word;
  if (isWord) around.budget.spendText(word.text);
  if (!parts) {
    if (!isWord) return { text: "", known: true };
    const text = word.text.startsWith("~") ? untilde(word.value, around.scope) : word.value;
    return mark({ text, known: true }, around);
  }
  const builder = new FieldBuilder();
  expandParts(parts, builder, around, false);
  builder.end();
  return mark(builder.fields[0] ?? { text: "", known: true }, around);
}

/** `~` and `~/…` at the beginning of a word without quotes. */
function untilde(text: string, scope: Scope): string {
  if (text !== "~" && !text.startsWith("~/")) return text;
  const home = scope.get("HOME");
  return typeof home === "string" ? home + text.slice(1) : text;
}

function mark(field: Field, { templates, budget }: Surroundings): Field {
  budget.spendText(field.text);
  if (!field.known || templates.length === 0) return field;
  return templates.some((template) => field.text.includes(template))
    ? { ...field, known: false }
    : field;
}

function expandBraced(word: Word, around: Surroundings): readonly Field[] {
  const written = expandBraces(word);
  if (!written) return [{ text: word.text, known: false }];
  return written.flatMap((text) => {
    around.budget.spendText(text);
    // As the first word of a line it would be read as an assignment or a keyword.
    const [statement] = parse(`_ ${text}`).commands;
    const command = statement?.command;
    const made = command?.type === "Command" ? command.args[0] : undefined;
    if (made?.type !== "Word") return text === "" ? [] : [{ text, known: false }];
    return expandWord(made, around);
  });
}

/** @param split whether expansions without quotes are split into several fields */
function expandParts(
  parts: readonly WordPart[],
  into: FieldBuilder,
  around: Surroundings,
  split: boolean,
): void {
  for (const [index, part] of parts.entries()) {
    switch (part.type) {
      case "Literal": {
        const tilde = index === 0 && part.text.startsWith("~");
        into.append(tilde ? untilde(part.value, around.scope) : part.value, false);
        break;
      }
      case "SingleQuoted":
      case "AnsiCQuoted":
        into.append(part.value, true);
        break;
      case "DoubleQuoted":
      case "LocaleString":
        into.append("", true);
        for (const child of part.parts) {
          if (child.type === "Literal") into.append(child.value, true);
          else appendQuoted(child, into, around, split);
        }
        break;
      case "Glob":
      case "ExtendedGlob":
        into.appendGlob(part.text);
        break;
      case "ProcessSubstitution":
        into.append(part.text, false);
        break;
      case "BraceExpansion":
        // Where a word stays one, braces do.
        into.append(part.text, false);
        break;
      default:
        appendPlain(part, into, around, split);
    }
  }
}

type Expansion = Extract<
  WordPart,
  | { type: "SimpleExpansion" }
  | { type: "ParameterExpansion" }
  | { type: "CommandExpansion" }
  | { type: "ArithmeticExpansion" }
>;

function appendQuoted(
  part: Expansion,
  into: FieldBuilder,
  around: Surroundings,
  split: boolean,
): void {
  const value = valueOf(part, around);
  if (value === null) into.appendUnknown(part.text, true);
  else if (typeof value === "string") into.append(spent(value, around), true);
  else {
    const all = split && /@\]?\}?$/.test(part.text);
    for (const [index, text] of value.entries()) {
      if (index > 0) {
        if (all) into.end();
        else into.append(" ", true);
      }
      into.append(spent(text, around), true);
    }
  }
}

function appendPlain(
  part: Expansion,
  into: FieldBuilder,
  around: Surroundings,
  split: boolean,
): void {
  const value = valueOf(part, around);
  if (value === null) return into.appendUnknown(part.text, false);
  const texts = typeof value === "string" ? [value] : value;
  const ifs = split ? around.scope.get("IFS") : "";
  if (ifs === null) return into.appendUnknown(part.text, false);
  const separators = typeof ifs === "string" ? ifs : " \t\n";
  for (const [index, text] of texts.entries()) {
    if (index > 0) {
      if (split) into.end();
      else into.append(" ", false);
    }
    into.appendSplit(spent(text, around), separators);
  }
}

function spent(text: string, { budget }: Surroundings): string {
  budget.spendText(text);
  return text;
}

/** What an expansion stands for; null when it is not known. */
function valueOf(part: Expansion, around: Surroundings): Value {
  switch (part.type) {
    case "SimpleExpansion":
      return parameterValue(part.text.slice(1), around);
    case "ParameterExpansion":
      return expanded(part, around);
    case "CommandExpansion": {
      // It is a subshell: what it sets is its own.
      const inner = { ...around, scope: around.scope.layer() };
      const output = part.script && around.outputOf(part.script, inner);
      return output === undefined ? null : output.replace(/\n+$/, "");
    }
    case "ArithmeticExpansion":
      return null;
  }
}

function expanded(part: ParameterExpansionPart, around: Surroundings): Value {
  return expandParameter(part, {
    lookup: (name) => lookup(name, around.scope),
    assign: (name, value) => around.scope.set(name, value),
    text: (word) => {
      const { text, known } = expandText(word, around);
      return known ? text : null;
    },
  });
}

function parameterValue(name: string, { scope }: Surroundings): Value {
  return lookup(name, scope) ?? null;
}

/** A variable, or a parameter of the script; undefined for one that the line has not set. */
function lookup(name: string, scope: Scope): Value | undefined {
  const { positional } = scope;
  if (name === "PWD") return scope.get("PWD") ?? scope.cwd ?? null;
  if (name === "@" || name === "*") return positional ? texts(positional) : null;
  if (name === "#") return positional ? String(positional.length) : null;
  if (/^[1-9]\d{0,4}$/.test(name)) {
    if (!positional) return null;
    const field = positional[Number(name) - 1];
    if (!field) return undefined;
    return field.known ? field.text : null;
  }
  if (name.endsWith("[@]")) return scope.get(name.slice(0, -3));
  const value = scope.get(name);
  // An array by its name alone is its first element.
  return value !== null && typeof value === "object" ? (value[0] ?? "") : value;
}

function texts(fields: readonly Field[]): readonly string[] | null {
  return fields.every(({ known }) => known) ? fields.map(({ text }) => text) : null;
}
