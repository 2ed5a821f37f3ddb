import {
  failedWith,
  fileBytes,
  fileText,
  makeFolder,
  objectInFile,
  realpath,
  replaceFile,
  sha256,
  withFileLock,
} from "../../machine/index.ts";
import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type HostName, messageOf, orUndefined } from "../../core/index.ts";

// Loaded by the process of every hook: it must stay light, and loads cryptography only when a file has changed.

/** The accepted state of a file. */
export interface AcceptedFile {
  /** SHA-256 of its content, of which there is a copy; null when there was no file. */
  readonly digest: string | null;
  /** Its place, links resolved. */
  readonly real: string;
  /** Its metadata while it had that content, from `looksOf`: while they are the same, it need not be read. */
  readonly looks: string;
  /** For an agent's settings: whose, and the program that starts orcs in its entries. */
  readonly settings?: { readonly host: HostName; readonly program: string } | undefined;
}

/** A change that no person has accepted. */
export interface OpenChange {
  /** Of the changed content, of which there is a copy; null when the file was removed. */
  readonly digest: string | null;
  /** When it was changed, in milliseconds since 1970. */
  readonly at: number;
  /**
   * `back`: it was put back. `stuck`: it could not be, for the reason in `why`. `waits`: it is not orcs' to put back,
   * and the accepted content stays active.
   */
  readonly state: "back" | "stuck" | "waits";
  readonly why?: string | undefined;
  /** When it was put back, in milliseconds since 1970. */
  readonly put?: number | undefined;
  /** Whether it is of the user's own configuration, whose accepted content is a seal. */
  readonly isOfUser?: true | undefined;
}

/** A content, or a reason why there is none. */
export type FileContent = Buffer | null | { readonly odd: string };

/** The files of a user that decide whether hooks run, as a person last accepted them, with a copy of each. */
export class AcceptedFiles {
  readonly #folder: string;
  readonly #record: string;
  readonly #open: string;
  readonly #writer: string;

  /** @param stateDir the user's state folder */
  constructor(stateDir: string) {
    this.#folder = join(stateDir, "accepted");
    this.#record = join(this.#folder, "files.json");
    this.#open = join(this.#folder, "changes.json");
    this.#writer = join(this.#folder, "writer");
  }

  /** Whether it was begun: before that, nothing is compared. */
  get isBegun(): boolean {
    return this.files().size > 0;
  }

