import { quoteWords } from "../../core/index.ts";
import type { Frame } from "./frame.ts";
import { layered, through } from "./frame.ts";
import type { LineReading } from "./reader.ts";
import type { FunctionBody } from "./scope.ts";
import type { Field } from "./words/expand-word.ts";
import { known } from "./words/expand-word.ts";
import { UNKNOWN } from "./value.ts";

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
      const inner = layered(frame);
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
      const inner = layered(frame);
      inner.scope.last = undefined;
      this.#reading.script(script, inner);
    }
    for (const [body, frame] of this.#uncalled) {
      const inner = layered(through(frame, "uncalled"));
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
