import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import {
  failedWith,
  makeFolder,
  objectInFile,
  replaceFile,
  textIfReadable,
} from "../../machine/index.ts";
import { type Link, NO_HASH } from "../../records/index.ts";
import { isShaped, isText, messageOf, OrcsError, orFail } from "../../core/index.ts";

/** How much of a log its receiver has confirmed. */
export interface Cursor extends Link {
  /** Where the next line is: in the file whose first line has this number. A hint: it is verified. */
  readonly place: Place | null;
  /** The last number of a batch that was sent and not confirmed: sent again, it ends there, and has the same id. */
  readonly sent: number | null;
}

/** A position in a file of a log. */
export interface Place {
  readonly first: number;
  /** In bytes. */
  readonly offset: number;
}

/** Nothing was sent yet. */
export const NOTHING_SENT: Cursor = { seq: 0, hash: NO_HASH, place: null, sent: null };

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
