import { sha256 } from "../../machine/index.ts";
import { type RecordedCall, type RecordedEvent, structuralEdits } from "../../records/index.ts";
import { type Json, type JsonObject, subjectOf } from "../../core/index.ts";
import type { Observed } from "../../engine/index.ts";
import { luaLiteral, luaPath, luaString } from "./lua-literal.ts";

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
export type TestedEvent = Pick<
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
