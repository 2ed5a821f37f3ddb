import type { Action } from "../core/actions.ts";
import { verdictFor } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit, Hook, Unread } from "../core/hook.ts";
import { isPlainObject, jsonPointer, setOwn } from "../core/json.ts";
import type { KeySpec } from "../core/point-table.ts";
import type { PointSpec } from "../core/points.ts";
import type { Logger } from "../core/ports.ts";
import {
  ACCESSOR,
  copyContainer,
  isContainer,
  keptParts,
  ownData,
  shown,
} from "../core/visible-value.ts";
import { CONTINUE } from "./chain-rules.ts";

const NO_EDITS: readonly Edit[] = [];

/** The context with journals of edits applied one after the other, or why it would not fit the point any more. */
export function validated(
  point: PointSpec,
  ctx: HookContext,
  journals: readonly (readonly Edit[])[],
): HookContext | string {
  let after = ctx;
  for (const edits of journals) {
    const before = after;
    after = applyEdits(before, edits);
    const why = resultMismatch(point, before, after, edits);
    if (why !== undefined) return why;
  }
  return after;
}

/** A legal `replace` is one more edit, so that it has to fit as all edits have. */
export function resultEdit(point: PointSpec, action: Action): readonly Edit[] {
  if (action.action !== "replace" || verdictFor(point, "replace") !== "legal") return NO_EDITS;
  return [{ path: ["payload", point.resultKey], value: action.result }];
}

/** Whether edits have made the payload another: writing what was there is no change. */
export function changesPayload(
  edits: readonly Edit[],
  { payload: was }: HookContext,
  { payload: is }: HookContext,
): boolean {
  return edits.some(({ path }) => path[0] === "payload") && was !== is;
}

/**
 * Why edits do not fit: after each hook the payload must still be what its point promises. Only what
 * the edits touch is looked at.
 *
 * @param before context the hook was given
 * @param after the same with its edits applied
 * @returns undefined when they fit
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
    const why =
      key === undefined
        ? payloadMismatch(point, after.payload, before.payload)
        : touchedMisfit(point, String(key), after.payload, before.payload);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Why a payload does not fit its point: a required key missing, or a known key of another kind.
 * @param before the payload it replaces, whose names and ids it must keep
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
  return undefined;
}

/**
 * Whether a payload fits, without a word on what does not: this is on the way of each dispatch. It goes
 * over what is there, which is less than what there could be.
 */
function fits({ known, required }: PointSpec, payload: Readonly<Record<string, unknown>>): boolean {
  let missing = required.length;
  for (const key in payload) {
    const spec = known.get(key);
    if (spec === undefined) continue;
    const value = payload[key];
    if (value === undefined || value === null) continue;
    if (!isKind(spec.kind, value)) return false;
    if (spec.required) missing--;
  }
  return missing === 0;
}

