import { join } from "node:path";
import { failedWith, type FileLock, makeFolder } from "../../machine/index.ts";
import { type FsyncPolicy, type JsonObject, messageOf, OrcsError } from "../../core/index.ts";
import { ChainWriter, type Retention, type Written } from "./chain-file.ts";
import { type Head, moveHead } from "./head.ts";
import { lineBody, type Link, MAX_LINE_BYTES } from "./line.ts";
import { LOCK } from "./log-files.ts";

/** Lets one writer at a time write to the log. */
export type LogLock = Pick<FileLock, "hold" | "close">;

export interface AuditLogOptions extends Retention {
  /** The folder of the files; created when missing. */
  readonly dir: string;
  /** Creates the lock that separates writers of the log, for its lock file: `FileLock` of the engine. */
  readonly lock: (path: string) => LogLock;
  readonly fsync: FsyncPolicy;
  /** A file that would exceed it is rotated. */
  readonly maxBytes: number;
  /**
   * The file that records the last line, outside of the log's folder, so that a truncated log is detected. No such file
   * if missing.
   */
  readonly head?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/**
 * With `fsync: "interval"`, lines are forced onto the disk and the last one is recorded at most once in this many
 * milliseconds; after a quiet time at once.
 */
const INTERVAL_MS = 1000;
/** Maximum size of a line besides its body, in bytes. */
const ROOM_BYTES = 400;

interface Waiting {
  readonly body: string;
  readonly resolve: () => void;
  readonly reject: (error: OrcsError) => void;
}

/**
 * A log in files that several processes write: one JSON line per entry, each with the hash of the previous one. Entries
 * of one turn of the event loop are written together.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #writer: ChainWriter;
  readonly #lock: LogLock;
  /** Whether nobody else has held the lock since this process last wrote. */
  #isUndisturbed = false;
  #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer's work was last done. */
  #doneAt = -Infinity;
  /** The last line that is in the file, and on the disk if lines are forced there. */
  #flushed: Link | undefined;
  /** As written by this process. */
  #head: Head | undefined;
  /** Why earlier lines may not be on the disk. */
  #lost: unknown;
  #closed = false;

  constructor(options: AuditLogOptions) {
    const { dir, fsync, now = Date.now } = options;
    this.#options = options;
    this.#lock = options.lock(join(dir, LOCK));
    this.#writer = new ChainWriter({ ...options, syncs: fsync !== "never", now });
  }

