import type { CommandNode, CompoundList } from "unbash";
import type { Frame } from "./frame.ts";
import { through } from "./frame.ts";
import type { LineReading } from "./reader.ts";
import type { Field } from "./words/field.ts";
import { known, UNKNOWN } from "./words/field.ts";
import { quoteWords } from "../core/shell-words.ts";

/** What a variable holds: a text, the elements of an array, or null for what is not known. */
export type Value = string | readonly string[] | null;

/**
 * What a name runs: the body of a function, the text of an alias, or undefined for the program of that name, where
 * it is not certain that there is a function.
 */
type FunctionBody = CommandNode | CompoundList | string | undefined;

/** Positional parameters; undefined when they are not known. */
type Positional = readonly Field[] | undefined;

/** Whose a layer is: of the same shell, of a copy of it, of a process that it starts, or of one on another machine. */
type Border = "shell" | "subshell" | "process" | "machine";

/** What every shell sets for itself, whatever it inherits. */
const OWN_IFS = " \t\n";

/**
 * Variables, functions and the working directory of a shell. A subshell or a branch is a layer above: it sees
 * what is below and keeps its own changes, which `merge` takes over as possible ones. What is below must not
 * change while a layer is in use.
 */
export class Scope {
  /** From where the line begins, or absolute; undefined when it is not known. */
  cwd: string | undefined;
  /** Where `cd -` goes to. */
  previous: string | undefined;
  positional: Positional;
  /** Whether `break`, `return` or the like may have left out a part of what is read here. */
  jumped = false;
  readonly #below: Scope | undefined;
  readonly #border: Border;
  #variables: Map<string, Value> | undefined;
  #functions: Map<string, readonly FunctionBody[]> | undefined;
  #exported: Set<string> | undefined;
  #locals: Set<string> | undefined;
  #blurred = false;

  constructor(below?: Scope, border: Border = "shell") {
    this.#below = below;
    this.#border = border;
    this.cwd = below?.cwd;
    const isCopy = border === "shell" || border === "subshell";
    this.previous = isCopy ? below?.previous : undefined;
    this.positional = below && isCopy ? below.positional : [];
  }

  /** What a branch, a loop or a function changes of this shell. */
  layer(): Scope {
    return new Scope(this);
  }

  /** What a subshell sees, and keeps to itself. */
  subshell(): Scope {
    return new Scope(this, "subshell");
  }

  /** The scope of the shell that a layer belongs to. */
  get shell(): Scope {
    const below = this.#below;
    // At the bottom is what is known of the machine.
    return this.#border !== "shell" || !below || !below.#below ? this : below.shell;
  }

  /** What a process sees that this shell starts: variables that are exported, functions that may be. */
  child(border: "process" | "machine" = "process"): Scope {
    const scope = new Scope(this, border);
    if (border === "machine") scope.cwd = undefined;
    return scope;
  }

  /** Undefined for a variable that the line has not set. */
  get(name: string): Value | undefined {
    return Scope.#get(this, name);
  }

  static #get(top: Scope, name: string): Value | undefined {
    let isInherited = false;
    let isBlurred = false;
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      // What is known of the machine outlasts what makes the rest unknown.
      const value = isBlurred && scope.#below ? undefined : scope.#variables?.get(name);
      if (value !== undefined) {
        return isInherited && scope.#below && !Scope.#isExported(top, name) ? null : value;
      }
      isBlurred ||= scope.#blurred;
      if (scope.#border === "shell" || scope.#border === "subshell") continue;
      if (name === "IFS") return OWN_IFS;
      if (scope.#border === "machine") return undefined;
      isInherited = true;
    }
    return isBlurred ? null : undefined;
  }

  set(name: string, value: Value): void {
    this.#variables ??= new Map();
    this.#variables.set(name, value);
  }

  /** Have the processes that this shell starts see a variable. */
  export(name: string): void {
    this.#exported ??= new Set();
    this.#exported.add(name);
  }

  /** Keep a variable to the function whose layer this is. */
  keep(name: string): void {
    this.#locals ??= new Set();
    this.#locals.add(name);
  }

  /** Take it that any variable may have been set to anything. */
  blur(): void {
    this.#variables = undefined;
    this.#blurred = true;
  }

  /** What a name may run; nothing when it is that of no function and no alias. */
  bodies(name: string): readonly FunctionBody[] {
    return Scope.#bodies(this, name);
  }

