/** Something to time; `batch` says how many operations one call does. */
export interface Subject {
  readonly name: string;
  readonly run: () => unknown;
}

const ROUNDS = 9;
const SAMPLE_MS = 25;

/**
 * Microseconds per call of each subject: the median over rounds in which the subjects take turns, so
 * that a slow moment of the machine hits all of them.
 */
export async function medians(subjects: readonly Subject[]): Promise<number[]> {
  const counts: number[] = [];
  for (const subject of subjects) counts.push(await calibrate(subject));
  const samples: number[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) {
      samples[i]?.push(await sample(subject, counts[i] ?? 1));
    }
  }
  return samples.map(median);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** How many calls fill one sample; warms the code up on the way. */
async function calibrate(subject: Subject): Promise<number> {
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
