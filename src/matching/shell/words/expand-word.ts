import type { ShellSpan } from "../../../core/index.ts";
import type { Assignment, ParameterExpansionPart, Word, WordPart } from "unbash";
import { parse } from "unbash";
import type { Budget } from "../limits.ts";
import type { Scope } from "../scope.ts";
import type { Expanded, Keyed, Value } from "../value.ts";
import { keyed, UNKNOWN, UNSET, withoutVariables } from "../value.ts";
import { expandBraces } from "./braces.ts";
import { expandParameter } from "./expand-parameter.ts";

/** One expanded word of a command. */
export interface Field {
  /** Its text; unknown parts are as written. */
  readonly text: string;
  readonly known: boolean;
  /** If only parts of it are unknown: its text with `UNKNOWN` before each of them. */
  readonly marked?: string;
  /** It consists of an unquoted expansion: it may become several words, or none. */
  readonly loose?: boolean;
  /** It has an unquoted glob: it becomes the matching names. */
  readonly glob?: boolean;
  /** Glob characters of it are those of a value, such as a name in `for f in *`: it is one of the matching names. */
  readonly filled?: boolean;
  /** It is written without expansions: quoted glob characters are literal. */
  readonly literal?: boolean;
  /** The assignment that it is, if the text does not have all of it: `declare L=(…)`. */
  readonly assignment?: Assignment;
  /** The first of what braces become: the word itself, which it stays in some shells. */
  readonly braced?: string;
  /** Where it stands in the line, if requested. */
  readonly span?: ShellSpan;
}

/** A word with a known text. */
export function known(text: string): Field {
  return { text, known: true };
}

/** A word with an unknown text. */
export function unknown(text: string): Field {
  return { text, known: false };
}

/** A word from a text that may contain marks. */
export function unmarked(marked: string): Field {
  if (!marked.includes(UNKNOWN)) return { text: marked, known: true };
  return { text: marked.replaceAll(UNKNOWN, ""), known: false, marked };
}

/** The part of a word after this many characters. */
export function behind(field: Field, begin: number): Field {
  if (begin === 0) return field;
  const { text, known: isKnown, marked } = field;
  const value = { text: text.slice(begin), known: isKnown };
  return marked?.startsWith(text.slice(0, begin)) === true
    ? { ...value, marked: marked.slice(begin) }
    : value;
}

/** A word as a part of a script that will be read. */
export function scriptText({ text, known: isKnown, marked }: Field): string {
  return isKnown ? text : (marked ?? UNKNOWN + text);
}

/**
 * A word as the value of a variable: its text, with marks if only variables in it are unknown; null when nothing of it
 * is known, or when it may become several words.
 */
export function valueOfWord(field: Field): string | null {
  if (field.known) return field.text;
  if (field.marked === undefined || field.loose === true || field.glob === true) return null;
  const rest = withoutVariables(field.marked);
  return rest === "" || rest.includes(UNKNOWN) ? null : field.marked;
}

/** Words joined to a script, as by `eval`. */
export function joinedScript(fields: readonly Field[]): string {
  return fields.map(scriptText).join(" ");
}

/** The last part of a program's path, without the extension of Windows programs. */
export function programName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/\.exe$/i.test(name)) return name.slice(0, -4);
  // In zsh, `=rm` is the path of `rm`.
  return name.length > 1 && name.startsWith("=") ? name.slice(1) : name;
}

/** The context for expanding words. */
export interface ExpandContext {
  readonly scope: Scope;
  readonly budget: Budget;
  /** The output of a script, if known. */
  outputOf(script: ScriptNode, around: ExpandContext): string | undefined;
}

type ScriptNode = NonNullable<Extract<WordPart, { type: "CommandExpansion" }>["script"]>;

