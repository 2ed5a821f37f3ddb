import type { Hash } from "node:crypto";
import { createHash, hash } from "node:crypto";
import type { HookChanged, HookFailed, SettledDispatch } from "../../core/audit.ts";
import { messageOf } from "../../core/errors.ts";
import type { Hook } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { jsonPointer, MAX_JSON_DEPTH } from "../../core/json.ts";
import type { Container } from "../../core/visible-value.ts";
import { isUnreadable, NotJson, ownData, shown } from "../../core/visible-value.ts";
import type { EngineEvents, EventEmitter } from "../../registry/events.ts";
import type { ApprovalRecord, Asked } from "../calls/approval.ts";
import type { AuditTrail } from "./audit-trail.ts";

/** Maximum number of changed places that an entry lists for a hook. */
const MOST_PATHS = 100;

/**
 * The line of a dispatch, before secrets are masked. Never throws, whatever the payload is.
 * @param config digest of the configuration, where there is one
 */
export function dispatchEntry(settled: SettledDispatch, config: string | undefined): JsonObject {
  const { point, began, caller, outcome, failures, changed, duration_ms } = settled;
  const action = actionOf(settled);
  const hook = decidingHook(settled, action);
  return stated({
    kind: "dispatch",
    point: point.name,
    component: began.component_id,
    child: caller.child,
    session: textOf(began.payload, "session_id"),
    depth: began.depth > 0 ? began.depth : undefined,
    async: settled.async,
    action,
    decision: "decision" in outcome ? outcome.decision : undefined,
    tool: textOf(began.payload, "tool_name"),
    hook: hook?.id ?? ("hook" in outcome ? outcome.hook : undefined),
    source: sourceOf(hook),
    script: hook?.digest,
    config,
    ...inputDigest(began.payload),
    changed: changed.length > 0 ? changed.map(changedEntry) : undefined,
    stopped_by: settled.stoppedBy?.id,
    reason: "reason" in outcome ? outcome.reason : undefined,
    duration_ms: Number(duration_ms.toFixed(3)),
    failures: failures.length > 0 ? failures.map(failureEntry) : undefined,
  });
}

/** An entry without what is undefined. */
export function stated(entry: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );
}

/** The outcome's action; one that goes on is named by what became of the payload, or of the hooks behind. */
function actionOf({ point, outcome, changed, stoppedBy }: SettledDispatch): string {
  if (outcome.action !== "continue") return outcome.action;
  if (changed.length === 0) return stoppedBy && !outcome.decision ? "stop" : "continue";
  const result = resultOf(point.resultKey);
  const mayReplace = point.phase === "post" || point.question;
  return mayReplace && changed.some(({ paths }) => paths.includes(result)) ? "replace" : "rewrite";
}

/** The hook that ended the chain or decided; else the last that changed what the action is named by. */
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
    hook: hook.id,
    source: sourceOf(hook),
    script: hook.digest,
    kind: failure.kind,
    message: failure.message,
  });
}

function sourceOf(hook: Hook | undefined): string | undefined {
  return hook?.source && `${hook.source.file}:${hook.source.line}`;
}

/** A text of a payload, which is the host's own object: reading it may throw. */
function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | undefined {
  try {
    const value = payload[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is known of an input without keeping it. */
type InputDigest =
  | {
      /** `sha256:` and the hexadecimal digits, of the canonical JSON as UTF-8. */
      readonly input: string;
      /** Only the first so many characters count: the rest was not read. */
      readonly input_cut?: number;
    }
  | { readonly input_error: string };

/** So many characters are hashed at most, which takes about a millisecond; a payload may have 16 million. */
export const HASHED_CHARS = 2 ** 18;
/** Of more keys than this the first ones cannot be had without sorting them all. */
const MOST_KEYS = 2 ** 14;
/** Handed to the hash at once: each call of it has its price. */
const CHUNK = 2 ** 14;

/**
 * The digest of a payload in canonical JSON: no spaces, keys in the order of their UTF-16 code units, keys with
 * undefined left out, as RFC 8785 writes it. Never throws: of what is no JSON it says why.
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

/** Of a long text no more than fits: each character takes one at least. */
function quoted(value: string, room: number): string {
  return JSON.stringify(value.length > room ? value.slice(0, room) : value);
}

/** A text of which the hash alone is kept, and of that no more than the first characters. */
class HashedText {
  /** Made when there is more than one chunk: most payloads are small. */
  #hash: Hash | undefined;
  #chunk = "";
  /** Characters that there is room for. */
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

// What is written besides dispatches.

/** Write down reloads, those that failed, and hooks that were dropped. */
export function noteEvents(
  trail: AuditTrail | undefined,
  events: EventEmitter,
  config: () => string | undefined,
): void {
  if (!trail) return;
  events.on("reloaded", (event) => void trail.note(reloaded(event, config())));
  events.on("reload_failed", (event) => void trail.note(reloadFailed(event, config())));
  events.on("dropped", ({ hook, point }) => void trail.note({ kind: "dropped", point, hook }));
}

function reloaded(
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

/** @param config which is still in force */
function reloadFailed(
  { error }: EngineEvents["reload_failed"],
  config: string | undefined,
): JsonObject {
  return stated({ kind: "reload_failed", reason: error.message, config });
}

/** An event of a host, or a call of an MCP client, that was refused without an answer of its hooks. */
export interface RefusedEvent {
  /** `claude-code` and the like; `mcp` for a client of MCP. */
  readonly host: string;
  /** The host's name of it, where it is known. */
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

/** Writes down what was answered to calls that hooks want approved. */
export function approvalRecord(trail: AuditTrail | undefined): ApprovalRecord | undefined {
  return trail && ((asked, refusal) => trail.note(approvalEntry(asked, refusal)));
}

function approvalEntry(
  { ctx, tool, hook, reason }: Asked,
  refusal: string | undefined,
): JsonObject {
  const { session_id: session } = ctx.payload;
  return stated({
    kind: "approval",
    point: ctx.hook_point,
    component: ctx.component_id,
    session: typeof session === "string" ? session : undefined,
    action: refusal === undefined ? "allow" : "deny",
    tool,
    hook,
    reason,
    refusal,
  });
}
