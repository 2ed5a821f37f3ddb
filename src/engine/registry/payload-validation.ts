import {
  ACCESSOR,
  type Action,
  copyContainer,
  type Edit,
  type Hook,
  type HookContext,
  isContainer,
  isMissing,
  isPair,
  isPlainObject,
  jsonPointer,
  keptParts,
  type KeySpec,
  type Logger,
  ownData,
  type PointSpec,
  setOwn,
  shown,
  type Unread,
  verdictFor,
} from "../../core/index.ts";
import { CONTINUE, whyIllegal } from "./chain-rules.ts";

const NO_EDITS: readonly Edit[] = [];

/** The context after applying journals of edits in order, or why the payload would become invalid. */
export function validated(
  point: PointSpec,
  ctx: HookContext,
  journals: readonly (readonly Edit[])[],
): HookContext | string {
  let after = ctx;
  for (const edits of journals) {
    const before = after;
    const paired = pairedPayload(point, before, applyEdits(before, edits));
    if (typeof paired === "string") return paired;
    after = paired;
    const why = resultMismatch(point, before, after, edits);
    if (why !== undefined) return why;
  }
  return after;
}

/**
 * The context with one value under both keys of each pair, after edits that may have written only one; or why that is
 * not possible. A script or function writes both at once; an answer in JSON, or a new payload, may have only one.
 */
function pairedPayload(
  { pairs }: PointSpec,
  before: HookContext,
  after: HookContext,
): HookContext | string {
  const { payload } = after;
  if (payload === before.payload || !isPlainObject(payload)) return after;
  const changes: Record<string, unknown> = {};
  for (const [other, key] of pairs) {
    const value = payload[key];
    const otherValue = payload[other];
    if (isPair(value, otherValue)) continue;
    const hasChanged = value !== before.payload[key];
    const otherHasChanged = otherValue !== before.payload[other] && !isMissing(otherValue);
    if (hasChanged && !isMissing(value) && otherHasChanged) return unequal(other, key);
    if (isMissing(value) && !otherHasChanged) continue;
    if (otherHasChanged) changes[key] = otherValue;
    else changes[other] = value;
  }
  if (Object.keys(changes).length === 0) return after;
  return { ...after, payload: { ...payload, ...changes } };
}

function unequal(other: string, key: string): string {
  return `payload.${other} and payload.${key} are two names of one value, but have different values`;
}

/** A legal `replace` as an edit, so that it is validated like all others. */
export function resultEdit(point: PointSpec, action: Action): readonly Edit[] {
  if (action.action !== "replace" || verdictFor(point, "replace") !== "legal") return NO_EDITS;
  return [{ path: ["payload", point.resultKey], value: action.result }];
}

/** Whether edits have changed the payload; writing an equal value is no change. */
export function changesPayload(
  edits: readonly Edit[],
  { payload: was }: HookContext,
  { payload: is }: HookContext,
): boolean {
  return edits.some(({ path }) => path[0] === "payload") && was !== is;
}

/**
 * Why edits are invalid: after each hook the payload must match the specification of its point. Only edited keys are
 * checked.
 *
 * @param before context before the hook
 * @param after context with its edits applied
 * @returns undefined when they are valid
 */
