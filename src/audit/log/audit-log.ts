import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FsyncPolicy } from "../../core/audit.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ChainWriter } from "./chain-writer.ts";
import type { Written } from "./chain-writer.ts";
import { lineBody, MAX_LINE_BYTES } from "./line.ts";
import { LOCK } from "./log-files.ts";

export interface AuditLogOptions {
  /** Where the files are; it is made when it is not there. */
  readonly dir: string;
  /** `withFileLock` of the host; hand it the identity of the process, or each write finds that out anew. */
  readonly lock: <T>(path: string, run: () => T) => T;
  readonly fsync: FsyncPolicy;
  /** A file that would grow beyond it is set aside. */
  readonly maxBytes: number;
  /** How many files that were set aside are kept; all where it is not said. */
  readonly keep?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** At most once in so many milliseconds with `fsync: "interval"`. */
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
  #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why what was written before may not be on the disk. */
  #lost: unknown;
  #closed = false;

  constructor(options: AuditLogOptions) {
    const { dir, fsync, maxBytes, keep, now = Date.now } = options;
    this.#options = options;
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
    const { file } = this.#writer;
    try {
      if (this.#options.fsync !== "never") await file?.sync();
    } catch {
      // Who waited for that has been told.
    }
    this.#writer.close();
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
    const { dir, lock } = this.#options;
    let written: Written | undefined;
    try {
      this.#tellLoss();
      if (!statSync(dir, { throwIfNoEntry: false })) {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
      }
      lock(join(dir, LOCK), () => (written = this.#writer.write(bodies)));
    } catch (failure) {
      // What was written counts, also when letting go of the lock failed.
      written ??= { count: 0, failure };
    }
    return written ?? { count: 0 };
  }

  /** Once, to whoever comes next: those who wrote it were answered long ago. */
  #tellLoss(): void {
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw lost;
  }

  /** Answer those whose lines are in the file. */
  #settle(written: readonly Waiting[]): void {
    const { fsync } = this.#options;
    const { file } = this.#writer;
    if (fsync === "always" && file && written.length > 0) {
      file.sync().then(
        () => written.forEach(({ resolve }) => resolve()),
        (thrown: unknown) => written.forEach(({ reject }) => reject(this.#failed(thrown))),
      );
      return;
    }
    for (const { resolve } of written) resolve();
    if (fsync === "interval") this.#timer ??= setTimeout(() => this.#sync(), INTERVAL_MS).unref();
  }

  #sync(): void {
    this.#timer = undefined;
    this.#writer.file?.sync().catch((thrown: unknown) => (this.#lost = thrown));
  }

  #failed(thrown: unknown): OrcsError {
    const { dir } = this.#options;
    const why = `the audit log in ${dir} cannot be written: ${messageOf(thrown)}`;
    return new OrcsError("ORCS8005", why, { path: dir }, { cause: thrown });
  }
}
