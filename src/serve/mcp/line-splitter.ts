const NEWLINE = 10;

/** What a stream of bytes gives, line by line. */
export interface Lines {
  /** A line with its end as it came. */
  line(bytes: Buffer): void;
  /** A line was longer than may be; nothing of it is told. */
  tooLong(): void;
}

/** Cuts a stream at its newlines, whatever chunks it comes in. Lines are the very bytes. */
export class LineSplitter {
  readonly #lines: Lines;
  readonly #maxBytes: number;
  /** Of the line that has no end yet. */
  #parts: Buffer[] = [];
  #length = 0;
  #tooLong = false;

  /** @param maxBytes of a line; what is longer is dropped */
  constructor(maxBytes: number, lines: Lines) {
    this.#maxBytes = maxBytes;
    this.#lines = lines;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(NEWLINE, from);
      if (at === -1) break;
      this.#take(chunk.subarray(from, at + 1));
      this.#flush();
      from = at + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  /** The stream has ended: tell of the line that has no end. */
  end(): void {
    if (this.#length > 0 || this.#tooLong) this.#flush();
  }

  #take(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#tooLong = true;
      this.#parts = [];
    }
    if (!this.#tooLong) this.#parts.push(part);
  }

  #flush(): void {
    const [first] = this.#parts;
    const line = first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    const tooLong = this.#tooLong;
    this.#parts = [];
    this.#length = 0;
    this.#tooLong = false;
    if (tooLong) this.#lines.tooLong();
    else this.#lines.line(line);
  }
}
