import type { CommandNode, CompoundList } from "unbash";
import type { Field } from "./field.ts";

/** What a variable holds: a text, the elements of an array, or null for what is not known. */
export type Value = string | readonly string[] | null;

/** What a function runs. */
export type FunctionBody = CommandNode | CompoundList;

/** Positional parameters; undefined when they are not known. */
type Positional = readonly Field[] | undefined;

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
  readonly #below: Scope | undefined;
  #variables: Map<string, Value> | undefined;
  #functions: Map<string, readonly FunctionBody[]> | undefined;

  constructor(below?: Scope) {
    this.#below = below;
    this.cwd = below?.cwd;
    this.previous = below?.previous;
    this.positional = below ? below.positional : [];
  }

  layer(): Scope {
    return new Scope(this);
  }

  /** Undefined for a variable that the line has not set. */
  get(name: string): Value | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.#below) {
      const value = scope.#variables?.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#variables ??= new Map();
    this.#variables.set(name, value);
  }

  /** The bodies that a function may have; none when there is no such function. */
  bodies(name: string): readonly FunctionBody[] {
    for (let scope: Scope | undefined = this; scope; scope = scope.#below) {
      const bodies = scope.#functions?.get(name);
      if (bodies) return bodies;
    }
    return [];
  }

  define(name: string, bodies: readonly FunctionBody[]): void {
    this.#functions ??= new Map();
    this.#functions.set(name, bodies);
  }

  /** Take over what a layer of this scope has changed, as something that may or may not have happened. */
  merge(layer: Scope): void {
    for (const name of layer.changed(this)) this.set(name, null);
    for (const [name, bodies] of layer.#functions ?? []) {
      this.define(name, [...new Set([...this.bodies(name), ...bodies])]);
    }
    if (layer.cwd !== this.cwd) this.cwd = undefined;
    if (layer.previous !== this.previous) this.previous = undefined;
    if (layer.positional !== this.positional) this.positional = undefined;
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
      this.cwd !== below.cwd ||
      this.positional !== below.positional ||
      this.changed(below).some((name) => below.get(name) !== null)
    );
  }
}
