/**
 * Call back on the signals that end a program.
 * @param ended gets the exit code of a program that a signal ends
 * @param how `once`: a second signal ends the program at once
 * @returns removes the handlers
 */
export function onEndingSignals(
  ended: (exitCode: number) => void,
  how: "on" | "once" = "once",
): () => void {
  const offs = Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }).map(([signal, number]) => {
    const end = (): void => ended(128 + number);
    process[how](signal, end);
    return () => process.off(signal, end);
  });
  return () => offs.forEach((off) => off());
}
