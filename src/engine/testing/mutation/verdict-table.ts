import { type JsonObject, messageOf } from "../../../core/index.ts";
import { FakeEnvironment } from "../fake-environment.ts";
import { TestTools } from "../recorded-calls.ts";
import type { TestResult } from "../run-hook-test.ts";
import type { TestEngine } from "../test-engine.ts";
import type { Observed, TestSession } from "../test-session.ts";

/** What a guard decides; "stop" is to refuse or to ask. */
export type Verdict = "pass" | "ask" | "refuse" | "stop";

/** A call, and what a guard decides about it. */
export interface VerdictRow {
  /** At tool.pre_execute. */
  readonly payload: JsonObject;
  readonly verdict: Verdict;
  /** A text that the reason contains. */
  readonly reason?: string | undefined;
}

/** Calls with their verdicts. The guard is loaded once for all of them, so no row may depend on another. */
export interface VerdictTable {
  /** As results show it. */
  readonly name: string;
  /** The script, absolute. */
  readonly script: string;
  readonly options?: JsonObject | undefined;
  readonly rows: readonly VerdictRow[];
}

/** Options with which a script must not load. */
export interface InvalidOptions {
  /** The script, absolute. */
  readonly script: string;
  readonly options: JsonObject;
  /** What the error says. */
  readonly message: string | RegExp;
}

/** The guards of tables, each loaded when its first row is judged. */
export class LoadedTables {
  readonly bench: TestEngine;
  readonly #sessions = new Map<VerdictTable, Promise<TestSession>>();

  constructor(bench: TestEngine) {
    this.bench = bench;
  }

  /** Load the guard of a table. @throws OrcsError ORCS1015 if it does not load */
  async load(table: VerdictTable): Promise<TestSession> {
    const known = this.#sessions.get(table);
    if (known) return known;
    const { script, options } = table;
    this.bench.world.begin(new FakeEnvironment(new TestTools(), {}));
    const session = this.bench.rigOf(script, { options });
    this.#sessions.set(table, session);
    return session;
  }

  /** Whether a script reports invalid options. */
  async reject({ script, options, message }: InvalidOptions): Promise<TestResult> {
    const started = performance.now();
    const test = { name: `options ${JSON.stringify(options)}`, place: { file: script, line: 1 } };
    try {
      (await this.bench.rigOf(script, { options })).close();
      return { ...test, status: "failed", duration_ms: performance.now() - started };
    } catch (thrown) {
      const told = messageOf(thrown);
      const isTold = typeof message === "string" ? told.includes(message) : message.test(told);
      const status = isTold ? "passed" : "failed";
      return { ...test, status, duration_ms: performance.now() - started, message: told };
    }
  }

  /** Judge one row; any error fails it. */
  async judge(table: VerdictTable, row: VerdictRow): Promise<TestResult> {
    const started = performance.now();
    const place = { file: table.script, line: 1 };
    const name = `${table.name}: ${JSON.stringify(row.payload["args"] ?? row.payload)}`;
    const message = await this.#difference(table, row);
    const ended = { name, place, duration_ms: performance.now() - started };
    if (message === undefined) return { ...ended, status: "passed" };
    return { ...ended, status: "failed", message };
  }

  async #difference(table: VerdictTable, row: VerdictRow): Promise<string | undefined> {
    try {
      const session = await this.load(table);
      const { bench } = this;
      bench.agent = undefined;
      bench.world.begin(new FakeEnvironment(new TestTools(), {}));
      const { observed } = await session.dispatchAt("tool.pre_execute", row.payload, {});
      const given = verdictOf(observed);
      const isStop = row.verdict === "stop" && (given === "refuse" || given === "ask");
      if (given !== row.verdict && !isStop) return `expected ${row.verdict}, got ${given}`;
      const { reason = "" } = observed;
      return row.reason === undefined || reason.includes(row.reason)
        ? undefined
        : `expected a reason with ${JSON.stringify(row.reason)}, got ${JSON.stringify(reason)}`;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  async close(): Promise<void> {
    for (const session of await Promise.allSettled(this.#sessions.values())) {
      if (session.status === "fulfilled") session.value.close();
    }
    this.#sessions.clear();
  }
}

function verdictOf({ action, decision, error }: Observed): string {
  if (error !== undefined) return `an error: ${error}`;
  if (action === "abort") return "refuse";
  return decision === "ask" ? "ask" : action === "continue" ? "pass" : action;
}
