import type { Asked } from "../calls/approval.ts";
import {
  type Action,
  beginning,
  type Container,
  type Hook,
  type HookChanged,
  type HookFailed,
  type HookWarned,
  injectedText,
  isNote,
  isUnreadable,
  type Json,
  type JsonObject,
  jsonPointer,
  MAX_JSON_DEPTH,
  messageOf,
  NotJson,
  ownData,
  type SettledDispatch,
  type ShadowRun,
  shown,
  stated,
  subjectOf,
  textIn,
} from "../../../core/index.ts";
import { type EngineEvents, patchOf } from "../../registry/index.ts";
import { createHash, hash, type Hash } from "node:crypto";
import { SHADOW_MARK } from "../shadow/shadow-scope.ts";

/** Maximum number of changed places that an entry lists for a hook. */
const MOST_PATHS = 100;

/**
 * The log line of a dispatch, before redaction. Never throws, whatever the payload contains.
 * @param config digest of the configuration, if there is one
 */
export function dispatchEntry(settled: SettledDispatch, config: string | undefined): JsonObject {
  const { point, began, caller, outcome, failures, changed, warned = [], duration_ms } = settled;
  const action = actionOf(settled);
  const hook = decidingHook(settled, action);
  return stated({
    kind: "dispatch",
    point: point.name,
    component: began.component_id,
    child: caller.child,
    session: textIn(began.payload, "session_id"),
    depth: began.depth > 0 ? began.depth : undefined,
    async: settled.async,
    action,
    decision: "decision" in outcome ? outcome.decision : undefined,
    tool: textIn(began.payload, "tool_name"),
    hook: "hook" in outcome ? outcome.hook : undefined,
    ...(hook && hookKeys(hook)),
    config,
    ...inputDigest(began.payload),
    changed: changed.length > 0 ? changed.map(changedEntry) : undefined,
    // Where a warning is read, what it was about has to be.
    subject: warned.length > 0 ? shortSubject(began.payload) : undefined,
    warned: warned.length > 0 ? warned.map(warnedEntry) : undefined,
    shadow_hook: textIn(began.metadata, SHADOW_MARK),
    undo_point: textIn(outcome.ctx.metadata, "undo_point"),
    stopped_by: settled.stoppedBy?.id,
    reason: "reason" in outcome ? outcome.reason : undefined,
    duration_ms: Number(duration_ms.toFixed(3)),
    failures: failures.length > 0 ? failures.map(failureEntry) : undefined,
  });
}

/** What the examples of `orcs audit report` show of an input, in characters. */
const MOST_SUBJECT = 200;

/** The log line of the run of a hook in shadow, before redaction. Never throws. */
export function shadowEntry(run: ShadowRun, config: string | undefined): JsonObject {
  const { hook, ctx, caller, enforced, action, reason, changes, failure, effects } = run;
  const inject = action?.action === "continue" ? (action.inject ?? []) : [];
  const paths = changes.map(({ path }) => path);
  const patch = patchOf(changes.slice(0, MOST_PATHS)) as readonly Json[];
  return stated({
    kind: "shadow",
    mode: "audit",
    point: ctx.hook_point,
    component: ctx.component_id,
    child: caller.child,
    session: textIn(ctx.payload, "session_id"),
    agent: textIn(ctx.payload, "agent_id"),
    depth: ctx.depth > 0 ? ctx.depth : undefined,
    action: failure ? "failed" : namedAction(action, paths),
    decision: action?.action === "continue" ? action.decision : undefined,
    tool: textIn(ctx.payload, "tool_name"),
    subject: shortSubject(ctx.payload),
    ...hookKeys(hook),
    config,
    ...inputDigest(ctx.payload),
    reason: failure ? undefined : reason,
    patch: changes.length > 0 ? [...patch] : undefined,
    inject: inject.length > 0 ? inject.map(injectedText) : undefined,
    result: action?.action === "skip" ? action.result : undefined,
    enforced: { ...enforced },
    effects: effects.length > 0 ? effects.map(({ call, ran }) => ({ call, ran })) : undefined,
    duration_ms: Number(run.duration_ms.toFixed(3)),
    failures: failure ? [failureEntry({ hook, failure })] : undefined,
  });
}

