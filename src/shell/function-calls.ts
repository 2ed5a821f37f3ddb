import type { Frame } from "./frame.ts";
import { through } from "./frame.ts";
import type { LineReading } from "./line-reading.ts";
import type { FunctionBody } from "./scope.ts";
import type { Field } from "./words/field.ts";
import { known, UNKNOWN } from "./words/field.ts";
import { quoteWords } from "./words/split.ts";

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
