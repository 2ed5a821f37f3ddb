import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { isUtf8 } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import { userStateDir } from "../config-directory.ts";
import { realpath } from "../realpath.ts";
import { withFileLock } from "../state/file-lock.ts";

/** What somebody has said of one project. */
export type Trusted =
  | {
      /** SHA-256 of the whole set. */
      readonly digest: string;
      /** SHA-256 of each of its files, by its path in the project. */
      readonly files: Readonly<Record<string, string>>;
      /** ISO 8601. */
      readonly at: string;
    }
  | { readonly dev: true; readonly at: string };

/** By the directory of a project, links resolved. */
type Entries = ReadonlyMap<string, Trusted>;

const VERSION = 1;
const DIGEST = /^[0-9a-f]{64}$/;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Where it is kept whom the user trusts: outside of every project. */
export function trustStorePath(): string {
  return join(userStateDir(), "trust.json");
}

/**
 * Which projects the user trusts: one file, the user's alone. Where it is not exactly that, nothing is trusted.
 */
export class TrustStore {
  readonly path: string;

  constructor(path = trustStorePath()) {
    this.path = path;
  }

  /** The same with the links of its folder resolved, as far as it is there. */
  get realPath(): string {
    return realPathOf(this.path);
  }

  /**
   * What is said of a project.
   * @param directory links resolved
   * @throws OrcsError ORCS8002 when the store is damaged, somebody else's, or open to others
   */
  get(directory: string): Trusted | undefined {
    return this.all().get(directory);
  }

  /** Everything that is said. @throws OrcsError ORCS8002 */
  all(): Entries {
    let file: number;
    try {
      // To open a pipe must not wait for a writer.
      file = openSync(this.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return new Map();
      const why = codeOf(thrown) === "ELOOP" ? "is a link" : `cannot be read: ${messageOf(thrown)}`;
      throw this.#unusable(why);
    }
    try {
      // Of the file that is open: another may take its name meanwhile.
      this.#expectOwn(file);
      return this.#parse(readFileSync(file));
    } finally {
      closeSync(file);
    }
  }

  /** Say something of a project, or nothing more. @throws OrcsError ORCS8002, ORCS5002; nothing has changed then */
  set(directory: string, trusted: Trusted | undefined): void {
    const folder = dirname(this.path);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      throw this.#unusable(`cannot be written: ${messageOf(thrown)}`);
    }
    // Before anything is written there: a link in the place of the lock would lead elsewhere.
    this.#expectOwnFolder();
    withFileLock(`${this.path}.lock`, () => {
      const entries = new Map(this.all());
      if (trusted) entries.set(directory, trusted);
      else entries.delete(directory);
      this.#write({ version: VERSION, trusted: Object.fromEntries(entries) });
    });
  }

  #write(content: object): void {
    const aside = `${this.path}.new`;
    try {
      rmSync(aside, { force: true });
      const file = openSync(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
        if (writeSync(file, bytes) < bytes.length) throw new Error("no space is left for it");
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(aside, this.path);
    } catch (thrown) {
      remove(aside);
      throw this.#unusable(`cannot be written: ${messageOf(thrown)}`);
    }
  }

  /** Who could write there could trust whatever he likes. */
  #expectOwn(file: number): void {
    const uid = process.getuid?.();
    if (uid === undefined) return;
    const found = fstatSync(file);
    if (!found.isFile()) throw this.#unusable("is no file");
    if (found.uid !== uid) throw this.#unusable("belongs to somebody else");
    if ((found.mode & 0o077) !== 0) throw this.#unusable("is open to others: chmod 600");
    this.#expectOwnFolder();
  }

  #expectOwnFolder(): void {
    const uid = process.getuid?.();
    if (uid === undefined) return;
    const path = dirname(this.path);
    const folder = statSync(path);
    const isOthers = [lstatSync(path), folder].some(
      (found) => found.uid !== uid && found.uid !== 0,
    );
    if (isOthers || (folder.mode & 0o022) !== 0) {
      throw this.#unusable("lies in a folder that others may write to");
    }
  }

  #parse(bytes: Buffer): Entries {
    let read: unknown;
    try {
      if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
      read = JSON.parse(bytes.toString("utf8"));
    } catch (thrown) {
      throw this.#unusable(`is damaged: ${messageOf(thrown)}`);
    }
    if (!isPlainObject(read) || !isPlainObject(read["trusted"])) throw this.#unusable("is damaged");
    if (read["version"] !== VERSION) {
      throw this.#unusable(`is of version ${JSON.stringify(read["version"])}, not ${VERSION}`);
    }
    const entries = Object.entries(read["trusted"]);
    const bad = entries.find(([, entry]) => !isTrusted(entry));
    if (bad) throw this.#unusable(`is damaged at ${JSON.stringify(bad[0])}`);
    return new Map(entries as [string, Trusted][]);
  }

  #unusable(why: string): OrcsError {
    const message = `the trust store ${this.path} ${why}; nothing is trusted until it is mended or removed`;
    return new OrcsError("ORCS8002", message, { path: this.path });
  }
}

/** Remove what was begun, if it can be. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {
    // Why nothing can be written there is told.
  }
}

function realPathOf(path: string): string {
  const folder = dirname(path);
  if (folder === path) return path;
  const real = realpath(folder);
  return join(real === folder ? realPathOf(folder) : real, basename(path));
}

function isTrusted(entry: unknown): entry is Trusted {
  if (!isPlainObject(entry) || typeof entry["at"] !== "string") return false;
  if (entry["dev"] !== undefined) return entry["dev"] === true && entry["digest"] === undefined;
  const { digest, files } = entry;
  if (typeof digest !== "string" || !DIGEST.test(digest) || !isPlainObject(files)) return false;
  return Object.values(files).every((hash) => typeof hash === "string" && DIGEST.test(hash));
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
