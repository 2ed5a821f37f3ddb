/** Something to time; `batch` says how many operations one call does. */
export interface Subject {
  readonly name: string;
  readonly run: () => unknown;
}

const ROUNDS = 25;
const SAMPLE_MS = 10;
/** Long enough for the compiler to have its last word: a subject measured while it is still cold is luck. */
const WARM_MS = 300;

/**
 * Microseconds per call of each subject: the lower quartile over rounds in which the subjects take turns.
 * A slow moment of the machine hits all of them, and what a neighbour took is no cost of ours or theirs.
 */
export async function timings(subjects: readonly Subject[]): Promise<number[]> {
  const counts: number[] = [];
  for (const subject of subjects) counts.push(await calibrate(subject));
  const samples: number[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) {
      samples[i]?.push(await sample(subject, counts[i] ?? 1));
    }
  }
  return samples.map((values) => quantile(values, 0.25));
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** How many calls fill one sample; warms the code up before. */
async function calibrate(subject: Subject): Promise<number> {
  const until = performance.now() + WARM_MS;
  while (performance.now() < until) await sample(subject, 100);
  let count = 1;
  for (;;) {
    const us = await sample(subject, count);
    const ms = (us * count) / 1000;
    if (ms >= SAMPLE_MS) return count;
    count = Math.ceil(count * Math.min(10, Math.max(1.5, SAMPLE_MS / Math.max(ms, 0.01))));
  }
}

async function sample({ run }: Subject, count: number): Promise<number> {
  const started = performance.now();
  const first = run();
  if (first instanceof Promise) {
    await first;
    for (let i = 1; i < count; i++) await run();
  } else for (let i = 1; i < count; i++) run();
  return ((performance.now() - started) * 1000) / count;
}

/** Sends a number of requests, one after another; gives the median in microseconds. */
export type Timed = (count: number) => Promise<number>;

export function timed(send: () => Promise<void>): Timed {
  return async (count) => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      await send();
      times.push((performance.now() - began) * 1000);
    }
    return median(times);
  };
}
