/**
 * Processor time of this process that a run takes, in milliseconds: the least of several rounds. What other processes
 * do, and for how long this one has to wait for its turn, counts for nothing.
 */
export function cpuMs(run: () => unknown, rounds = 3): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const started = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
