import type { Hash } from "node:crypto";
import { createHash, hash } from "node:crypto";
import type { DispatchLog, HookChanged, HookFailed, SettledDispatch } from "../../core/audit.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { FailureMode, Hook } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { jsonPointer, MAX_JSON_DEPTH } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Clock, Logger, Redactor } from "../../core/ports.ts";
import type { Container } from "../../core/visible-value.ts";
import { isUnreadable, NotJson, ownData, shown } from "../../core/visible-value.ts";
import type { EngineEvents, EventEmitter } from "../../registry/events.ts";
import type { ApprovalRecord, Asked } from "../calls/approval.ts";

/** The destination of entries. */
export interface AuditSink {
  /** Resolves when the entry is written, rejects when it is not. */
  append(entry: JsonObject): Promise<void>;
  close(): Promise<void>;
}

interface AuditTrailOptions {
  /** Whether dispatches without any decision, change or failure are written as well. */
  readonly all: boolean;
  /** The effect on an operation whose entry cannot be written. */
  readonly onError: FailureMode;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Digest of the active configuration. */
  readonly config: () => string | undefined;
  /** Called for the first entry, and again after it threw. */
  readonly open: () => AuditSink;
  /** Called for each entry that could not be written. */
  readonly failed: (error: OrcsError) => void;
}

/** The hook named by a denial that comes from the audit log and not from a hook. */
const AUDIT_HOOK = "orcs:audit";

/**
 * Writes what an engine does, and holds back each outcome until its entry is written. When the log cannot be written,
 * operations at pre points are denied, unless the settings let it fail open.
 */
export class AuditTrail implements DispatchLog {
  readonly all: boolean;
  readonly #options: AuditTrailOptions;
  readonly #failures: SinkFailures;
  readonly #pending = new Set<Promise<unknown>>();
  #sink: AuditSink | undefined;
  #closed = false;

  constructor(options: AuditTrailOptions) {
    this.all = options.all;
    this.#options = options;
    this.#failures = new SinkFailures(options.logger, options.clock);
  }

  take(settled: SettledDispatch): Promise<Outcome> | undefined {
    if (!this.all && saysNothing(settled)) return undefined;
    return this.#taken(settled);
  }

  /**
   * Write an entry that is not a dispatch. Never rejects.
   * @returns the reason to deny what waits for this entry: it could not be written, and must not happen unrecorded
   */
  async note(entry: JsonObject): Promise<string | undefined> {
    const error = await this.#append(entry);
    return this.#options.onError === "closed" ? error?.message : undefined;
  }

  /** Finish pending writes and close the log. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.#closed = true;
    const sink = this.#sink;
    this.#sink = undefined;
    await sink?.close();
  }

  async #taken(settled: SettledDispatch): Promise<Outcome> {
    const { outcome, point } = settled;
    const error = await this.#append(dispatchEntry(settled, this.#options.config()));
    if (!error || point.phase !== "pre") return outcome;
    if (outcome.action === "abort" || this.#options.onError === "open") return outcome;
    const { ctx, inject, trace } = outcome;
    const reason = error.message;
    return {
      action: "abort",
      reason,
      hook: AUDIT_HOOK,
      ctx,
      inject,
      ...(trace && { trace }),
    };
  }

  /**
   * Never rejects.
   * @param counts number of entries that are missing if this one is not written
   * @returns the reason why it was not written
   */
  #append(entry: JsonObject, counts = 1): Promise<OrcsError | undefined> {
    const written = this.#write(entry).then(
      () => this.#tellMissed(),
      (thrown: unknown) => this.#failed(thrown, counts),
    );
    this.#pending.add(written);
    return written.finally(() => this.#pending.delete(written));
  }

  async #write(entry: JsonObject): Promise<void> {
    if (this.#closed) throw new Error("the engine is closed");
    this.#sink ??= this.#options.open();
    // Texts are truncated after redaction: a secret that is cut in two is no longer recognised.
    await this.#sink.append(truncateTexts(this.#options.redactor.value(entry)));
  }

  /** As soon as the log can be written again, an entry records how many entries are missing. */
  #tellMissed(): undefined {
    const gap = this.#failures.ended();
    if (gap) void this.#append({ kind: "gap", ...gap }, gap.entries);
  }

  #failed(thrown: unknown, counts: number): OrcsError {
    const why = messageOf(thrown);
    const error = isOwn(thrown)
      ? thrown
      : new OrcsError("ORCS8005", `the audit log cannot be written: ${why}`, {}, { cause: thrown });
    try {
      this.#failures.tell(error.message, counts);
      this.#options.failed(error);
    } catch {
      // A logger that throws must not hold back the outcome.
    }
    return error;
  }
}

