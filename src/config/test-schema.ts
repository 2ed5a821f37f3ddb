import { z } from "zod";
import { DECISIONS, stated } from "../core/index.ts";
import type { ActionName, Decision, Json, JsonObject, PointSpec } from "../core/index.ts";
import {
  expected,
  jsonSchema,
  missing,
  optionsSchema,
  refuse,
  tableSchema,
} from "./schema-parts.ts";
import { isTable } from "./table.ts";

/** An expected text: the text itself, or a Lua pattern that must match. */
export type TextMatch = string | { readonly matches: string };

const ACTIONS = ["continue", "skip", "abort", "replace", "retry"] as const satisfies ActionName[];

/** A validated test of a hook, as written. */
type TestTable = z.output<ReturnType<typeof testSchema>>;
type EventTable = z.output<ReturnType<typeof eventSchema>>;

const milliseconds = z
  .number()
  .min(0)
  .max(2 ** 53);

/**
 * The keys of a test, in TOML and in Lua.
 * @param point the schema of a hook's point
 */
export function testSchema(point: z.ZodType<PointSpec>) {
  const step = eventShape(point, { expect: expectSchema() });
  return tableSchema({
    name: z.string().min(1),
    event: eventSchema(point),
    events: z.array(step).min(1),
    expect: expectSchema(),
    calls: z.array(
      tableSchema({
        tool: z.string().min(1),
        args: jsonSchema(),
        answers: optionsSchema(),
        times: z.int().min(1).max(1_000_000),
      }).superRefine((call, ctx) => {
        if (isTable(call) && call.tool === undefined) missing(ctx, "tool");
      }),
    ),
    state: optionsSchema(),
    state_after: optionsSchema(),
    now_ms: milliseconds,
    time: timeSchema(),
    options: optionsSchema(),
  }).superRefine(requireComplete);
}

/** An event: some keys of its own; any other key belongs to the payload. */
export function eventSchema(point: z.ZodType<PointSpec>) {
  return eventShape(point, {});
}

function eventShape<More extends z.ZodRawShape>(point: z.ZodType<PointSpec>, more: More) {
  const text = z.string().min(1);
  const words = {
    point,
    component: text,
    child: text,
    instance: text,
    metadata: optionsSchema(),
    payload: optionsSchema(),
    now_ms: milliseconds,
    ...more,
  };
  return z
    .unknown()
    .superRefine((value, ctx) => {
      if (value !== undefined && !isTable(value)) {
        refuse(ctx, expected("a table", value));
      } else if (isTable(value) && value["payload"] !== undefined) {
        const stray = Object.keys(value).find((key) => !Object.hasOwn(words, key));
        if (stray === undefined) return;
        refuse(ctx, "payload is the whole payload; move this key into it", { path: [stray] });
      }
    })
    .pipe(z.object(words).partial().catchall(jsonSchema()));
}

function expectSchema() {
  const text = textMatchSchema();
  return tableSchema({
    action: z.enum(ACTIONS),
    reason: text,
    decision: z.enum([...DECISIONS, "deny", "none"]),
    hook: z.string().min(1),
    result: jsonSchema(),
    delay_ms: milliseconds,
    payload: optionsSchema(),
    metadata: optionsSchema(),
    inject: jsonSchema(),
    error: text,
    logs: z.array(text),
  }).superRefine((table, ctx) => {
    // An unknown key is an error already.
    if (ctx.issues.length > 0 || !isTable(table)) return;
    if (Object.values(table).some((value) => value !== undefined)) return;
    refuse(ctx, "it has no expectation, so it can never fail");
  });
}

/** A date of TOML, or its text; without an offset it is UTC. */
function timeSchema(): z.ZodType<number> {
  return z.unknown().transform((value, ctx) => {
    const ms = parseTime(value instanceof Date ? value.toISOString() : value);
    return ms ?? refuse(ctx, expected('a date such as "2026-01-31T17:30:00Z"', value));
  });
}

/** @returns milliseconds since 1970 of an ISO 8601 date, which is UTC without an offset; undefined for another text */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)/.test(text)) return undefined;
  const hasZone = text.length <= 10 || /(?:Z|[+-]\d{2}:\d{2})$/i.test(text);
  const ms = Date.parse(hasZone ? text : `${text}Z`);
  return Number.isFinite(ms) ? ms : undefined;
}

