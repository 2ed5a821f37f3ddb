import { forEachChild, parse } from "unbash";
import type {
  AndOr,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  Pipeline,
  PipelineNode,
  Redirected,
  Script,
  Select,
  Statement,
  SyntaxNode,
  While,
} from "unbash";
import type { ShellCommand } from "../../core/shell.ts";
import { expandWord } from "./expand-word.ts";
import type { Surroundings } from "./expand-word.ts";
import type { Field } from "./field.ts";
import { known } from "./field.ts";
import { OWN_STDIN, through } from "./frame.ts";
import type { Frame, Stdin } from "./frame.ts";
import {
  Budget,
  MAX_DEPTH,
  MAX_FROM,
  MAX_HERE_DOCUMENTS,
  MAX_ROUNDS,
  Unreadable,
} from "./limits.ts";
import { outputOfNode, outputOfScript } from "./node-output.ts";
import type { ReaderOptions } from "./reader.ts";
import { readRedirects } from "./redirects.ts";
import { Scope } from "./scope.ts";
import type { FunctionBody } from "./scope.ts";
import { runSimple } from "./simple-command.ts";

/** A command while it is read. */
export type Draft = { -readonly [K in keyof ShellCommand]: ShellCommand[K] };

/** What shells know of the machine before the first line. */
export function machineScope({ home, tmp }: ReaderOptions): Scope {
  const scope = new Scope();
  scope.set("IFS", " \t\n");
  scope.set("SHELL", "/bin/sh");
  scope.set("BASH", "/bin/bash");
  scope.set("0", "sh");
  if (home !== undefined) scope.set("HOME", home);
  if (tmp !== undefined) scope.set("TMPDIR", tmp);
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
  const text = line.includes("\r") ? line.replaceAll("\r\n", "\n") : line;
  if (hereDocuments(text) > MAX_HERE_DOCUMENTS) return undefined;
  const scope = machine.layer();
  scope.cwd = cwd ?? ".";
  const reading = new LineReading(text);
  try {
    reading.script(text, { scope, via: [], stdin: OWN_STDIN, templates: [], substituted: [] });
    reading.uncalled();
    return reading.found;
  } catch (thrown) {
    // Nested beyond what the stack holds is as unreadable as the rest.
    if (thrown instanceof Unreadable || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
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
  #depth = 0;
  #rounds = 1;
  readonly #running: FunctionBody[] = [];
  /** Functions that were defined and not called yet, with where. */
  readonly #uncalled = new Map<FunctionBody, Frame>();

  constructor(line: string) {
    this.budget = new Budget(line);
  }

  /** Read a text as a script. */
  script(text: string, frame: Frame): void {
    this.budget.spendText(text);
    this.#nested(() => this.statements(sound(parse(text)).commands, frame));
  }

  statements(statements: readonly Statement[], frame: Frame): void {
    for (const { command, background } of statements) {
      this.node(command, background === true ? layered(frame) : frame);
    }
  }

  node(node: PipelineNode | AndOr | CommandNode | CompoundList, frame: Frame): void {
    this.budget.spend(1);
    switch (node.type) {
      case "Command":
        return runSimple(node, frame, this);
      case "AndOr":
        return this.#andOr(node, frame);
      case "Pipeline":
        return this.#pipeline(node, frame);
      case "CompoundList":
        return this.statements(node.commands, frame);
      case "BraceGroup":
        return this.statements(node.body.commands, frame);
      case "Subshell":
        return this.statements(node.body.commands, layered(frame));
      case "Redirected":
        return this.#redirected(node, frame);
      case "If":
        return this.#if(node, frame);
      case "For":
      case "Select":
        return this.#for(node, frame);
      case "While":
        return this.#while(node, frame);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) {
          if (part) this.substitutions(part, frame);
        }
        return this.#loop(frame, (inner) => this.statements(node.body.commands, inner));
      case "Case":
        return this.#case(node, frame);
      case "Function":
        frame.scope.define(node.name.value, [node.body]);
        this.#uncalled.set(node.body, frame);
        return undefined;
      case "Coproc":
        return this.node(node.body, layered(through(frame, "coproc")));
      case "TestCommand":
      case "ArithmeticCommand":
        this.substitutions(node, frame);
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
      const kind = SUBSTITUTIONS.get(child.type);
      if (kind === undefined || !("script" in child)) return forEachChild(child, visit);
      if (!child.script) return undefined;
      const inner = { ...layered(through(frame, kind)), stdin: OWN_STDIN };
      const { script } = child;
      this.#nested(() => this.statements(sound(script).commands, inner));
    };
    this.#nested(() => visit(node));
    return this.programsSince(begin);
  }

  /** What a script prints, where its words tell. */
  printedBy(script: string, frame: Frame): string | undefined {
    return outputOfScript(sound(parse(script)), this.around(frame));
  }

  /** What words are expanded with. */
  around({ scope, templates }: Frame): Surroundings {
    return { scope, templates, budget: this.budget, outputOf: outputOfScript };
  }

  /** Add a command to the list. */
  add(fields: readonly Field[], frame: Frame, more: Partial<Draft> = {}): Draft {
    this.budget.spend(1 + fields.length);
    const unknown: number[] = [];
    for (const [index, field] of fields.entries()) if (!field.known) unknown.push(index);
    const draft: Draft = {
      argv: fields.map(({ text }) => text),
      unknown,
      program: "",
      redirects: [],
      via: frame.via,
      from: frame.stdin.from,
      cwd: frame.scope.cwd,
      dynamic: unknown.length > 0,
      opaque: false,
      ...more,
    };
    if (draft.opaque) draft.dynamic = true;
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

  /** Run a function; one that calls itself is told once. */
  call(name: string, args: readonly Field[], frame: Frame): void {
    for (const body of frame.scope.bodies(name)) {
      this.#uncalled.delete(body);
      if (this.#running.includes(body)) {
        this.add([known(name), ...args], through(frame, "recursion"), { program: name });
        continue;
      }
      this.#running.push(body);
      const { scope } = frame;
      const { positional } = scope;
      scope.positional = args;
      this.#nested(() => this.node(body, through(frame, "function")));
      scope.positional = positional;
      this.#running.pop();
    }
  }

  /** List what functions run that nothing in the line calls: a shell that lives on may call them later. */
  uncalled(): void {
    for (const [body, frame] of this.#uncalled) {
      this.#uncalled.delete(body);
      this.#running.push(body);
      const inner = layered(through(frame, "function"));
      inner.scope.positional = undefined;
      this.node(body, inner);
      this.#running.pop();
    }
  }

  #nested(walk: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new Unreadable("scripts within scripts");
    walk();
    this.#depth--;
  }

  #pipeline({ commands }: Pipeline, frame: Frame): void {
    const [only] = commands;
    if (commands.length === 1 && only) return this.node(only, frame);
    const from = new Set<string>();
    let { stdin } = frame;
    for (const command of commands) {
      const begin = this.found.length;
      const inner = { ...layered(frame), stdin };
      this.node(command, inner);
      for (const program of this.programsSince(begin)) if (from.size < MAX_FROM) from.add(program);
      stdin = this.#outputOf(command, inner, [...from]);
    }
    return undefined;
  }

  #outputOf(command: CommandNode, frame: Frame, from: readonly string[]): Stdin {
    return {
      piped: true,
      from,
      text: () => {
        const around = this.around({ ...frame, scope: frame.scope.layer() });
        const text = outputOfNode(command, () => knownText(frame.stdin), around);
        return text === undefined ? undefined : known(text);
      },
    };
  }

  #andOr({ commands, operators }: AndOr, frame: Frame): void {
    const { scope } = frame;
    let state = scope;
    let isCertain = true;
    for (const [index, command] of commands.entries()) {
      if (index > 0 && operators[index - 1] === "||") {
        const other = state.layer();
        this.node(command, { ...frame, scope: other });
        state.merge(other);
        isCertain = false;
        continue;
      }
      if (!isCertain && state === scope) state = scope.layer();
      this.node(command, { ...frame, scope: state });
      isCertain &&= command.type === "Command" && CERTAIN.has(command.name?.value ?? ":");
    }
    if (state !== scope) scope.merge(state);
  }

  #redirected({ command, redirects }: Redirected, frame: Frame): void {
    const { files, stdin } = readRedirects(redirects, frame, this);
    if (files.length > 0) {
      const dynamic = files.some((file) => file.dynamic);
      this.add([], frame, { redirects: files, dynamic });
    }
    this.node(command, stdin ? { ...frame, stdin } : frame);
  }

  #if(node: If, frame: Frame): void {
    this.statements(node.clause.commands, frame);
    const branches = [
      node.then,
      ...node.elif.map(({ then }) => then),
      ...(node.else ? [node.else] : []),
    ];
    for (const { clause } of node.elif) this.statements(clause.commands, frame);
    this.#branches(branches, frame);
  }

  #case(node: Case, frame: Frame): void {
    this.substitutions(node.word, frame);
    for (const { pattern } of node.items)
      for (const word of pattern) this.substitutions(word, frame);
    this.#branches(
      node.items.map(({ body }) => body),
      frame,
    );
  }

  /** Each of them may run, or not. */
  #branches(branches: readonly CompoundList[], frame: Frame): void {
    const layers = branches.map((branch) => {
      const inner = layered(frame);
      this.statements(branch.commands, inner);
      return inner.scope;
    });
    for (const layer of layers) frame.scope.merge(layer);
  }

  #for({ type, name, wordlist, body }: For | Select, frame: Frame): void {
    const around = this.around(frame);
    for (const word of wordlist ?? []) this.substitutions(word, frame);
    const words = wordlist?.flatMap((word) => expandWord(word, around)) ?? frame.scope.positional;
    const rounds = words?.every((word) => word.known) === true ? words : undefined;
    if (type === "Select" || !rounds || this.#rounds * rounds.length > MAX_ROUNDS) {
      frame.scope.set(name.value, null);
      return this.#loop(frame, (inner) => this.statements(body.commands, inner));
    }
    this.#rounds *= Math.max(1, rounds.length);
    const inner = layered(frame);
    for (const { text } of rounds) {
      inner.scope.set(name.value, text);
      this.statements(body.commands, inner);
    }
    frame.scope.merge(inner.scope);
    this.#rounds /= Math.max(1, rounds.length);
    return undefined;
  }

  #while({ clause, body }: While, frame: Frame): void {
    this.#loop(frame, (inner) => {
      this.statements(clause.commands, inner);
      this.statements(body.commands, inner);
    });
  }

  /** A round whose beginning the one before may have changed is walked again, with what it changed unknown. */
  #loop(frame: Frame, walk: (frame: Frame) => void): void {
    const first = layered(frame);
    walk(first);
    const again = first.scope.differs(frame.scope);
    frame.scope.merge(first.scope);
    if (!again) return;
    const later = layered(frame);
    walk(later);
    frame.scope.merge(later.scope);
  }
}

const SUBSTITUTIONS: ReadonlyMap<string, string> = new Map([
  ["CommandExpansion", "$()"],
  ["ArithmeticCommandExpansion", "$()"],
  ["ProcessSubstitution", "<()"],
]);

/** Commands that are taken to succeed, so that what `&&` joins to them happens. */
const CERTAIN: ReadonlySet<string> = new Set([
  ":",
  "cd",
  "echo",
  "export",
  "mkdir",
  "printf",
  "pushd",
  "set",
  "true",
]);

function layered(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.layer() };
}

function knownText(stdin: Stdin): string | undefined {
  const field = stdin.text();
  return field?.known === true ? field.text : undefined;
}

/** @throws Unreadable for a script with mistakes */
function sound<T extends Script & { readonly errors?: readonly unknown[] | undefined }>(
  script: T,
): T {
  if (script.errors && script.errors.length > 0) throw new Unreadable("a mistake in the line");
  return script;
}
