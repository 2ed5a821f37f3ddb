import { textIfReadable } from "../../machine/index.ts";
import {
  checkSchema,
  eventSchema,
  hookTest,
  pointSchema,
  scriptSources,
  shownFile,
  testEvent,
  testSchema,
  valueOf,
} from "../../config/index.ts";
import type { ConfigError, HookTest, LuaEntry, PlacedTest, TestEvent } from "../../config/index.ts";
import { addTo, isPlainObject, OrcsError } from "../../core/index.ts";
import type { Diagnostic, PointSet, PointSpec, SourcePlace } from "../../core/index.ts";
import type { LuaTestTable } from "../lua/index.ts";
import type { TestEngine } from "./test-engine.ts";

/** The tests that were found, and the errors of others. */
export interface FoundIn<Test> {
  readonly tests: readonly Test[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A test of one hook of a script, which runs with all its hooks; the point is the hook's own. */
type ScriptTest = PlacedTest & { readonly point: PointSpec | undefined };

/**
 * Read the tests in the hook tables of a script. Each is checked on its own.
 * @throws OrcsError ORCS3001, ORCS3002, ORCS3005, ORCS3006 when the script does not load
 */
export async function scriptTests(
  bench: TestEngine,
  entry: LuaEntry,
): Promise<FoundIn<ScriptTest>> {
  const [source] = scriptSources([entry], bench.cwd, bench.projectTrust);
  if (!source) return { tests: [], diagnostics: [] };
  const runtime = { add: () => "", remove: () => false };
  const { runner, specs } = await bench.lua.load({ ...source.lua, tests: true }, runtime);
  bench.lua.unload(runner);
  if (!specs.some(({ tests = [] }) => tests.length > 0)) return { tests: [], diagnostics: [] };
  const file = entry.handler.kind === "script" ? entry.handler.file : "";
  const names = new LuaTestNames(textIfReadable(file) ?? "");
  const schema = testSchema(pointSchema(bench));
  const shown = shownFile(file, bench.cwd);
  const tests: ScriptTest[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const spec of specs) {
    const point = bench.context.readStated(spec.fields, spec.place).stated?.point;
    for (const [i, table] of (spec.tests ?? []).entries()) {
      const written = writtenTest(table);
      const name = "mistake" in table ? table.name : valueOf(written, "name");
      const line = (typeof name === "string" && names.lineOf(name)) || spec.place.line;
      const place: SourcePlace = { file: shown, line };
      const which =
        typeof name === "string" ? `the test ${JSON.stringify(name)}` : `tests[${i + 1}]`;
      if ("mistake" in table) {
        diagnostics.push(mistakeAt(place, "ORCS1004", `${which}: ${table.mistake}`));
        continue;
      }
      const checked = checkSchema(schema, written ?? null);
      for (const error of checked.errors) {
        diagnostics.push(mistakeAt(place, error.code, `${which}: ${textOf(error)}`, error.hint));
      }
      if (checked.table && checked.errors.length === 0) {
        tests.push({ test: hookTest(checked.table), place, point });
      }
    }
  }
  return { tests, diagnostics };
}

function mistakeAt(
  place: SourcePlace,
  code: OrcsError["code"],
  message: string,
  hint?: string,
): Diagnostic {
  return { code, severity: "error", message, place, ...(hint !== undefined && { hint }) };
}

/** A test in the form of TOML: positional values in Lua get their keys. */
function writtenTest(table: LuaTestTable): unknown {
  if (!("value" in table)) return undefined;
  const test = named(table.value, ["name"]);
  if (!isPlainObject(test)) return test;
  const { calls, events, expect } = test;
  return {
    ...test,
    ...(calls !== undefined && { calls: asList(calls, (call) => named(call, CALL_WORDS)) }),
    ...(events !== undefined && { events: asList(events, withLists) }),
    ...(expect !== undefined && { expect: listsIn(expect) }),
  };
}

const CALL_WORDS = ["tool", "args"];

/** The positions of a table, as the keys that they stand for. */
function named(value: unknown, words: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return value.length > words.length
      ? value
      : Object.fromEntries(value.map((item, i) => [words[i], item as unknown]));
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const word = /^[1-9]$/.test(key) ? words[Number(key) - 1] : undefined;
    return [word !== undefined && !Object.hasOwn(value, word) ? word : key, item];
  });
  return Object.fromEntries(entries) as unknown;
}

function withLists(step: unknown): unknown {
  return isPlainObject(step) && step["expect"] !== undefined
    ? { ...step, expect: listsIn(step["expect"]) }
    : step;
}

function listsIn(expect: unknown): unknown {
  if (!isPlainObject(expect) || expect["logs"] === undefined) return expect;
  return { ...expect, logs: asList(expect["logs"], (line) => line) };
}

/** An empty Lua table is an object, or a list where a list is expected. */
function asList(value: unknown, each: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(each);
  return isPlainObject(value) && Object.keys(value).length === 0 ? [] : value;
}

/** A Lua string on one line, in either kind of quotes or in plain long brackets. */
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\[\[([^\]\n]*)\]\]/g;

/**
 * Finds the lines of tests in a script by their names, since Lua does not report where a table begins. Of several tests
 * with the same name, each gets a line of its own.
 */
class LuaTestNames {
  readonly #lines = new Map<string, number[]>();

  constructor(text: string) {
    for (const [i, line] of text.split("\n").entries()) {
      for (const [, double, single, long] of line.matchAll(STRING)) {
        const name = long ?? unescaped(double ?? single ?? "");
        addTo(this.#lines, name, i + 1);
      }
    }
  }

  /** The line of the next test with this name; undefined when the name is not written literally. */
  lineOf(name: string): number | undefined {
    const lines = this.#lines.get(name);
    return lines && lines.length > 1 ? lines.shift() : lines?.[0];
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}

/** Reads what is written in a test. It throws OrcsError with the code of the first error, and the text of all. */
export type Reader<Read> = (written: unknown) => Read;
export type EventReader = Reader<TestEvent>;

/** Creates a reader of events for a set of points. */
export function eventReader(points: PointSet): EventReader {
  const schema = eventSchema(pointSchema({ points }));
  return (written) => testEvent(checked("the event", checkSchema(schema, written ?? null)));
}

/** Creates a reader of tests that are written in TypeScript, with the keys of TOML. */
export function testReader(points: PointSet): Reader<HookTest> {
  const schema = testSchema(pointSchema({ points }));
  return (written) => hookTest(checked("the test", checkSchema(schema, written ?? null)));
}

function checked<Table>(
  what: string,
  { table, errors }: { readonly table: Table | undefined; readonly errors: readonly ConfigError[] },
): Table {
  const [first] = errors;
  if (table !== undefined && !first) return table;
  const texts = errors.map((error) => {
    return textOf(error) + (error.hint === undefined ? "" : ` (${error.hint})`);
  });
  throw new OrcsError(first?.code ?? "ORCS1004", `${what}: ${texts.join("; ")}`);
}

function textOf({ path, message }: ConfigError): string {
  const text = typeof message === "string" ? message : message((other) => other.join("."));
  return path.length > 0 ? `${path.join(".")}: ${text}` : text;
}
