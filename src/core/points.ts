import { isPlainObject, type Json, type JsonObject } from "./json.ts";
import type { KeyKind, KeySpec, Phase } from "./point-table.ts";
import { OrcsError } from "./errors.ts";
import { POINT_ALIASES, POINT_TABLE } from "./point-table.ts";
import { nearest } from "./text.ts";

export type { KeySpec, Phase } from "./point-table.ts";

type Table = typeof POINT_TABLE;

/** Name of a built-in hook point, such as `tool.pre_execute`. */
export type PointName = keyof Table;

/** A point as the engine sees it; built-in and custom points have the same shape. */
export interface PointSpec {
  readonly name: string;
  readonly phase: Phase;
  readonly doc: string;
  /** True for `on` points that ask a question: `replace` is legal and its result is the reply. */
  readonly question: boolean;
  /** Payload keys with their kinds. */
  readonly keys: Readonly<Record<string, KeySpec>>;
  /** `keys` as a map, and the required keys, precomputed because each dispatch needs both. */
  readonly known: ReadonlyMap<string, KeySpec>;
  readonly required: readonly string[];
  /** Pairs of keys with one value: the other name, and the key. */
  readonly pairs: readonly (readonly [other: string, key: string])[];
  /** Key written by a rewrite of the input. */
  readonly inputKey: string;
  /** Key that `replace` writes and that holds the operation's result. */
  readonly resultKey: string;
  /** The only event meant, for an alias of `host.pre_event`: `Setup` is that point, restricted to the event `Setup`. */
  readonly event: string | undefined;
}

/** The point of events of coding agents that have no point of their own. */
const HOST_POINT = "host.pre_event";

/** Definition of a custom point in `createOrcs({ points })`. */
export interface CustomPoint {
  phase: Phase;
  doc?: string;
  question?: boolean;
  keys?: Record<string, KeySpec>;
  input?: string;
  result?: string;
}

/** The points of an engine: lookup by name or alias, and suggestions for unknown names. */
export interface PointSet {
  readonly all: readonly PointSpec[];
  get(name: string): PointSpec | undefined;
  /** The point for a name or an alias (`PreToolUse`); case and underscores of aliases are ignored. */
  resolve(nameOrAlias: string): PointSpec | undefined;
  /** The nearest known name, for error messages. */
  suggest(name: string): string | undefined;
}

type KindType<K extends KeyKind> = {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  object: JsonObject;
  list: Json[];
  strings: string[];
  any: Json;
}[K];

type Keys<P extends PointName> = Table[P]["keys"];

type RequiredKey<T> = {
  [K in keyof T]: T[K] extends { readonly required: true } ? K : never;
}[keyof T];

type KeyType<S> = S extends { readonly kind: infer K extends KeyKind } ? KindType<K> : never;

/** Payload of a point, derived from the table: required keys, optional keys, and any others that the caller adds. */
export type PayloadOf<P extends string> = P extends PointName
  ? { [K in RequiredKey<Keys<P>>]: KeyType<Keys<P>[K]> } & {
      [K in Exclude<keyof Keys<P>, RequiredKey<Keys<P>>>]?: KeyType<Keys<P>[K]> | undefined;
    } & { [key: string]: unknown }
  : Record<string, unknown>;

/** The operations that have a pre and a post point: `tool.execute` for `tool.pre_execute` / `tool.post_execute`. */
export type OperationName = {
  [P in PointName]: P extends `${infer F}.pre_${infer V}`
    ? `${F}.post_${V}` extends PointName
      ? `${F}.${V}`
      : never
    : never;
}[PointName];

/** The pre point of an operation. */
export type PrePoint<O extends string> = O extends `${infer F}.${infer V}`
  ? `${F}.pre_${V}`
  : string;

/** Point names of both phases of an operation. */
export function operationPoints(operation: string): { pre: string; post: string } | undefined {
  const dot = operation.indexOf(".");
  if (dot <= 0 || dot === operation.length - 1) return undefined;
  const family = operation.slice(0, dot);
  const verb = operation.slice(dot + 1);
  return { pre: `${family}.pre_${verb}`, post: `${family}.post_${verb}` };
}

/** The built-in points and the custom ones. */
export function pointSet(custom: Readonly<Record<string, CustomPoint>> = {}): PointSet {
  const specs = new Map<string, PointSpec>();
  for (const [name, row] of Object.entries(POINT_TABLE)) specs.set(name, pointSpec(name, row));
  for (const [name, row] of Object.entries(custom)) specs.set(name, pointSpec(name, row));
  const folded = new Map<string, PointSpec>();
  for (const [alias, name] of Object.entries(POINT_ALIASES)) {
    const spec = specs.get(name);
    if (spec) folded.set(fold(alias), name === HOST_POINT ? { ...spec, event: alias } : spec);
  }
  const names = [...specs.keys(), ...Object.keys(POINT_ALIASES)];
  return {
    all: [...specs.values()],
    get: (name) => specs.get(name),
    resolve: (name) => specs.get(name) ?? folded.get(fold(name)),
    suggest: (name) => nearest(name, names),
  };
}

/**
 * The point for a name or alias.
 * @throws OrcsError ORCS1005 with the nearest known name.
 */
export function resolvePoint(name: string, points: PointSet): PointSpec {
  const point = points.resolve(name);
  if (point) return point;
  const suggestion = points.suggest(name);
  throw new OrcsError(
    "ORCS1005",
    `unknown hook point ${JSON.stringify(name)}${suggestion ? `; did you mean ${suggestion}?` : ""}`,
    { point: name, suggestion },
  );
}

