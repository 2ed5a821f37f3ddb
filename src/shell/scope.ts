import type { CommandNode, CompoundList } from "unbash";
import { quoteWords } from "../core/shell-words.ts";
import { normalisePath } from "../patterns/path.ts";
import type { LineReading } from "./reader.ts";
import type { Value } from "./value.ts";
import type { Field } from "./words/expand-word.ts";
import { known, UNKNOWN } from "./words/expand-word.ts";

/**
 * What a name runs: the body of a function, the text of an alias, or undefined for the program of that name, when it is
 * uncertain whether there is a function.
 */
type FunctionBody = CommandNode | CompoundList | string | undefined;

/** Positional parameters; undefined when unknown. */
type Positional = readonly Field[] | undefined;

/** The kind of a layer: the same shell, a subshell, a process that it starts, or one on another machine. */
type Border = "shell" | "subshell" | "process" | "machine";

/** The value that every shell sets itself, whatever it inherits. */
const OWN_IFS = " \t\n";

/**
 * Variables, functions and the working directory of a shell. A subshell or a branch is a layer on top: it sees what is
 * below and keeps its own changes, which `merge` takes over as possible ones. What is below must not change while a
 * layer is in use.
 */
export class Scope {
  /** Relative to the start of the line, or absolute; undefined when unknown. */
  cwd: string | undefined;
  /** The target of `cd -`. */
  previous: string | undefined;
  positional: Positional;
  /** Whether `break`, `return` or similar may have skipped a part of what is read here. */
  jumped = false;
  readonly #below: Scope | undefined;
  readonly #border: Border;
  #last: string | undefined;
  /** Whether the shell sets `$_`. */
  #setsLast: boolean;
  #variables: Map<string, Value> | undefined;
  #functions: Map<string, readonly FunctionBody[]> | undefined;
  #exported: Set<string> | undefined;
  #locals: Set<string> | undefined;
  /** Read-only variables: true if it is certain. */
  #locked: Map<string, boolean> | undefined;
  /** Whether this layer, or one below that it belongs to, has read-only variables. */
  #hasLocked: boolean;
  /** Exported functions; `*` stands for all. */
  #passedOn: Set<string> | undefined;
  #blurred = false;
  #dimmed = false;

  constructor(below?: Scope, border: Border = "shell") {
    this.#below = below;
    this.#border = border;
    this.cwd = below?.cwd;
    const isCopy = border === "shell" || border === "subshell";
    this.previous = isCopy ? below?.previous : undefined;
    this.#setsLast = !isCopy || below === undefined || below.#setsLast;
    this.#last = isCopy ? below?.last : undefined;
    this.positional = below && isCopy ? below.positional : [];
    this.#hasLocked = isCopy && below !== undefined && below.#hasLocked;
  }

  /** A layer for a branch, a loop or a function of this shell. */
  layer(): Scope {
    return new Scope(this);
  }

  /** A layer for a subshell, whose changes stay in it. */
  subshell(): Scope {
    return new Scope(this, "subshell");
  }

  /** The scope of the shell that a layer belongs to. */
  get shell(): Scope {
    const below = this.#below;
    // At the bottom is what is known of the machine.
    return this.#border !== "shell" || !below || !below.#below ? this : below.shell;
  }

  /** What a started process sees: exported variables, and possibly exported functions. */
  child(border: "process" | "machine" = "process"): Scope {
    const scope = new Scope(this, border);
    if (border === "machine") scope.cwd = undefined;
    return scope;
  }

  /** The value of `$_`, the last word of the last command; undefined when unknown. */
  get last(): string | undefined {
    return this.#last;
  }

  set last(word: string | undefined) {
    this.#last = this.#setsLast ? word : undefined;
  }

  /** This shell may leave `$_` as it inherited it, as dash does. */
  leaveLast(): void {
    this.#setsLast = false;
    this.#last = undefined;
  }

  /** Undefined for a variable that the line has not set. */
  get(name: string): Value | undefined {
    return Scope.#get(this, name);
  }

