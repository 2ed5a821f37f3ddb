import type { Logger } from "../../../core/index.ts";
import { LineSplitter } from "../../../machine/index.ts";

/** Longer lines are dropped, in bytes. */
const MAX_LINE = 8_192;
/** Lines in a period; further ones are only counted. */
const MAX_LINES = 100;
const PERIOD_MS = 10_000;

/** Writes what a process prints on stderr into the log, line by line, and not more than a log can take. */
export class StderrLog {
  readonly #name: string;
  readonly #logger: Logger;
  #since = -Infinity;
  #lines = 0;

  constructor(name: string, logger: Logger) {
    this.#name = name;
    this.#logger = logger;
  }

  /** Receives the output of one process. */
  reader(): (chunk: Buffer) => void {
    const splitter = new LineSplitter(MAX_LINE, {
      line: (bytes) => this.#line(bytes.toString("utf8").trimEnd()),
      tooLong: () => this.#line(`(a line of more than ${MAX_LINE} bytes)`),
    });
    return (chunk) => splitter.push(chunk);
  }

  #line(text: string): void {
    if (text === "") return;
    const now = performance.now();
    if (now - this.#since >= PERIOD_MS) {
      const dropped = this.#lines - MAX_LINES;
      if (dropped > 0) this.#logger.warn(`${this.#name}: ${dropped} lines of stderr were dropped`);
      [this.#since, this.#lines] = [now, 0];
    }
    if (++this.#lines <= MAX_LINES) this.#logger.info(`${this.#name}: ${text}`);
  }
}
