import type { Injection } from "../../core/actions.ts";
import type { HookFailed, SettledDispatch } from "../../core/audit.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Redactor } from "../../core/ports.ts";
import type {
  NotRecorded,
  RecordedCall,
  RecordedEdit,
  RecordedEvent,
  RecordedFailure,
  RecordedOutcome,
} from "./format.ts";
import { jsonLine } from "./json-line.ts";
import { Recordable } from "./recordable.ts";
import { structuralEdits } from "./structural-edits.ts";

/** Masks secrets; undefined for a record that is kept whole. */
export type Mask = Redactor | undefined;

type WithNotes = { not_json?: readonly NotRecorded[] };

/**
 * A dispatch as it is recorded. Two dispatches that are the same have the same outcome here, whether or not it is
 * masked.
 * @param at when it was answered, in milliseconds since 1970
 */
export function recordedEvent(settled: SettledDispatch, mask: Mask, at: number): RecordedEvent {
  return eventFrom(new Recordable(), settled, mask, at);
}

/** The same as a line of a record. */
export function eventLine(settled: SettledDispatch, mask: Mask, at: number): string {
  const read = new Recordable();
  return jsonLine(eventFrom(read, settled, mask, at), read.hasNegativeZero);
}

/** A tool that is about to run; with what it comes to it is a line of a record. */
export function callLine(
  kind: string,
  given: JsonObject,
  depth: number,
  mask: Mask,
): (end: { readonly result: unknown } | { readonly error: string }) => string {
  const read = new Recordable();
  // It may change them.
  const args = masked(read.json(given, ["call", "args"]), mask) as JsonObject;
  return (end) => {
    const came = "error" in end ? { error: textOf(end.error, mask) } : resultOf(end, read, mask);
    const entry: RecordedCall = { call: { kind, args, ...came }, depth, ...notesOf(read, mask) };
    return jsonLine(entry, read.hasNegativeZero);
  };
}

function eventFrom(
  read: Recordable,
  { point, began, caller, outcome, failures, duration_ms }: SettledDispatch,
  mask: Mask,
  at: number,
): RecordedEvent {
  const { component_id, channel_id, principal } = began;
  const { child, instance } = caller;
  const payload = read.json(began.payload, ["payload"]);
  const metadata = read.json(began.metadata, ["metadata"]);
  const shown = { payload: masked(payload, mask), metadata: masked(metadata, mask) };
  const edits = (["payload", "metadata"] as const).flatMap((part) => {
    // Most hooks change nothing.
    if (outcome.ctx[part] === began[part]) return [];
    const after = masked(read.json(outcome.ctx[part], [part]), mask);
    return structuralEdits(shown[part], after, `/${part}`);
  });
  return {
    at,
    point: point.name,
    component: component_id,
    ...(child !== undefined && { child }),
    ...(instance !== undefined && { instance }),
    channel: channel_id,
    principal: read.json(principal, ["principal"]) as { type: string; id: string },
    ...(Object.keys(shown.metadata as JsonObject).length > 0 && {
      metadata: shown.metadata as JsonObject,
    }),
    payload: shown.payload as JsonObject,
    outcome: outcomeFrom(read, outcome, edits, mask),
    ...(failures.length > 0 && { failures: failures.map((failed) => failureFrom(failed, mask)) }),
    duration_ms: Math.round(duration_ms * 1000) / 1000,
    ...notesOf(read, mask),
  };
}

function outcomeFrom(
  read: Recordable,
  outcome: Outcome,
  edits: readonly RecordedEdit[],
  mask: Mask,
): RecordedOutcome {
  const { action, inject } = outcome;
  return {
    action,
    ...("reason" in outcome &&
      outcome.reason !== undefined && { reason: textOf(outcome.reason, mask) }),
    ...("hook" in outcome && outcome.hook !== undefined && { hook: outcome.hook }),
    ...("decision" in outcome && outcome.decision !== undefined && { decision: outcome.decision }),
    ...("result" in outcome && {
      result: masked(read.json(outcome.result, ["outcome", "result"]), mask),
    }),
    ...("delay_ms" in outcome && { delay_ms: outcome.delay_ms }),
    ...(inject.length > 0 && { inject: inject.map((text) => injectionFrom(text, mask)) }),
    edits,
  };
}

function failureFrom({ hook, failure }: HookFailed, mask: Mask): RecordedFailure {
  return { hook: hook.id, kind: failure.kind, message: textOf(failure.message, mask) };
}

function injectionFrom(injection: Injection, mask: Mask): Injection {
  if (typeof injection === "string") return textOf(injection, mask);
  return { ...injection, content: textOf(injection.content, mask) };
}

/** A tool may give nothing at all, too. */
function resultOf(
  { result }: { readonly result: unknown },
  read: Recordable,
  mask: Mask,
): { result?: Json } {
  if (result === undefined) return {};
  return { result: masked(read.json(result, ["call", "result"]), mask) };
}

/** The names of keys are theirs who made them, as values are. */
function notesOf({ notes }: Recordable, mask: Mask): WithNotes {
  if (notes.length === 0) return {};
  return { not_json: notes.map(({ path, why }) => ({ path: textOf(path, mask), why })) };
}

function masked(value: Json, mask: Mask): Json {
  return mask ? mask.value(value) : value;
}

function textOf(text: string, mask: Mask): string {
  return mask ? mask.text(text) : text;
}
