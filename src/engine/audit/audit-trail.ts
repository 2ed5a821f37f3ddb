import type { DispatchLog, SettledDispatch } from "../../core/audit.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { FailureMode } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Clock, Logger, Redactor } from "../../core/ports.ts";
import { dispatchEntry } from "./entries.ts";

/** Where entries go. */
export interface AuditSink {
  /** Resolves when the entry is written, rejects when it is not. */
  append(entry: JsonObject): Promise<void>;
  close(): Promise<void>;
}

interface AuditTrailOptions {
  /** Whether dispatches in which no hook decided, changed or failed are written, too. */
  readonly all: boolean;
  /** What becomes of an operation whose entry cannot be written. */
  readonly onError: FailureMode;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Digest of the configuration in force. */
  readonly config: () => string | undefined;
  /** Asked when the first entry comes, and again after it threw. */
  readonly open: () => AuditSink;
  /** Told of each entry that could not be written. */
  readonly failed: (error: OrcsError) => void;
}

/** The hook that a refusal names which no hook has made. */
const AUDIT_HOOK = "orcs:audit";

/**
 * Writes down what an engine does, and keeps back the answer until it is written. A log that cannot be written
 * refuses what it had to record at pre points, unless it is said to stay open.
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
   * Write an entry that is no dispatch. Never rejects.
   * @returns why something that waits for it has to be refused: where it could not be written, and is not to be
   *   done unrecorded
   */
  async note(entry: JsonObject): Promise<string | undefined> {
    const error = await this.#append(entry);
    return this.#options.onError === "closed" ? error?.message : undefined;
  }

  /** Write what is under way, then let go of the log: nothing can be written any more. */
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
   * @param counts how many entries are missing when it is not written
   * @returns why it was not written
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
    // Cut after secrets were masked: of one that is cut the rest is not known for a secret.
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
      // A logger that throws must not keep the answer back for ever.
    }
    return error;
  }
}

function isOwn(thrown: unknown): thrown is OrcsError {
  return thrown instanceof OrcsError && thrown.code === "ORCS8005";
}

/** The same mistake is told again after so many milliseconds: a full disk fails with each call. */
const AGAIN_MS = 60_000;

/** Tells of a log that cannot be written: when it begins, now and then while it lasts, and when it is over. */
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

  /** Count further missing entries. */
  tell(why: string, entries: number): void {
    const isFirst = this.#missed === 0;
    this.#missed += entries;
    const now = this.#clock.now();
    if (why === this.#why && now - this.#toldAt < AGAIN_MS) return;
    this.#why = why;
    this.#toldAt = now;
    this.#logger.error(isFirst ? why : `${why} (${this.#missed} entries lost so far)`);
  }

  /** An entry was written. @returns how many before it were not, and why, if there are any */
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
 * Two logs as one, or the one that there is. Each is handed what it asks for and no more: a dispatch that says
 * nothing goes to those that take all. Both are given the outcome of the hooks, and write at the same time; where
 * one could not, its outcome is answered, the first one's where both could not.
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

/** Whether no hook decided, changed, failed, or kept others from being asked. */
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

/** The longest text in a line of the log, in characters: a reason may be as long as a payload. */
export const MOST_CHARS = 4096;

/** The entry with long texts cut, and how much of each was left out. */
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
