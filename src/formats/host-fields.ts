import { getOwn, isJsonObject, isPlainObject, messageOf, setOwn, toJson } from "../core/index.ts";
import type { HookReport, Json, JsonObject, Outcome } from "../core/index.ts";
import { isReadable } from "./agent-text.ts";
import type { Wish } from "./encode-event.ts";
import type { HandlerCall } from "./handler-protocol.ts";
import { KINDS, type HostAnswer } from "./host-protocol.ts";
import { hostOf } from "./payload.ts";

/**
 * Fields of an agent's response that mean nothing to orcs itself, such as the title of a session. Hooks set them by
 * their own names in `payload.host_response`; orcs adds to the encoded response what the agent has at the event.
 */

/** The payload key with the fields. */
export const RESPONSE_KEY = "host_response";

/** The types of fields, as in messages and docs. */
const KIND_TEXTS = {
  boolean: "a boolean",
  string: "a string",
  strings: "a list of strings",
  object: "an object",
  objects: "a list of objects",
} as const;

/** The type of a field's value, or its allowed values. */
export type FieldKind = keyof typeof KIND_TEXTS | readonly (string | boolean)[];

/** What must be true of the rest of the response. */
export interface FieldCondition {
  /** A clause that follows "only if". */
  readonly text: string;
  holds(output: JsonObject, outcome: Outcome): boolean;
}

/** A field that hooks set by name. No such field may allow what hooks deny. */
export interface SettableField<Event extends string = string> {
  readonly field: string;
  readonly at: readonly Event[];
  readonly kind: FieldKind;
  /** The keys from the response to the object with the field. */
  readonly place: readonly string[];
  readonly when?: FieldCondition;
  /** Values of the encoded response that it replaces; without them, what is encoded stays. */
  readonly replaces?: readonly Json[];
  /** One line for the docs: the effect. */
  readonly doc: string;
}

/** A field that orcs sets by what hooks return. */
export interface OwnField<Event extends string = string> {
  readonly field: string;
  readonly at: readonly Event[];
  readonly place: readonly string[];
  /** What sets it, for the docs and for messages: a noun. */
  readonly by: string;
  /** Its value; undefined where a function of the agent writes it. */
  readonly from?: FieldValue | undefined;
}

/** The value of a field by what hooks want; undefined if it is not sent. */
type FieldValue = (wish: Wanted, event: string) => Json | undefined;

/** What hooks want, with their result in place of the operation. */
export type Wanted = Pick<
  Wish,
  "refusal" | "decision" | "reason" | "input" | "result" | "context" | "notes"
> & {
  readonly handed?: Json | undefined;
};

/** A field that is never sent. */
export interface UnsentField<Event extends string = string> {
  readonly field: string;
  readonly at: readonly Event[];
  readonly place: readonly string[];
  /** A clause, for the docs and for messages. */
  readonly why: string;
}

/**
 * The fields of an agent's response. The responses, the reading of its handlers, the table in its page and the
 * comparison with its types derive from this table.
 */
export interface HostFields<Event extends string = string> {
  readonly settable: readonly SettableField<Event>[];
  readonly own: readonly OwnField<Event>[];
  readonly unsent: readonly UnsentField<Event>[];
}

/** Of an agent whose fields were not compared: none is sent by its name. */
export const NO_FIELDS: HostFields = { settable: [], own: [], unsent: [] };

/** Fields of the same events and place. @param fields their types, what they do, and what else is in their rows */
export function settable<Event extends string>(
  place: readonly string[],
  at: readonly Event[],
  fields: Readonly<
    Record<string, readonly [FieldKind, doc: string, Pick<SettableField, "when" | "replaces">?]>
  >,
): SettableField<Event>[] {
  return Object.entries(fields).map(([field, [kind, doc, more]]) =>
    Object.assign({ field, at, kind, place, doc }, more),
  );
}

/** Fields of the same events and place that orcs sets. @param fields what sets each, and its value */
export function own<Event extends string>(
  place: readonly string[],
  at: readonly Event[],
  fields: Readonly<Record<string, string | readonly [by: string, from: FieldValue]>>,
): OwnField<Event>[] {
  return Object.entries(fields).map(([field, given]) => {
    const [by, from] = [given].flat() as [string, FieldValue?];
    return { field, at, place, by, from };
  });
}