/** A change of the payload is named as in the line of a dispatch; notes are none. */
function namedAction(action: Action | undefined, paths: readonly string[]): string {
  const name = action?.action ?? "continue";
  return name === "continue" && !paths.every(isNote) ? "rewrite" : name;
}

/** What an input is about, for people: shortened. */
function shortSubject(payload: Readonly<Record<string, unknown>>): string | undefined {
  const text = subjectOf(payload);
  return text && beginning(text, MOST_SUBJECT);
}

function warnedEntry({ hook, action, paths }: HookWarned): JsonObject {
  return stated({
    ...hookKeys(hook),
    action: namedAction(action, paths),
    decision: action.action === "continue" ? action.decision : undefined,
    reason: "reason" in action ? action.reason : undefined,
    paths: paths.length > 0 ? paths.slice(0, MOST_PATHS) : undefined,
  });
}

/** The outcome's action. A `continue` is named after what happened to the payload or to the remaining hooks. */
function actionOf({ point, outcome, changed, stoppedBy }: SettledDispatch): string {
  if (outcome.action !== "continue") return outcome.action;
  if (changed.length === 0) return stoppedBy && !outcome.decision ? "stop" : "continue";
  const result = resultOf(point.resultKey);
  const mayReplace = point.phase === "post" || point.question;
  return mayReplace && changed.some(({ paths }) => paths.includes(result)) ? "replace" : "rewrite";
}

/** The hook that ended the chain or decided, otherwise the last hook that made the change that names the action. */
function decidingHook(settled: SettledDispatch, action: string): Hook | undefined {
  const { point, by, changed } = settled;
  if (by) return by;
  if (action === "stop") return settled.stoppedBy;
  if (action === "rewrite") return changed.at(-1)?.hook;
  if (action !== "replace") return undefined;
  return changed.findLast(({ paths }) => paths.includes(resultOf(point.resultKey)))?.hook;
}

function resultOf(key: string): string {
  return jsonPointer(["payload", key]);
}

function changedEntry({ hook, paths }: HookChanged): JsonObject {
  const more = paths.length - MOST_PATHS;
  return stated({
    hook: hook.id,
    paths: paths.slice(0, MOST_PATHS),
    more: more > 0 ? more : undefined,
  });
}

function failureEntry({ hook, failure }: HookFailed): JsonObject {
  return stated({
    ...hookKeys(hook),
    kind: failure.kind,
    message: failure.message,
  });
}

function hookKeys({ id, source, digest }: Hook) {
  return { hook: id, source: source && `${source.file}:${source.line}`, script: digest };
}

export function reloaded(
  { hooks, pending, duration_ms }: EngineEvents["reloaded"],
  config: string | undefined,
): JsonObject {
  return stated({
    kind: "reload",
    hooks,
    pending: pending.length > 0 ? [...pending] : undefined,
    config,
    duration_ms: Number(duration_ms.toFixed(3)),
  });
}

/** @param config the configuration that stays active */
export function reloadFailed(
  { error }: EngineEvents["reload_failed"],
  config: string | undefined,
): JsonObject {
  return stated({ kind: "reload_failed", reason: error.message, config });
}

/** An event of a coding agent, or a call of an MCP client, that was denied before its hooks returned. */
export interface RefusedEvent {
  /** `claude-code` etc.; `mcp` for an MCP client. */
  readonly host: string;
  /** The agent's name for the event, if known. */
  readonly event: string | undefined;
  readonly component?: string;
  readonly session?: string;
  readonly tool?: string;
  readonly reason: string;
}

export function refusedEntry(refused: RefusedEvent): JsonObject {
  const { host, event, component, session, tool, reason } = refused;
  const about = { host, event, component, session, tool };
  return stated({ kind: "refused", ...about, action: "abort", reason });
}

export function approvalEntry(
  { ctx, tool, hook, reason }: Asked,
  refusal: string | undefined,
  by?: string,
): JsonObject {
  return stated({
    kind: "approval",
    point: ctx.hook_point,
    component: ctx.component_id,
    session: textIn(ctx.payload, "session_id"),
    action: refusal === undefined ? "allow" : "deny",
    tool,
    hook,
    reason,
    refusal,
    by,
  });
}