/** Why one key that was touched does not fit; what the point does not know may be anything. */
function touchedMisfit(
  point: PointSpec,
  key: string,
  payload: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): string | undefined {
  const spec = point.known.get(key);
  return spec && keyMisfit(spec, key, payload, before);
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

/** Whether a set of bits has any that it did not have; where the host gave none, any may be set. */
function grows(before: unknown, after: unknown): boolean {
  // To remove the key would give back what a hook before has taken.
  if (typeof before !== "number") return false;
  return typeof after === "number"
    ? (after & ~before) !== 0
    : after === undefined || after === null;
}

/** A switch, not a table of functions: this runs for each key of each dispatch. */
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
 * The context with a journal of edits applied. What no edit touches is shared with the context given,
 * which is never written to: a Date stays a Date, and an instance that an edit goes into becomes plain data. An
 * edit that writes what reads the same as what was there changes nothing.
 */
export function applyEdits(ctx: HookContext, edits: readonly Edit[]): HookContext {
  const fresh = new Set<unknown>();
  let root: unknown = ctx;
  for (const { path, value } of edits) {
    const was = valueAt(root, path);
    const is = keptParts(was, value);
    if (Object.is(was, is) || path.length === 0) continue;
    // What the registry made itself holds no accessor: that copy is a quick one.
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

/** What stands at a path, before it is shown. */
function valueAt(root: unknown, path: Edit["path"]): unknown {
  let at = root;
  for (const part of path) {
    const seen = shown(at);
    at = isContainer(seen) ? ownData(seen, part) : undefined;
  }
  return at;
}

/** A copy that may be written to: each container is copied once per journal. */
function own(value: unknown, fresh: Set<unknown>): Writable {
  if (fresh.has(value)) return value as Writable;
  const seen = shown(value);
  const copy = isContainer(seen) ? copyContainer(seen) : {};
  fresh.add(copy);
  return copy;
}

function write(at: Writable, key: string | number, value: unknown): void {
  const container = at as Record<string | number, unknown>;
  // Where an accessor stands, plain assignment would run it.
  if (value === undefined || ownData(at, key) === ACCESSOR) delete container[key];
  if (Array.isArray(at)) at[Number(key)] = value;
  else if (value !== undefined) setOwn(at, String(key), value);
}

/** What a trace says of a hook that held on a command line that could not be read whole. */
export interface UnreadReport {
  /** Undefined where the hook held for what could be read. */
  readonly why: string | undefined;
  /** What it returned and does not count. */
  readonly dropped: readonly string[];
}

/** The part of a hook's report that takes effect. */
interface Counted extends UnreadReport {
  readonly action: Action;
  readonly edits: readonly Edit[];
}

const NO_CHANGES: readonly Edit[] = [];

/**
 * What counts of a hook that held on a command line that could not be read whole. Nobody knows whether the line is one
 * that the hook is about, so it may stop the operation or ask, and do nothing else. A hook that held for what could be
 * read counts as always, but for its `allow`: that would be one for the rest of the line, too. After the operation
 * nothing is dropped: what a hook changes there, it keeps from whoever called.
 */
export function countedOf(
  { id, point }: Hook,
  unread: Unread,
  action: Action,
  edits: readonly Edit[],
  logger: Logger,
): Counted {
  const counted = countedAt(point, unread, action, edits);
  if (counted.dropped.length > 0) {
    logger.warn(
      `hook ${id} at ${point.name}: ${counted.dropped.join(", ")} ignored: orcs could not parse the command line (${unread.why})`,
    );
  }
  return counted;
}

function countedAt(
  { phase }: PointSpec,
  { why, isMatch }: Unread,
  action: Action,
  edits: readonly Edit[],
): Counted {
  const allows = action.action === "continue" && action.decision === "allow";
  if (phase === "post") return { action, edits, why: isMatch ? undefined : why, dropped: [] };
  if (isMatch) {
    if (!allows) return { action, edits, why: undefined, dropped: [] };
    const { decision, reason: _, ...rest } = action;
    return { action: rest, edits, why: undefined, dropped: [decision ?? "allow"] };
  }
  const dropped = edits.map(({ path }) => jsonPointer(path));
  const said = `orcs could not parse this command line (${why})`;
  const prefixed = (reason: string | undefined): string =>
    reason === undefined ? said : `${said}: ${reason}`;
  if (action.action === "abort") {
    return {
      action: { ...action, reason: prefixed(action.reason) },
      edits: NO_CHANGES,
      why,
      dropped,
    };
  }
  if (action.action !== "continue") {
    return {
      action: CONTINUE,
      edits: NO_CHANGES,
      why,
      dropped: [action.action, ...dropped],
    };
  }
  const { decision, reason, inject = [], stop } = action;
  if (inject.length > 0) dropped.unshift("inject");
  if (stop === true) dropped.unshift("stop");
  if (decision === undefined) return { action: CONTINUE, edits: NO_CHANGES, why, dropped };
  if (allows) return { action: CONTINUE, edits: NO_CHANGES, why, dropped: [decision, ...dropped] };
  const asked = { ...CONTINUE, decision, reason: prefixed(reason) };
  return { action: asked, edits: NO_CHANGES, why, dropped };
}