  /**
   * Append a line. Nothing is redacted here: the caller does that.
   * @returns resolves when the line is in the file, and with `fsync: "always"` on the disk
   * @throws OrcsError ORCS8005 when it cannot be written; then nothing of it stays in the file, unless only the sync
   * failed
   */
  append(entry: JsonObject): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        if (this.#closed) throw new Error("it is closed");
        const body = lineBody(entry);
        if (
          body.length > MAX_LINE_BYTES / 3 &&
          Buffer.byteLength(body) > MAX_LINE_BYTES - ROOM_BYTES
        ) {
          throw new Error(`an entry is larger than ${MAX_LINE_BYTES} bytes`);
        }
        this.#waiting.push({ body, resolve, reject });
        this.#turn ??= setImmediate(() => this.#write());
      } catch (thrown) {
        reject(this.#failed(thrown));
      }
    });
  }

  /** Write pending lines and close the files. Later appends are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#write();
    clearTimeout(this.#timer);
    const { file, last } = this.#writer.chain;
    try {
      if (this.#options.fsync !== "never") await file?.sync();
      this.#flushed = last;
    } catch {
      // Callers that waited for it were informed.
    }
    this.#noteHead(this.#flushed);
    this.#writer.chain.close();
    this.#lock.close();
  }

  #write(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const { count, failure } = this.#locked(waiting.map(({ body }) => body));
    for (const { reject } of waiting.slice(count)) reject(this.#failed(failure));
    this.#settle(waiting.slice(0, count));
  }

  #locked(bodies: readonly string[]): Written {
    // Reported once, to the next caller: the writers of the lost lines have returned long ago.
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) return { count: 0, failure: lost };
    const written = this.#written(bodies);
    if (written.count > 0 || !isMissing(written.failure)) return written;
    try {
      makeFolder(this.#options.dir);
    } catch (failure) {
      return { count: 0, failure };
    }
    // The open file belongs to a removed folder.
    this.#lock.close();
    return this.#written(bodies);
  }

  #written(bodies: readonly string[]): Written {
    let written: Written | undefined;
    try {
      this.#hold((isUndisturbed) => (written = this.#writer.write(bodies, isUndisturbed)));
      this.#isUndisturbed = written !== undefined && !("failure" in written);
    } catch (failure) {
      // Written lines count, even if releasing the lock failed.
      written ??= { count: 0, failure };
    }
    return written ?? { count: 0 };
  }

  /**
   * Runs with the lock, which tells what happened since it was last held; also used to record the head.
   * @param run is told whether nobody else has held the lock since this process last wrote
   */
  #hold(run: (isUndisturbed: boolean) => void): void {
    const wasUndisturbed = this.#isUndisturbed;
    // It stays false when something is thrown.
    this.#isUndisturbed = false;
    let isUndisturbed = false;
    this.#lock.hold((isOwn) => {
      isUndisturbed = wasUndisturbed && isOwn;
      run(isUndisturbed);
    });
    this.#isUndisturbed = isUndisturbed;
  }

  /** Resolve the appends whose lines are in the file. */
  #settle(written: readonly Waiting[]): void {
    if (written.length === 0) return;
    const { file, last } = this.#writer.chain;
    const answer = (): void => {
      this.#wake();
      for (const { resolve } of written) resolve();
    };
    if (this.#options.fsync !== "always" || !file) return answer();
    const isOnDisk = (): void => {
      this.#flushed = last;
      answer();
    };
    file
      .sync()
      .then(isOnDisk, (thrown: unknown) =>
        written.forEach(({ reject }) => reject(this.#failed(thrown))),
      );
  }

  /** Schedule the work that is done at intervals. */
  #wake(): void {
    const { fsync, head } = this.#options;
    if (this.#closed || (fsync !== "interval" && head === undefined)) return;
    const wait = Math.max(0, this.#doneAt + INTERVAL_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#keepUp(), wait).unref();
  }

  /** Force written lines onto the disk if configured, and record the last one. */
  #keepUp(): void {
    this.#timer = undefined;
    this.#doneAt = performance.now();
    const { fsync } = this.#options;
    const { file, last } = this.#writer.chain;
    if (fsync === "interval" && file) {
      file.sync().then(
        () => this.#noteHead(last),
        (thrown: unknown) => (this.#lost = thrown),
      );
      return;
    }
    this.#noteHead(fsync === "never" ? last : this.#flushed);
  }

  /** Without it `verify` knows less; no entry is rejected because of that. */
  #noteHead(flushed: Link | undefined): void {
    this.#flushed = flushed;
    const { dir, head: path, now = Date.now } = this.#options;
    if (path === undefined || flushed === undefined || flushed.seq === this.#head?.seq) return;
    try {
      const time = new Date(now()).toISOString();
      this.#hold(() => {
        const { seq, hash } = flushed;
        this.#head = moveHead(path, { seq, hash, dir, time }, this.#head) ?? this.#head;
      });
    } catch {
      // Ignored: a head that is too old is still correct.
    }
  }

  #failed(thrown: unknown): OrcsError {
    const { dir } = this.#options;
    const why = `the audit log in ${dir} cannot be written: ${messageOf(thrown)}`;
    return new OrcsError("ORCS8005", why, { path: dir }, { cause: thrown });
  }
}

/** Whether a call failed because a file or folder does not exist. */
function isMissing(thrown: unknown): boolean {
  if (thrown instanceof OrcsError) return isMissing(thrown.cause);
  return failedWith(thrown, "ENOENT");
}
