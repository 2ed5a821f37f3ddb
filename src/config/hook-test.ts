import type { ActionName, Decision } from "../core/actions.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import { EVENT_WORDS } from "./test-schema.ts";
import type { EventTable, ExpectTable, TestTable, TextMatch } from "./test-schema.ts";

/** What happens in a test. */
export interface TestEvent {
  /** Undefined: the hook's own. */
  readonly point: PointSpec | undefined;
  /** As written: short forms are not filled in. */
  readonly payload: JsonObject;
  readonly component: string | undefined;
  readonly child: string | undefined;
  readonly instance: string | undefined;
  readonly metadata: JsonObject | undefined;
  /** The clock is set to this before it. */
  readonly nowMs: number | undefined;
}

/** What is to come of an event; what is left out may be anything. */
export interface TestExpect {
  readonly action: ActionName | undefined;
  readonly reason: TextMatch | undefined;
  /** `none` where nobody may have decided. */
  readonly decision: Decision | "deny" | "none" | undefined;
  readonly hook: string | undefined;
  readonly result: Json | undefined;
  readonly delay_ms: number | undefined;
  /** In part. */
  readonly payload: JsonObject | undefined;
  /** In part. */
  readonly metadata: JsonObject | undefined;
  readonly inject: Json | undefined;
  /** The hook is to fail, with a message that holds this. */
  readonly error: TextMatch | undefined;
  /** Lines of the log hold these, in this order; none is no line at all. */
  readonly logs: readonly TextMatch[] | undefined;
}

/** A call of a tool that a hook is to make, and what it is answered. */
export interface ExpectedCall {
  readonly tool: string;
  /** Undefined: any. */
  readonly args: Json | undefined;
  readonly answers: JsonObject | undefined;
  readonly times: number;
}

/** One test of a hook. */
export interface HookTest {
  readonly name: string;
  readonly steps: readonly { readonly event: TestEvent; readonly expect: TestExpect }[];
  readonly calls: readonly ExpectedCall[];
  readonly state: JsonObject;
  /** In part; null stands for a key that is not there. */
  readonly stateAfter: JsonObject;
  readonly nowMs: number;
  /** In place of those of the configuration. */
  readonly options: JsonObject | undefined;
}

/** The test that a checked table says. */
export function hookTest(table: TestTable): HookTest {
  const { event = {}, expect = {}, events } = table;
  const steps = events ?? [{ ...event, expect }];
  return {
    name: table.name ?? "",
    steps: steps.map((step) => {
      const { expect: stated = {}, ...rest } = step as EventTable & { expect?: ExpectTable };
      return { event: testEvent(rest), expect: testExpect(stated) };
    }),
    calls: (table.calls ?? []).map(({ tool = "", args, answers, times = 1 }) => {
      return { tool, args, answers, times };
    }),
    state: table.state ?? {},
    stateAfter: table.state_after ?? {},
    nowMs: table.now_ms ?? 0,
    options: table.options,
  };
}

/** The event that a checked table says. */
export function testEvent(table: EventTable): TestEvent {
  const { point, component, child, instance, metadata, payload, now_ms: nowMs } = table;
  const words: readonly string[] = EVENT_WORDS;
  const rest = Object.entries(table).filter(
    ([key, value]) => !words.includes(key) && value !== undefined,
  );
  return {
    point,
    payload: payload ?? (Object.fromEntries(rest) as JsonObject),
    component,
    child,
    instance,
    metadata,
    nowMs,
  };
}

function testExpect(table: ExpectTable): TestExpect {
  const { action, reason, decision, hook, result, delay_ms, payload, metadata } = table;
  const { inject, error, logs } = table;
  const said = { action, reason, decision, hook, result, delay_ms, payload, metadata };
  return { ...said, inject, error, logs };
}
