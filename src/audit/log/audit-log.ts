import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FsyncPolicy } from "../../core/audit.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ChainWriter } from "./chain-file.ts";
import type { Written } from "./chain-file.ts";
import { moveHead } from "./head.ts";
import type { Head } from "./head.ts";
import { lineBody, MAX_LINE_BYTES } from "./line.ts";
import type { Link } from "./line.ts";
import { failedWith, LOCK } from "./log-files.ts";

/** Lets one writer at a time write to the log. */
export interface LogLock {
  /**
   * Run something while nobody else writes.
   * @param run told whether nobody else has written since this lock was held last
   */
  hold<T>(run: (isUndisturbed: boolean) => T): T;
  close(): void;
}

export interface AuditLogOptions {
  /** Where the files are; it is made when it is not there. */
  readonly dir: string;
  /** What keeps writers of the log from each other, made for its lock file: `FileLock` of the host. */
  readonly lock: (path: string) => LogLock;
  readonly fsync: FsyncPolicy;
  /** A file that would grow beyond it is set aside. */
  readonly maxBytes: number;
  /** How many files that were set aside are kept; all where it is not said. */
  readonly keep?: number | undefined;
  /** File that the last line is noted in, away from the log: what is cut off its end shows. Nowhere where it is not said. */
  readonly head?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/**
 * At most once in so many milliseconds lines are forced onto the disk with `fsync: "interval"`, and the last of them is
 * noted; the first of a quiet time at once.
 */
const INTERVAL_MS = 1000;
/** What a line has besides its body, at most. */
const ROOM_BYTES = 400;

interface Waiting {
  readonly body: string;
  readonly resolve: () => void;
  readonly reject: (error: OrcsError) => void;
}

/**
 * A log as files that several processes write: one JSON line for each entry, each with the hash of the one before.
 * Entries of one turn of the event loop are written together.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #writer: ChainWriter;
  readonly #lock: LogLock;
  /** Whether nobody else has held the lock since this process wrote last. */
  #isUndisturbed = false;
  #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When what the timer does was done last. */
  #doneAt = -Infinity;
  /** The last line that is in the file, and on the disk where lines are forced there. */
  #flushed: Link | undefined;
  /** As this process wrote it. */
  #head: Head | undefined;
  /** Why what was written before may not be on the disk. */
  #lost: unknown;
  #closed = false;

  constructor(options: AuditLogOptions) {
    const { dir, fsync, maxBytes, keep, now = Date.now } = options;
    this.#options = options;
    this.#lock = options.lock(join(dir, LOCK));
    this.#writer = new ChainWriter({ dir, syncs: fsync !== "never", maxBytes, keep, now });
  }

  /**
   * Append a line. Nothing is masked here: that is done before.
   * @returns resolves when the line is in the file, and with `fsync: "always"` on the disk
   * @throws OrcsError ORCS8005 when it cannot be written; nothing of it stays in the file then, unless it was the
   *   disk that did not take it
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

  /** Write what waits and let go of the files. What is appended afterwards is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#write();
    clearTimeout(this.#timer);
    const { file, last } = this.#writer;
    try {
      if (this.#options.fsync !== "never") await file?.sync();
      this.#flushed = last;
    } catch {
      // Who waited for that has been told.
    }
    this.#noteHead(this.#flushed);
    this.#writer.close();
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
    try {
      this.#tellLoss();
    } catch (failure) {
      return { count: 0, failure };
    }
    const written = this.#written(bodies);
    if (written.count > 0 || !isMissing(written.failure)) return written;
    try {
      mkdirSync(this.#options.dir, { recursive: true, mode: 0o700 });
    } catch (failure) {
      return { count: 0, failure };
    }
    // What is open belongs to a folder that is gone.
    this.#lock.close();
    return this.#written(bodies);
  }

  #written(bodies: readonly string[]): Written {
    let written: Written | undefined;
    try {
      this.#hold((isUndisturbed) => (written = this.#writer.write(bodies, isUndisturbed)));
      this.#isUndisturbed = written !== undefined && !("failure" in written);
    } catch (failure) {
      // What was written counts, also when letting go of the lock failed.
      written ??= { count: 0, failure };
    }
    return written ?? { count: 0 };
  }

  /**
   * The lock says what has happened since it was held last, and it is also held to note the head.
   * @param run told whether nobody else has held the lock since this process wrote last
   */
  #hold(run: (isUndisturbed: boolean) => void): void {
    const wasUndisturbed = this.#isUndisturbed;
    // It stays so when something is thrown.
    this.#isUndisturbed = false;
    let isUndisturbed = false;
    this.#lock.hold((isOwn) => {
      isUndisturbed = wasUndisturbed && isOwn;
      run(isUndisturbed);
    });
    this.#isUndisturbed = isUndisturbed;
  }

  /** Once, to whoever comes next: those who wrote it were answered long ago. */
  #tellLoss(): void {
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw lost;
  }

  /** Answer those whose lines are in the file. */
  #settle(written: readonly Waiting[]): void {
    if (written.length === 0) return;
    const { fsync } = this.#options;
    const { file, last } = this.#writer;
    if (fsync === "always" && file) {
      file.sync().then(
        () => this.#answer(written, last),
        (thrown: unknown) => written.forEach(({ reject }) => reject(this.#failed(thrown))),
      );
      return;
    }
    this.#wake();
    for (const { resolve } of written) resolve();
  }

  /** They are on the disk. */
  #answer(written: readonly Waiting[], last: Link | undefined): void {
    this.#flushed = last;
    this.#wake();
    for (const { resolve } of written) resolve();
  }

  /** Do soon what is done at intervals. */
  #wake(): void {
    const { fsync, head } = this.#options;
    if (this.#closed || (fsync !== "interval" && head === undefined)) return;
    const wait = Math.max(0, this.#doneAt + INTERVAL_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#keepUp(), wait).unref();
  }

  /** Force what was written onto the disk where that is wanted, and note the last of it. */
  #keepUp(): void {
    this.#timer = undefined;
    this.#doneAt = performance.now();
    const { fsync } = this.#options;
    const { file, last } = this.#writer;
    if (fsync === "interval" && file) {
      file.sync().then(
        () => this.#noteHead(last),
        (thrown: unknown) => (this.#lost = thrown),
      );
      return;
    }
    this.#noteHead(fsync === "never" ? last : this.#flushed);
  }

  /** Without it `verify` knows less; no entry is refused for that. */
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
      // It stays behind: a head that is too old is a true one.
    }
  }

  #failed(thrown: unknown): OrcsError {
    const { dir } = this.#options;
    const why = `the audit log in ${dir} cannot be written: ${messageOf(thrown)}`;
    return new OrcsError("ORCS8005", why, { path: dir }, { cause: thrown });
  }
}

/** Whether a call failed because a file or folder is not there. */
function isMissing(thrown: unknown): boolean {
  if (thrown instanceof OrcsError) return isMissing(thrown.cause);
  return failedWith(thrown, "ENOENT");
}
