const MOST_LINES = 64;
/** Longest line, in characters. */
export const MOST_CHARS = 4096;

/** Keeps one handler's log within bounds: 64 lines of 4,096 characters; then one line that says so. */
export class LogBudget {
  #lines = 0;

  reset(): void {
    this.#lines = 0;
  }

  /** The text to log, or undefined when there has been enough. */
  admit(text: string): string | undefined {
    this.#lines++;
    if (this.#lines > MOST_LINES) return undefined;
    if (this.#lines === MOST_LINES) return "… further lines of this call are dropped";
    return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  }
}
