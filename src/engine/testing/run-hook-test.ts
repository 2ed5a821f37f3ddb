import type { HookEntry, HookTest, PlacedTest } from "../../config/index.ts";
import { messageOf, type PointSpec, type SourcePlace, type TraceEntry } from "../../core/index.ts";
import type { HookDefinition } from "../orcs/index.ts";
import { deepMatch, unmetExpectations } from "./expectations.ts";
import { FakeEnvironment } from "./fake-environment.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { TestEngine } from "./test-engine.ts";
import type { TestSession } from "./test-session.ts";

/** A test and its hooks, which run alone and in states of their own. */
export interface TestedHooks extends PlacedTest {
  readonly entries: readonly HookEntry[];
  /** Hooks written in TypeScript. */
  readonly definitions?: readonly HookDefinition[] | undefined;
  /** The point of events that name none; default: the only point of the hooks. */
  readonly point?: PointSpec | undefined;
}

/** Run one test; any error fails it. */
export async function runHookTest(bench: TestEngine, tested: TestedHooks): Promise<TestResult> {
  const { test, place } = tested;
  const started = performance.now();
  const ended = (rest: Failed & Pick<TestResult, "status">): TestResult => ({
    name: test.name,
    place,
    duration_ms: performance.now() - started,
    ...rest,
  });
  let rig: TestSession | undefined;
  try {
    const calls = new RecordedCalls(test.calls, bench.matches);
    bench.world.begin(new FakeEnvironment(calls, test));
    bench.agent = tested.entries[0]?.agent;
    const { entries, definitions = [] } = tested;
    const { options } = test;
    const given = <Hook extends object>(hooks: readonly Hook[]) =>
      options ? hooks.map((hook) => ({ ...hook, options })) : hooks;
    rig = await bench.rig(given(entries), given(definitions));
    const failure = await play(test, rig, tested.point, calls, bench);
    return ended(failure ? { status: "failed", ...failure } : { status: "passed" });
  } catch (thrown) {
    return ended({ status: "failed", message: messageOf(thrown) });
  } finally {
    rig?.close();
  }
}

type Failed = Pick<TestResult, "message" | "differences">;

async function play(
  test: HookTest,
  rig: TestSession,
  point: PointSpec | undefined,
  calls: RecordedCalls,
  bench: TestEngine,
): Promise<Failed | undefined> {
  for (const [i, { event, expect }] of test.steps.entries()) {
    const { observed, trace } = await rig.dispatch(event, point);
    const isLast = i === test.steps.length - 1;
    if (isLast) await rig.settle();
    const differences = await unmetExpectations(expect, observed, bench.matches);
    const more = isLast ? await afterwards(test, calls, bench) : calls.unlisted();
    const all = [...differences, ...more];
    if (all.length === 0) continue;
    const notes = [
      ...(test.steps.length > 1 && differences.length > 0 ? [`at event ${i + 1}`] : []),
      ...skippedHooks(trace),
    ];
    return { differences: all, ...(notes.length > 0 && { message: notes.join("; ") }) };
  }
  return undefined;
}

async function afterwards(
  { stateAfter }: HookTest,
  calls: RecordedCalls,
  bench: TestEngine,
): Promise<Difference[]> {
  const found = calls.unmet();
  const how = { mode: "whole", find: bench.matches } as const;
  for (const [key, value] of Object.entries(stateAfter)) {
    const got = bench.world.now.state.get(key);
    found.push(...(await deepMatch(value, got, `state_after[${JSON.stringify(key)}]`, how)));
  }
  return found;
}

/** Why hooks did not run: the most common cause of a failed test. */
function skippedHooks(trace: readonly TraceEntry[]): string[] {
  if (trace.length === 0) return ["there is no hook at this point"];
  if (trace.some(({ status }) => status !== "not_matched")) return [];
  return trace.map(
    ({ id, failing }) =>
      `${id} did not run: its ${failing === undefined ? "match" : `match.${failing}`} is false for this event`,
  );
}

/** One difference between the actual and the expected result. */
export interface Difference {
  /** Its name, such as `action` or `payload.args.command`; empty for the whole. */
  readonly at: string;
  /** Undefined: nothing expected. */
  readonly expected: unknown;
  readonly got: unknown;
}

/** The result of one test. */
export interface TestResult {
  readonly name: string;
  /** The place of the test. */
  readonly place: SourcePlace;
  readonly status: "passed" | "failed" | "pending";
  readonly duration_ms: number;
  /** The reason, when it failed or is pending. */
  readonly message?: string;
  readonly differences?: readonly Difference[];
}
