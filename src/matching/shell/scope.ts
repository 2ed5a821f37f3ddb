import type { CommandNode, CompoundList } from "unbash";
import type { Value } from "./value.ts";
import { isUnset, knownText, UNSET } from "./value.ts";
import type { Field } from "./words/expand-word.ts";

/**
 * What a name runs: the body of a function, the text of an alias, or undefined for the program of that name, when it is
 * uncertain whether there is a function.
 */
export type FunctionBody = CommandNode | CompoundList | string | undefined;

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
  /** Whether the shell sets `$_`; one that may be bash or dash does, unless its script sets it. */
  #setsLast: boolean | "unless set";
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
    const isCopy = !this.#isProcess;
    this.previous = isCopy ? below?.previous : undefined;
    this.#setsLast = !isCopy || below === undefined || below.#setsLast;
    this.#last = isCopy ? below?.last : undefined;
    this.positional = below && isCopy ? below.positional : [];
    this.#hasLocked = isCopy && below !== undefined && below.#hasLocked;
  }

  /** Whether it is that of another process than what is below. */
  get #isProcess(): boolean {
    return this.#border === "process" || this.#border === "machine";
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
    this.#last = this.#setsLast === false ? undefined : word;
  }

  /** This shell leaves `$_` as it inherited it, as dash does. */
  leaveLast(): void {
    this.#setsLast = false;
    this.#last = undefined;
  }

  /**
   * This shell may leave `$_` as it inherited it: `sh` is dash on one machine and bash on another. What dash inherits
   * is the path of a program, unless the line sets it.
   */
  mayLeaveLast(): void {
    this.#setsLast = this.get("_") === undefined ? "unless set" : false;
    this.#last = undefined;
  }

  /** Undefined for a variable that the line has not set. */
  get(name: string): Value | undefined {
    return Scope.#get(this, name);
  }

  /** The characters that separate words; undefined when unknown. */
  get separators(): string | undefined {
    const value = this.get("IFS");
    return isUnset(value) ? OWN_IFS : knownText(value);
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
        // What is not set here is not inherited either.
        if (isUnset(value)) return value;
        // Arrays are not exported.
        if (isInherited && value !== null && typeof value !== "string") return UNSET;
        const isLost = isInherited && !top.#isExported(name);
        return isLost || isDimmed ? null : value;
      }
      isBlurred ||= scope.#blurred;
      isDimmed ||= scope.#dimmed;
      if (!scope.#isProcess) continue;
      if (name === "IFS") return OWN_IFS;
      if (scope.#border === "machine") return undefined;
      isInherited = true;
    }
    return isBlurred ? null : undefined;
  }

  /** Assign to a variable; one that is read-only keeps its value. */
  set(name: string, value: Value): void {
    if (name === "_") {
      if (this.#setsLast === "unless set") this.#setsLast = false;
      this.last = typeof value === "string" ? value : undefined;
    }
    const isLocked = this.#isLocked(name);
    if (isLocked === true) return;
    const isSame = isLocked === undefined || this.get(name) === value;
    (this.#variables ??= new Map()).set(name, isSame ? value : null);
  }

  /**
   * Make a variable read-only.
   * @param isCertain whether it is, or only may be
   */
  lock(name: string, isCertain: boolean): void {
    const isSure = isCertain || this.#isLocked(name) === true;
    (this.#locked ??= new Map()).set(name, isSure);
    this.#hasLocked = true;
  }

  /** Undefined if the variable is not read-only. Processes do not inherit it. */
  #isLocked(name: string): boolean | undefined {
    if (!this.#hasLocked) return undefined;
    const own = this.#locked?.get(name);
    if (own !== undefined || this.#isProcess || !this.#below) return own;
    return this.#below.#isLocked(name);
  }

  /** Export a variable to processes that this shell starts. */
  export(name: string): void {
    (this.#exported ??= new Set()).add(name);
  }

  /** Export a function to shells that this shell starts, or all functions, even later ones. */
  passOn(name: string): void {
    (this.#passedOn ??= new Set()).add(name);
  }

  #isPassedOn(name: string): boolean {
    if (this.#passedOn?.has(name) || this.#passedOn?.has("*")) return true;
    return this.#below ? this.#below.#isPassedOn(name) : false;
  }

  /** Make a variable local to the function of this layer. */
  keep(name: string): void {
    (this.#locals ??= new Set()).add(name);
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
        if (isInherited && !top.#isPassedOn(name)) return NONE;
        const isSure = !isInherited || bodies.length === 0 || bodies.includes(undefined);
        return isSure ? bodies : [...bodies, undefined];
      }
      isInherited ||= scope.#isProcess;
    }
    return NONE;
  }

  define(name: string, bodies: readonly FunctionBody[]): void {
    (this.#functions ??= new Map()).set(name, bodies);
  }

  /** Make a name run something else, or possibly something else. */
  redefine(name: string, ...others: readonly FunctionBody[]): void {
    const bodies = this.bodies(name);
    this.define(name, [...new Set([...(bodies.length > 0 ? bodies : [undefined]), ...others])]);
  }

  /** Take over the changes of a layer as possible ones. */
  merge(layer: Scope): void {
    if (layer.#blurred) this.blur();
    const names = layer.jumped ? (layer.#variables?.keys() ?? []) : layer.changed(this);
    for (const name of names) this.set(name, null);
    for (const name of layer.#locked?.keys() ?? []) this.lock(name, false);
    for (const name of layer.#passedOn ?? []) this.passOn(name);
    for (const [name, bodies] of layer.#functions ?? [])
      this.redefine(name, ...(bodies.length > 0 ? bodies : [undefined]));
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

  #isExported(name: string): boolean {
    if (this.#exported?.has(name)) return true;
    return this.#below ? this.#below.#isExported(name) : false;
  }
}

const NONE: readonly FunctionBody[] = [];