/** Values of fields that agents have in common, under names of their own. */
export const FROM = {
  decision: ({ refusal, decision }) => (refusal === undefined ? decision : "deny"),
  reason: ({ refusal, decision, reason }) => refusal ?? (decision && reason),
  denial: ({ refusal }) => refusal,
  input: ({ input }) => input,
  context: ({ context }) => context,
  notes: ({ notes }) => notes.join("\n") || undefined,
} as const satisfies Record<string, FieldValue>;

/** A response with the fields of an event that orcs sets; of an unknown one, those that all events share. */
export function ownFields({ own: rows }: HostFields, event: string, wish: Wanted): JsonObject {
  const output: JsonObject = {};
  const isKnown = rows.some(({ at }) => at.includes(event));
  for (const { field, at, place, from } of rows) {
    const isThere = at.includes(event) || (!isKnown && place.length === 0);
    const value = isThere ? from?.(wish, event) : undefined;
    const home = value === undefined ? undefined : placeIn(output, place, event);
    if (home && value !== undefined) setOwn(home, field, value);
  }
  return output;
}

/** Fields of the same events and place that are never sent. @param fields between blanks, with the reason */
export function unsent<Event extends string>(
  place: readonly string[],
  at: readonly Event[],
  fields: Readonly<Record<string, string>>,
): UnsentField<Event>[] {
  return Object.entries(fields).flatMap(([names, why]) =>
    names.split(" ").map((field) => ({ field, at, place, why })),
  );
}

/** Keys from a response to the place of its common fields, and of those of one event. */
export const TOP: readonly string[] = [];
export const SPECIFIC: readonly string[] = ["hookSpecificOutput"];

/** The condition that a value of the response is this one, or that it is not. */
export function valueIs(text: string, path: readonly string[], is?: Json): FieldCondition {
  return { text, holds: (output) => valueAt(output, path) === is };
}
export function valueIsNot(text: string, path: readonly string[], is: Json): FieldCondition {
  return { text, holds: (output) => valueAt(output, path) !== is };
}

/** The condition of a field that says why the agent stopped. */
export const IS_STOPPED = valueIs("`continue` is false", ["continue"], false);

/** The value at the end of keys; undefined when there is none. */
export function valueAt(output: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = output;
  for (const key of path) value = isJsonObject(value) ? getOwn(value, key) : undefined;
  return value;
}

/** What a field is checked against. */
interface FieldCall {
  readonly event: string;
  readonly outcome: Outcome;
  readonly fields: HostFields;
  /** Its name in messages. */
  readonly agent: string;
}

/**
 * The response with the fields that hooks set. A field that the agent does not have at the event, of another type, or
 * whose condition is not met is not sent, and a downgrade says so.
 */
export function withFields(answer: HostAnswer, call: FieldCall): HostAnswer {
  const given: unknown = getOwn(call.outcome.ctx.payload, RESPONSE_KEY);
  if (given === undefined || given === null) return answer;
  const downgrades = [...answer.downgrades];
  const wanted = readWanted(given);
  if (typeof wanted === "string") return { ...answer, downgrades: [...downgrades, wanted] };
  const output = structuredClone(answer.output ?? {});
  // A condition may be about a field of an earlier row.
  const { settable } = call.fields;
  const rank = (name: string): number => settable.findIndex(({ field }) => field === name);
  const names = Object.keys(wanted).toSorted((one, other) => rank(one) - rank(other));
  for (const name of names) {
    const why = addField(output, name, getOwn(wanted, name) ?? null, answer, call);
    if (why !== undefined) {
      downgrades.push(`${RESPONSE_KEY}.${name.slice(0, 60)}: ${why}, so it is not sent`);
    }
  }
  const isEmpty = answer.output === undefined && Object.keys(output).length === 0;
  return { ...answer, output: isEmpty ? undefined : output, downgrades };
}

function readWanted(given: unknown): JsonObject | string {
  try {
    const json = toJson(given, undefined, ["payload", RESPONSE_KEY]);
    // An empty table of Lua is a list.
    if (Array.isArray(json) && json.length === 0) return {};
    return isJsonObject(json) ? json : `${RESPONSE_KEY} is not an object, so nothing of it is sent`;
  } catch (thrown) {
    return `${RESPONSE_KEY} is not JSON, so nothing of it is sent: ${messageOf(thrown)}`;
  }
}