function resultMismatch(
  point: PointSpec,
  before: HookContext,
  after: HookContext,
  edits: readonly Edit[],
): string | undefined {
  for (const { path } of edits) {
    const [root, key] = path;
    if (root !== "payload" && root !== "metadata") {
      return `ctx${root === undefined ? "" : `.${root}`} is read-only; edit ctx.payload or ctx.metadata`;
    }
    if (path.length === 1 && !isPlainObject(after[root])) return `ctx.${root} must stay an object`;
    if (root === "metadata") continue;
    // Keys unknown to the point may have any value.
    const spec = key === undefined ? undefined : point.known.get(String(key));
    const why =
      key === undefined
        ? payloadMismatch(point, after.payload, before.payload)
        : spec && keyMisfit(spec, String(key), after.payload, before.payload);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Why a payload is invalid at its point: a required key is missing, or a known key has another type.
 * @param before the payload it replaces, whose names and ids must not change
 */
export function payloadMismatch(
  point: PointSpec,
  payload: unknown,
  before?: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!isPlainObject(payload)) return `the payload of ${point.name} must be an object`;
  if (!before && fits(point, payload)) return undefined;
  for (const [key, spec] of point.known) {
    const why = keyMisfit(spec, key, payload, before);
    if (why !== undefined) return why;
  }
  const pair = point.pairs.find(([other, key]) => !isPair(payload[other], payload[key]));
  return pair && unequal(...pair);
}

/**
 * Whether a payload is valid, without a reason: this runs for each dispatch. It iterates over the keys present, which
 * are fewer than the known ones.
 */
function fits(
  { known, required, pairs }: PointSpec,
  payload: Readonly<Record<string, unknown>>,
): boolean {
  let missing = required.length;
  for (const key in payload) {
    const spec = known.get(key);
    if (spec === undefined) continue;
    const value = payload[key];
    if (value === undefined || value === null) continue;
    if (!isKind(spec.kind, value)) return false;
    if (spec.required) missing--;
  }
  if (missing !== 0) return false;
  for (const [other, key] of pairs) if (!isPair(payload[other], payload[key])) return false;
  return true;
}

function keyMisfit(
  spec: KeySpec,
  key: string,
  payload: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  const value = payload[key];
  if (before && spec.fixed && value !== before[key]) {
    return `payload.${key} is a name or id and must not be changed`;
  }
  if (spec.shrinks && before && grows(before[key], value)) {
    return `payload.${key} may only lose capability bits, not gain any`;
  }
  if (value === undefined || value === null) {
    return spec.required ? `payload.${key} is missing` : undefined;
  }
  return isKind(spec.kind, value) ? undefined : `payload.${key} must be ${KIND_WORDS[spec.kind]}`;
}

/** Whether a set of bits has gained any; if there were none before, any may be set. */
function grows(before: unknown, after: unknown): boolean {
  // Removing the key would restore bits removed by earlier hooks.
  if (typeof before !== "number") return false;
  return typeof after === "number"
    ? (after & ~before) !== 0
    : after === undefined || after === null;
}

/** A switch is faster than a table of functions; this runs for each key of each dispatch. */
function isKind(kind: KeySpec["kind"], value: unknown): boolean {
  switch (kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === kind;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isPlainObject(value);
    case "list":
      return Array.isArray(value);
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "any":
      return true;
  }
}

const KIND_WORDS: Readonly<Record<KeySpec["kind"], string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  list: "a list",
  strings: "a list of strings",
  any: "any value",
};

type Writable = Record<string, unknown> | unknown[];

/**
 * The context with a journal of edits applied. Unedited parts are shared with the given context, which is never
 * modified: a Date stays a Date, and an edited instance becomes plain data. Writing a value that reads the same as the
 * old one changes nothing.
 */
export function applyEdits(ctx: HookContext, edits: readonly Edit[]): HookContext {
  const fresh = new Set<unknown>();
  let root: unknown = ctx;
  for (const { path, value } of edits) {
    const was = valueAt(root, path);
    const is = keptParts(was, value);
    if (Object.is(was, is) || path.length === 0) continue;
    // The root is created by the registry and has no accessors, so a spread is a sufficient copy.
    if (root === ctx) fresh.add((root = { ...ctx }));
    let at = root as Writable;
    for (let i = 0; i < path.length - 1; i++) {
      const part = path[i] as string | number;
      const child = own(ownData(at, part), fresh);
      write(at, part, child);
      at = child;
    }
    write(at, path.at(-1) as string | number, is);
  }
  return root as HookContext;
}

/** The value at a path, not converted for hooks. */
export function valueAt(root: unknown, path: Edit["path"]): unknown {
  let at = root;
  for (const part of path) {
    const seen = shown(at);
    at = isContainer(seen) ? ownData(seen, part) : undefined;
  }
  return at;
}

