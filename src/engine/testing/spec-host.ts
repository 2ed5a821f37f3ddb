import { resolve } from "node:path";
import { isPlainObject, messageOf } from "../../core/index.ts";
import type { CallScope, Json, JsonObject, PointSpec, ToolAnswer } from "../../core/index.ts";
import { findScript } from "../orcs/index.ts";
import type { FakeTools } from "./fake-environment.ts";
import { argumentsOf } from "./recorded-calls.ts";
import { type EventReader, eventReader } from "./script-tests.ts";
import type { TestEngine } from "./test-engine.ts";
import type { Observed, TestSession } from "./test-session.ts";

/** A call of a hook under test that waits for the test to answer it. */
interface AskedCall {
  readonly tool: string;
  readonly args: Json;
  answer(answer: ToolAnswer): void;
  refuse(why: string): void;
}

/** The environment of a test file. */
export interface SpecDeps {
  readonly bench: TestEngine;
  /** Folders in which `orcs.test.load` finds scripts. */
  readonly roots: readonly string[];
  /** The point of a script that does not declare one, by file. */
  readonly pointOf: (file: string) => PointSpec | undefined;
}

/**
 * Implements `orcs.test` for `lua/testing/spec.lua`: loads scripts and dispatches events. The calls of a hook are
 * passed to the test, which answers them in its own coroutine.
 */
export class SpecHost implements FakeTools {
  readonly #around: SpecDeps;
  readonly #readEvent: EventReader;
  readonly #rigs: TestSession[] = [];
  #calls: AskedCall[] = [];
  #asked: AskedCall | undefined;
  #outcome: ToolAnswer | undefined;
  #wake: (() => void) | undefined;

  constructor(around: SpecDeps) {
    this.#around = around;
    this.#readEvent = eventReader(around.bench.points);
  }

  /** The scope of a test file's calls. */
  get scope(): CallScope {
    return { depth: 0, get: (kind, arg) => this.#serve(kind, arg) };
  }

  call(tool: string, arg: Json | undefined): Promise<ToolAnswer> {
    return new Promise((resolve, reject) => {
      const refuse = (why: string): void => reject(new Error(why));
      this.#calls.push({ tool, args: argumentsOf(tool, arg), answer: resolve, refuse });
      this.#wake?.();
    });
  }

  /** Start a test: calls left waiting by the previous one are abandoned. */
  reset(): void {
    for (const call of [...this.#calls, ...(this.#asked ? [this.#asked] : [])]) {
      call.refuse("the test has ended");
    }
    this.#calls = [];
    this.#asked = undefined;
    this.#outcome = undefined;
    this.#wake = undefined;
  }

  close(): void {
    this.reset();
    for (const rig of this.#rigs) rig.close();
  }

  async #serve(kind: string, arg: Json | undefined): Promise<ToolAnswer> {
    const given = isPlainObject(arg) ? arg : {};
    try {
      switch (kind) {
        case "test.load":
          return await this.#load(given);
        case "test.dispatch":
          return await this.#dispatch(given);
        case "test.reply":
          return await this.#reply(given);
        case "test.advance":
          return this.#advance(given);
        default:
          return { ok: false, error: `${kind}: real tools cannot be called in a test` };
      }
    } catch (thrown) {
      return { ok: false, error: messageOf(thrown) };
    }
  }

  async #load({ script, options }: JsonObject): Promise<ToolAnswer> {
    const { bench, roots, pointOf } = this.#around;
    if (typeof script !== "string") {
      return { ok: false, error: "orcs.test.load: expected the name of a script" };
    }
    if (options !== undefined && !isPlainObject(options)) {
      return { ok: false, error: "orcs.test.load: expected options as a table with string keys" };
    }
    const file = resolve(bench.cwd, findScript(script, roots, bench.cwd).name);
    this.#rigs.push(await bench.rigOf(file, { roots, options }, () => pointOf(file)));
    return { ok: true, id: this.#rigs.length };
  }

  #dispatch({ id, event }: JsonObject): Promise<ToolAnswer> {
    const rig = this.#rigs[Number(id) - 1];
    if (!rig) throw new Error("dispatch: there is no such script");
    this.reset();
    const settle = (answer: ToolAnswer): void => {
      this.#outcome = answer;
      this.#wake?.();
    };
    rig.dispatch(this.#readEvent(event)).then(
      ({ observed }) => settle({ ok: true, outcome: outcomeJson(observed) }),
      (thrown: unknown) => settle({ ok: false, error: messageOf(thrown) }),
    );
    return this.#next();
  }

  #reply({ answer, error }: JsonObject): Promise<ToolAnswer> {
    const asked = this.#asked;
    this.#asked = undefined;
    if (typeof error === "string") asked?.refuse(error);
    else if (answer === undefined || isPlainObject(answer)) asked?.answer({ ok: true, ...answer });
    else asked?.answer({ ok: true, result: answer });
    return this.#next();
  }

  /** The next call that a hook makes, or the result of the event. */
  async #next(): Promise<ToolAnswer> {
    for (;;) {
      this.#asked = this.#calls.shift();
      const { tool, args } = this.#asked ?? {};
      if (tool !== undefined) return { ok: true, call: { tool, args: args ?? {} } };
      if (this.#outcome) return this.#outcome;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #advance({ ms }: JsonObject): ToolAnswer {
    if (typeof ms !== "number" || !(ms >= 0)) {
      return { ok: false, error: "orcs.test.advance: expected milliseconds, from 0" };
    }
    this.#around.bench.world.now.clock.advance(ms);
    return { ok: true };
  }
}

function outcomeJson(observed: Observed): JsonObject {
  return JSON.parse(JSON.stringify(observed)) as JsonObject;
}
