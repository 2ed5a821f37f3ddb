import { closeSync, fdatasync, fdatasyncSync, fstatSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { orUndefined } from "../../core/index.ts";
import { moveFile, openToAppend, shorten, syncFolder, writeWhole } from "../../machine/index.ts";
import { lineBody, type Link, nextLine } from "./line.ts";
import { CURRENT, filesAside, nameAside } from "./log-files.ts";
import { firstOf, lastOfFiles, sha256Of, tailOf } from "./log-lines.ts";

/** The state of the file before a write. */
interface Standing {
  readonly isEmpty: boolean;
  /** Whether it ends within a line. */
  readonly isOpen: boolean;
  /** The incomplete line at its end, without a final newline. */
  readonly cut: { readonly bytes: number; readonly sha256: string } | undefined;
}

/** The current file of the chain. All methods are called while the lock is held. */
class ChainFile {
  readonly #dir: string;
  readonly #path: string;
  /** Whether names and rotated files are forced onto the disk. */
  readonly #syncs: boolean;
  file: OpenFile | undefined;
  /** The last line that this process knows, which the next one is chained to: a log that ends before it was truncated. */
  last: Link | undefined;
  /** Size of the file as this process left it, in bytes. */
  size = 0;
  #began: number | undefined;

  constructor(dir: string, syncs: boolean) {
    this.#dir = dir;
    this.#path = join(dir, CURRENT);
    this.#syncs = syncs;
  }

  /** When the first line of the open file was written, in milliseconds since 1970; NaN without one. */
  get began(): number {
    if (this.size === 0) return NaN;
    return (this.#began ??= Date.parse(firstOf(this.#open.fd)?.time ?? ""));
  }

  /**
   * Find the end of the chain, wherever other writers have moved it.
   * @param isUndisturbed whether no other writer was there since this one last wrote; any other change of the file is
   * detected anyway
   */
  reach(isUndisturbed = false): Standing {
    if (isUndisturbed && this.#isAsLeft()) {
      return { isEmpty: this.size === 0, isOpen: false, cut: undefined };
    }
    const isKnown = this.#reopen();
    const { fd } = this.#open;
    const { size } = fstatSync(fd);
    const isEmpty = size === 0;
    if (isKnown && size === this.size) return { isEmpty, isOpen: false, cut: undefined };
    const { last, end, ended } = tailOf(fd, size);
    const found = last ?? lastOfFiles(this.#dir, filesAside(this.#dir));
    if (found && found.seq >= (this.last?.seq ?? 0)) this.last = found;
    this.size = size;
    const cutEnd = ended ? size - 1 : size;
    const cut = end < size ? { bytes: cutEnd - end, sha256: sha256Of(fd, end, cutEnd) } : undefined;
    return { isEmpty, isOpen: !ended, cut };
  }

  /**
   * Append a text completely, or not at all.
   * @param bytes its length as UTF-8
   */
  put(text: string, bytes: number, last: Link): void {
    const { fd } = this.#open;
    try {
      writeWhole(fd, text, bytes);
    } catch (thrown) {
      const before = this.size;
      // If truncating fails as well, the file is read again.
      this.size = -1;
      shorten(fd, before);
      this.size = before;
      throw thrown;
    }
    this.size += bytes;
    this.last = last;
  }

  /** Rename the file and begin a new one. */
  setAside(): string {
    const old = this.#open;
    if (this.#syncs) fdatasyncSync(old.fd);
    const name = nameAside(firstOf(old.fd)?.seq ?? 1, filesAside(this.#dir));
    moveFile(this.#path, join(this.#dir, name));
    this.close();
    this.file = new OpenFile(this.#path, true);
    this.size = 0;
    if (this.#syncs) syncFolder(this.#dir);
    return name;
  }

  close(): void {
    this.file?.close();
    this.file = undefined;
    this.#began = undefined;
  }

  /** Whether the path still leads to the open file, and its size is as this process left it. */
  #isAsLeft(): boolean {
    if (!this.file) return false;
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return found !== undefined && this.file.is(found) && Number(found.size) === this.size;
  }

  get #open(): OpenFile {
    if (!this.file) throw new Error("the file is not open");
    return this.file;
  }

  /** Whether it is the file that was open before. */
  #reopen(): boolean {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found && this.file?.is(found)) return true;
    this.close();
    this.file = new OpenFile(this.#path);
    if (!found && this.#syncs) syncFolder(this.#dir);
    return false;
  }
}

/** Identifies a file for as long as it is open. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** A file for appending, which can be forced onto the disk without blocking the thread. */
class OpenFile {
  readonly fd: number;
  readonly #identity: FileIdentity;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #closing = false;

  /**
   * @param isNew fails if the file exists
   * @throws Error when it cannot be opened, or is not a regular file: a device would swallow the lines, a pipe would
   * wait for its reader
   */
  constructor(path: string, isNew = false) {
    this.fd = openToAppend(path, { isNew });
    const { dev, ino } = fstatSync(this.fd, { bigint: true });
    this.#identity = { dev, ino };
  }

  /** Whether a stat result is of this file. */
  is({ dev, ino }: FileIdentity): boolean {
    return ino === this.#identity.ino && dev === this.#identity.dev;
  }

  /** Resolves when everything written before the call is on the disk; one system call serves many callers. */
  sync(): Promise<void> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  /** Close it, at once or when pending syncs are done. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (!this.#running && !this.#next) this.#close();
  }

  #close(): void {
    // It is closed anyway; what was written has been confirmed before.
    orUndefined(() => closeSync(this.fd));
  }

  #start(): Promise<void> {
    this.#running = new Promise<void>((resolve, reject) => {
      fdatasync(this.fd, (error) => {
        this.#running = undefined;
        if (this.#closing && !this.#next) this.#close();
        if (error) reject(error);
        else resolve();
      });
    });
    return this.#running;
  }
}

/** Which rotated files are kept. Without a limit: all. */
export interface Retention {
  /** How old the last line of a file may get, in days. A file is rotated when it has begun a tenth of that ago. */
  readonly keepDays?: number | undefined;
  /** Bytes of all files together, a full one included; the newest rotated one is kept in any case. */
  readonly keepBytes?: number | undefined;
}

interface ChainWriterOptions extends Retention {
  readonly dir: string;
  /** Whether names and rotated files are forced onto the disk. */
  readonly syncs: boolean;
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The number of written lines, and the error that kept the rest from being written. */
export interface Written {
  readonly count: number;
  readonly failure?: unknown;
}

/** Text to be written in one call. */
interface Pending {
  text: string;
  bytes: number;
  last: Link | undefined;
  /** Lines of the caller in it. */
  count: number;
  /** Files to remove once it is written. */
  outdated: readonly string[];
}

/** Writes the lines of a chain over several files. All methods are called while the lock is held. */
export class ChainWriter {
  readonly #options: ChainWriterOptions;
  readonly chain: ChainFile;
  /** Whether the new file has no line of a caller yet. */
  #isFresh = false;

  constructor(options: ChainWriterOptions) {
    this.#options = options;
    this.chain = new ChainFile(options.dir, options.syncs);
  }

  /**
   * Append lines, each completely. Lines before one that fails stay.
   * @param isUndisturbed whether no other writer has held the lock since this one last wrote
   */
  write(bodies: readonly string[], isUndisturbed: boolean): Written {
    let count = 0;
    try {
      const time = new Date(this.#options.now()).toISOString();
      let pending = this.#begin(time, isUndisturbed);
      for (const body of bodies) {
        let line = nextLine(pending.last, time, body);
        const bytes = Buffer.byteLength(line.text) + 1;
        if (!this.#isFresh && this.#isFull(pending.bytes + bytes)) {
          count += this.#flush(pending);
          pending = this.#begun(this.chain.setAside(), time);
          line = nextLine(pending.last, time, body);
        }
        add(pending, line, bytes);
        pending.count++;
        this.#isFresh = false;
      }
      count += this.#flush(pending);
      return { count };
    } catch (failure) {
      return { count, failure };
    }
  }

  /** Lines that must come before any other. */
  #begin(time: string, isUndisturbed: boolean): Pending {
    const { isEmpty, isOpen, cut } = this.chain.reach(isUndisturbed);
    this.#isFresh = isEmpty;
    const before = isEmpty ? filesAside(this.#options.dir).at(-1) : undefined;
    if (before !== undefined) return this.#begun(before, time);
    const pending = this.#nothing();
    if (isOpen) {
      pending.text = "\n";
      pending.bytes = 1;
    }
    if (cut) {
      const record = { kind: "recovered", cut_bytes: cut.bytes, cut_sha256: cut.sha256 };
      add(pending, nextLine(pending.last, time, lineBody(record)));
    }
    return pending;
  }

  /** The first line of a new file. */
  #begun(from: string, time: string): Pending {
    const { dir } = this.#options;
    this.#isFresh = true;
    const pending = this.#nothing();
    const { outdated, by } = this.#outdated();
    const gone = lastOfFiles(dir, outdated);
    const removed = gone && {
      removed_through: gone.seq,
      removed_hash: gone.hash,
      removed_by: by,
    };
    if (gone) pending.outdated = outdated;
    const record = { kind: "rotated", from, ...removed };
    add(pending, nextLine(pending.last, time, lineBody(record)));
    return pending;
  }

  /** Whether the file is rotated before this many more bytes. */
  #isFull(bytes: number): boolean {
    const { maxBytes, keepDays, now } = this.#options;
    if (this.chain.size + bytes > maxBytes) return true;
    if (keepDays === undefined) return false;
    return now() - this.chain.began > (keepDays * DAY_MS) / 10;
  }

  /** The rotated files to remove, and the setting because of which. */
  #outdated(): { readonly outdated: readonly string[]; readonly by: string } {
    const { dir, maxBytes, keepDays = Infinity, keepBytes = Infinity, now } = this.#options;
    const aside = filesAside(dir);
    const files = aside.map((name) => statSync(join(dir, name), { throwIfNoEntry: false }));
    const isOld = (at: number): boolean => now() - (files[at]?.mtimeMs ?? 0) > keepDays * DAY_MS;
    let old = 0;
    while (old < files.length && isOld(old)) old++;
    let large = old;
    let left = maxBytes + files.slice(old).reduce((sum, file) => sum + (file?.size ?? 0), 0);
    for (; left > keepBytes && large < files.length - 1; large++) left -= files[large]?.size ?? 0;
    return { outdated: aside.slice(0, large), by: large > old ? "keep_mb" : "keep_days" };
  }

  #nothing(): Pending {
    return { text: "", bytes: 0, last: this.chain.last, count: 0, outdated: [] };
  }

  #flush({ text, bytes, last, count, outdated }: Pending): number {
    if (last && text !== "") this.chain.put(text, bytes, last);
    for (const name of outdated) {
      // Otherwise it is removed with the next one, or another process has removed it.
      orUndefined(() => unlinkSync(join(this.#options.dir, name)));
    }
    return count;
  }
}

const DAY_MS = 24 * 3600 * 1000;

function add(
  pending: Pending,
  line: Link & { readonly text: string },
  bytes = Buffer.byteLength(line.text) + 1,
): void {
  pending.text += `${line.text}\n`;
  pending.bytes += bytes;
  pending.last = line;
}
