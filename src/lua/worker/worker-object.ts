import type { Json, JsonObject } from "../../core/json.ts";
import { shownJson } from "../../core/to-json.ts";
import { expectCallable } from "../live-object.ts";
import type { LiveObject } from "../live-object.ts";
import type { LuaPorts, ScriptObject } from "../ports.ts";
import { LuaFailure } from "../state.ts";
import { givenUp } from "../task-run.ts";
import { readClock } from "./clock-reading.ts";
import { ContextWriter } from "./context-copy.ts";
import { refusal } from "./engine-calls.ts";
import { ResultJob } from "./jobs.ts";
import type { PostedResult } from "./protocol.ts";
import { scopeFacts } from "./scope-facts.ts";
import type { WorkerScript } from "./worker-script.ts";
import type { WorkerThread } from "./worker-thread.ts";

/** Functions that a script on the worker thread returned: lost with their state, or with the thread. */
export class WorkerObject implements LiveObject {
  readonly fields: JsonObject;
  readonly methods: ReadonlySet<string>;
  readonly #thread: WorkerThread;
  readonly #script: WorkerScript;
  readonly #ports: LuaPorts;

  constructor(
    thread: WorkerThread,
    script: WorkerScript,
    { fields, methods }: Extract<PostedResult, { fields: JsonObject }>,
    ports: LuaPorts,
  ) {
    this.#thread = thread;
    this.#script = script;
    this.#ports = ports;
    this.fields = fields;
    this.methods = new Set(methods);
  }

  get lost(): boolean {
    return this.#thread.death !== undefined || this.#script.stateLost;
  }

  async call(
    ...[method, values, { scope, signal }]: Parameters<ScriptObject["call"]>
  ): Promise<Json | undefined> {
    expectCallable(this, method, signal);
    const args = this.#pack(values);
    const clock = readClock(() => this.#ports.now());
    const job = new ResultJob<Json | undefined>(this.#script, scope);
    const number = this.#thread.begin(job, (at) => ({
      type: "call",
      job: at,
      script: this.#script.number,
      scope: scopeFacts(scope),
      clock,
      method,
      args,
    }));
    const giveUp = (): void => this.#thread.giveUp(number, givenUp());
    signal.addEventListener("abort", giveUp);
    try {
      return await job.result;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #pack(values: readonly unknown[]) {
    try {
      // As on the thread: a cycle or too many levels, which the copy cuts off, are an error of the call.
      for (const value of values) if (value !== undefined) shownJson(value, "never");
      return new ContextWriter(this.#ports.limits.memoryBytes).pack(values);
    } catch (thrown) {
      throw new LuaFailure("error", refusal(thrown));
    }
  }
}
