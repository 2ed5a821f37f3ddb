const NEWLINE = 10;

/** Cuts a stream of bytes into lines, none longer than it may be. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a line has begun that has not ended. */
  get isWithin(): boolean {
    return this.#bytes > 0;
  }

  /**
   * The lines that end in a chunk, and whether one is too long: what follows it is no line any more.
   * Bytes that are not UTF-8 come as U+FFFD.
   */
  push(chunk: Buffer): { readonly lines: string[]; readonly isTooLong: boolean } {
    const lines: string[] = [];
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#bytes += part.length;
      if (this.#bytes > this.#maxBytes) {
        this.#parts = [];
        return { lines, isTooLong: true };
      }
      this.#parts.push(part);
      if (end < 0) break;
      const whole = this.#parts.length === 1 ? part : Buffer.concat(this.#parts);
      lines.push(whole.toString("utf8"));
      this.#parts = [];
      this.#bytes = 0;
      from = end + 1;
    }
    return { lines, isTooLong: false };
  }
}
