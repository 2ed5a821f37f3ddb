import type { ShellReader, ShellReading } from "../core/shell.ts";
import { machineScope, readLine } from "./line-reading.ts";

/** Lines of which what they run is kept, and how long such a line may be. */
const KEPT_LINES = 32;

const KEPT_LENGTH = 4_096;

/** What a reader takes for known of the machine. */
export interface ReaderOptions {
  /** What `~` and `$HOME` stand for; not known when left out. */
  readonly home?: string | undefined;
}

/**
 * Make what lists the commands of a line. Several hooks look at one call: the last lines are remembered, so what
 * it answers is shared and must not be written to.
 */
export function createShellReader(options: ReaderOptions = {}): ShellReader {
  const machine = machineScope(options);
  const kept = new Map<string, ShellReading>();
  return {
    read(line, cwd) {
      if (line.length > KEPT_LENGTH || line.includes("\0")) return readLine(line, cwd, machine);
      const key = cwd === undefined ? line : `${cwd}\0${line}`;
      const known = kept.get(key);
      if (known) return known;
      const reading = readLine(line, cwd, machine);
      if (kept.size >= KEPT_LINES) {
        const [oldest] = kept.keys();
        if (oldest !== undefined) kept.delete(oldest);
      }
      kept.set(key, reading);
      return reading;
    },
  };
}