  static #bodies(top: Scope, name: string): readonly FunctionBody[] {
    let isInherited = false;
    for (let scope: Scope | undefined = top; scope; scope = scope.#below) {
      const bodies = scope.#functions?.get(name);
      if (bodies) {
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

  /** Have a name run something else as well, or instead. */
  redefine(name: string, body: FunctionBody): void {
    const bodies = this.bodies(name);
    this.define(name, [...new Set([...(bodies.length > 0 ? bodies : [undefined]), body])]);
  }

  /** Take over what a layer of this scope has changed, as something that may or may not have happened. */
  merge(layer: Scope): void {
    if (layer.#blurred) this.blur();
    const names = layer.jumped ? (layer.#variables?.keys() ?? []) : layer.changed(this);
    for (const name of names) this.set(name, null);
    for (const [name, bodies] of layer.#functions ?? []) {
      const before = this.bodies(name);
      const may = bodies.length > 0 ? bodies : [undefined];
      this.define(name, [...new Set([...(before.length > 0 ? before : [undefined]), ...may])]);
    }
    const hasMoved = layer.jumped && layer.previous !== this.previous;
    if (hasMoved || layer.cwd !== this.cwd) this.cwd = undefined;
    if (layer.previous !== this.previous) this.previous = undefined;
    if (layer.positional !== this.positional) this.positional = undefined;
    this.jumped ||= layer.jumped;
  }

  /** Variables that were kept. */
  get kept(): ReadonlySet<string> {
    return this.#locals ?? new Set();
  }

  /** Take over what has happened in a layer of this scope, or may have when a part of it was left out. */
  follow(layer: Scope): void {
    if (layer.jumped) return this.merge(layer);
    this.adopt(layer, new Set());
    this.positional = layer.positional;
    for (const name of layer.kept) this.keep(name);
  }

  /** Take over what a layer of this scope has changed, but for these variables. */
  adopt(layer: Scope, except: ReadonlySet<string>): void {
    if (layer.#blurred) this.blur();
    for (const [name, value] of layer.#variables ?? []) {
      if (!except.has(name)) this.set(name, value);
    }
    for (const [name, bodies] of layer.#functions ?? []) this.define(name, bodies);
    for (const name of layer.#exported ?? []) if (!except.has(name)) this.export(name);
    this.cwd = layer.cwd;
    this.previous = layer.previous;
  }

  /** Names of the variables that hold something else here than below. */
  changed(below: Scope): string[] {
    const names: string[] = [];
    for (const [name, value] of this.#variables ?? []) {
      if (below.get(name) !== value || value === null) names.push(name);
    }
    return names;
  }

  /** Whether a round of a loop that leaves this layer behind may find another state than the first one. */
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

/** Functions, aliases and traps: what runs at another place of a line than where it stands. */
export class FunctionCalls {
  readonly #reading: LineReading;
  readonly #running: FunctionBody[] = [];
  readonly #called = new Set<FunctionBody>();
  /** Functions that were defined and not called yet, with where. */
  readonly #uncalled = new Map<FunctionBody, Frame>();
  readonly #late: (readonly [script: string, frame: Frame])[] = [];

  constructor(reading: LineReading) {
    this.#reading = reading;
  }

  define(name: string, body: FunctionBody, frame: Frame): void {
    frame.scope.define(name, [body]);
    if (!this.#called.has(body)) this.#uncalled.set(body, frame);
  }

  /** Run what a name may stand for. Whatever else it may be, it is not the program itself. */
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

  /** Read a script when the shell is at its end. */
  later(script: string, frame: Frame): void {
    this.#late.push([script, { ...frame, scope: frame.scope.shell }]);
  }

  /** List what traps run, and functions that nothing in the line calls: a shell that lives on may do so. */
  finish(): void {
    for (const [script, frame] of this.#late) {
      this.#reading.script(script, { ...frame, scope: frame.scope.layer() });
    }
    for (const [body, frame] of this.#uncalled) {
      const inner = { ...through(frame, "function"), scope: frame.scope.layer() };
      inner.scope.positional = undefined;
      this.#walk(body, inner);
    }
  }

  /** A function that calls itself is told once. */
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

  /** An alias is its text with the words behind it; within itself it means the program. */
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