/** A writable copy: each container is copied once per journal. */
function own(value: unknown, fresh: Set<unknown>): Writable {
  if (fresh.has(value)) return value as Writable;
  const seen = shown(value);
  const copy = isContainer(seen) ? copyContainer(seen) : {};
  fresh.add(copy);
  return copy;
}

function write(at: Writable, key: string | number, value: unknown): void {
  const container = at as Record<string | number, unknown>;
  // Plain assignment would run an accessor.
  if (value === undefined || ownData(at, key) === ACCESSOR) delete container[key];
  if (Array.isArray(at)) at[Number(key)] = value;
  else if (value !== undefined) setOwn(at, String(key), value);
}

/**
 * For the trace of a hook that matched on a command line that could not be parsed completely, or on an unsure effect.
 */
export interface UnreadReport {
  /** Undefined if the hook matched the parsed part. */
  readonly why: string | undefined;
  /** See `Unread`. */
  readonly asks?: true;
  /** Ignored parts of its result. */
  readonly dropped: readonly string[];
}

/** The part of a hook's report that takes effect. */
interface Counted extends UnreadReport {
  readonly action: Action;
  readonly edits: readonly Edit[];
}

/**
 * The effective result of a hook that matched on a command line that could not be parsed completely. If it matched only
 * because the rest is unknown, it may deny or ask, and nothing else. If it matched the parsed part, everything but
 * `allow` takes effect, because `allow` would include the unknown rest. At post points nothing is ignored, because
 * changes there only restrict what the caller sees.
 *
 * The same holds for a hook that matched only on an effect that is not sure; its denial is a question, where one may be
 * asked.
 */
export function countedOf(
  { id, point }: Hook,
  unread: Unread,
  action: Action,
  edits: readonly Edit[],
  logger: Logger,
): Counted {
  const asks = unread.asks && { asks: true as const };
  const counted = { ...countedAt(point, unread, action, edits), ...asks };
  const dropped = counted.dropped.join(", ");
  if (dropped) logger.warn(`hook ${id} at ${point.name}: ${dropped} ignored: ${prefixOf(unread)}`);
  return counted;
}

/** What it is that a hook matched on. */
function prefixOf({ why, asks }: Unread): string {
  return asks ? why : `orcs could not parse this command line (${why})`;
}

function countedAt(
  point: PointSpec,
  unread: Unread,
  action: Action,
  edits: readonly Edit[],
): Counted {
  const { phase } = point;
  const { why, isMatch, asks } = unread;
  const allows = action.action === "continue" && action.decision === "allow";
  if (phase === "post") return { action, edits, why: isMatch ? undefined : why, dropped: [] };
  if (isMatch) {
    if (!allows) return { action, edits, why: undefined, dropped: [] };
    const { decision, reason: _, ...rest } = action;
    return { action: rest, edits, why: undefined, dropped: [decision ?? "allow"] };
  }
  const dropped: string[] = edits.map(({ path }) => jsonPointer(path));
  const none = { action: CONTINUE, edits: NO_EDITS, why, dropped };
  const prefix = prefixOf(unread);
  const prefixed = (reason: string | undefined): string =>
    reason === undefined ? prefix : `${prefix}: ${reason}`;
  if (action.action === "abort") {
    const reason = prefixed(action.reason);
    const question = { ...CONTINUE, decision: "ask", reason } as const;
    const isAsked = asks && whyIllegal(point, question) === undefined;
    return { ...none, action: isAsked ? question : { ...action, reason } };
  }
  if (action.action !== "continue") {
    dropped.unshift(action.action);
    return none;
  }
  const { decision, reason, inject = [], stop } = action;
  if (inject.length > 0) dropped.unshift("inject");
  if (stop === true) dropped.unshift("stop");
  if (allows) dropped.unshift("allow");
  if (decision === undefined || allows) return none;
  return { ...none, action: { ...CONTINUE, decision, reason: prefixed(reason) } };
}