  /** By path. Empty when there are none, or they cannot be read. */
  files(): Map<string, AcceptedFile> {
    return readMap<AcceptedFile>(this.#record);
  }

  /** By path. */
  changes(): Map<string, OpenChange> {
    return readMap<OpenChange>(this.#open);
  }

  /** The accepted content of a file that somebody has changed and that stays active; undefined for any other. */
  standIn(path: string): FileContent | undefined {
    const { state } = this.changes().get(path) ?? {};
    if (state !== "waits") return undefined;
    return this.content(this.files().get(path)?.digest ?? null);
  }

  /** Whether a change of the user's own configuration does not apply. */
  get holdsUser(): boolean {
    return [...this.changes().values()].some(({ isOfUser, state }) => isOfUser && state !== "back");
  }

  /** Whether a person's command is about to write the user's own configuration. */
  get isBeingWritten(): boolean {
    const look = (): boolean => {
      if (Date.now() - statSync(this.#writer).mtimeMs > WRITING_MS) return false;
      return process.kill(Number(fileText(this.#writer)), 0);
    };
    return orUndefined(look) ?? false;
  }

  /**
   * Keep others from comparing the user's own configuration while a person's command writes it. @returns what ends that
   */
  beginWriting(): () => void {
    if (!this.isBegun) return () => undefined;
    replaceFile(this.#writer, String(process.pid));
    return () => rmSync(this.#writer, { force: true });
  }

  /** A kept copy. @throws Error when it is damaged */
  content(digest: string | null): Buffer | null {
    if (digest === null) return null;
    const bytes = fileBytes(join(this.#folder, digest));
    if (sha256(bytes) !== digest) throw new Error(`the copy ${digest} is damaged`);
    return bytes;
  }

  /** Keep a copy. @returns its digest @throws the system's error */
  keep(bytes: Buffer | null): string | null {
    if (bytes === null) return null;
    const digest = sha256(bytes);
    const copy = join(this.#folder, digest);
    if (statSync(copy, { throwIfNoEntry: false })?.size !== bytes.length) {
      makeFolder(this.#folder);
      replaceFile(copy, bytes, { isDurable: true });
    }
    return digest;
  }

  /** Run something while no other process changes the record. @throws OrcsError ORCS5002 */
  locked<T>(run: () => T): T {
    makeFolder(this.#folder);
    return withFileLock(join(this.#folder, "lock"), run);
  }

  /** Write the record, within `locked`. @throws the system's error */
  write(files: ReadonlyMap<string, AcceptedFile>, changes: ReadonlyMap<string, OpenChange>): void {
    const write = (path: string, map: ReadonlyMap<string, object>): void =>
      replaceFile(path, `${JSON.stringify(Object.fromEntries(map))}\n`, { isDurable: true });
    write(this.#open, changes);
    write(this.#record, files);
  }

  /** The accepted state of a file with its present content, and a copy of that. @throws Error */
  present(path: string): AcceptedFile {
    const looks = looksOf(path);
    const bytes = contentOf(path);
    if (bytes !== null && "odd" in bytes) throw new Error(`${path} ${bytes.odd}`);
    return { digest: this.keep(bytes), real: realpath(path), looks };
  }

  /**
   * Write files on behalf of a person, or of orcs itself: what was as accepted before counts as accepted afterwards.
   * @param paths not yet accepted ones, too
   */
  moving<T>(paths: readonly string[], write: () => T): T {
    if (!this.isBegun) return write();
    return this.locked(() => {
      const files = this.files();
      const whole = paths.filter((path) => {
        const known = files.get(path);
        return known === undefined || isAsAccepted(path, known);
      });
      const done = write();
      for (const path of whole) files.set(path, { ...files.get(path), ...this.present(path) });
      this.write(files, this.changes());
      return done;
    });
  }
}

/** Whether a file has its accepted content. */
export function isAsAccepted(path: string, { digest, looks, real }: AcceptedFile): boolean {
  if (looksOf(path) === looks) return true;
  const bytes = contentOf(path);
  if (realpath(path) !== real || (bytes !== null && "odd" in bytes)) return false;
  return (bytes && sha256(bytes)) === digest;
}

/** Metadata of a file, which change with its content; empty when there is none. */
export function looksOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return "";
  const target = found.isSymbolicLink()
    ? statSync(path, { throwIfNoEntry: false, bigint: true })
    : undefined;
  return [found, target]
    .map((each) => each && `${each.ino} ${each.mode} ${each.size} ${each.mtimeNs} ${each.ctimeNs}`)
    .join("|");
}

/** No command writes for longer after a person has agreed, in milliseconds. */
const WRITING_MS = 60_000;

/** The content of a file, which is never waited for; null when there is none. */
export function contentOf(path: string): FileContent {
  try {
    return fileBytes(path);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT") && !lstatSync(path, { throwIfNoEntry: false })) return null;
    return { odd: `cannot be read: ${messageOf(thrown)}` };
  }
}

/** Write a file to where it was, never through a link that was not there. @throws Error */
export function restore(path: string, real: string, bytes: Buffer | null): void {
  const folder = dirname(real);
  if (bytes !== null) makeFolder(folder);
  if (realpathSync(folder) !== folder) throw new Error(`${folder} has become a link`);
  const isLinked = path !== real && realpath(path) === real;
  const target = isLinked || realpath(dirname(path)) !== dirname(path) ? real : path;
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new Error(`${target} has become a folder`);
  // Only a regular file can be replaced.
  if (bytes === null || found?.isFile() === false) rmSync(target, { force: true });
  if (bytes !== null) replaceFile(target, bytes, { keepsMode: true, isDurable: true });
}

function readMap<T>(file: string): Map<string, T> {
  // If there is none, or it is damaged, what it was about is accepted anew, or reported by whoever reads it.
  return new Map(Object.entries((objectInFile(file) ?? {}) as Record<string, T>));
}