/** Expand a word of a command: braces, `~`, expansions, and word splitting. */
export function expandWord(word: Word, around: ExpandContext): readonly Field[] {
  const { parts } = word;
  around.budget.spendText(word.text);
  if (!parts) return [plain(word, around.scope)];
  if (parts.some((part) => part.type === "BraceExpansion")) return expandBraced(word, around);
  const builder = new FieldBuilder(around, true);
  expandParts(parts, builder);
  return builder.finished();
}

/** Expand a word that stays one word: a value, a target, a here-document. */
export function expandText(word: Word | readonly WordPart[], around: ExpandContext): Field {
  const isWord = "type" in word;
  const parts = isWord ? word.parts : word;
  if (isWord) around.budget.spendText(word.text);
  if (!parts) return isWord ? plain(word, around.scope) : known("");
  const builder = new FieldBuilder(around, false);
  if (isWord) expandParts(parts, builder);
  else for (const part of parts) expandQuoted(part, builder);
  const [field = known("")] = builder.finished();
  return field;
}

/** A word without expansions. */
function plain({ text, value }: Word, scope: Scope): Field {
  if (!text.startsWith("~")) return unmarked(value);
  const path = untilde(value, scope);
  return path === null ? unknown(value) : unmarked(path);
}

/** `~` and `~/…` at the start of an unquoted word; null for another directory, such as `~user`. */
function untilde(text: string, scope: Scope): string | null {
  if (text !== "~" && !text.startsWith("~/")) return null;
  const home = scope.get("HOME");
  if (home === undefined) return text;
  return typeof home === "string" ? home + text.slice(1) : null;
}

function expandBraced(word: Word, around: ExpandContext): readonly Field[] {
  const written = expandBraces(word);
  const any = { ...unknown(word.text.replaceAll(UNKNOWN, "")), loose: true };
  if (!written) return [any];
  const fields = written.flatMap((text) => {
    around.budget.spendText(text);
    // As the first word of a line it could be an assignment or a keyword.
    const { commands, errors = [] } = parse(`_ ${text}`);
    const [command] = commands.length === 1 ? commands.map((statement) => statement.command) : [];
    const made = command?.type === "Command" ? command.args : [];
    if (errors.length > 0 || made.length > 1) return [unknown(text)];
    if (made[0]?.type !== "Word") return text === "" ? [] : [unknown(text)];
    return expandWord(made[0], around);
  });
  const [first] = fields;
  if (first) fields[0] = { ...first, braced: any.text };
  // An unknown part may close the braces: then there are other words.
  return word.text.includes(UNKNOWN) ? [...fields, any] : fields;
}

