import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import type { Logger } from "../../../core/index.ts";
import { openToAppend, replaceFile, writeWhole } from "../../../machine/index.ts";
import { stateFull, type StateSlot } from "./local-store.ts";

/** A file larger than this many bytes is rewritten when most of it is history: every process reads all of it. */
const COMPACT_BYTES = 1 << 18;
const NEWLINE = 10;

/** The current content of a file of changes. Writing needs a lock, reading does not. */
export class StateLog {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #slots = new Map<string, StateSlot & { readonly bytes: number }>();
  /** Bytes of the lines that still count. */
  #bytes = 0;
  readonly #maxBytes: number;
  /** Kept open: as long as it is, no other file can get its inode. */
  #file: number | undefined;
  #inode = "";
  /** Bytes that were read, up to the end of a line. */
  #read = 0;
  /** Whether the file ends within a line. */
  #cut = false;
  #damaged = false;
  #compactAt = COMPACT_BYTES;

  /** @param maxBytes limit for all keys together */
  constructor(path: string, logger: Logger, now: () => number, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#logger = logger;
    this.#now = now;
  }

  at(key: string): StateSlot | undefined {
    this.#catchUp();
    const slot = this.#slots.get(key);
    return slot && this.#isLive(slot) ? slot : undefined;
  }

  /** Call only while the file is locked. */
  write(key: string, slot: StateSlot): void {
    this.#catchUp();
    const file = (this.#file ??= this.#open(false));
    const line = `${this.#cut ? "\n" : ""}${JSON.stringify({ key, ...slot })}\n`;
    const size = Buffer.byteLength(line);
    const after = this.#bytes - (this.#slots.get(key)?.bytes ?? 0) + size;
    if (slot.value !== undefined && after > this.#maxBytes) throw stateFull(key, this.#maxBytes);
    // A partly written line is skipped by the next reader.
    writeWhole(file, line, size);
    this.#catchUp();
    if (this.#damaged || this.#read > this.#compactAt) this.#compact();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#forget();
  }

  #isLive({ until }: StateSlot): boolean {
    return until === undefined || until > this.#now();
  }

  #open(isMissingError = true): number {
    const file = openToAppend(this.#path, {}, isMissingError);
    this.#inode = inodeOf(fstatSync(file, { bigint: true }));
    return file;
  }

  #catchUp(): void {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (!found) return this.close();
    if (this.#file === undefined || inodeOf(found) !== this.#inode) {
      this.close();
      this.#file = this.#open();
    }
    const { size } = fstatSync(this.#file);
    if (size < this.#read) this.#forget();
    this.#cut = size > this.#read && this.#readOn(this.#file, size);
  }

  #forget(): void {
    this.#slots.clear();
    this.#bytes = 0;
    this.#read = 0;
    this.#cut = false;
    this.#damaged = false;
    this.#compactAt = COMPACT_BYTES;
  }

  /** Whether the content ends within a line. */
  #readOn(file: number, size: number): boolean {
    const bytes = Buffer.alloc(size - this.#read);
    const got = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#read));
    const end = got.lastIndexOf(NEWLINE) + 1;
    this.#read += end;
    for (const line of got.subarray(0, end).toString("utf8").split("\n")) {
      if (line !== "") this.#take(line);
    }
    return end < got.length;
  }

  #take(line: string): void {
    try {
      const { key, value, until } = JSON.parse(line) as StateSlot & { key?: unknown };
      if (typeof key === "string" && (until === undefined || typeof until === "number")) {
        this.#bytes -= this.#slots.get(key)?.bytes ?? 0;
        if (value === undefined) this.#slots.delete(key);
        else {
          const bytes = Buffer.byteLength(line);
          this.#slots.set(key, { value, ...(until !== undefined && { until }), bytes });
          this.#bytes += bytes;
        }
        return;
      }
    } catch {
      // Reported below.
    }
    if (!this.#damaged) this.#logger.warn(`${this.#path}: a damaged line is skipped`);
    this.#damaged = true;
  }

  /** Rewrite the file when less than a quarter of it still counts, or when it is damaged. */
  #compact(): void {
    const live = [...this.#slots].filter(([, slot]) => this.#isLive(slot));
    const lines = live.map(
      ([key, slot]) => `${JSON.stringify({ key, ...slot, bytes: undefined })}\n`,
    );
    const bytes = Buffer.from(lines.join(""));
    this.#compactAt = Math.max(COMPACT_BYTES, bytes.length * 4);
    if (!this.#damaged && this.#read <= this.#compactAt) return;
    replaceFile(this.#path, bytes);
  }
}

function inodeOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}
