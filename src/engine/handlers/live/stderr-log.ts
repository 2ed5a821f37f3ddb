import type { Logger } from "../../../core/index.ts";
import { LineSplitter } from "../../../machine/index.ts";

/** Longer lines are dropped, in bytes. */
const MAX_LINE = 8_192;
/** Lines in a period; further ones are only counted. */
const MAX_LINES = 100;
const PERIOD_MS = 10_000;

/**
 * Writes what processes print on stderr into the log, line by line, and not more than a log can take.
 * @returns makes a receiver for the output of one process
 */
export function stderrLog(name: string, logger: Logger): () => (chunk: Buffer) => void {
  let since = -Infinity;
  let lines = 0;
  const write = (text: string): void => {
    if (text === "") return;
    const now = performance.now();
    if (now - since >= PERIOD_MS) {
      const dropped = lines - MAX_LINES;
      if (dropped > 0) logger.warn(`${name}: ${dropped} lines of stderr were dropped`);
      [since, lines] = [now, 0];
    }
    if (++lines <= MAX_LINES) logger.info(`${name}: ${text}`);
  };
  return () => {
    const splitter = new LineSplitter(MAX_LINE, {
      line: (bytes) => write(bytes.toString("utf8").trimEnd()),
      tooLong: () => write(`(a line of more than ${MAX_LINE} bytes)`),
    });
    return (chunk) => splitter.push(chunk);
  };
}
