import { fstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import {
  CURRENT,
  NO_HASH,
  filesAside,
  firstOf,
  firstSeqIn,
  opened,
  readForwards,
  tailLog,
  unreadable,
} from "../../records/index.ts";
import type { Link, Piece } from "../../records/index.ts";
import { randomUUID } from "node:crypto";
import {
  failedWith,
  makeFolder,
  objectInFile,
  replaceFile,
  textIfReadable,
} from "../../machine/index.ts";
import { OrcsError, isShaped, isText, messageOf, orFail } from "../../core/index.ts";

/** Lines of a log that follow each other. */
export interface NextLines {
  /** As they were written, without newlines. */
  readonly lines: readonly string[];
  readonly first: number;
  /** The hash of the line before the first one, as that states it. */
  readonly prev: string;
  readonly last: Link;
  /** Where the line after them is. */
  readonly place: Place;
  /** What is known to be confirmed before them: the start, if the log is not the one that was sent. */
  readonly after: Cursor;
  /** Whether there may be more. */
  readonly isFull: boolean;
}

/** How much is read at most. The first line is always read. */
interface ReadLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** Hooks are decided by the same thread: it is given back after so many bytes. */
const TURN_BYTES = 1 << 18;

/**
 * The lines of a log after a cursor; undefined when there are none. Lines that are not whole, and those without a
 * number and hash of their own, are left out: the receiver notices that they are missing.
 * @throws OrcsError ORCS8006 when the log cannot be read
 */
export async function nextLines(
  dir: string,
  cursor: Cursor,
  limits: ReadLimits,
): Promise<NextLines | undefined> {
  const found = await linesAfter(dir, cursor, limits);
  if (found === "other") return restarted(dir, limits);
  if (found || cursor.seq === 0) return found;
  // Nothing new, or a log that is shorter than what was sent of it.
  const last = lastLine(dir);
  const isOther =
    last && (last.seq < cursor.seq || (last.seq === cursor.seq && last.hash !== cursor.hash));
  return isOther ? restarted(dir, limits) : undefined;
}

/** Enough for what damage may have put behind the last line. */
const LAST_LINES = 16;

/** The line with the highest number near the end. It is taken at its word, as when it was sent. */
function lastLine(dir: string): Link | undefined {
  const links = tailLog(dir, LAST_LINES).flatMap(({ text }) => linkOf(text) ?? []);
  return links.toSorted((a, b) => a.seq - b.seq).at(-1);
}

async function restarted(dir: string, limits: ReadLimits): Promise<NextLines | undefined> {
  const found = await linesAfter(dir, NOTHING_SENT, limits);
  return found === "other" ? undefined : found;
}

/** "other" when the log is not the one that the cursor is of. */
async function linesAfter(
  dir: string,
  cursor: Cursor,
  limits: ReadLimits,
): Promise<NextLines | "other" | undefined> {
  const reader = new Reader(cursor, limits);
  // Where one was removed because of its age, the next one shows from where on.
  for (const { name, fd } of opened(dir, filesFrom(dir, Math.max(1, cursor.seq)))) {
    try {
      if (await reader.read(fd, firstSeqIn(name) ?? firstOf(fd)?.seq)) break;
    } catch (thrown) {
      throw unreadable(join(dir, name), thrown);
    }
  }
  return reader.result();
}

/** The files that may contain a line, and those after it. */
function filesFrom(dir: string, seq: number): string[] {
  const names = filesAside(dir);
  const at = names.findLastIndex((name) => (firstSeqIn(name) ?? 0) <= seq);
  return [...names.slice(Math.max(0, at)), CURRENT];
}

const START = /^\{"v":1,"seq":(\d{1,16}),/;
const END = /,"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;

class Reader {
  readonly #cursor: Cursor;
  readonly #limits: ReadLimits;
  readonly #lines: string[] = [];
  #bytes = 0;
  #first: { readonly seq: number; readonly prev: string } | undefined;
  #last: Link;
  #place: Place | undefined;
  #isOther = false;
  #isFull = false;
  #read = 0;

  constructor(cursor: Cursor, limits: ReadLimits) {
    this.#cursor = cursor;
    this.#limits = limits;
    this.#last = cursor;
  }

  /** @returns whether no further file is needed */
  async read(fd: number, firstSeq: number | undefined): Promise<boolean> {
    if (firstSeq === undefined) return false;
    const from = this.#offsetIn(fd, firstSeq);
    for (const piece of readForwards(fd, from)) {
      this.#read += piece.bytes.length + 1;
      if (this.#read > TURN_BYTES) {
        this.#read = 0;
        // The piece is copied first: its bytes are those of the reader.
        if (this.#take({ ...piece, bytes: Buffer.from(piece.bytes) }, firstSeq)) return true;
        await turn();
      } else if (this.#take(piece, firstSeq)) return true;
    }
    return false;
  }

  result(): NextLines | "other" | undefined {
    if (this.#isOther) return "other";
    if (!this.#first || !this.#place) return undefined;
    return {
      lines: this.#lines,
      first: this.#first.seq,
      prev: this.#first.prev,
      last: this.#last,
      place: this.#place,
      after: this.#cursor,
      isFull: this.#isFull,
    };
  }

  /** The hint of the cursor, if the line there follows what was sent. */
  #offsetIn(fd: number, firstSeq: number): number {
    const { place, seq, hash } = this.#cursor;
    if (place?.first !== firstSeq || this.#first) return 0;
    if (place.offset === fstatSync(fd).size) return place.offset;
    for (const { bytes } of readForwards(fd, place.offset)) {
      const line = linkOf(bytes.toString("utf8"));
      return line?.seq === seq + 1 && line.prev === hash ? place.offset : 0;
    }
    return 0;
  }

  /** @returns whether enough was read */
  #take({ bytes, start, ended, whole }: Piece, firstSeq: number): boolean {
    if (!ended || !whole) return false;
    const text = bytes.toString("utf8");
    const line = linkOf(text);
    if (!line) return false;
    const { seq, prev, hash } = line;
    if (seq === this.#cursor.seq && hash !== this.#cursor.hash) this.#isOther = true;
    if (this.#isOther) return true;
    if (seq <= this.#last.seq) return false;
    const { sent } = this.#cursor;
    const isOver = sent !== null && this.#first !== undefined && seq > sent;
    const isFull =
      this.#lines.length >= this.#limits.lines || this.#bytes + bytes.length > this.#limits.bytes;
    if (isOver || (isFull && this.#lines.length > 0)) {
      this.#isFull = true;
      return true;
    }
    this.#first ??= { seq, prev };
    this.#lines.push(text);
    this.#bytes += bytes.length + 1;
    this.#last = { seq, hash };
    this.#place = { first: firstSeq, offset: start + bytes.length + 1 };
    return false;
  }
}

function linkOf(text: string): { seq: number; prev: string; hash: string } | undefined {
  const seq = Number(START.exec(text)?.[1]);
  const [, prev, hash] = END.exec(text) ?? [];
  if (!Number.isSafeInteger(seq) || prev === undefined || hash === undefined) return undefined;
  return { seq, prev, hash };
}

/** How much of a log its receiver has confirmed. */
export interface Cursor extends Link {
  /** Where the next line is: in the file whose first line has this number. A hint: it is verified. */
  readonly place: Place | null;
  /** The last number of a batch that was sent and not confirmed: sent again, it ends there, and has the same id. */
  readonly sent: number | null;
}

/** A position in a file of a log. */
interface Place {
  readonly first: number;
  /** In bytes. */
  readonly offset: number;
}

/** Nothing was sent yet. */
const NOTHING_SENT: Cursor = { seq: 0, hash: NO_HASH, place: null, sent: null };

/** The cursor in a file; at the start if there is none, or it is damaged: what is sent again has the same ids. */
export function readCursor(file: string): Cursor {
  const read = objectInFile(file);
  return isCursor(read) ? read : NOTHING_SENT;
}

/** @throws OrcsError ORCS9332 */
export function writeCursor(file: string, cursor: Cursor): void {
  orFail(
    () => {
      makeFolder(dirname(file));
      replaceFile(file, `${JSON.stringify(cursor)}\n`);
    },
    (thrown) => notStored(file, thrown),
  );
}

/**
 * The id of this user on this machine, made when it is first needed.
 * @param state the user's state folder
 * @throws OrcsError ORCS9332
 */
export function machineId(state: string): string {
  const file = join(state, "machine-id");
  const known = idIn(file);
  if (known !== undefined) return known;
  const id = randomUUID();
  try {
    makeFolder(state);
    replaceFile(file, `${id}\n`, { isNew: true });
    return id;
  } catch (thrown) {
    // Two services may start at the same time.
    const other = failedWith(thrown, "EEXIST") ? idIn(file) : undefined;
    if (other !== undefined) return other;
    throw notStored(file, thrown);
  }
}

function idIn(file: string): string | undefined {
  const text = textIfReadable(file)?.trim() ?? "";
  return /^[\w-]{1,64}$/.test(text) ? text : undefined;
}

function notStored(file: string, cause: unknown): OrcsError {
  const why = `${file} cannot be written: ${messageOf(cause)}`;
  return new OrcsError("ORCS9332", why, { path: file }, { cause });
}

function isCursor(read: unknown): read is Cursor {
  const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  return isShaped(read, {
    seq: isNumber,
    hash: isText,
    place: (place) => place === null || isShaped(place, { first: isNumber, offset: isNumber }),
    sent: (sent) => sent === null || isNumber(sent),
  });
}
