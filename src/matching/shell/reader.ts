import type {
  AndOr,
  CommandNode,
  CompoundList,
  ParsedScript,
  ParseError,
  PipelineNode,
  Redirected,
  Script,
  Statement,
  SyntaxNode,
  Word,
} from "unbash";
import { forEachChild, parse } from "unbash";
import type {
  ShellCommand,
  ShellInput,
  ShellReader,
  ShellReading,
  ShellReadOptions,
} from "../../core/index.ts";
import { beginning, lastUpTo, lineStarts } from "../../core/index.ts";
import { resolvePath } from "../patterns/path.ts";
import { runsAsNumber } from "./assign.ts";
import {
  runAndOr,
  runArithmeticFor,
  runCase,
  runFor,
  runIf,
  runPipeline,
  runWhile,
} from "./compound-commands.ts";
import { readRedirects } from "./redirects.ts";
import type { Frame } from "./frame.ts";
import {
  Budget,
  BudgetSpent,
  COMMAND_STEPS,
  MAX_BRACKETS,
  MAX_DEPTH,
  MAX_FROM,
  MAX_HERE_DOCUMENTS,
  MAX_LINE,
} from "./limits.ts";
import { forked, layered, OWN_STDIN, PIPED_STDIN, through } from "./frame.ts";
import { FunctionCalls } from "./function-calls.ts";
import { Scope } from "./scope.ts";
import { COMMAND_IN_NUMBERS, forgetAssigned, runSimple } from "./simple-command.ts";
import { staticOutputOfScript } from "./static-output.ts";
import type { ExpandContext, Field } from "./words/expand-word.ts";
import { withoutVariablesInSyntax } from "./value.ts";
import { OTHER_SYNTAX } from "./programs/other-shells.ts";

/** Number of lines whose readings are cached, and the maximum length of such a line. */
const KEPT_LINES = 32;

const KEPT_LENGTH = 4_096;

/** What a reader knows of the machine. */
export interface ReaderOptions {
  /** The value of `~` and `$HOME`; unknown if left out. */
  readonly home?: string | undefined;
  /** The base of a relative `cwd`; default `/`. */
  readonly root?: string | undefined;
}

/**
 * Create a reader that lists the commands of a line. Several hooks read the same line, so the last readings are cached:
 * a reading is shared and must not be modified.
 */
export function createShellReader(options: ReaderOptions = {}): ShellReader {
  const machine = machineScope(options);
  const kept = new Map<string, ShellReading>();
  return {
    read: (line, from, wanted = {}) => {
      const cwd = from === undefined ? from : resolvePath(options.root ?? "/", from);
      const isOwn = wanted.spans || wanted.stdin || wanted.lines;
      if (isOwn || line.length > KEPT_LENGTH || line.includes("\0"))
        return readLine(line, cwd, machine, wanted);
      const key = cwd === undefined ? line : `${cwd}\0${line}`;
      const known = kept.get(key);
      if (known) return known;
      const reading = readLine(line, cwd, machine);
      if (kept.size >= KEPT_LINES) kept.delete(kept.keys().next().value ?? "");
      kept.set(key, reading);
      return reading;
    },
  };
}

/** A command while it is read. */
export type Draft = { -readonly [K in keyof ShellCommand]: ShellCommand[K] };

/** The state of a shell before the first line. */
function machineScope({ home }: ReaderOptions): Scope {
  const scope = new Scope();
  scope.set("IFS", " \t\n");
  scope.set("SHELL", "/bin/sh");
  scope.set("BASH", "/bin/bash");
  scope.set("0", "sh");
  if (home !== undefined) scope.set("HOME", home);
  const [, user] = /^\/(?:(?:home|Users)\/)?([^/]+)$/.exec(home ?? "") ?? [];
  if (user !== undefined) for (const name of ["USER", "LOGNAME"]) scope.set(name, user);
  for (const name of ["HOME", "SHELL"]) scope.export(name);
  return scope;
}

/**
 * The commands that a line would run, as far as it can be read: up to an error, and after it where the parser recovers.
 */
