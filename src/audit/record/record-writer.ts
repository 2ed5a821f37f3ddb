import { closeSync, writeSync } from "node:fs";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { MAX_RECORD_LINE } from "./format.ts";
import { openRecord } from "./open-record.ts";
import type { RecordOptions } from "./open-record.ts";

/** What is written at once, in characters, and how long it may wait for that, in milliseconds. */
const BLOCK = 256 * 1024;
const WAIT_MS = 50;

export interface WriterOptions extends RecordOptions {
  /** Told once, when nothing more can be written: a disk is full, say. */
  readonly stopped: (error: OrcsError) => void;
  /** For tests: as `writeSync`. */
  readonly write?: (file: number, bytes: Uint8Array) => number;
}

/**
 * Appends lines to a record, many at once. A record is no audit log: what was added less than 50 ms before a
 * process is killed may be missing. After `close` all of it is there.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  #file: number | undefined;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @throws OrcsError ORCS8007, ORCS8008 */
  constructor(options: WriterOptions) {
    this.#options = options;
    this.#file = openRecord(options);
  }

  /** Whether there is any use in adding lines. */
  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Add a line, its line feed included. Never throws.
   * @returns false when it is longer than one may be, and was left out
   */
  add(line: string): boolean {
    if (this.#file === undefined) return true;
    if (isTooLong(line)) return false;
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= BLOCK) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
    return true;
  }

  /** Write what was added. Never throws. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0 || this.#file === undefined) return;
    // Whole lines in one write: other processes append to the same file.
    let bytes: Uint8Array = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#length = 0;
    const { write = writeSync } = this.#options;
    try {
      while (bytes.length > 0) {
        const written = write(this.#file, bytes);
        if (written === 0) throw new Error("no space is left for it");
        bytes = bytes.subarray(written);
      }
    } catch (thrown) {
      this.#stop(thrown);
    }
  }

  close(): void {
    this.flush();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #stop(thrown: unknown): void {
    const { file, stopped } = this.#options;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    const why = `nothing more is recorded into ${file}: ${messageOf(thrown)}`;
    stopped(new OrcsError("ORCS8008", why, { file }, { cause: thrown }));
  }
}

/** A character takes three bytes at most. */
function isTooLong(line: string): boolean {
  return line.length > MAX_RECORD_LINE / 3 && Buffer.byteLength(line) > MAX_RECORD_LINE;
}