function isOwn(thrown: unknown): thrown is OrcsError {
  return thrown instanceof OrcsError && thrown.code === "ORCS8005";
}

/** A persistent error is reported again after this many milliseconds: a full disk fails at every call. */
const AGAIN_MS = 60_000;

/** Reports a log that cannot be written: when it starts failing, at intervals while it fails, and when it recovers. */
class SinkFailures {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #missed = 0;
  #why = "";
  #toldAt = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Count more missing entries. */
  tell(why: string, entries: number): void {
    const isFirst = this.#missed === 0;
    this.#missed += entries;
    const now = this.#clock.now();
    if (why === this.#why && now - this.#toldAt < AGAIN_MS) return;
    this.#why = why;
    this.#toldAt = now;
    this.#logger.error(isFirst ? why : `${why} (${this.#missed} entries lost so far)`);
  }

  /** An entry was written. @returns how many entries before it are missing and why, if any */
  ended(): { readonly entries: number; readonly reason: string } | undefined {
    if (this.#missed === 0) return undefined;
    const missed = { entries: this.#missed, reason: this.#why };
    this.#missed = 0;
    this.#why = "";
    this.#logger.warn(`the audit log can be written again; ${missed.entries} entries are missing`);
    return missed;
  }
}

/**
 * Combine two logs, or return the only one. A dispatch without a decision is passed only to logs that take all. Both
 * logs get the outcome of the hooks and write at the same time. If one fails, its outcome is returned; if both fail,
 * the outcome of the first.
 */
export function teeLog(
  first: DispatchLog | undefined,
  second: DispatchLog | undefined,
): DispatchLog | undefined {
  if (!first || !second) return first ?? second;
  return {
    all: first.all || second.all,
    take: (settled) => {
      const plain = saysNothing(settled);
      const one = plain && !first.all ? undefined : first.take(settled);
      const two = plain && !second.all ? undefined : second.take(settled);
      if (!one || !two) return one ?? two;
      return firstToDiffer(settled.outcome, one, two);
    },
  };
}

/** Whether no hook decided, changed or failed, and none was kept from running. */
function saysNothing(settled: SettledDispatch): boolean {
  const { outcome, failures, changed, stoppedBy } = settled;
  if (outcome.action !== "continue" || outcome.decision !== undefined || stoppedBy) return false;
  return failures.length === 0 && changed.length === 0;
}

async function firstToDiffer(
  outcome: Outcome,
  one: Promise<Outcome>,
  two: Promise<Outcome>,
): Promise<Outcome> {
  const answers = await Promise.all([one, two]);
  return answers.find((answer) => answer !== outcome) ?? outcome;
}

/** Maximum length of a text in a log line, in characters: a reason can be as long as a payload. */
export const MOST_CHARS = 4096;

/** The entry with long texts truncated; each says how much was left out. */
function truncateTexts(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, cut(value)]));
}

function cut(value: Json): Json {
  if (typeof value === "string") {
    const more = value.length - MOST_CHARS;
    return more > 0 ? `${value.slice(0, MOST_CHARS)}… (${more} more characters)` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(cut) : truncateTexts(value);
}

/** Maximum number of changed places that an entry lists for a hook. */
const MOST_PATHS = 100;

/**
 * The log line of a dispatch, before redaction. Never throws, whatever the payload contains.
 * @param config digest of the configuration, if there is one
 */
function dispatchEntry(settled: SettledDispatch, config: string | undefined): JsonObject {
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

/** The entry without undefined values. */
export function stated(entry: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );
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

// Entries other than dispatches.

/** Record reloads, failed reloads and dropped hooks. */
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

/** @param config the configuration that stays active */
function reloadFailed(
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

/** Records the answers to calls that hooks want approved. */
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