function readLine(
  line: string,
  cwd: string | undefined,
  machine: Scope,
  wanted: ShellReadOptions = {},
): ShellReading {
  const { text, unread } = readablePart(line);
  const scope = machine.layer();
  scope.cwd = cwd ?? ".";
  const reading = new LineReading(text, unread, wanted);
  reading.line(text, { scope, via: [], stdin: OWN_STDIN, substituted: [] });
  if (wanted.spans && !line.startsWith(text)) {
    // Positions in a text with other line ends are not those of the line.
    for (const draft of reading.found) draft.spans = draft.argv.map(() => undefined);
  }
  return { commands: reading.found, unread: reading.unread };
}

/** Walks the scripts of one line. */
export class LineReading {
  readonly found: Draft[] = [];
  readonly budget: Budget;
  readonly calls: FunctionCalls = new FunctionCalls(this);
  /** The words of the line itself, if their places are requested: other scripts have positions of their own. */
  readonly #placed: Set<SyntaxNode> | undefined;
  readonly #listsInput: boolean;
  /** Where lines begin in the text of the line itself, if the lines of commands are requested. */
  readonly #starts: readonly number[] | undefined;
  /** Where the present command of that text begins. */
  #begin = 0;
  /** Whether another text is read: a script in a word, or a substitution. */
  #isNested = false;
  /** Product of the iterations of the enclosing loops. */
  rounds = 1;
  #depth = 0;
  /** Commands in `>(…)` that read the output of the current command. */
  #receivers: Draft[] = [];
  #unread: string | undefined;

  /**
   * @param unread why the text is not the whole line
   * @param wanted what commands have in addition
   */
  constructor(text: string, unread: string | undefined, wanted: ShellReadOptions = {}) {
    this.#placed = wanted.spans ? new Set() : undefined;
    this.#listsInput = wanted.stdin ?? false;
    this.#starts = wanted.lines ? lineStarts(text) : undefined;
    this.budget = new Budget(text);
    this.#unread = unread;
  }

  /**
   * See `ShellReading.unread`: the first of several reasons, but another shell's syntax only if there is no other: a
   * guard that reads that shell, too, would take the line as read.
   */
  get unread(): string | undefined {
    return this.#unread;
  }

