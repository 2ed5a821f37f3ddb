import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { headerOf, headerText, NO_RECORD } from "./record-header.ts";

export interface RecordOptions {
  readonly file: string;
  /** Whether secrets are kept as they are. */
  readonly whole: boolean;
  /** Digest of the configuration, for the header. */
  readonly config?: string | undefined;
}

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
/** A header is far shorter. */
const HEADER_BYTES = 4096;
const NEWLINE = 10;
/** How long a file may be about to be written by another process, in milliseconds. */
const PATIENCE_MS = 200;
const LOOK_MS = 5;

/**
 * Open a record to append to it; one that is not there is begun.
 * @returns the file's descriptor
 * @throws OrcsError ORCS8007 when what is there cannot be gone on with, ORCS8008 when it cannot be opened
 */
export function openRecord(options: RecordOptions): number {
  const { file, whole, config } = options;
  const begun = created(file);
  const opened = begun ?? existing(file);
  try {
    if (begun !== undefined || !goesOn(opened, options))
      writeSync(opened, headerText(whole, config));
    return opened;
  } catch (thrown) {
    closeSync(opened);
    throw thrown instanceof OrcsError ? thrown : notOpened(file, thrown);
  }
}

/** Undefined where the file is there already. */
function created(file: string): number | undefined {
  try {
    return openSync(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw notOpened(file, thrown);
  }
}

function existing(file: string): number {
  try {
    return openSync(file, O_RDWR | O_APPEND);
  } catch (thrown) {
    throw notOpened(file, thrown);
  }
}

/**
 * Whether a file holds a record that more can be appended to; false when it is empty.
 * @throws OrcsError ORCS8007
 */
function goesOn(opened: number, { file, whole }: RecordOptions): boolean {
  const refuse = (why: string): OrcsError => new OrcsError("ORCS8007", `${file}: ${why}`, { file });
  if (!fstatSync(opened).isFile()) throw refuse("this is no file that can be read again");
  const end = awaitedEnd(opened);
  if (end === "empty") return false;
  const header = headerOf(firstLine(opened));
  if (typeof header === "string") throw refuse(`${header}: record into another file`);
  if (end === "cut") throw refuse("its last line is cut: take it off, or record into another file");
  if (header.whole === whole) return true;
  const [kept, wanted] = whole ? ["masked", "whole"] : ["whole", "masked"];
  throw refuse(`secrets are ${kept} in it, and are to be ${wanted}: record into another file`);
}

/** How a file ends, once no other process is in the midst of a line. */
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

/** As JSON; a text that is none, where there is none. */
function firstLine(opened: number): unknown {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const got = bytes.subarray(0, readSync(opened, bytes, 0, HEADER_BYTES, 0));
  const end = got.indexOf(NEWLINE);
  try {
    return JSON.parse(got.subarray(0, Math.max(0, end)).toString("utf8"));
  } catch {
    return NO_RECORD;
  }
}

function notOpened(file: string, thrown: unknown): OrcsError {
  const why = `${file} cannot be opened to record: ${messageOf(thrown)}`;
  return new OrcsError("ORCS8008", why, { file }, { cause: thrown });
}
