import { sha256 } from "../../machine/index.ts";
import { type RecordedCall, type RecordedEvent, structuralEdits } from "../../records/index.ts";
import { type Json, type JsonObject, isPlainObject, subjectOf } from "../../core/index.ts";
import type { Observed } from "../../engine/index.ts";

/** An event, and the result of a script. */
export interface SavedTest {
  /** Its name for a test file beside it. */
  readonly script: string;
  readonly options: JsonObject | undefined;
  readonly event: TestedEvent;
  /** The results of tools. */
  readonly calls: readonly RecordedCall[];
  /** The result of the event. */
  readonly observed: Observed;
}

/** What a test needs of an event. */
type TestedEvent = Pick<
  RecordedEvent,
  "point" | "component" | "child" | "instance" | "metadata" | "payload"
>;

/** The first lines of a file of saved tests. */
export const TESTS_HEAD =
  "-- Tests from recorded events, written by `orcs replay --save-test`. You may edit them; new tests are appended.\n";

/** A line that identifies the test of this event. */
export function markOf({ script, event }: Pick<SavedTest, "script" | "event">): string {
  const { point, component, child, instance, metadata, payload } = event;
  const identity = JSON.stringify([script, point, component, child, instance, metadata, payload]);
  return `-- event ${sha256(identity).slice(0, 16)}`;
}

/** The test as Lua, for a `*_test.lua` file. */
export function savedTestText(test: SavedTest): string {
  const { script, options } = test;
  const given = options ? `, ${luaLiteral(options, { indent: "  " })}` : "";
  const lines = [
    `describe(${luaString(script)}, function()`,
    `  ${markOf(test)}`,
    `  local hooks = orcs.test.load(${luaString(script)}${given})`,
    "",
    `  it(${luaString(nameOf(test))}, function()`,
    ...tools(test.calls),
    `    local outcome = hooks:dispatch(${luaLiteral(eventTable(test.event), { indent: "    " })})`,
    ...expectations(test).map((line) => `    ${line}`),
    "  end)",
    "end)",
  ];
  return `\n${lines.join("\n")}\n`;
}

function eventTable(event: TestedEvent): JsonObject {
  const { point, component, child, instance, metadata, payload } = event;
  const { tool, ...rest } = payload;
  return {
    point,
    component,
    ...(child !== undefined && { child }),
    ...(instance !== undefined && { instance }),
    ...(metadata && { metadata }),
    // The name of a tool has two keys in the payload.
    payload: tool !== undefined && tool === rest["tool_name"] ? rest : payload,
  };
}

/** Replacements of the tools, which return the recorded results in order. */
function tools(calls: readonly RecordedCall[]): string[] {
  if (calls.length === 0) return [];
  const answers: Record<string, Json[]> = {};
  for (const { call } of calls) {
    const { kind, result = {}, error } = call;
    (answers[kind] ??= []).push(error === undefined ? result : { ok: false, error });
  }
  return [
    `    local answers = ${luaLiteral(answers, { indent: "    " })}`,
    "    for name, given in pairs(answers) do",
    "      orcs.test.tool(name, function() return table.remove(given, 1) end)",
    "    end",
  ];
}

function expectations({ event, observed }: SavedTest): string[] {
  const { action, hook, reason, decision, result, delay_ms, inject, payload } = observed;
  const equal = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`assert.equal(${luaLiteral(value)}, outcome.${name})`];
  const same = (value: Json, path: string): string =>
    `assert.same(${luaLiteral(value, { indent: "    ", nothing: "nil" })}, ${path})`;
  const answered = action === "skip" || action === "replace";
  const edits = action === "replace" ? [] : structuralEdits(event.payload, payload, "");
  return [
    ...equal("action", action),
    ...equal("hook", hook),
    ...equal("reason", reason),
    ...(decision === undefined && action === "continue"
      ? ["assert.is_nil(outcome.decision)"]
      : equal("decision", decision)),
    ...equal("delay_ms", delay_ms),
    ...(answered ? [same((result ?? null) as Json, "outcome.result")] : []),
    ...edits.map(({ path, value }) => {
      const words = path.slice(1).split("/");
      const steps = words.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
      const at = luaPath("outcome.payload", steps, payload);
      return value === undefined ? `assert.is_nil(${at})` : same(value, at);
    }),
    ...(inject.length > 0 ? [same(inject as unknown as Json, "outcome.inject")] : []),
  ];
}