  static #get(top: Scope, name: string): Value | undefined {
    let isInherited = false;
    let isBlurred = false;
    let isDimmed = false;
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      // What is known of the machine stays known when everything else becomes unknown.
      const value = isBlurred && scope.#below ? undefined : scope.#variables?.get(name);
      if (value !== undefined) {
        if (!scope.#below) return value;
        // Arrays are not exported.
        const isLost = isInherited && (typeof value !== "string" || !Scope.#isExported(top, name));
        return isLost || isDimmed ? null : value;
      }
      isBlurred ||= scope.#blurred;
      isDimmed ||= scope.#dimmed;
      if (scope.#border === "shell" || scope.#border === "subshell") continue;
      if (name === "IFS") return OWN_IFS;
      if (scope.#border === "machine") return undefined;
      isInherited = true;
    }
    return isBlurred ? null : undefined;
  }

  /** Assign to a variable; one that is read-only keeps its value. */
  set(name: string, value: Value): void {
    if (name === "_") this.last = typeof value === "string" ? value : undefined;
    const isLocked = this.#hasLocked ? Scope.#isLocked(this, name) : undefined;
    if (isLocked === true) return;
    this.#variables ??= new Map();
    this.#variables.set(name, isLocked === undefined || this.get(name) === value ? value : null);
  }

  /**
   * Make a variable read-only.
   * @param isCertain whether it is, or only may be
   */
  lock(name: string, isCertain: boolean): void {
    this.#locked ??= new Map();
    this.#locked.set(name, isCertain || Scope.#isLocked(this, name) === true);
    this.#hasLocked = true;
  }

  /** Undefined if the variable is not read-only. Processes do not inherit it. */
  static #isLocked(top: Scope, name: string): boolean | undefined {
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      if (!scope.#hasLocked) return undefined;
      const isCertain = scope.#locked?.get(name);
      if (isCertain !== undefined) return isCertain;
      if (scope.#border === "process" || scope.#border === "machine") return undefined;
    }
    return undefined;
  }

  /** Export a variable to processes that this shell starts. */
  export(name: string): void {
    this.#exported ??= new Set();
    this.#exported.add(name);
  }

  /** Export a function to shells that this shell starts, or all functions, even later ones. */
  passOn(name: string): void {
    this.#passedOn ??= new Set();
    this.#passedOn.add(name);
  }

  static #isPassedOn(top: Scope, name: string): boolean {
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      if (scope.#passedOn?.has(name) === true || scope.#passedOn?.has("*") === true) return true;
    }
    return false;
  }

  /** Make a variable local to the function of this layer. */
  keep(name: string): void {
    this.#locals ??= new Set();
    this.#locals.add(name);
  }

  /** Assume that any variable may have any value. */
  blur(): void {
    this.#variables = undefined;
    this.#blurred = true;
  }

  /** Assume that a variable has the value that the line gave it, or none. */
  dim(): void {
    this.#dimmed = true;
  }

  /** What a name may run; empty when it is neither a function nor an alias. */
  bodies(name: string): readonly FunctionBody[] {
    return Scope.#bodies(this, name);
  }

  static #bodies(top: Scope, name: string): readonly FunctionBody[] {
    let isInherited = false;
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      const bodies = scope.#functions?.get(name);
      if (bodies) {
        if (isInherited && !Scope.#isPassedOn(top, name)) return NONE;
        const isSure = !isInherited || bodies.length === 0 || bodies.includes(undefined);
        return isSure ? bodies : [...bodies, undefined];
      }
      if (scope.#border === "process" || scope.#border === "machine") isInherited = true;
    }
    return NONE;
  }

  define(name: string, bodies: readonly FunctionBody[]): void {
    this.#functions ??= new Map();
    this.#functions.set(name, bodies);
  }

  /** Make a name run something else, or possibly something else. */
  redefine(name: string, body: FunctionBody): void {
    const bodies = this.bodies(name);
    this.define(name, [...new Set([...(bodies.length > 0 ? bodies : [undefined]), body])]);
  }

  /** Take over the changes of a layer as possible ones. */
  merge(layer: Scope): void {
    if (layer.#blurred) this.blur();
    const names = layer.jumped ? (layer.#variables?.keys() ?? []) : layer.changed(this);
    for (const name of names) this.set(name, null);
    for (const name of layer.#locked?.keys() ?? []) this.lock(name, false);
    for (const name of layer.#passedOn ?? []) this.passOn(name);
    for (const [name, bodies] of layer.#functions ?? []) {
      const before = this.bodies(name);
      const may = bodies.length > 0 ? bodies : [undefined];
      this.define(name, [...new Set([...(before.length > 0 ? before : [undefined]), ...may])]);
    }
    const hasMoved = layer.jumped && layer.previous !== this.previous;
    if (hasMoved || layer.cwd !== this.cwd) this.cwd = undefined;
    if (layer.previous !== this.previous) this.previous = undefined;
    if (layer.last !== this.last) this.last = undefined;
    if (layer.positional !== this.positional) this.positional = undefined;
    this.jumped ||= layer.jumped;
  }

  /** Local variables. */
  get kept(): ReadonlySet<string> {
    return this.#locals ?? new Set();
  }

  /** Take over the changes of a layer: as certain ones, or as possible ones if a part of it may have been skipped. */
  follow(layer: Scope): void {
    if (layer.jumped) return this.merge(layer);
    this.adopt(layer, new Set());
    this.positional = layer.positional;
    for (const name of layer.kept) this.keep(name);
  }

  /** Take over the changes of a layer, except for these variables. */
  adopt(layer: Scope, except: ReadonlySet<string>): void {
    if (layer.#blurred) this.blur();
    for (const [name, value] of layer.#variables ?? []) {
      if (!except.has(name)) this.set(name, value);
    }
    for (const [name, isCertain] of layer.#locked ?? []) {
      if (!except.has(name)) this.lock(name, isCertain);
    }
    for (const name of layer.#passedOn ?? []) this.passOn(name);
    for (const [name, bodies] of layer.#functions ?? []) this.define(name, bodies);
    for (const name of layer.#exported ?? []) if (!except.has(name)) this.export(name);
    this.cwd = layer.cwd;
    this.previous = layer.previous;
    this.last = layer.last;
  }

  /** Names of the variables whose value differs from that below. */
  changed(below: Scope): string[] {
    const names: string[] = [];
    for (const [name, value] of this.#variables ?? []) {
      if (below.get(name) !== value || value === null) names.push(name);
    }
    return names;
  }

  /** Whether another loop iteration after this layer may start in another state than the first one. */
  differs(below: Scope): boolean {
    return (
      this.#blurred ||
      this.#functions !== undefined ||
      this.cwd !== below.cwd ||
      this.positional !== below.positional ||
      this.changed(below).some((name) => below.get(name) !== null)
    );
  }

  static #isExported(top: Scope, name: string): boolean {
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      if (scope.#exported?.has(name)) return true;
    }
    return false;
  }
}

const NONE: readonly FunctionBody[] = [];

/** Functions, aliases and traps: code that runs in another place of a line than where it is written. */
export class FunctionCalls {
  readonly #reading: LineReading;
  readonly #running: FunctionBody[] = [];
  readonly #called = new Set<FunctionBody>();
  /** Functions that were defined and not called yet, with their context. */
  readonly #uncalled = new Map<FunctionBody, Frame>();
  readonly #late: (readonly [script: string, frame: Frame])[] = [];

  constructor(reading: LineReading) {
    this.#reading = reading;
  }

  define(name: string, body: FunctionBody, frame: Frame): void {
    frame.scope.define(name, [body]);
    if (!this.#called.has(body)) this.#uncalled.set(body, frame);
  }

  /** Run what a name may stand for. It is certainly not the program itself. */
  call(name: string, args: readonly Field[], frame: Frame): void {
    const bodies = frame.scope.bodies(name);
    for (const body of bodies) {
      if (body === undefined) continue;
      const inner = { ...frame, scope: frame.scope.layer() };
      if (typeof body === "string") this.#expand(name, body, args, inner);
      else this.#run(name, body, args, inner);
      if (bodies.length === 1 && !inner.scope.jumped)
        frame.scope.adopt(inner.scope, inner.scope.kept);
      else {
        inner.scope.positional = frame.scope.positional;
        const { jumped } = frame.scope;
        frame.scope.merge(inner.scope);
        frame.scope.jumped = jumped;
      }
    }
  }

  /** Read a script at the end of the shell. */
  later(script: string, frame: Frame): void {
    this.#late.push([script, { ...frame, scope: frame.scope.shell }]);
  }

  /** List what traps run, and functions that nothing in the line calls: a shell that continues may call them. */
  finish(): void {
    for (const [script, frame] of this.#late) {
      const inner = { ...frame, scope: frame.scope.layer() };
      inner.scope.last = undefined;
      this.#reading.script(script, inner);
    }
    for (const [body, frame] of this.#uncalled) {
      const inner = { ...through(frame, "uncalled"), scope: frame.scope.layer() };
      inner.scope.positional = undefined;
      inner.scope.last = undefined;
      this.#walk(body, inner);
    }
  }

  /** A recursive call is listed once. */
  #run(name: string, body: FunctionBody, args: readonly Field[], frame: Frame): void {
    if (this.#running.includes(body)) {
      this.#reading.add([known(name), ...args], through(frame, "recursion"), { program: name });
      return;
    }
    frame.scope.positional = args;
    this.#walk(body, through(frame, "function"));
  }

  #walk(body: FunctionBody, frame: Frame): void {
    this.#uncalled.delete(body);
    this.#called.add(body);
    if (body === undefined || typeof body === "string") return;
    this.#running.push(body);
    try {
      this.#reading.nested(() => this.#reading.node(body, frame));
    } finally {
      this.#running.pop();
    }
  }

  /** An alias is its text followed by the words; within itself, its name is the program. */
  #expand(name: string, text: string, args: readonly Field[], frame: Frame): void {
    const alias = `${name}=${text}`;
    if (this.#running.includes(alias)) return;
    this.#running.push(alias);
    try {
      const words = args.map((arg) => (arg.known ? "" : UNKNOWN) + quoteWords([arg.text]));
      this.#reading.script([text, ...words].join(" "), through(frame, "alias"));
    } finally {
      this.#running.pop();
    }
  }
}

/** The standard input of a command. */
export interface Stdin {
  /** Whether it comes from another command. */
  readonly piped: boolean;
  /** The programs that write it. */
  readonly from: readonly string[];
  /** Its content, if the line determines it. */
  text(): Field | undefined;
}

/** The context of a command. */
export interface Frame {
  readonly scope: Scope;
  /** See `ShellCommand.via`. */
  readonly via: readonly string[];
  readonly stdin: Stdin;
  /** Programs whose output is part of the words of the command. */
  readonly substituted: readonly string[];
}

/** Standard input that the line does not change. */
export const OWN_STDIN: Stdin = { piped: false, from: [], text: () => undefined };

/** Standard input from another command or an unknown source. */
export const PIPED_STDIN: Stdin = { piped: true, from: [], text: () => undefined };

/** The same context, inside one more wrapper. */
export function through(frame: Frame, wrapper: string, scope = frame.scope): Frame {
  return { ...frame, scope, via: [...frame.via, wrapper] };
}

/** The same context, with a separate layer of changes. */
export function layered(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.layer() };
}

/** The same context, in a subshell. */
export function forked(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.subshell() };
}

/** A directory relative to another one; an unknown one stays unknown, unless the path is absolute. */
export function lexicalJoin(from: string | undefined, to: string): string | undefined {
  if (to.startsWith("/")) return normalisePath(to);
  if (from === undefined || from.length + to.length > MAX_PATH) return undefined;
  return normalisePath(`${from}/${to}`) || ".";
}

/** Maximum length of a command line that is read, in characters. */
export const MAX_LINE = 65_536;

/** Maximum nesting of scripts (`sh -c`, `eval`, functions, substitutions). */
export const MAX_DEPTH = 40;

/** Maximum number of here-documents in a line: the parser's time grows with their square. */
export const MAX_HERE_DOCUMENTS = 256;

/** Maximum length of a tracked working directory, in characters. */
const MAX_PATH = 4_096;

/** Maximum number of iterations of nested loops over known words; beyond it, the variable is unknown. */
export const MAX_ROUNDS = 64;

/** Maximum number of programs listed for one pipeline. */
export const MAX_FROM = 64;

/** Thrown when the budget is used up, and caught by the reader: results until then are kept. */
export class BudgetSpent extends Error {}

/**
 * Limits the cost of reading a line, so that time stays linear in its length whatever loops, functions and nested
 * scripts it has. One step is about one word or 32 characters.
 */
export class Budget {
  #left: number;

  constructor(line: string) {
    this.#left = 4_096 + 4 * line.length;
  }

  /** @throws BudgetSpent when it is used up */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent("its expansion is too large");
  }

  /** Allow a small amount for a part of the line when earlier parts have used up everything. */
  refill(length: number): void {
    this.#left = Math.max(this.#left, 64 + 4 * length);
  }

  /** Spend for a text that is created or read. */
  spendText(text: string): void {
    this.spend(1 + (text.length >> 5));
  }
}
