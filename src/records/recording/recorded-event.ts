import {
  type Container,
  type Injection,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  type Outcome,
  type Redactor,
  type SettledDispatch,
  type Writable,
  isPlainObject,
  isUnreadable,
  jsonPointer,
  ownData,
  pointerPart,
  setOwn,
  shown,
} from "../../core/index.ts";
import type {
  NotRecorded,
  RecordedCall,
  RecordedEdit,
  RecordedEvent,
  RecordedOutcome,
} from "./format.ts";

/** Redacts secrets; undefined for a record with whole content. */
export type Mask = Redactor | undefined;

/** What is recorded of a dispatch. */
type Recorded = Pick<
  SettledDispatch,
  "began" | "caller" | "outcome" | "failures" | "duration_ms"
> & { readonly point: { readonly name: string } };

type WithNotes = { readonly not_json?: readonly NotRecorded[] };

const NO_NOTES: WithNotes = {};

/**
 * A dispatch as recorded. Equal dispatches have equal outcomes here, redacted or not.
 * @param at when it ended, in milliseconds since 1970
 */
export function recordedEvent(settled: Recorded, mask: Mask, at: number): RecordedEvent {
  return eventFrom(new Recordable(), settled, mask, at);
}

/** As `recordedEvent`, as a line of a record. */
export function eventLine(settled: Recorded, mask: Mask, at: number): string {
  const read = new Recordable();
  return jsonLine(eventFrom(read, settled, mask, at), read.hasNegativeZero);
}

/** A tool call before it runs; with its end it becomes a line of a record. */
export function callLine(
  call: {
    readonly kind: string;
    readonly args: JsonObject;
    readonly depth: number;
    readonly shadowHook?: string | undefined;
  },
  mask: Mask,
): (end: { readonly result: unknown } | { readonly error: string }) => string {
  const read = new Recordable();
  const { kind, depth, shadowHook } = call;
  // The tool may change its arguments.
  const args = masked(read.json(call.args, ["call", "args"]), mask) as JsonObject;
  return (end) => {
    // A tool may return nothing.
    const came =
      "error" in end
        ? { error: textOf(end.error, mask) }
        : end.result !== undefined && {
            result: masked(read.json(end.result, ["call", "result"]), mask),
          };
    const entry: RecordedCall = {
      call: { kind, args, ...came },
      depth,
      ...(shadowHook !== undefined && { shadow_hook: shadowHook }),
      ...notesOf(read, mask),
    };
    return jsonLine(entry, read.hasNegativeZero);
  };
}

function eventFrom(
  read: Recordable,
  { point, began, caller, outcome, failures, duration_ms }: Recorded,
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
  const event = { at, point: point.name, component: component_id } as Writable<RecordedEvent>;
  if (child !== undefined) event.child = child;
  if (instance !== undefined) event.instance = instance;
  event.channel = channel_id;
  event.principal = read.json(principal, ["principal"]) as { type: string; id: string };
  if (Object.keys(shown.metadata as JsonObject).length > 0) {
    event.metadata = shown.metadata as JsonObject;
  }
  event.payload = shown.payload as JsonObject;
  event.outcome = outcomeFrom(read, outcome, edits, mask);
  if (failures.length > 0) {
    event.failures = failures.map(({ hook, failure: { kind, message } }) => {
      return { hook: hook.id, kind, message: textOf(message, mask) };
    });
  }
  event.duration_ms = Math.round(duration_ms * 1000) / 1000;
  const { not_json } = notesOf(read, mask);
  if (not_json) event.not_json = not_json;
  return event;
}

function outcomeFrom(
  read: Recordable,
  outcome: Outcome,
  edits: readonly RecordedEdit[],
  mask: Mask,
): RecordedOutcome {
  const { action, inject } = outcome;
  const recorded = { action } as Writable<RecordedOutcome>;
  if ("reason" in outcome && outcome.reason !== undefined) {
    recorded.reason = textOf(outcome.reason, mask);
  }
  if ("hook" in outcome && outcome.hook !== undefined) recorded.hook = outcome.hook;
  if ("decision" in outcome && outcome.decision !== undefined) recorded.decision = outcome.decision;
  if ("result" in outcome) {
    recorded.result = masked(read.json(outcome.result, ["outcome", "result"]), mask);
  }
  if ("delay_ms" in outcome) recorded.delay_ms = outcome.delay_ms;
  if (inject.length > 0) recorded.inject = inject.map((text) => injectionFrom(text, mask));
  recorded.edits = edits;
  return recorded;
}

function injectionFrom(injection: Injection, mask: Mask): Injection {
  if (typeof injection === "string") return textOf(injection, mask);
  return { ...injection, content: textOf(injection.content, mask) };
}

/** Keys come from outside like values, so they are redacted as well. */
function notesOf({ notes }: Recordable, mask: Mask): WithNotes {
  if (notes.length === 0) return NO_NOTES;
  return { not_json: notes.map(({ path, why }) => ({ path: textOf(path, mask), why })) };
}

