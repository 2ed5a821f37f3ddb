import { isPlainObject } from "../../core/index.ts";
import type { Json, JsonObject, ToolAnswer } from "../../core/index.ts";
import type { FakeTools } from "./fake-environment.ts";
import { argumentsOf, NO_POINT, UNDO } from "./recorded-calls.ts";

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
