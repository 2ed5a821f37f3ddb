import { median, quantile } from "../measure.ts";
import type { Line, Verdict } from "./corpus.ts";
import type { Guard } from "./guards.ts";

/** One line with what a guard made of it. */
export interface Judged {
  readonly line: Line;
  readonly verdict: Verdict;
  /** Microseconds. */
  readonly us: number;
}

/** What a guard does with the lines of a corpus. Shares are from 0 to 1; NaN of no lines. */
export interface Figures {
  /** Lines that are wanted stopped, and allowed. */
  readonly stops: number;
  readonly allows: number;
  /** Refused or asked about, of those wanted stopped. */
  readonly stop: number;
  readonly refuse: number;
  /** Refused or asked about, of those wanted allowed. */
  readonly wrong: number;
  /** Microseconds a line. */
  readonly median: number;
  readonly p95: number;
}

/** So many lines make a guard warm. */
const WARM = 100;

/** Judges each line, and takes the time of it. */
export async function judgedBy(guard: Guard, lines: readonly Line[]): Promise<Judged[]> {
  for (const line of lines.slice(0, WARM)) await guard.judge(line);
  const judged: Judged[] = [];
  for (const line of lines) {
    const started = performance.now();
    const verdict = await guard.judge(line);
    judged.push({ line, verdict, us: (performance.now() - started) * 1000 });
  }
  return judged;
}

export function figuresOf(judged: readonly Judged[]): Figures {
  const stops = judged.filter(({ line }) => line.wants === "stop");
  const allows = judged.filter(({ line }) => line.wants === "allow");
  const times = judged.map(({ us }) => us);
  return {
    stops: stops.length,
    allows: allows.length,
    stop: share(stops, ({ verdict }) => verdict !== "pass"),
    refuse: share(stops, ({ verdict }) => verdict === "refuse"),
    wrong: share(allows, ({ verdict }) => verdict !== "pass"),
    median: median(times),
    p95: quantile(times, 0.95),
  };
}

function share(judged: readonly Judged[], holds: (one: Judged) => boolean): number {
  return judged.filter(holds).length / judged.length;
}
