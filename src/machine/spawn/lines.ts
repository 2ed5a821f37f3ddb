import type { Writable } from "node:stream";
import { withTimeLimit } from "../../core/index.ts";

const NEWLINE = 10;

/** Receives a stream line by line. */
export interface Lines {
  /** A line with its original end. */
  line(bytes: Buffer): void;
  /** A line exceeded the limit and was dropped. */
  tooLong(): void;
  /** A line has just exceeded the limit; it may never end. */
  overflows?(): void;
}

/** Splits a stream at newlines, independent of chunks. Lines are the original bytes. */
export class LineSplitter {
  readonly #lines: Lines;
  readonly #maxBytes: number;
  /** Parts of the incomplete line. */
  #parts: Buffer[] = [];
  #length = 0;
  #tooLong = false;

  /** @param maxBytes of a line; a longer one is dropped */
  constructor(maxBytes: number, lines: Lines) {
    this.#maxBytes = maxBytes;
    this.#lines = lines;
  }

  /** Whether a line is incomplete. */
  get isWithin(): boolean {
    return this.#length > 0;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(NEWLINE, from);
      if (at === -1) break;
      if (at === chunk.length - 1 && from === 0 && this.#length === 0) return this.#whole(chunk);
      this.#take(chunk.subarray(from, at + 1));
      this.#flush();
      from = at + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  /** The stream has ended: pass on an incomplete line. */
  end(): void {
    if (this.#length > 0 || this.#tooLong) this.#flush();
  }

  /** A chunk that is a line, as most messages are. */
  #whole(chunk: Buffer): void {
    if (chunk.length <= this.#maxBytes) return this.#lines.line(chunk);
    this.#take(chunk);
    this.#flush();
  }

  #take(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes && !this.#tooLong) {
      this.#tooLong = true;
      this.#parts = [];
      this.#lines.overflows?.();
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

/** Writes whole lines. What can no longer be written is dropped. */
export class LineWriter {
  readonly #stream: Writable;
  #closed = false;
  /** Settles when nothing can be written any more. */
  readonly closed: Promise<void>;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.closed = new Promise((resolve) => {
      const close = (): void => {
        this.#closed = true;
        resolve();
      };
      stream.on("error", close);
      stream.on("close", close);
    });
  }

  write(line: Buffer): void {
    if (!this.#closed && !this.#stream.writableEnded) this.#stream.write(line);
  }

  /** Whether the reader is too slow. */
  get isFull(): boolean {
    return !this.#closed && this.#stream.writableNeedDrain;
  }

  /** Resolves when there is room again, or never will be. */
  async drained(): Promise<void> {
    if (!this.isFull) return;
    const drain = new Promise<void>((resolve) => this.#stream.once("drain", () => resolve()));
    await Promise.race([drain, this.closed]);
  }

  /**
   * Resolves when everything was delivered, or cannot be.
   * @param withinMs time limit in milliseconds
   */
  async flushed(withinMs: number): Promise<void> {
    if (this.#closed) return;
    const written = new Promise<void>((resolve) => this.#stream.write("", () => resolve()));
    await withTimeLimit(withinMs, Promise.race([written, this.closed]));
  }

  end(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }
}
