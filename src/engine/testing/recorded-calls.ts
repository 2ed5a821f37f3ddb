import type { ExpectedCall } from "../../config/index.ts";
import { BUILTIN_TOOLS, isPlainObject, SNAPSHOT, UNDO_POINT } from "../../core/index.ts";
import type { Json, JsonObject, ToolAnswer } from "../../core/index.ts";
import { deepMatch, type PatternFinder } from "./expectations.ts";
import type { FakeTools } from "./fake-environment.ts";
import type { Difference } from "./run-hook-test.ts";

/** Calls of which a test need not know, and their answer. */
export const UNDO: readonly string[] = [SNAPSHOT, UNDO_POINT];
export const NO_POINT: ToolAnswer = { ok: false, error: "tests take no undo points" };

/**
 * Recorded tools: each call that a test lists returns the listed result, in any order. A call that is not listed fails
 * the test, and so does a listed call that is not made.
 */
export class RecordedCalls implements FakeTools {
  readonly #left: { readonly call: ExpectedCall; times: number }[];
  readonly #find: PatternFinder;
  readonly #made: MadeCall[] = [];
  #isUnlisted = false;

  constructor(calls: readonly ExpectedCall[], find: PatternFinder) {
    this.#left = calls.map((call) => ({ call, times: call.times }));
    this.#find = find;
  }

  async call(tool: string, arg: Json | undefined): Promise<ToolAnswer> {
    const isListed = this.#left.some(({ call }) => call.tool === tool);
    if (UNDO.includes(tool) && !isListed) return NO_POINT;
    const args = argumentsOf(tool, arg);
    this.#made.push({ tool, args });
    for (const listed of this.#left) {
      const { call } = listed;
      if (listed.times === 0 || call.tool !== tool) continue;
      const how = { mode: "whole", find: this.#find } as const;
      // Written as it is called, or as the resulting table.
      const expected = call.args === undefined ? undefined : argumentsOf(tool, call.args);
      const differs = expected === undefined ? [] : await deepMatch(expected, args, "args", how);
      if (differs.length > 0) continue;
      listed.times--;
      return { ok: true, ...call.answers };
    }
    this.#isUnlisted = true;
    throw new Error(`${tool} was called, but the test does not list this call`);
  }

  /** The calls made and those listed, if one was made that is not listed. */
  unlisted(): Difference[] {
    return this.#isUnlisted ? [this.#shown()] : [];
  }

  /** The same, and also if a listed call was not made. */
  unmet(): Difference[] {
    const areMade = this.#left.every(({ times }) => times === 0);
    return areMade ? this.unlisted() : [this.#shown()];
  }

  #shown(): Difference {
    const expected = this.#left.map(({ call: { tool, args, times } }) => ({
      tool,
      ...(args !== undefined && { args }),
      ...(times > 1 && { times }),
    }));
    return { at: "calls", expected, got: this.#made };
  }
}

/** The arguments of a call: a bare value is the tool's main one. */
export function argumentsOf(tool: string, arg: Json | undefined): Json {
  if (arg === undefined || arg === null) return {};
  if (isPlainObject(arg) || Array.isArray(arg)) return arg;
  const specs: Readonly<Record<string, { readonly args: object }>> = BUILTIN_TOOLS;
  const known = Object.hasOwn(specs, tool) ? specs[tool] : undefined;
  const [main = "value"] = Object.keys(known?.args ?? {});
  return { [main]: arg };
}

/** Replaces a tool: gets its arguments and returns its result; `ok` is true unless it says otherwise. */
export type FakeTool = (args: JsonObject) => Json | undefined | Promise<Json | undefined>;

/** A call that a hook made. */
export interface MadeCall {
  readonly tool: string;
  /** For a verb of the runtime, the list of its arguments. */
  readonly args: Json;
}

/** Functions that replace tools, and the calls that were made. */
export class TestTools implements FakeTools {
  readonly calls: MadeCall[] = [];
  readonly #tools: Map<string, FakeTool>;

  constructor(tools: Readonly<Record<string, FakeTool>> = {}) {
    this.#tools = new Map(Object.entries(tools));
  }

  set(name: string, run: FakeTool): void {
    this.#tools.set(name, run);
  }

  async call(tool: string, arg: Json | undefined): Promise<ToolAnswer> {
    const run = this.#tools.get(tool);
    if (!run && UNDO.includes(tool)) return NO_POINT;
    const args = argumentsOf(tool, arg);
    this.calls.push({ tool, args });
    if (!run) throw new Error(`${tool} was called, but the test defines no fake for it`);
    const answer = await run(args as JsonObject);
    if (answer === undefined || isPlainObject(answer)) return { ok: true, ...answer };
    return { ok: true, result: answer };
  }
}
