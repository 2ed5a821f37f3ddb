import { forEachChild, parse } from "unbash";
import type {
  AndOr,
  CommandNode,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Redirected,
  Script,
  Statement,
  SyntaxNode,
} from "unbash";
import type { ShellCommand } from "../../core/shell.ts";
import { runsAsNumber } from "./assign.ts";
import { runAndOr, runPipeline } from "./command-lists.ts";
import { runArithmeticFor, runCase, runFor, runIf, runWhile } from "./compound-commands.ts";
import type { Surroundings } from "./words/expand-word.ts";
import type { Field } from "./words/field.ts";
import { forked, OWN_STDIN, PIPED_STDIN, through } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { COMMAND_IN_NUMBERS, forgetAssigned } from "./arithmetic.ts";
import { FunctionCalls } from "./function-calls.ts";
import { Budget, MAX_DEPTH, MAX_FROM, MAX_HERE_DOCUMENTS, Unreadable } from "./limits.ts";
import { outputOfScript } from "./node-output.ts";
import type { ReaderOptions } from "./reader.ts";
import { readRedirects } from "./redirects.ts";
import { Scope } from "./scope.ts";
import { runSimple } from "./simple-command.ts";

/** A command while it is read. */
export type Draft = { -readonly [K in keyof ShellCommand]: ShellCommand[K] };

/** What shells know of the machine before the first line. */
export function machineScope({ home }: ReaderOptions): Scope {
  const scope = new Scope();
  scope.set("IFS", " \t\n");
  scope.set("SHELL", "/bin/sh");
  scope.set("BASH", "/bin/bash");
  scope.set("0", "sh");
  if (home !== undefined) scope.set("HOME", home);
  for (const name of ["HOME", "SHELL"]) scope.export(name);
  return scope;
}

/**
 * The commands that a line would run.
 * @returns undefined when it cannot be read as a whole
 */
export function readLine(
  line: string,
  cwd: string | undefined,
  machine: Scope,
): readonly ShellCommand[] | undefined {
  // What shells make of NUL differs.
  if (line.includes("\0")) return undefined;
  const text = line.includes("\r\n") ? withoutReturns(line) : line;
  if (hereDocuments(text) > MAX_HERE_DOCUMENTS) return undefined;
  const scope = machine.layer();
  scope.cwd = cwd ?? ".";
  const reading = new LineReading(text);
  try {
    reading.script(text, { scope, via: [], stdin: OWN_STDIN, substituted: [] });
    reading.calls.finish();
    return reading.found;
  } catch {
    // Nested beyond what the stack holds is as unreadable as the rest, and so is what the reader stumbles over.
    return undefined;
  }
}

/** A line whose lines end as those of Windows do, which stay within quotes. */
function withoutReturns(line: string): string {
  return line.replaceAll(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\r]|\r\n/g, (found) =>
    found === "\r\n" ? "\n" : found,
  );
}

function hereDocuments(text: string): number {
  let count = 0;
  for (let at = text.indexOf("<<"); at >= 0; at = text.indexOf("<<", at + 2)) count++;
  return count;
}

/** Walks through the scripts of one line. */
export class LineReading {
  readonly found: Draft[] = [];
  readonly budget: Budget;
  readonly calls: FunctionCalls = new FunctionCalls(this);
  /** Rounds of the loops that are under way, multiplied. */
  rounds = 1;
  #depth = 0;
  /** Commands in `>(…)`, which read what the command prints that is being read. */
  #receivers: Draft[] = [];

  constructor(line: string) {
    this.budget = new Budget(line);
  }

  /** Read a text as a script. */
  script(text: string, frame: Frame): void {
    this.budget.spendText(text);
    this.nested(() => this.statements(sound(parse(text)).commands, frame));
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
        // Shells that know no arithmetic commands read a subshell in a subshell.
        if (COMMAND_IN_NUMBERS.test(node.body)) this.script(node.body, forked(frame));
        return undefined;
    }
  }

  /**
   * List what the substitutions in a word, or whatever else has some, run.
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
      if (type === "ProcessSubstitution") {
        const isOutput = child.operator === ">";
        const first = this.found.length;
        const stdin = isOutput ? PIPED_STDIN : OWN_STDIN;
        this.#substitution(child.script, { ...through(frame, "<()"), stdin });
        if (isOutput) this.#receivers.push(...this.found.slice(first));
        return undefined;
      }
      if (type === "ArithmeticBinary" || type === "ArithmeticUnary") forgetAssigned(child, frame);
      // A prompt: what its text says runs.
      if (type === "Transform" && child.operand.value === "P") {
        this.add([], frame, { opaque: true });
      }
      return forEachChild(child, visit);
    };
    this.nested(() => visit(node));
    return this.programsSince(begin);
  }

  /** List the substitutions of what is looked at and no word of a command, and forget what it sets. */
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

  /** What a script prints, where its words tell. */
  printedBy(script: string, frame: Frame): string | undefined {
    return outputOfScript(sound(parse(script)), this.around(frame));
  }

  /** What words are expanded with. */
  around({ scope }: Frame): Surroundings {
    return { scope, budget: this.budget, outputOf: outputOfScript };
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
    };
    this.found.push(draft);
    return draft;
  }

  /** Programs of the commands that were added from a place on. */
  programsSince(begin: number): readonly string[] {
    const names = new Set<string>();
    for (let at = begin; at < this.found.length && names.size < MAX_FROM; at++) {
      const program = this.found[at]?.program;
      if (program) names.add(program);
    }
    return [...names];
  }

  /** Whether commands in `>(…)` wait to be told what writes to them. */
  get isFed(): boolean {
    return this.#receivers.length > 0;
  }

  /** Tell the commands in `>(…)` what programs write to them. */
  feed(programs: () => readonly string[]): void {
    if (this.#receivers.length === 0) return;
    const from = programs();
    for (const draft of this.#receivers) if (draft.from.length === 0) draft.from = from;
    this.#receivers = [];
  }

  /** @throws Unreadable for what is nested too deep */
  nested(walk: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new Unreadable("scripts within scripts");
    walk();
    this.#depth--;
  }

  #substitution(script: ParsedScript | undefined, frame: Frame): void {
    if (!script) return;
    this.nested(() => this.statements(sound(script).commands, forked(frame)));
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
}

/** @throws Unreadable for a script with mistakes */
function sound<T extends Script & { readonly errors?: readonly unknown[] | undefined }>(
  script: T,
): T {
  if (script.errors && script.errors.length > 0) throw new Unreadable("a mistake in the line");
  return script;
}
