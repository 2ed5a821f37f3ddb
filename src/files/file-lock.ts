import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { messageOf, OrcsError } from "../core/errors.ts";

/** A process, so that another one which got its number later is not taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, as the system counts; undefined where it does not say. */
  readonly started: string | undefined;
  /** Where its number means something: a boot of a machine, and a container there. */
  readonly space: string | undefined;
}

/** One who wants the lock, as a line in its file. */
interface Claim extends ProcessIdentity {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How long a lock is waited for, in milliseconds: what it guards takes less than one. */
const PATIENCE_MS = 5000;
/** After so many milliseconds a claim is void of which nobody can say whether its process still runs. */
const STRANGER_MS = 2000;

/**
 * Run something while no other process or thread that asks for the same lock does. Whoever wants the lock adds
 * a line to its file, and has it when all before it have gone or are dead; whoever lets go empties the file, and
 * those who wait ask again. So nobody ever has to take away what another has left.
 * @param path of the lock file; its folder exists
 * @throws OrcsError ORCS5002 when it cannot be had; what `run` throws
 */
export function withFileLock<T>(path: string, run: () => T, self = ownIdentity()): T {
  const file = told(path, () => openSync(path, "a+", 0o600));
  try {
    const claim: Claim = { ...self, id: `${self.pid}-${Math.random()}`, at: Date.now() };
    told(path, () => take(file, path, self, claim));
    try {
      return run();
    } finally {
      ftruncateSync(file, 0);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * A kept file that has grown to this many bytes is emptied when the lock is let go of: it stays within one block of the
 * disk, so that a claim has room where the disk has none.
 */
const MAX_KEPT_BYTES = 3072;
/** So often a kept file is compared with what its path leads to, in milliseconds. */
const LOOK_MS = 10;

/**
 * The same lock for one who takes it often: its file stays open, and is not emptied each time. Whoever lets go
 * leaves a line of his own there. If that line and the claim behind it are all that has come since, nobody else has had
 * the lock in between, and nobody waits; anything else is read as `withFileLock` reads it.
 */
export class FileLock {
  readonly #path: string;
  readonly #self: ProcessIdentity;
  /** Of this object's claims, what their ids share: there may be others in the same process. */
  readonly #name: string;
  /** What its claims begin with, as JSON. */
  readonly #claim: string;
  readonly #bytes = Buffer.allocUnsafe(1024);
  #count = 0;
  #file: number | undefined;
  #identity = "";
  #lookedAt = -Infinity;
  /** Undefined where there is none to rely on. */
  #left: KeptLine | undefined;

  /** @param path of the lock file; its folder exists when the lock is taken */
  constructor(path: string, self = ownIdentity()) {
    this.#path = path;
    this.#self = self;
    this.#name = `${self.pid}-${Math.random()}`;
    this.#claim = JSON.stringify({ ...self, id: `${this.#name}-` }).slice(0, -'"}'.length);
  }

  /**
   * @param run told whether nobody else has had the lock since this object let go of it
   * @throws OrcsError ORCS5002 when it cannot be had; what `run` throws
   */
  hold<T>(run: (isUndisturbed: boolean) => T): T {
    const path = this.#path;
    const file = told(path, () => this.#opened());
    const left = this.#left;
    this.#left = undefined;
    const number = ++this.#count;
    const at = Date.now();
    const line = `\n${this.#claim}${number}","at":${at}}\n`;
    const isUndisturbed = told(path, () => {
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

  /** Let go of the file; it is opened again when it is needed. */
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
    const file = openSync(this.#path, "a+", 0o600);
    const { dev, ino } = fstatSync(file, { bigint: true });
    this.#identity = `${dev}:${ino}`;
    return (this.#file = file);
  }

  /**
   * On a full disk no line can be left, and a claim that stays would keep all others out: then the file is emptied.
   * @param at where the line will stand, if nobody has come meanwhile; undefined to empty the file first
   */
  #letGo(file: number, number: number, at: number | undefined): void {
    const line = `\n{"gone":"${this.#name}-${number}"}\n`;
    const isKept = at !== undefined && at < MAX_KEPT_BYTES;
    if (!isKept) ftruncateSync(file, 0);
    try {
      // Lines are ASCII: as many bytes as characters.
      if (writeSync(file, line) === line.length) {
        this.#left = { line, at: isKept ? at : 0 };
        return;
      }
    } catch {
      // There is no room for it.
    }
    if (isKept) ftruncateSync(file, 0);
  }

  /** Whether these two lines, one below the other, are all that a file holds from where the first one begins. */
  #isAllSince(file: number, { line, at }: KeptLine, claim: string): boolean {
    const wanted = line + claim;
    const bytes = this.#bytes;
    if (wanted.length >= bytes.length) return false;
    const read = readSync(file, bytes, 0, wanted.length + 1, at);
    return read === wanted.length && bytes.toString("latin1", 0, read) === wanted;
  }
}

/** A line that was left, and where it begins. */
interface KeptLine {
  readonly line: string;
  readonly at: number;
}

/** Identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid), space: ownSpace() };
}

function take(file: number, path: string, self: ProcessIdentity, claim: Claim): void {
  const until = performance.now() + PATIENCE_MS;
  for (let wait = 0.05; ; wait = Math.min(wait * 2, 5)) {
    const claims = readClaims(file);
    const first = claims.find((other) => other.id === claim.id || isHeld(other, self));
    if (first?.id === claim.id) return;
    if (!claims.some(({ id }) => id === claim.id)) {
      write(file, claim);
    } else if (performance.now() > until) {
      write(file, { gone: claim.id });
      const why = `${path} is still locked by process ${first?.pid}`;
      throw new OrcsError("ORCS5002", why, { path });
    } else {
      // State is asked for within a call of Lua, which cannot wait for a promise everywhere.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
}

function write(file: number, line: Claim | { readonly gone: string }): void {
  writeSync(file, lineOf(line));
}

/** A line of its own also after one that a crash cut short. Claims go in whole, one below the other. */
function lineOf(line: Claim | { readonly gone: string }): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** The claims in the order in which they were made, without those that were withdrawn. */
function readClaims(file: number): Claim[] {
  const bytes = Buffer.alloc(fstatSync(file).size);
  const lines = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0)).split("\n");
  const claims = new Map<string, Claim>();
  for (const [i, line] of lines.entries()) {
    try {
      const read = JSON.parse(line) as Partial<Claim> & { gone?: string };
      if (read.gone !== undefined) {
        // Where the disk is full it may lack its newline. Whoever wrote it then empties the file, and has the lock until
        // he does. Each line begins with a newline, too: behind a whole one there is an empty line.
        if (lines[i + 1] === "") claims.delete(read.gone);
      } else if (typeof read.id === "string") claims.set(read.id, read as Claim);
    } catch {
      // Empty, or cut short: whoever wrote it is dead, or does not find it and writes again.
    }
  }
  return [...claims.values()];
}

/** Whether somebody else may be within what the lock guards. */
function isHeld({ pid, started, space, at }: Claim, self: ProcessIdentity): boolean {
  if (space === self.space) {
    if (!isAlive(pid)) return false;
    const now = startOf(pid);
    if (started !== undefined && now !== undefined) return now === started;
  }
  return Math.abs(Date.now() - at) < STRANGER_MS;
}

/** Whether there is a process of that number, whoever's it is. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process was started; what ended and was not yet waited for counts as another one. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(fields[0] ?? "") ? "over" : fields[19];
  } catch {
    return undefined;
  }
}

function ownSpace(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

function told<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof OrcsError) throw thrown;
    const why = `${path} cannot be locked: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS5002", why, { path }, { cause: thrown });
  }
}