function textMatchSchema(): z.ZodType<TextMatch> {
  return z.unknown().transform((value, ctx) => {
    if (typeof value === "string") return value;
    if (isTable(value) && typeof value["matches"] === "string" && Object.keys(value).length === 1) {
      return { matches: value["matches"] };
    }
    return refuse(ctx, expected('a string or { matches = "pattern" }', value));
  });
}

function requireComplete(test: unknown, ctx: z.RefinementCtx): void {
  if (!isTable(test)) return;
  if (test["name"] === undefined) missing(ctx, "name");
  const { event, events, expect } = test;
  if (event !== undefined && events !== undefined) {
    refuse(ctx, "a test has either event or events, not both", { path: ["events"] });
    return;
  }
  if (events === undefined) {
    if (event === undefined) missing(ctx, "event");
    if (expect === undefined) missing(ctx, "expect");
    return;
  }
  if (expect !== undefined)
    refuse(ctx, "with events, set expect in each event", { path: ["expect"] });
  const steps = Array.isArray(events) ? (events as readonly unknown[]) : [];
  for (const [i, step] of steps.entries()) {
    if (isTable(step) && step["expect"] === undefined) missing(ctx, "expect", ["events", i]);
  }
}

/** An event of a test. */
export interface TestEvent {
  /** Undefined: the hook's own point. */
  readonly point: PointSpec | undefined;
  /** As written: short forms are not expanded. */
  readonly payload: JsonObject;
  readonly component: string | undefined;
  readonly child: string | undefined;
  readonly instance: string | undefined;
  readonly metadata: JsonObject | undefined;
  /** The clock is set to this time before the event. */
  readonly nowMs: number | undefined;
}

/** The expected result of an event; missing keys may have any value, but there must be one. */
export interface HookTestExpectation {
  readonly action?: ActionName | undefined;
  readonly reason?: TextMatch | undefined;
  /** `deny` for a denial, `none` if no hook decided. */
  readonly decision?: Decision | "deny" | "none" | undefined;
  readonly hook?: string | undefined;
  readonly result?: Json | undefined;
  readonly delay_ms?: number | undefined;
  /** Contained in the payload as the hooks left it. */
  readonly payload?: JsonObject | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Texts for the model. */
  readonly inject?: Json | undefined;
  /** Contained in the message of a hook that fails. */
  readonly error?: TextMatch | undefined;
  /** Contained in lines of the log, in this order. */
  readonly logs?: readonly TextMatch[] | undefined;
}

/** An expected tool call of a hook, and its result. */
export interface ExpectedCall {
  readonly tool: string;
  /** Undefined: any arguments. */
  readonly args: Json | undefined;
  readonly answers: JsonObject | undefined;
  readonly times: number;
}

/** One test of a hook. */
export interface HookTest {
  readonly name: string;
  readonly steps: readonly { readonly event: TestEvent; readonly expect: HookTestExpectation }[];
  readonly calls: readonly ExpectedCall[];
  readonly state: JsonObject;
  /** Compared in part; null means that a key is missing. */
  readonly stateAfter: JsonObject;
  readonly nowMs: number;
  /** The date at which `orcs.now_ms` is 0, in milliseconds since 1970. */
  readonly time: number | undefined;
  /** Replaces those of the configuration. */
  readonly options: JsonObject | undefined;
}

/** The test of a validated table. */
export function hookTest(table: TestTable): HookTest {
  const { event = {}, expect = {}, events } = table;
  const steps = events ?? [{ ...event, expect }];
  return {
    name: table.name ?? "",
    steps: steps.map((step) => {
      const { expect: own = {}, ...rest } = step as EventTable & { expect?: HookTestExpectation };
      return { event: testEvent(rest), expect: own };
    }),
    calls: (table.calls ?? []).map(({ tool = "", args, answers, times = 1 }) => {
      return { tool, args, answers, times };
    }),
    state: table.state ?? {},
    stateAfter: table.state_after ?? {},
    nowMs: table.now_ms ?? 0,
    time: table.time,
    options: table.options,
  };
}

/** The event of a validated table. */
export function testEvent(table: EventTable): TestEvent {
  const { point, component, child, instance, metadata, payload, now_ms: nowMs, ...rest } = table;
  const own = { point, component, child, instance, metadata, nowMs };
  return { ...own, payload: payload ?? stated<Json>(rest) };
}
