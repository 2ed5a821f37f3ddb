import { closeSync, fstatSync, readSync, statSync, writeSync } from "node:fs";
import { messageOf, OrcsError, orFail } from "../../core/index.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { openToAppend, shorten } from "./stored-file.ts";

/** A request for the lock, as a line in its file. */
interface Claim extends ProcessIdentity {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Maximum wait for a lock, in milliseconds: the guarded work takes less than one. */
const PATIENCE_MS = 5000;
/** A claim expires after this many milliseconds when nobody can tell whether its process still runs. */
const STRANGER_MS = 2000;

/**
 * Run something while no other process or thread holds the same lock. A waiter appends a line to the lock's file, and
 * has the lock when all claims before it are gone or dead. The holder empties the file to release it, and waiters
 * append again. So nobody ever has to remove a lock that another process left.
 * @param path of the lock file; its folder exists
 * @throws OrcsError ORCS5002 when the lock cannot be taken; what `run` throws
 */
export function withFileLock<T>(path: string, run: () => T, self = ownIdentity()): T {
  const file = withPath(path, () => openToAppend(path));
  try {
    const claim: Claim = { ...self, id: `${self.pid}-${Math.random()}`, at: Date.now() };
    withPath(path, () => take(file, path, self, claim));
    try {
      return run();
    } finally {
      shorten(file);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * A kept file that has grown to this many bytes is emptied at release. It stays within one disk block, so a claim fits
 * even on a full disk.
 */
const MAX_KEPT_BYTES = 3072;
/** How often a kept file is compared with the file at its path, in milliseconds. */
const LOOK_MS = 10;

/**
 * The same lock for frequent use: its file stays open and is not emptied at each release. Instead the holder leaves a
 * line of its own. If that line and the claim behind it are all that has been added since, nobody else had the lock in
 * between and nobody waits. Anything else is read as by `withFileLock`.
 */
export class FileLock {
  readonly #path: string;
  readonly #self: ProcessIdentity;
  /** The common part of the ids of this object's claims; a process can have several objects. */
  readonly #name: string;
  /** The common beginning of its claims, as JSON. */
  readonly #claim: string;
  readonly #bytes = Buffer.allocUnsafe(1024);
  #count = 0;
  #file: number | undefined;
  #identity = "";
  #lookedAt = -Infinity;
  /** Undefined when there is no line to rely on. */
  #left: KeptLine | undefined;

  /** @param path of the lock file; its folder exists when the lock is taken */
  constructor(path: string, self = ownIdentity()) {
    this.#path = path;
    this.#self = self;
    this.#name = `${self.pid}-${Math.random()}`;
    this.#claim = JSON.stringify({ ...self, id: `${this.#name}-` }).slice(0, -'"}'.length);
  }

  /**
   * @param run is told whether nobody else had the lock since this object released it
   * @throws OrcsError ORCS5002 when the lock cannot be taken; what `run` throws
   */
  hold<T>(run: (isUndisturbed: boolean) => T): T {
    const path = this.#path;
    const file = withPath(path, () => this.#opened());
    const left = this.#left;
    this.#left = undefined;
    const number = ++this.#count;
    const at = Date.now();
    const line = `\n${this.#claim}${number}","at":${at}}\n`;
    const isUndisturbed = withPath(path, () => {
      writeSync(file, line);
      if (left && this.#isAllSince(file, left, line)) return true;
      take(file, path, this.#self, { ...this.#self, id: `${this.#name}-${number}`, at });
      return false;
    });
    try {
      return run(isUndisturbed);
    } finally {
      const end = left && left.at + left.line.length + line.length;
      this.#letGo(file, number, isUndisturbed ? end : undefined);
    }
  }

  /** Close the file; it is opened again when needed. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#left = undefined;
  }

  #opened(): number {
    const now = performance.now();
    if (this.#file !== undefined && now - this.#lookedAt < LOOK_MS) return this.#file;
    this.#lookedAt = now;
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (this.#file !== undefined && found && `${found.dev}:${found.ino}` === this.#identity) {
      return this.#file;
    }
    this.close();
    const file = openToAppend(this.#path);
    const { dev, ino } = fstatSync(file, { bigint: true });
    this.#identity = `${dev}:${ino}`;
    return (this.#file = file);
  }

  /**
   * On a full disk no line can be left, and a remaining claim would lock out everybody else: then the file is emptied.
   * @param at where the line will be if nobody has come meanwhile; undefined to empty the file first
   */
  #letGo(file: number, number: number, at: number | undefined): void {
    const line = `\n{"gone":"${this.#name}-${number}"}\n`;
    const isKept = at !== undefined && at < MAX_KEPT_BYTES;
    if (!isKept) shorten(file);
    try {
      // Lines are ASCII: bytes and characters are the same.
      if (writeSync(file, line) === line.length) {
        this.#left = { line, at: isKept ? at : 0 };
        return;
      }
    } catch {
      // The line does not fit.
    }
    if (isKept) shorten(file);
  }

  /** Whether a file contains nothing but these two adjacent lines from where the first one begins. */
  #isAllSince(file: number, { line, at }: KeptLine, claim: string): boolean {
    const wanted = line + claim;
    const bytes = this.#bytes;
    if (wanted.length >= bytes.length) return false;
    const read = readSync(file, bytes, 0, wanted.length + 1, at);
    return read === wanted.length && bytes.toString("latin1", 0, read) === wanted;
  }
}

/** A line that was left, and its offset. */
interface KeptLine {
  readonly line: string;
  readonly at: number;
}

function take(file: number, path: string, self: ProcessIdentity, claim: Claim): void {
  const until = performance.now() + PATIENCE_MS;
  for (let wait = 0.05; ; wait = Math.min(wait * 2, 5)) {
    const claims = readClaims(file);
    const first = claims.find((other) => other.id === claim.id || isHeld(other, self));
    // Claims before it are of dead processes. The last act of one of them may have been to release the lock after they
    // were read, and with it to remove this claim: only what is in the file now counts.
    const isFirst = first?.id === claim.id;
    if (isFirst && (claims[0] === first || isIn(readClaims(file), claim))) return;
    if (isFirst || !isIn(claims, claim)) {
      write(file, claim);
    } else if (performance.now() > until) {
      write(file, { gone: claim.id });
      const why = `${path} is still locked by process ${first?.pid}`;
      throw new OrcsError("ORCS5002", why, { path });
    } else {
      // Called within a synchronous call of Lua, where a promise cannot be awaited.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
}

function isIn(claims: readonly Claim[], { id }: Claim): boolean {
  return claims.some((claim) => claim.id === id);
}

/** Begins with a newline, in case a crash cut the previous line short. Claims are written in one call. */
function write(file: number, line: Claim | { readonly gone: string }): void {
  writeSync(file, `\n${JSON.stringify(line)}\n`);
}

/** The claims in order, without those that were withdrawn. */
function readClaims(file: number): Claim[] {
  const bytes = Buffer.alloc(fstatSync(file).size);
  const lines = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0)).split("\n");
  const claims = new Map<string, Claim>();
  for (const [i, line] of lines.entries()) {
    try {
      const read = JSON.parse(line) as Partial<Claim> & { gone?: string };
      if (read.gone !== undefined) {
        // On a full disk its newline may be missing. Its writer then empties the file, and holds the lock until that is
        // done. Each line also begins with a newline, so a complete line is followed by an empty one.
        if (lines[i + 1] === "") claims.delete(read.gone);
      } else if (typeof read.id === "string") claims.set(read.id, read as Claim);
    } catch {
      // Empty or incomplete: its writer is dead, or will not find it and writes again.
    }
  }
  return [...claims.values()];
}

/** Whether another process may be inside the guarded section. */
function isHeld(claim: Claim, self: ProcessIdentity): boolean {
  return isRunning(claim, self) ?? Math.abs(Date.now() - claim.at) < STRANGER_MS;
}

function withPath<T>(path: string, run: () => T): T {
  return orFail(run, (cause) => {
    const why = `${path} cannot be locked: ${messageOf(cause)}`;
    return new OrcsError("ORCS5002", why, { path }, { cause });
  });
}