function expandParts(parts: readonly WordPart[], into: FieldBuilder): void {
  const { around } = into;
  for (const [index, part] of parts.entries()) {
    switch (part.type) {
      case "Literal": {
        const tilde = index === 0 && part.text.startsWith("~");
        const text = tilde ? untilde(part.value, around.scope) : part.value;
        if (text === null) into.appendUnknown(part.value, false);
        else into.append(text, false);
        break;
      }
      case "AnsiCQuoted":
        // An unknown part may belong to an escape.
        if (part.text.includes(UNKNOWN) && part.text.includes("\\"))
          into.appendUnknown(part.text.replaceAll(UNKNOWN, ""), true);
        else into.append(part.value, true);
        break;
      case "SingleQuoted":
        into.append(part.value, true);
        break;
      case "DoubleQuoted":
      case "LocaleString":
        // `"$@"` alone is no word when there are no parameters.
        if (part.parts.length !== 1 || !isEmptyList(part.parts[0], around)) into.append("", true);
        for (const child of part.parts) expandQuoted(child, into);
        break;
      case "Glob":
      case "ExtendedGlob":
        into.appendGlob(part.text);
        break;
      case "ProcessSubstitution":
        into.append(part.text, false);
        break;
      case "BraceExpansion":
        // Braces are kept when a word stays one word.
        if (/[$`"'\\]/.test(part.text)) into.appendUnknown(part.text, false);
        else into.append(part.text, false);
        break;
      default:
        appendPlain(part, into);
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

/** Expand a part of a double-quoted text, or of a here-document. */
function expandQuoted(part: WordPart, into: FieldBuilder): void {
  switch (part.type) {
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
      return appendQuoted(part, into);
    default:
      return into.append("value" in part ? part.value : part.text, true);
  }
}

function appendQuoted(part: Expansion, into: FieldBuilder): void {
  const { around, split } = into;
  const isOdd = part.type === "ParameterExpansion" && hasQuotedDefault(part);
  const read = isOdd ? withQuotedDefault(part, around) : part;
  const value = into.isMarked || read === undefined ? null : valueOf(read, around);
  const all = split && LIST.test(part.text);
  if (value === null) return into.appendUnknown(part.text, true, all);
  if (typeof value === "string") return into.appendValue(spent(value, around));
  const separator = around.scope.separators?.charAt(0);
  if (!all && separator === undefined && value.length > 1)
    return into.appendUnknown(part.text, true);
  for (const [index, text] of value.entries()) {
    if (index > 0) {
      if (all) into.end();
      else into.append(separator ?? "", true);
    }
    into.appendValue(spent(text, around));
  }
}

/** An expansion with one word per element: `$@`, `${@}`, `${a[@]}`, `${@:2}`. */
const LIST = /^\$(?:@|\{(?:@|\w+\[@\])(?::.*)?\})$/;

function isEmptyList(part: WordPart | undefined, around: ExpandContext): boolean {
  if (part?.type !== "SimpleExpansion" && part?.type !== "ParameterExpansion") return false;
  if (!LIST.test(part.text)) return false;
  const value = valueOf(part, around);
  return Array.isArray(value) && value.length === 0;
}

function appendPlain(part: Expansion, into: FieldBuilder): void {
  const { around, split } = into;
  const value = into.isMarked ? null : valueOf(part, around);
  const ifs = split ? around.scope.separators : "";
  if (value === null || ifs === undefined) return into.appendUnknown(part.text, false);
  const texts = typeof value === "string" ? [value] : value;
  // A default value with quotes is split only in part.
  const isMixed = split && part.type === "ParameterExpansion" && hasQuotedDefault(part);
  if (isMixed && texts.some((text) => /[\s*?[]/.test(text) || text === "")) {
    return into.appendUnknown(part.text, false);
  }
  for (const [index, text] of texts.entries()) {
    if (index > 0) {
      if (split) into.end();
      else into.append(" ", false);
    }
    into.appendSplit(spent(text, around), ifs);
  }
}

function hasQuotedDefault({ operation }: ParameterExpansionPart): boolean {
  return operation?.type === "Default" && /["'\\]|^~/.test(operation.operand.text);
}

/**
 * `"${x:-a\"b}"`: the default is read as a part of the quoted text; undefined where shells differ, or quotes end in it.
 */
function withQuotedDefault(
  part: ParameterExpansionPart,
  { budget }: ExpandContext,
): ParameterExpansionPart | undefined {
  const { operation } = part;
  if (operation?.type !== "Default") return undefined;
  // Only within `${…}` is a brace escaped; in one of several, it is not told of which.
  if (/\\\}/.test(operation.operand.text) && operation.operand.text.includes("${"))
    return undefined;
  const text = operation.operand.text.replaceAll(/\\([^])/g, (all, char) =>
    char === "}" ? char : all,
  );
  budget.spendText(text);
  if (/^~|["']/.test(text.replaceAll(/\\[^]/g, ""))) return undefined;
  const { commands, errors = [] } = parse(`_ "${text}"`);
  const [statement] = commands;
  const command = commands.length === 1 && errors.length === 0 ? statement?.command : undefined;
  const [operand, ...rest] = command?.type === "Command" ? command.args : [];
  if (operand?.type !== "Word" || rest.length > 0) return undefined;
  return { ...part, operation: { ...operation, operand } };
}

function spent(text: string, { budget }: ExpandContext): string {
  budget.spendText(text);
  return text;
}

/** The value of an expansion; null when unknown. */
function valueOf(part: Expansion, around: ExpandContext): Expanded {
  around.budget.spend((around.scope.positional?.length ?? 0) >> 6);
  switch (part.type) {
    case "SimpleExpansion":
      return lookup(part.text.slice(1), around.scope) ?? null;
    case "ParameterExpansion":
      return expanded(part, around);
    case "CommandExpansion": {
      // It is a subshell: its assignments do not persist.
      if (EMPTY_SUBSTITUTION.test(part.text)) return "";
      const inner = { ...around, scope: around.scope.layer() };
      const output = part.script && around.outputOf(part.script, inner);
      // What is unknown in it may be more than a word of a script.
      return output === undefined || output.includes(UNKNOWN) ? null : output.replace(/\n+$/, "");
    }
    case "ArithmeticExpansion":
      return null;
  }
}

const EMPTY_SUBSTITUTION = /^(?:\$\(\s*\)|`\s*`)$/;

function expanded(part: ParameterExpansionPart, around: ExpandContext): Expanded {
  return expandParameter(part, {
    lookup: (name) => lookup(name, around.scope),
    keyed: (name): Keyed | undefined => keyed(around.scope.get(name)),
    assign: (name, value) => around.scope.set(name, value),
    text: (word) => {
      const { text, known } = expandText(word, around);
      return known ? text : null;
    },
    value: (word) => valueOfWord(expandText(word, around)),
  });
}

/** A variable, or a parameter of the script; undefined for one that the line has not set. */
function lookup(name: string, scope: Scope): Expanded | undefined {
  const { positional } = scope;
  if (name === "_") return scope.last ?? null;
  if (name === "PWD") return plainValue(scope.get("PWD")) ?? scope.cwd ?? null;
  if (name === "@" || name === "*") return positional ? texts(positional) : null;
  if (name === "#") {
    return positional && !positional.some(isSeveral) ? String(positional.length) : null;
  }
  if (/^[1-9]\d{0,4}$/.test(name)) {
    if (!positional) return null;
    const count = Number(name);
    if (positional.slice(0, count).some(isSeveral)) return null;
    const field = positional[count - 1];
    return field && valueOfWord(field);
  }
  if (!name.endsWith("[@]")) return plainValue(scope.get(name));
  const value = scope.get(name.slice(0, -3));
  const elements = keyed(value);
  return elements ? onlyElement(elements) : (value as Expanded | undefined);
}

/** The name of an array alone is its first element. */
function plainValue(value: Value | undefined): Expanded | undefined {
  const elements = keyed(value);
  if (elements) return elements.has("0") ? elements.get("0") : UNSET;
  return Array.isArray(value) ? ((value as readonly string[])[0] ?? UNSET) : (value as Expanded);
}

/** All elements, whose order is unknown if there are several. */
function onlyElement(elements: Keyed): Expanded {
  const [first] = elements.values();
  if (elements.size > 1 || first === null) return null;
  return first === undefined ? [] : [first];
}

/** Whether it may become several words, or none. */
function isSeveral({ loose, glob }: Field): boolean {
  return loose === true || glob === true;
}

function texts(fields: readonly Field[]): readonly string[] | null {
  const values = fields.map(valueOfWord);
  return values.every((value) => value !== null) ? values : null;
}

const WHITESPACE = " \t\n";

/**
 * Split the result of an unquoted expansion at the characters of IFS, as a shell does.
 * @returns the pieces, and whether the text begins and ends with a separator
 */
export function splitText(
  text: string,
  ifs: string,
): { readonly pieces: readonly string[]; readonly opens: boolean; readonly closes: boolean } {
  if (ifs === "" || text === "")
    return { pieces: text === "" ? [] : [text], opens: false, closes: false };
  const separates = (at: number): boolean => ifs.includes(text.charAt(at));
  const isSpace = (at: number): boolean => separates(at) && WHITESPACE.includes(text.charAt(at));
  const pieces: string[] = [];
  let at = 0;
  const skipSpace = (): void => {
    while (at < text.length && isSpace(at)) at++;
  };
  skipSpace();
  const opens = at > 0;
  while (at < text.length) {
    const begin = at;
    while (at < text.length && !separates(at)) at++;
    pieces.push(text.slice(begin, at));
    skipSpace();
    // Blanks around another separator belong to it.
    if (at < text.length && separates(at)) {
      at++;
      skipSpace();
    }
  }
  return { pieces, opens, closes: separates(text.length - 1) };
}

/** The words of a text, separated by white space. */
export function splitWords(text: string): string[] {
  return splitText(text, WHITESPACE).pieces.slice();
}

/** Collects the fields of one word while its parts are expanded. */
class FieldBuilder {
  readonly around: ExpandContext;
  /** Whether unquoted expansions are split into several fields. */
  readonly split: boolean;
  readonly #fields: Field[] = [];
  /** With `UNKNOWN` before unknown parts. */
  #text = "";
  #open = false;
  #glob = false;
  #filled = false;
  #quoted = false;
  #loose = false;
  #marked = false;
  /** An unknown variable that is the last part, and is not yet in the text. */
  #variable: string | undefined;

  constructor(around: ExpandContext, split: boolean) {
    this.around = around;
    this.split = split;
  }

  /** The fields, when all parts are appended. */
  finished(): readonly Field[] {
    this.end();
    for (const { text } of this.#fields) this.around.budget.spendText(text);
    return this.#fields;
  }

  /** Whether an outer script marks the next part as unknown. */
  get isMarked(): boolean {
    return this.#marked;
  }

  /** Append text that is not split. */
  append(text: string, quoted: boolean): void {
    this.#open = true;
    this.#quoted ||= quoted;
    if (text !== "" || quoted) this.#loose = false;
    if (text !== "") this.#write(text);
    this.#marked = text.endsWith(UNKNOWN);
  }

  /** Append the result of a quoted expansion. */
  appendValue(text: string): void {
    this.append(text, true);
    this.#filled ||= /[*?[]/.test(text);
  }

  appendGlob(text: string): void {
    this.append(text, false);
    this.#glob = true;
  }

  /** Append an unknown part, as written. */
  appendUnknown(text: string, quoted: boolean, several = !quoted): void {
    const first = this.#text.length <= (this.#marked ? UNKNOWN.length : 0);
    const variable = /^\$(\w+)$/.exec(text)?.[1];
    this.append(UNKNOWN + (variable === undefined ? text : ""), quoted);
    this.#variable = variable;
    this.#marked = false;
    this.#loose = first && several;
  }

  /** Write a text behind a variable, which needs braces if its name would be longer without. */
  #write(text: string): void {
    const variable = this.#variable;
    this.#variable = undefined;
    if (variable !== undefined) this.#text += /^\w/.test(text) ? `\${${variable}}` : `$${variable}`;
    this.#text += text;
  }

  /** Append the result of an unquoted expansion. */
  appendSplit(text: string, ifs: string): void {
    const { pieces, opens, closes } = splitText(text, ifs);
    if (opens) this.end();
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.end();
      this.append(piece, piece === "");
      if (/[*?[]/.test(piece)) this.#glob = true;
    }
    if (closes) this.end();
  }

  /** Start the next field, if the current one has content. */
  end(): void {
    this.#write("");
    if (this.#open && (this.#text !== "" || this.#quoted)) {
      this.#fields.push({
        ...unmarked(this.#text),
        ...(this.#loose && { loose: true }),
        ...(this.#glob && { glob: true }),
        ...(this.#filled && { filled: true }),
      });
    }
    this.#text = "";
    this.#open = false;
    this.#glob = false;
    this.#filled = false;
    this.#quoted = false;
    this.#loose = false;
    this.#marked = false;
  }
}