/**
 * The payload of a dispatch with the event that its point means.
 * @throws OrcsError ORCS2003 when it names another event
 */
export function withEvent<P>({ event, name }: PointSpec, payload: P): P {
  if (event === undefined || !isPlainObject(payload) || payload["event"] === event) return payload;
  if (payload["event"] === undefined) return { ...payload, event };
  const why = `payload.event is ${JSON.stringify(payload["event"])}, but the point is the event ${event}`;
  throw new OrcsError("ORCS2003", why, { point: name });
}

/** Whether a point, possibly restricted to one event, includes another. */
export function coversPoint(outer: PointSpec, inner: PointSpec): boolean {
  return outer.name === inner.name && (outer.event ?? inner.event) === inner.event;
}

/** Aliases ignore case and underscores: `pre_tool_use` is `PreToolUse`. */
function fold(alias: string): string {
  return alias.replaceAll("_", "").toLowerCase();
}

function pointSpec(name: string, row: CustomPoint): PointSpec {
  const keys = row.keys ?? {};
  return {
    name,
    phase: row.phase,
    doc: row.doc ?? "A point of the embedding program.",
    question: row.question ?? false,
    keys,
    known: new Map(Object.entries(keys)),
    required: Object.keys(keys).filter((key) => keys[key]?.required),
    pairs: pairsOf(keys),
    inputKey: row.input ?? "input",
    resultKey: row.result ?? "result",
    event: undefined,
  };
}

function pairsOf(keys: Readonly<Record<string, KeySpec>>): PointSpec["pairs"] {
  return Object.entries(keys).flatMap(([other, { sameAs }]) =>
    sameAs === undefined ? [] : [[other, sameAs] as const],
  );
}

/** The pairs of the built-in points, by both names. */
const PAIRS: ReadonlyMap<PropertyKey, readonly [other: string, key: string]> = new Map(
  Object.values(POINT_TABLE).flatMap(({ keys }) =>
    pairsOf(keys).flatMap((pair) => pair.map((name) => [name, pair] as const)),
  ),
);

/**
 * The pair that a key of a payload belongs to, whose second name is that of the table. A payload in a dispatch has both
 * keys or none; a point that knows only one has no pair.
 * @param has whether the payload has a key
 */
export function pairIn(
  key: PropertyKey,
  has: (key: string) => boolean,
): readonly [other: string, key: string] | undefined {
  const pair = PAIRS.get(key);
  return pair?.every(has) ? pair : undefined;
}

/**
 * The payload with both keys of each pair; one that has both is left as it is.
 * @param payload need not be an object: it is validated later
 */
export function withPairs<P extends object>({ pairs }: Pick<PointSpec, "pairs">, payload: P): P {
  let filled: Record<string, unknown> | undefined;
  for (const [other, key] of pairs) {
    const has = filled ?? (payload as Record<string, unknown> | null) ?? {};
    if (isMissing(has[key]) === isMissing(has[other]) || !isPlainObject(payload)) continue;
    filled ??= { ...payload };
    if (isMissing(has[key])) filled[key] = has[other];
    else filled[other] = has[key];
  }
  return (filled as P | undefined) ?? payload;
}

/** Two values of a pair are the same, or there is none. */
export function isPair(value: unknown, other: unknown): boolean {
  return value === other || (isMissing(value) && isMissing(other));
}

/** In a payload, null counts as none. */
export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Who makes a call and where, as keys of the payload; missing ones stay missing. */
export interface CallerKeys {
  /** The session, for `match.session`, `once`, and the counters of policies. */
  session_id?: string | undefined;
  /** The agent, for `match.agent`; with the name of an `[agents.NAME]`, its hooks apply. */
  agent_id?: string | undefined;
  /** The id of this tool call in the agent library. */
  tool_use_id?: string | undefined;
  /** The working directory of the call. */
  cwd?: string | undefined;
  /** The number of the agent's turn. */
  turn?: number | undefined;
  /** The conversation so far. It is not copied: what hooks read of it is converted when they read it. */
  messages?: readonly unknown[] | undefined;
}

/** The keys of a payload that options set, at the points that know them. */
const CALLER_KEYS = ["session_id", "agent_id", "tool_use_id", "cwd", "turn", "messages"] as const;

/** The payload with the caller's keys that the point knows and that it does not have itself. */
export function withCaller<P extends object>(
  point: Pick<PointSpec, "known">,
  payload: P,
  options: CallerKeys,
): P {
  let filled: Record<string, unknown> | undefined;
  for (const key of CALLER_KEYS) {
    const value = options[key];
    if (value === undefined || !point.known.has(key)) continue;
    if (!isPlainObject(payload) || payload[key] !== undefined) continue;
    filled ??= { ...payload };
    filled[key] = value;
  }
  return (filled as P | undefined) ?? payload;
}

/** The caller of a dispatch, for the calls that its hooks make. */
export function callerIn(payload: Readonly<Record<string, unknown>>): CallerKeys {
  const { session_id, agent_id, cwd, turn } = payload;
  return {
    ...(typeof session_id === "string" && { session_id }),
    ...(typeof agent_id === "string" && { agent_id }),
    ...(typeof cwd === "string" && { cwd }),
    ...(typeof turn === "number" && { turn }),
  };
}
