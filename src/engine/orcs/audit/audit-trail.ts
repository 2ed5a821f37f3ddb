import { isNote, messageOf, OrcsError, tookPoint } from "../../../core/index.ts";
import type {
  Clock,
  DispatchLog,
  FailureMode,
  Json,
  JsonObject,
  Logger,
  Outcome,
  Redactor,
  SettledDispatch,
  ShadowRun,
} from "../../../core/index.ts";
import { dispatchEntry, shadowEntry } from "./log-entries.ts";

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
  /** Called with each entry that was written, as it was written. */
  readonly written?: ((entry: JsonObject) => void) | undefined;
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

  shadow(run: ShadowRun): void {
    if (!this.all && isIdle(run)) return;
    void this.#append(shadowEntry(run, this.#options.config()));
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
    const denied = { action: "abort", reason: error.message, hook: AUDIT_HOOK } as const;
    return { ...denied, ctx, inject, ...(trace && { trace }) };
  }

  /**
   * Never rejects.
   * @param counts number of entries that are missing if this one is not written
   * @returns the reason why it was not written
   */
  #append(entry: JsonObject, counts = 1): Promise<OrcsError | undefined> {
    const written = this.#write(entry).then(
      () => this.#reportMissed(),
      (thrown: unknown) => this.#failed(thrown, counts),
    );
    this.#pending.add(written);
    return written.finally(() => this.#pending.delete(written));
  }

  async #write(entry: JsonObject): Promise<void> {
    if (this.#closed) throw new Error("the engine is closed");
    this.#sink ??= this.#options.open();
    // Texts are truncated after redaction: a secret that is cut in two is no longer recognised.
    const shown = truncateTexts(this.#options.redactor.value(entry));
    await this.#sink.append(shown);
    this.#options.written?.(shown);
  }

  /** As soon as the log can be written again, an entry records how many entries are missing. */
  #reportMissed(): undefined {
    const gap = this.#failures.ended();
    if (gap) void this.#append({ kind: "gap", ...gap }, gap.entries);
  }

  #failed(thrown: unknown, counts: number): OrcsError {
    const why = messageOf(thrown);
    const isOwn = thrown instanceof OrcsError && thrown.code === "ORCS8005";
    const error = isOwn
      ? thrown
      : new OrcsError("ORCS8005", `the audit log cannot be written: ${why}`, {}, { cause: thrown });
    try {
      this.#failures.tell(error.message, counts);
    } catch {
      // A logger that throws must not hold back the outcome.
    }
    return error;
  }
}

/** A persistent error is reported again after this many milliseconds: a full disk fails at every call. */
const AGAIN_MS = 60_000;

/** Reports a log that cannot be written: when it starts failing, at intervals while it fails, and when it recovers. */
class SinkFailures {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #missed = 0;
  #why = "";
  #reportedAt = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Count more missing entries. */
  tell(why: string, entries: number): void {
    const isFirst = this.#missed === 0;
    this.#missed += entries;
    const now = this.#clock.now();
    if (why === this.#why && now - this.#reportedAt < AGAIN_MS) return;
    this.#why = why;
    this.#reportedAt = now;
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
    shadow: (run) => {
      first.shadow?.(run);
      second.shadow?.(run);
    },
    take: (settled) => {
      const plain = saysNothing(settled);
      const one = plain && !first.all ? undefined : first.take(settled);
      const two = plain && !second.all ? undefined : second.take(settled);
      if (!one || !two) return one ?? two;
      return firstToDiffer(settled.outcome, one, two);
    },
  };
}

/** Whether a hook in shadow would have done nothing. */
function isIdle({ action, changes, failure, effects }: ShadowRun): boolean {
  if (failure || effects.length > 0 || !changes.every(({ path }) => isNote(path))) return false;
  if (action?.action !== "continue") return action === undefined;
  const { decision, inject = [] } = action;
  return decision === undefined && inject.length === 0;
}

/** Whether no hook decided, changed or failed, took an undo point, or was kept from running. */
function saysNothing(settled: SettledDispatch): boolean {
  const { began, outcome, failures, changed, stoppedBy, warned = [] } = settled;
  if (outcome.action !== "continue" || outcome.decision !== undefined || stoppedBy) return false;
  if (tookPoint(began, outcome)) return false;
  return failures.length === 0 && changed.length === 0 && warned.length === 0;
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