function masked(value: Json, mask: Mask): Json {
  return mask ? mask.value(value) : value;
}

function textOf(text: string, mask: Mask): string {
  return mask ? mask.text(text) : text;
}

/** Limit of notes: more of them add no information. */
const MAX_NOTES = 100;

/** Values of a program as JSON, as hooks read them; null and a note for values that hooks cannot read. */
class Recordable {
  readonly notes: NotRecorded[] = [];
  /** Whether there is a -0, which `JSON.stringify` writes as 0. */
  hasNegativeZero = false;
  /** Converted objects are reused, so unchanged parts are recognised by identity. */
  readonly #known = new Map<object, Json>();
  readonly #open = new Set<object>();
  #path: (string | number)[] = [];

  /** @param at path of the value, for notes */
  json(value: unknown, at: readonly string[]): Json {
    this.#path = [...at];
    return this.#convert(value) ?? null;
  }

  #convert(value: unknown): Json | undefined {
    const seen = shown(value);
    if (seen === 0 && Object.is(seen, -0)) this.hasNegativeZero = true;
    if (typeof seen !== "object" || seen === null) return seen;
    return isUnreadable(seen)
      ? this.#note(`is ${seen.what}`)
      : this.#container(value as object, seen);
  }

  #container(value: object, seen: Container): Json {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#open.has(value)) return this.#note("is a circular reference");
    if (this.#open.size >= MAX_JSON_DEPTH) {
      return this.#note(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    this.#open.add(value);
    const depth = this.#path.length;
    let json: Json;
    try {
      json = Array.isArray(seen) ? this.#list(seen) : this.#object(seen);
    } catch {
      // Thrown by the trap of a proxy. The thrown value can be anything.
      this.#path.length = depth;
      json = this.#note("cannot be read: reading it throws");
    }
    this.#open.delete(value);
    this.#known.set(value, json);
    return json;
  }

  #list(value: readonly unknown[]): Json[] {
    const copy: Json[] = [];
    for (let i = 0; i < value.length; i++) {
      this.#path.push(i);
      copy.push(this.#convert(ownData(value, i)) ?? null);
      this.#path.pop();
    }
    return copy;
  }

  #object(value: Container): Json {
    const copy: Record<string, Json> = {};
    // Keys with undefined are left out, as in JSON.
    for (const key of Object.keys(value)) {
      this.#path.push(key);
      const item = this.#convert(ownData(value, key));
      if (item !== undefined) setOwn(copy, key, item);
      this.#path.pop();
    }
    return copy;
  }

  #note(why: string): null {
    if (this.notes.length >= MAX_NOTES) return null;
    const path = jsonPointer(this.#path);
    // The value of an edit is visited before and after the edit.
    if (!this.notes.some((known) => known.path === path)) this.notes.push({ path, why });
    return null;
  }
}

/**
 * A value as one line of JSON Lines.
 * @param value JSON; keys with undefined are left out
 * @param hasNegativeZero whether it contains -0: JSON can express it, but `JSON.stringify` does not
 */
function jsonLine(value: object, hasNegativeZero: boolean): string {
  return `${hasNegativeZero ? exact(value) : JSON.stringify(value)}\n`;
}

function exact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(exact).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const known = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${known.map(([key, item]) => `${JSON.stringify(key)}:${exact(item)}`).join(",")}}`;
  }
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

/**
 * The edits that turn one value into another, however the change was made: objects key by key; lists item by item if
 * they have the same length or only grew; otherwise the whole value.
 * @param path JSON Pointer of the value
 */
export function structuralEdits(before: Json, after: Json, path: string): RecordedEdit[] {
  const edits: RecordedEdit[] = [];
  compare(before, after, path, edits);
  return edits;
}

function compare(before: Json, after: Json, path: string, edits: RecordedEdit[]): void {
  if (Object.is(before, after)) return;
  if (isPlainObject(before) && isPlainObject(after)) {
    compareObjects(before, after, path, edits);
  } else if (Array.isArray(before) && Array.isArray(after) && goesOn(before, after)) {
    after.forEach((item, i) => {
      const was = before[i];
      if (was === undefined) edits.push({ path: `${path}/${i}`, value: item });
      else compare(was, item, `${path}/${i}`, edits);
    });
  } else edits.push({ path, value: after });
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: string,
  edits: RecordedEdit[],
): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) edits.push({ path: path + pointerPart(key) });
  }
  for (const [key, value] of Object.entries(after)) {
    const at = path + pointerPart(key);
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (was === undefined) edits.push({ path: at, value });
    else compare(was, value, at, edits);
  }
}

/** Whether a list has the same length, or only grew at its end. */
function goesOn(before: readonly Json[], after: readonly Json[]): boolean {
  if (before.length === after.length) return true;
  if (before.length > after.length) return false;
  return before.every((item, i) => structuralEdits(item, after[i] ?? null, "").length === 0);
}