/** A digest of an input, so that the input itself need not be kept. */
type InputDigest =
  | {
      /** `sha256:` and the hexadecimal digits, of the canonical JSON as UTF-8. */
      readonly input: string;
      /** Only this many characters were hashed. */
      readonly input_cut?: number;
    }
  | { readonly input_error: string };

/** Maximum number of characters that are hashed, which takes about a millisecond. A payload can have 16 million. */
export const HASHED_CHARS = 2 ** 18;

/** Above this number of keys, the first keys cannot be selected without sorting them all. */
const MOST_KEYS = 2 ** 14;

/** Characters per call of the hash: each call has a fixed cost. */
const CHUNK = 2 ** 14;

/**
 * The digest of a payload in canonical JSON (RFC 8785): no spaces, keys sorted by UTF-16 code units, undefined left
 * out. Never throws: for a value that is not JSON it returns the reason.
 */
export function inputDigest(payload: unknown): InputDigest {
  try {
    const text = new HashedText();
    write(payload, [], text, new Set());
    const input = `sha256:${text.digest()}`;
    return text.isFull ? { input, input_cut: HASHED_CHARS } : { input };
  } catch (thrown) {
    return { input_error: messageOf(thrown) };
  }
}

type Path = readonly (string | number)[];

function write(value: unknown, path: Path, text: HashedText, open: Set<object>): void {
  if (text.isFull) return;
  const seen = shown(value);
  if (typeof seen === "string") return text.add(quoted(seen, text.room));
  if (typeof seen !== "object" || seen === null) return text.add(JSON.stringify(seen ?? null));
  if (isUnreadable(seen)) throw new NotJson(`is ${seen.what}`, path);
  const given = value as object;
  if (open.has(given)) throw new NotJson("is a circular reference", path);
  if (open.size >= MAX_JSON_DEPTH) {
    throw new NotJson(`is nested deeper than ${MAX_JSON_DEPTH} levels`, path);
  }
  open.add(given);
  if (Array.isArray(seen)) writeList(seen, path, text, open);
  else writeObject(seen, path, text, open);
  open.delete(given);
}

function writeList(list: readonly unknown[], path: Path, text: HashedText, open: Set<object>) {
  text.add("[");
  for (let i = 0; i < list.length && !text.isFull; i++) {
    if (i > 0) text.add(",");
    write(ownData(list, i), [...path, i], text, open);
  }
  text.add("]");
}

function writeObject(value: Container, path: Path, text: HashedText, open: Set<object>): void {
  const keys = Object.keys(value);
  if (keys.length > MOST_KEYS) throw new NotJson(`has more than ${MOST_KEYS} keys`, path);
  text.add("{");
  let comma = "";
  for (const key of keys.sort()) {
    if (text.isFull) return;
    const item = ownData(value, key);
    if (item === undefined) continue;
    text.add(`${comma}${quoted(key, text.room)}:`);
    write(item, [...path, key], text, open);
    comma = ",";
  }
  text.add("}");
}

/** Quotes only as much of a long text as fits: each character takes at least one. */
function quoted(value: string, room: number): string {
  return JSON.stringify(value.length > room ? value.slice(0, room) : value);
}

/** Collects the first characters of a text and keeps only their hash. */
class HashedText {
  /** Created for the second chunk: most payloads are small. */
  #hash: Hash | undefined;
  #chunk = "";
  /** Characters that still fit. */
  room = HASHED_CHARS;
  /** Whether something was left out. */
  isFull = false;

  add(text: string): void {
    if (text.length > this.room) this.isFull = true;
    this.#chunk += text.slice(0, this.room);
    this.room = Math.max(0, this.room - text.length);
    if (this.#chunk.length >= CHUNK) this.#flush();
  }

  digest(): string {
    if (!this.#hash) return hash("sha256", this.#chunk, "hex");
    this.#hash.update(this.#chunk, "utf8");
    return this.#hash.digest("hex");
  }

  #flush(): void {
    this.#hash ??= createHash("sha256");
    this.#hash.update(this.#chunk, "utf8");
    this.#chunk = "";
  }
}