/** Add one field, or return why it is not sent. */
function addField(
  output: JsonObject,
  name: string,
  value: Json,
  answer: HostAnswer,
  { event, outcome, fields, agent }: FieldCall,
): string | undefined {
  if (value === null) return undefined;
  const rows = fields.settable.filter(({ field }) => field === name);
  const row = rows.find(({ at }) => at.includes(event));
  if (row === undefined) return missing(name, event, rows, fields, agent);
  if (!isOfKind(value, row.kind)) return `it must be ${kindText(row.kind)}`;
  if (!isReadable(value)) return "it contains half a character";
  if (answer.code !== 0) return `${agent} reads no fields of a response by exit code`;
  if (row.when && !row.when.holds(output, outcome)) return `it is only sent if ${row.when.text}`;
  const before = valueAt(output, [...row.place, name]);
  if (before !== undefined && !row.replaces?.includes(before)) {
    return `the response already has ${name}: ${JSON.stringify(before).slice(0, 60)}`;
  }
  const home = placeIn(output, row.place, event);
  if (home === undefined) return `the response has no ${row.place.join(".")}`;
  setOwn(home, name, value);
  return undefined;
}

function missing(
  name: string,
  event: string,
  rows: readonly SettableField[],
  { own, unsent }: HostFields,
  agent: string,
): string {
  const isIt = ({ field, at }: { field: string; at: readonly string[] }): boolean =>
    field === name && at.includes(event);
  const set = own.find(isIt);
  if (set) return `orcs sets it by ${set.by}`;
  const why = unsent.find(isIt)?.why;
  if (why !== undefined) return why;
  const isKnown = [...rows, ...own, ...unsent].some(({ field }) => field === name);
  return isKnown ? `${agent} does not have it at ${event}` : `${agent} has no such field`;
}

/** The object with the field, created where it is missing; undefined if something else is there. */
function placeIn(
  output: JsonObject,
  place: readonly string[],
  event: string,
): JsonObject | undefined {
  let home: Json = output;
  for (const key of place) {
    if (!isJsonObject(home)) return undefined;
    const next: Json = getOwn(home, key) ?? (key === SPECIFIC[0] ? { hookEventName: event } : {});
    setOwn(home, key, next);
    home = next;
  }
  return isJsonObject(home) ? home : undefined;
}

function isOfKind(value: Json, kind: FieldKind): boolean {
  if (typeof kind !== "string") return kind.some((word) => word === value);
  if (kind !== "objects") return KINDS[kind](value);
  return Array.isArray(value) && value.every(isJsonObject);
}

/** A kind in messages and docs. */
export function kindText(kind: FieldKind): string {
  return typeof kind === "string"
    ? KIND_TEXTS[kind]
    : kind.map((word) => JSON.stringify(word)).join(" or ");
}

/** Whether the event of a call comes from an agent. @param component `agent::NAME` */
export function isSentBy(component: string, call: HandlerCall): boolean {
  return call.ctx.component_id === component && Object.keys(hostOf(call)).length > 0;
}

/**
 * A handler's report with the fields of its response, for the agent that sent the event: of another agent, these fields
 * mean nothing. Encoding checks them.
 * @param answer the handler's whole response
 * @param component `agent::NAME` of the agent whose protocol the handler speaks
 */
export function passFields(
  report: HookReport,
  answer: JsonObject,
  { settable }: HostFields,
  call: HandlerCall,
  component: string,
): HookReport {
  if (!("edits" in report) || !isSentBy(component, call)) return report;
  const found: Record<string, unknown> = {};
  for (const { field, place, kind } of settable) {
    const value = valueAt(answer, [...place, field]);
    // Another value of such a field is a decision, which is read as one.
    if (value === undefined || value === null) continue;
    if (typeof kind !== "string" && !isOfKind(value, kind)) continue;
    found[field] = value;
  }
  if (Object.keys(found).length === 0) return report;
  const before: unknown = getOwn(call.ctx.payload, RESPONSE_KEY);
  const value = { ...(isPlainObject(before) && before), ...found } as Json;
  return { ...report, edits: [...report.edits, { path: ["payload", RESPONSE_KEY], value }] };
}
