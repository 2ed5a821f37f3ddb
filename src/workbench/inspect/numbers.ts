import { type LogLine, readLog, shadowReport } from "../../records/index.ts";
import type { JsonObject } from "../../core/index.ts";
import type { HookNumbers, NumbersAnswer } from "./api.ts";

const DAY_MS = 86_400_000;

/**
 * What hooks decided, from the audit log.
 * @param dir of the log
 * @param days how many, until now
 */
export function numbersOf(dir: string, days: number, now = Date.now()): NumbersAnswer {
  const counts = new Counts(days, now);
  try {
    const since = Date.parse(counts.days[0] ?? "");
    const shadow = shadowReport(counts.counted(readLog(dir)), { since });
    return { ...counts.answer, shadow };
  } catch {
    // Nothing was written yet.
    return { ...counts.answer, shadow: [] };
  }
}

class Counts {
  /** The oldest first. */
  readonly days: readonly string[];
  readonly #hooks = new Map<string, { -readonly [K in keyof HookNumbers]: HookNumbers[K] }>();
  #entries = 0;

  constructor(days: number, now: number) {
    this.days = Array.from({ length: days }, (_, i) =>
      new Date(now - (days - 1 - i) * DAY_MS).toISOString().slice(0, 10),
    );
  }

  /** The same lines, each of them counted when it is taken. */
  *counted(lines: Iterable<LogLine>): Generator<LogLine> {
    for (const line of lines) {
      if (line.record) this.add(line.record);
      yield line;
    }
  }

  add(record: NonNullable<LogLine["record"]>): void {
    const { time, kind, hook, action, decision, duration_ms, failures } = record;
    const day = typeof time === "string" ? this.days.indexOf(time.slice(0, 10)) : -1;
    if (day < 0 || kind !== "dispatch") return;
    this.#entries++;
    if (typeof hook === "string") {
      const of = this.#at(hook);
      of.decisions++;
      of.per_day[day] = (of.per_day[day] ?? 0) + 1;
      if (action === "abort") of.denied++;
      if (decision === "ask") of.asked++;
      if (action === "rewrite" || action === "replace") of.changed++;
      if (typeof duration_ms === "number") {
        of.slowest_ms = Math.max(of.slowest_ms, duration_ms);
        of.total_ms += duration_ms;
      }
    }
    for (const { hook: failed } of Array.isArray(failures) ? (failures as JsonObject[]) : []) {
      if (typeof failed === "string") this.#at(failed).failed++;
    }
  }

  get answer(): Omit<NumbersAnswer, "shadow"> {
    const hooks = [...this.#hooks.values()].sort((a, b) => b.decisions - a.decisions);
    return { days: this.days, entries: this.#entries, hooks };
  }

  #at(hook: string) {
    const known = this.#hooks.get(hook);
    if (known) return known;
    const per_day = this.days.map(() => 0);
    const counts = { decisions: 0, denied: 0, asked: 0, changed: 0, failed: 0 };
    const fresh = { hook, ...counts, slowest_ms: 0, total_ms: 0, per_day };
    this.#hooks.set(hook, fresh);
    return fresh;
  }
}
