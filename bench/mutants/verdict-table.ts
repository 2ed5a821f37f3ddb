import { messageOf } from "../../src/core/index.ts";
import type { JsonObject } from "../../src/core/index.ts";
import { FakeEnvironment } from "../../src/engine/testing/fake-environment.ts";
import type { LoadedGuards, TestUnit } from "../../src/engine/testing/mutation/test-units.ts";
import { TestTools } from "../../src/engine/testing/recorded-calls.ts";
import type { TestResult } from "../../src/engine/testing/run-hook-test.ts";
import type { Observed } from "../../src/engine/testing/test-session.ts";

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

/** The rows of tables as tests, one by one. */
export function tableUnits(tables: readonly VerdictTable[]): TestUnit[] {
  return tables.flatMap((table) =>
    table.rows.map((row) => ({
      guard: table,
      run: async (loaded) => [await judge(loaded, table, row)],
    })),
  );
}

/** Options that are reported, one by one. */
export function optionUnits(invalid: readonly InvalidOptions[]): TestUnit[] {
  return invalid.map((each) => ({ run: async (loaded) => [await reject(loaded, each)] }));
}

/** Whether a script reports invalid options. */
async function reject(
  { bench }: LoadedGuards,
  { script, options, message }: InvalidOptions,
): Promise<TestResult> {
  const started = performance.now();
  const test = { name: `options ${JSON.stringify(options)}`, place: { file: script, line: 1 } };
  try {
    (await bench.rigOf(script, { options })).close();
    return { ...test, status: "failed", duration_ms: performance.now() - started };
  } catch (thrown) {
    const told = messageOf(thrown);
    const isTold = typeof message === "string" ? told.includes(message) : message.test(told);
    const status = isTold ? "passed" : "failed";
    return { ...test, status, duration_ms: performance.now() - started, message: told };
  }
}

/** Judge one row; any error fails it. */
async function judge(
  loaded: LoadedGuards,
  table: VerdictTable,
  row: VerdictRow,
): Promise<TestResult> {
  const started = performance.now();
  const place = { file: table.script, line: 1 };
  const name = `${table.name}: ${JSON.stringify(row.payload["args"] ?? row.payload)}`;
  const message = await difference(loaded, table, row);
  const ended = { name, place, duration_ms: performance.now() - started };
  if (message === undefined) return { ...ended, status: "passed" };
  return { ...ended, status: "failed", message };
}

async function difference(
  loaded: LoadedGuards,
  table: VerdictTable,
  row: VerdictRow,
): Promise<string | undefined> {
  try {
    const session = await loaded.load(table);
    const { bench } = loaded;
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

function verdictOf({ action, decision, error }: Observed): string {
  if (error !== undefined) return `an error: ${error}`;
  if (action === "abort") return "refuse";
  return decision === "ask" ? "ask" : action === "continue" ? "pass" : action;
}
