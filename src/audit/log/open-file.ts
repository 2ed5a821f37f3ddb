import { closeSync, constants, fdatasync, fstatSync, fsyncSync, openSync } from "node:fs";

const { O_RDWR, O_RDONLY, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK } = constants;

/** What tells one file from another for as long as it is open. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** A file that is written to, and forced onto the disk without keeping the thread waiting. */
export class OpenFile {
  readonly fd: number;
  readonly #identity: FileIdentity;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #closing = false;

  /**
   * @param isNew fails where there is one already
   * @throws Error when it cannot be opened, or is no file: a device swallows all, a pipe waits for its reader
   */
  constructor(path: string, isNew = false) {
    const flags = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | (isNew ? O_EXCL : 0);
    this.fd = openSync(path, flags, 0o600);
    const found = fstatSync(this.fd, { bigint: true });
    this.#identity = { dev: found.dev, ino: found.ino };
    if (found.isFile()) return;
    closeSync(this.fd);
    throw new Error(`${path} is not a regular file`);
  }

  /** Whether what was found at a path is this file. */
  is({ dev, ino }: FileIdentity): boolean {
    return ino === this.#identity.ino && dev === this.#identity.dev;
  }

  /** How many bytes it has. */
  size(): number {
    return fstatSync(this.fd).size;
  }

  /** Resolves once all that was written before the call is on the disk; one call of the system serves many. */
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

  /** At once, or when it is on the disk as far as somebody waits for that. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (!this.#running && !this.#next) this.#close();
  }

  #close(): void {
    try {
      closeSync(this.fd);
    } catch {
      // It is closed all the same; what was written was answered for before.
    }
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

/** Force the names in a folder onto the disk, as far as the system can. */
export function syncFolder(dir: string): void {
  let folder: number;
  try {
    folder = openSync(dir, O_RDONLY);
  } catch {
    // Not every system opens folders.
    return;
  }
  try {
    fsyncSync(folder);
  } catch {
    // Nor does every file system sync them.
  } finally {
    closeSync(folder);
  }
}
