import { closeSync, fstatSync, readSync } from "node:fs";
import { jsonOr, messageOf, OrcsError, orFail } from "../../core/index.ts";
import { failedWith, openToAppend, writeWhole } from "../../machine/index.ts";
import { NEWLINE } from "../audit/line.ts";
import { headerOf, headerText, MAX_RECORD_LINE, NO_RECORD } from "./format.ts";

/** Amount of text that is written at once, in characters, and the longest time it waits, in milliseconds. */
const BLOCK = 256 * 1024;
const WAIT_MS = 50;

export interface WriterOptions extends RecordOptions {
  /** Called once, when nothing more can be written, for example on a full disk. */
  readonly stopped: (error: OrcsError) => void;
  /** For tests: as `writeWhole`. */
  readonly write?: (file: number, text: string) => void;
}

/**
 * Appends lines to a record, many at once. A record is not an audit log: lines added less than 50 ms before a process
 * is killed may be missing. After `close`, all are written.
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

  /** Whether more lines can be added. */
  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Add a line with its line feed. Never throws.
   * @returns false when it exceeds the limit and was skipped
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

  /** Write pending lines. Never throws. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0 || this.#file === undefined) return;
    // Whole lines in one write: other processes append to the same file.
    const text = this.#lines.join("");
    this.#lines = [];
    this.#length = 0;
    const { write = writeWhole } = this.#options;
    try {
      write(this.#file, text);
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
    const why = `recording into ${file} stopped: ${messageOf(thrown)}`;
    stopped(new OrcsError("ORCS8008", why, { file }, { cause: thrown }));
  }
}

/** A character has at most three bytes. */
function isTooLong(line: string): boolean {
  return line.length > MAX_RECORD_LINE / 3 && Buffer.byteLength(line) > MAX_RECORD_LINE;
}

interface RecordOptions {
  readonly file: string;
  /** Whether secrets are kept. */
  readonly whole: boolean;
  /** Digest of the configuration, for the header. */
  readonly config?: string | undefined;
}

/** A header is far shorter. */
const HEADER_BYTES = 4096;
/** How long another process may be about to write to the file, in milliseconds. */
const PATIENCE_MS = 200;
const LOOK_MS = 5;

/**
 * Open a record for appending; create it if it does not exist.
 * @returns the file descriptor
 * @throws OrcsError ORCS8007 when the existing file cannot be continued, ORCS8008 when it cannot be opened
 */
export function openRecord(options: RecordOptions): number {
  const { file, whole, config } = options;
  return orFail(
    () => {
      const { opened, isNew } = open(file);
      try {
        if (isNew || !goesOn(opened, options)) writeWhole(opened, headerText(whole, config));
        return opened;
      } catch (thrown) {
        closeSync(opened);
        throw thrown;
      }
    },
    (cause) => {
      const why = `${file} cannot be opened for recording: ${messageOf(cause)}`;
      return new OrcsError("ORCS8008", why, { file }, { cause });
    },
  );
}

function open(file: string): { readonly opened: number; readonly isNew: boolean } {
  try {
    return { opened: openToAppend(file, { isNew: true }), isNew: true };
  } catch (thrown) {
    if (!failedWith(thrown, "EEXIST")) throw thrown;
    return { opened: openToAppend(file, {}, true), isNew: false };
  }
}

/**
 * Whether a file contains a record that can be continued; false when it is empty.
 * @throws OrcsError ORCS8007
 */
function goesOn(opened: number, { file, whole }: RecordOptions): boolean {
  const refuse = (why: string): OrcsError => new OrcsError("ORCS8007", `${file}: ${why}`, { file });
  const end = awaitedEnd(opened);
  if (end === "empty") return false;
  const header = headerOf(firstLine(opened));
  if (typeof header === "string") throw refuse(`${header}; record into another file`);
  if (end === "cut")
    throw refuse("its last line is incomplete; remove the line, or record into another file");
  if (header.whole === whole) return true;
  const [kept, wanted] = whole ? ["masked", "whole"] : ["whole", "masked"];
  throw refuse(`its secrets are ${kept}, but ${wanted} was requested; record into another file`);
}

/** The end of a file, once no other process is in the middle of a line. */
function awaitedEnd(opened: number): "empty" | "cut" | "line" {
  for (let waited = 0; ; waited += LOOK_MS) {
    const end = endOf(opened);
    if (end === "line" || waited >= PATIENCE_MS) return end;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

function endOf(opened: number): "empty" | "cut" | "line" {
  const { size } = fstatSync(opened);
  if (size === 0) return "empty";
  const last = Buffer.alloc(1);
  readSync(opened, last, 0, 1, size - 1);
  return last[0] === NEWLINE ? "line" : "cut";
}

/** As JSON; an invalid text when there is none. */
function firstLine(opened: number): unknown {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const got = bytes.subarray(0, readSync(opened, bytes, 0, HEADER_BYTES, 0));
  const end = got.indexOf(NEWLINE);
  return jsonOr(got.subarray(0, Math.max(0, end)).toString("utf8"), NO_RECORD);
}