  /** Continue without an unreadable part. */
  giveUp(why: string): void {
    if (this.#unread === undefined || this.#unread === OTHER_SYNTAX) this.#unread = why;
  }

  /** Read the text of the line itself. An unreadable part does not affect its surroundings. */
  line(text: string, frame: Frame): void {
    let isSpent = false;
    const attempt = <T>(walk: () => T): T | undefined => {
      try {
        return walk();
      } catch (thrown) {
        // Code that exceeds the stack is unreadable, and so is code on which the reader fails.
        isSpent ||= thrown instanceof BudgetSpent;
        this.giveUp(thrown instanceof BudgetSpent ? thrown.message : TOO_DEEP);
        return undefined;
      }
    };
    let statements: readonly Statement[] | undefined;
    let part = text;
    do {
      const tried = part;
      statements = attempt(() => this.#parsed(tried).commands);
      part = upTo(part, part.length >> 1);
    } while (!statements);
    if (this.#placed) for (const statement of statements) attempt(() => this.#place(statement));
    for (const statement of statements) {
      if (isSpent && !this.budget.refill(statement.end - statement.pos)) break;
      attempt(() => this.statements([statement], frame));
    }
    if (!isSpent) attempt(() => this.calls.finish());
  }

  #place(node: SyntaxNode): void {
    if (node.type === "Word") this.#placed?.add(node);
    forEachChild(node, (child) => this.#place(child));
  }

  /** The fields of a word, with their place if it is requested and there is one. */
  placed(word: Word, fields: readonly Field[]): readonly Field[] {
    const [field] = fields;
    if (!field || fields.length > 1 || !this.#placed?.has(word)) return fields;
    return [{ ...field, span: { begin: word.pos, end: word.end } }];
  }

  /** Read a text as a script. */
  script(text: string, frame: Frame): void {
    this.budget.spendText(text);
    this.nested(() => {
      const other = withoutVariablesInSyntax(text);
      if (other !== undefined) this.#alternative(other, frame);
      this.statements(this.#parsed(text).commands, frame);
    }, true);
  }

  /** List what a script may run in place of another one, which is read as well. */
  #alternative(text: string, frame: Frame): void {
    this.budget.spendText(text);
    const unread = this.#unread;
    this.statements(this.#parsed(text).commands, layered(frame));
    this.#unread = unread;
  }

  /** List what runs where a text is expanded, as in a here-document. */
  expandedText(text: string, frame: Frame): void {
    this.script(`: <<${HERE}\n${text}\n${HERE}`, frame);
  }

  statements(statements: readonly Statement[], frame: Frame): void {
    for (const { command, background } of statements) {
      this.node(command, background === true ? forked(frame) : frame);
    }
  }

  node(node: PipelineNode | AndOr | CommandNode | CompoundList, frame: Frame): void {
    this.budget.spend(1);
    switch (node.type) {
      case "Command":
        if (!this.#isNested) this.#begin = node.pos;
        return runSimple(node, frame, this);
      case "AndOr":
        return runAndOr(node, frame, this);
      case "Pipeline":
        return runPipeline(node, frame, this);
      case "CompoundList":
        return this.statements(node.commands, frame);
      case "BraceGroup":
        return this.statements(node.body.commands, frame);
      case "Subshell":
        return this.statements(node.body.commands, forked(frame));
      case "Redirected":
        return this.#redirected(node, frame);
      case "If":
        return runIf(node, frame, this);
      case "For":
      case "Select":
        return runFor(node, frame, this);
      case "While":
        return runWhile(node, frame, this);
      case "ArithmeticFor":
        return runArithmeticFor(node, frame, this);
      case "Case":
        return runCase(node, frame, this);
      case "Function":
        return this.calls.define(node.name.value, node.body, frame);
      case "Coproc":
        return this.node(node.body, { ...forked(through(frame, "coproc")), stdin: PIPED_STDIN });
      case "TestCommand":
        return this.looked(node, frame);
      case "ArithmeticCommand":
        this.looked(node, frame);
        // Shells without arithmetic commands read a subshell in a subshell.
        if (COMMAND_IN_NUMBERS.test(node.body)) this.script(node.body, forked(frame));
        return undefined;
    }
  }

  /**
   * List what the substitutions in a word or another node run.
   * @returns their programs
   */
  substitutions(node: SyntaxNode, frame: Frame): readonly string[] {
    const begin = this.found.length;
    const visit = (child: SyntaxNode): void => {
      this.budget.spend(1);
      const { type } = child;
      if (type === "CommandExpansion" || type === "ArithmeticCommandExpansion") {
        return this.#substitution(child.script, { ...through(frame, "$()"), stdin: OWN_STDIN });
      }
      // A subshell within a substitution, which the parser took for a number: `$(( # it's⏎ … ⏎)⏎)`.
      if (type === "ArithmeticExpansion" && /^\$\(\((?![^]*\)\)\s*$)/.test(child.text)) {
        const script = child.text.trimEnd().slice("$(".length, -")".length);
        return this.script(script, { ...forked(through(frame, "$()")), stdin: OWN_STDIN });
      }
      if (type === "ProcessSubstitution") {
        const isOutput = child.operator === ">";
        const first = this.found.length;
        const stdin = isOutput ? PIPED_STDIN : OWN_STDIN;
        this.#substitution(child.script, { ...through(frame, "<()"), stdin });
        if (isOutput) this.#receivers.push(...this.found.slice(first));
        return undefined;
      }
      if (type === "ArithmeticBinary" || type === "ArithmeticUnary") forgetAssigned(child, frame);
      // A prompt: substitutions in its text run.
      if (type === "Transform" && child.operand.value === "P") {
        this.add([], frame, { opaque: true });
      }
      return forEachChild(child, visit);
    };
    this.nested(() => visit(node));
    return this.programsSince(begin);
  }

  /** List the substitutions of a node that is not a word of a command, and make variables unknown that it sets. */
  looked(node: SyntaxNode, frame: Frame): void {
    this.substitutions(node, frame);
    const visit = (child: SyntaxNode): void => {
      if (child.type === "ParameterExpansion" && child.operation?.type === "Default") {
        if (child.operation.operator.endsWith("=")) frame.scope.set(child.parameter, null);
      } else if (child.type === "Word" && runsAsNumber(child.value)) {
        this.add([], frame, { opaque: true });
      }
      return forEachChild(child, visit);
    };
    visit(node);
  }

  /** The output of a script, if its words determine it. */
  printedBy(script: string, frame: Frame): string | undefined {
    const parsed = parse(script);
    return parsed.errors ? undefined : staticOutputOfScript(parsed, this.around(frame));
  }

  /** The context for expanding words. */
  around({ scope }: Frame): ExpandContext {
    return { scope, budget: this.budget, outputOf: staticOutputOfScript };
  }

  /** Add a command to the list. */
  add(
    fields: readonly Field[],
    frame: Frame,
    more: Partial<Pick<Draft, "program" | "redirects" | "from" | "dynamic" | "opaque">> = {},
  ): Draft {
    this.budget.spend(1 + fields.length);
    const argv: string[] = [];
    const unknown: number[] = [];
    for (const { text, known } of fields) {
      if (!known) unknown.push(argv.length);
      argv.push(text);
    }
    const { program = "", redirects = [], from = frame.stdin.from, opaque = false } = more;
    const { dynamic = unknown.length > 0 } = more;
    const draft: Draft = {
      argv,
      unknown,
      program,
      redirects,
      via: frame.via,
      from,
      cwd: frame.scope.cwd,
      dynamic: dynamic || opaque,
      opaque,
      ...(this.#placed && { spans: fields.map(({ span }) => span) }),
      ...(this.#listsInput && { stdin: this.#inputOf(frame), quoted: quotedGlobs(fields) }),
      ...(this.#starts && { line: lastUpTo(this.#starts, this.#begin) + 1 }),
    };
    this.found.push(draft);
    this.budget.spend(COMMAND_STEPS);
    return draft;
  }

  /** The content of the standard input, if the line contains it. */
  #inputOf({ stdin }: Frame): ShellInput | undefined {
    const field = stdin.text();
    if (!field) return undefined;
    this.budget.spendText(field.text);
    return { text: field.text, known: field.known };
  }

  /** Programs of the commands added since a position. */
  programsSince(begin: number): readonly string[] {
    const names = new Set<string>();
    for (let at = begin; at < this.found.length && names.size < MAX_FROM; at++) {
      const program = this.found[at]?.program;
      if (program) names.add(program);
    }
    return [...names];
  }

  /** Whether commands in `>(…)` wait for the programs that write to them. */
  get isFed(): boolean {
    return this.#receivers.length > 0;
  }

  /** Tell the commands in `>(…)` which programs write to them. */
  feed(programs: () => readonly string[]): void {
    if (this.#receivers.length === 0) return;
    const from = programs();
    for (const draft of this.#receivers) if (draft.from.length === 0) draft.from = from;
    this.#receivers = [];
  }

  /**
   * Walk a nested script, unless it is nested too deeply.
   * @param isOther whether it is not a part of the text of the line: positions in it say nothing
   */
  nested(walk: () => void, isOther = false): void {
    if (this.#depth === MAX_DEPTH) return this.giveUp(TOO_DEEP);
    const before = this.#isNested;
    this.#depth++;
    this.#isNested ||= isOther;
    try {
      return walk();
    } finally {
      this.#depth--;
      this.#isNested = before;
    }
  }

  #substitution(script: ParsedScript | undefined, frame: Frame): void {
    if (!script) return;
    this.nested(() => this.statements(this.#sound(script).commands, forked(frame)), true);
  }

  #redirected({ command, redirects }: Redirected, frame: Frame): void {
    const { files, stdin } = readRedirects(redirects, frame, this);
    if (files.length > 0) {
      const dynamic = files.some((file) => file.dynamic);
      this.add([], frame, { redirects: files, dynamic });
    }
    const begin = this.found.length;
    this.node(command, stdin ? { ...frame, stdin } : frame);
    this.feed(() => this.programsSince(begin));
  }

  /** Parse the text as a script, up to an unclosed quote, substitution or similar construct. */
  #parsed(text: string): Script {
    const script = parse(text);
    const [error] = script.errors ?? [];
    if (!error) return script;
    this.giveUp(syntaxError(error));
    const open = script.errors?.find(({ message }) => message.startsWith("unterminated"));
    // The unclosed construct includes everything after it: searching for commands there takes time, and there are none.
    return open ? parse(text.slice(0, open.pos)) : script;
  }

  /** A nested script, as far as the parser could read it. */
  #sound(script: ParsedScript): Script {
    const [error] = script.errors ?? [];
    if (error) {
      this.giveUp(syntaxError(error));
      // If they are unclosed, each of many nested scripts is nearly the whole line.
      this.budget.spend((script.end - script.pos) >> 1);
    }
    return script;
  }
}

function syntaxError({ message }: ParseError): string {
  // It may quote a word of the line, which can be anything.
  return `syntax error: ${beginning(message.replaceAll(/[^\x20-\x7E]+/g, "…"), MAX_MESSAGE)}`;
}

const MAX_MESSAGE = 60;

/** A line that no text has. */
const HERE = "END_OF_TEXT";

const TOO_DEEP = "it is nested too deeply";

/** The part of a line that is read, and why the rest is not. */
function readablePart(line: string): {
  readonly text: string;
  readonly unread: string | undefined;
} {
  // Shells differ on NUL: some stop there, some drop it.
  const nul = line.indexOf("\0");
  let text = nul < 0 ? line : line.slice(0, nul);
  let unread = nul < 0 ? undefined : "it contains a NUL byte";
  const cut = (end: number | undefined, why: string): void => {
    if (end === undefined) return;
    unread ??= why;
    text = upTo(text, end);
  };
  if (text.length > MAX_LINE) {
    unread = undefined;
    cut(MAX_LINE, `it is longer than ${MAX_LINE} characters`);
  }
  if (text.includes("\r\n")) text = withoutReturns(text);
  cut(endOfHereDocuments(text), `it has more than ${MAX_HERE_DOCUMENTS} here-documents`);
  cut(endOfNesting(text), TOO_DEEP);
  return { text, unread };
}

/** The first characters of a text, without cutting a word. */
function upTo(text: string, length: number): string {
  let end = length;
  while (end > 0 && !/[\s;|&()]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A line with its Windows line ends converted, except within quotes. */
function withoutReturns(line: string): string {
  return line.replaceAll(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\r]|\r\n/g, (found) =>
    found === "\r\n" ? "\n" : found,
  );
}

/** The first bracket that is nested too deeply, quoted or not; undefined if there is none. */
function endOfNesting(text: string): number | undefined {
  if (text.length <= MAX_BRACKETS) return undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "(" || sign === "{") depth++;
    else if ((sign === ")" || sign === "}") && depth > 0) depth--;
    if (depth > MAX_BRACKETS) return at;
  }
  return undefined;
}

/** The start of the first here-document beyond the limit; undefined if there is none. */
function endOfHereDocuments(text: string): number | undefined {
  let count = 0;
  for (let at = text.indexOf("<<"); at >= 0; at = text.indexOf("<<", at + 2)) {
    if (++count > MAX_HERE_DOCUMENTS) return at;
  }
  return undefined;
}

/** The positions of known words whose glob characters the shell does not expand. */
function quotedGlobs(fields: readonly Field[]): readonly number[] {
  return fields.flatMap(({ text, known, glob = false, filled = false }, at) =>
    known && !glob && !filled && /[*?[]/.test(text) ? [at] : [],
  );
}