const VERBS = {
  abort: "denies",
  skip: "skips",
  replace: "replaces the result of",
  retry: "retries",
  allow: "allows",
  ask: "asks about",
  defer: "defers",
  deny: "denies",
  continue: "lets pass",
} as const;

function nameOf({ event, observed }: SavedTest): string {
  const { action, decision, payload } = observed;
  const isEdited = structuralEdits(event.payload, payload, "").length > 0;
  const verb =
    action === "continue" && !decision && isEdited ? "rewrites" : VERBS[decision ?? action];
  const { tool_name: tool } = event.payload;
  const about = [typeof tool === "string" ? tool : event.point, subjectOf(event.payload)];
  const text = about.filter((part) => part !== undefined).join(": ");
  // A short name on one line.
  return `${verb} ${text.replaceAll(/\s+/g, " ").slice(0, 100)}`;
}

/** Keywords of Lua. */
const KEYWORDS = new Set(
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split(
    " ",
  ),
);
/** Longest table on one line, in characters. */
const SHORT = 80;

/** Choices where Lua has two forms. */
interface LuaLiteralOptions {
  /** Indentation of the lines after the first; default none. */
  readonly indent?: string;
  /** `orcs.null` for a value passed to hooks, `nil` for a null read from them. Default `orcs.null`. */
  readonly nothing?: "orcs.null" | "nil";
}

/** A JSON value as a Lua expression with the same value. */
export function luaLiteral(
  value: Json,
  { indent = "", nothing = "orcs.null" }: LuaLiteralOptions = {},
): string {
  const write = (item: Json, inner: string): string => {
    if (item === null) return nothing;
    if (typeof item === "string") return luaString(item);
    if (typeof item === "number") return luaNumber(item);
    if (typeof item === "boolean") return String(item);
    const deeper = `${inner}  `;
    if (Array.isArray(item)) {
      if (item.length === 0) return nothing === "nil" ? "{}" : "orcs.array({})";
      return table(
        item.map((each) => write(each, deeper)),
        inner,
      );
    }
    const parts = Object.entries(item)
      .filter(([, each]) => nothing !== "nil" || each !== null)
      .map(
        ([key, each]) => `${isName(key) ? key : `[${luaString(key)}]`} = ${write(each, deeper)}`,
      );
    return table(parts, inner);
  };
  return write(value, indent);
}

/** A text as a quoted Lua string on one line. */
export function luaString(text: string): string {
  const escaped = text.replaceAll(/["\\\p{Cc}\u2028\u2029]|\p{Surrogate}/gu, escapeOf);
  return `"${escaped}"`;
}

/** The value at a JSON Pointer, as an expression that begins with a name: `outcome.payload.args["a b"][1]`. */
export function luaPath(root: string, steps: readonly string[], within: unknown): string {
  let at = within;
  let path = root;
  for (const step of steps) {
    // Positions count from 1 in Lua; only the table tells whether a step is a position.
    if (Array.isArray(at)) path += `[${Number(step) + 1}]`;
    else path += isName(step) ? `.${step}` : `[${luaString(step)}]`;
    at = isPlainObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[step] : undefined;
  }
  return path;
}

function table(parts: readonly string[], indent: string): string {
  if (parts.length === 0) return "{}";
  const line = `{ ${parts.join(", ")} }`;
  if (line.length <= SHORT && !line.includes("\n")) return line;
  return `{\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}}`;
}

function isName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !KEYWORDS.has(key);
}

function luaNumber(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  // Beyond 2^53, a Lua integer differs from the JSON number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)
    ? `${text}.0`
    : text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escapeOf(char: string): string {
  const short = ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\${String(code).padStart(3, "0")}` : `\\u{${code.toString(16)}}`;
}
