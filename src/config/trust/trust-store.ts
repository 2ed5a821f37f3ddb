import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  appendToFile,
  failedWith,
  isSha256,
  makeFolder,
  moveFile,
  realpath,
  replaceFile,
  userStateDir,
  withFileLock,
} from "../../machine/index.ts";
import { isPlainObject, isShaped, isText, messageOf, OrcsError, orFail } from "../../core/index.ts";
import { AcceptedFiles } from "./accepted.ts";

/** A trusted set of files. */
export interface TrustedSet {
  /** SHA-256 of the whole set, which is the name of its seal. */
  readonly digest: string;
  /** The checked-out branch when it was trusted; null outside of git, or for a detached head. */
  readonly branch: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** The trust entry of one project. */
export type TrustedProject =
  | {
      /** The sets that may be active, the newest last. */
      readonly sets: readonly TrustedSet[];
      /** Digest of the set that each of its folders ran last, by real path. */
      readonly folders: Readonly<Record<string, string>>;
    }
  | { readonly dev: true; readonly at: string; readonly folders: Readonly<Record<string, string>> };

/** The last active version of the user's own configuration. */
export interface LastGood {
  readonly digest: string;
  /** ISO 8601. */
  readonly at: string;
  /** Metadata of its files then: while it is unchanged, they need not be read. */
  readonly looks: string;
}

/** All entries of the store. */
export interface TrustEntries {
  /** By `keyOf` of a repository, or the real path of a folder outside of one. */
  readonly projects: ReadonlyMap<string, TrustedProject>;
  /** By the folder of the user's configuration. */
  readonly user: ReadonlyMap<string, LastGood>;
}

export const NO_ENTRIES: TrustEntries = { projects: new Map(), user: new Map() };

const VERSION = 2;
/** Stands for a digest when a folder has run no sealed set. */
export const NO_DIGEST = "0".repeat(64);
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Folder beside the store. */
const SEALS = "seals";
/** A file in the seals folder that shows that a store existed. */
const MARK = ".store";

/** The file of the trust store, outside of every project. */
export function trustStorePath(): string {
  return join(userStateDir(), "trust.json");
}

/** Which projects the user trusts: one private file. If anybody else can write it, nothing is trusted. */
export class TrustStore {
  readonly path: string;

  constructor(path = trustStorePath()) {
    this.path = path;
  }

  get #accepted(): AcceptedFiles {
    return new AcceptedFiles(dirname(this.path));
  }

  /** Its path with the links of its folder resolved, as far as that exists. */
  get realPath(): string {
    return join(realpath(dirname(this.path)), basename(this.path));
  }

  /** The folder of sealed sets. */
  get sealsDir(): string {
    return join(dirname(this.path), SEALS);
  }

  /**
   * All entries.
   * @throws OrcsError ORCS8002 when the store is damaged, owned by somebody else or open to others, or is missing while
   * its seals exist
   */
  all(): TrustEntries {
    // What somebody changed during a session does not count until it is accepted.
    const accepted = this.#accepted.standIn(this.path);
    if (accepted instanceof Buffer) return this.#parse(accepted);
    let file: number;
    try {
      // Non-blocking: opening a pipe must not wait for a writer.
      file = openSync(this.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (thrown) {
      if (failedWith(thrown, "ENOENT")) return this.#nothing();
      const why = failedWith(thrown, "ELOOP")
        ? "is a symbolic link"
        : `cannot be read: ${messageOf(thrown)}`;
      throw this.#unusable(why);
    }
    try {
      // Checked on the open file: its name can be taken by another file meanwhile.
      this.#expectOwn(file);
      return this.#parse(readFileSync(file));
    } finally {
      closeSync(file);
    }
  }

  /** Change entries. @throws OrcsError ORCS8002, ORCS5002; nothing has changed then */
  change(
    edit: (entries: {
      readonly projects: Map<string, TrustedProject>;
      readonly user: Map<string, LastGood>;
    }) => void,
  ): void {
    orFail(() => makeFolder(dirname(this.path)), this.#notWritten);
    // Checked before writing: a link in place of the lock would lead elsewhere.
    this.#expectOwnFolder();
    withFileLock(`${this.path}.lock`, () => {
      const { projects, user } = this.all();
      const entries = { projects: new Map(projects), user: new Map(user) };
      edit(entries);
      this.#write({
        version: VERSION,
        projects: Object.fromEntries(entries.projects),
        user: Object.fromEntries(entries.user),
      });
    });
  }

  /**
   * Create the store if it does not exist, and a non-empty seals folder. Seals without a store mean that the store was
   * removed, even if all its entries were dev-trusted folders.
   * @throws OrcsError ORCS8002, ORCS5002
   */
  begin(): void {
    if (!lstatSync(this.path, { throwIfNoEntry: false })) this.change(() => undefined);
    orFail(() => {
      makeFolder(this.sealsDir);
      appendToFile(join(this.sealsDir, MARK), "");
    }, this.#notWritten);
  }

  /** Why the store cannot be used; undefined when it can. */
  get damage(): OrcsError | undefined {
    try {
      this.all();
      return undefined;
    } catch (thrown) {
      if (thrown instanceof OrcsError) return thrown;
      throw thrown;
    }
  }

  /**
   * Move an unusable store aside and create a new one. @throws OrcsError ORCS8002 when that one cannot be used either
   */
  beginAgain(): void {
    if (lstatSync(this.path, { throwIfNoEntry: false })) {
      moveFile(this.path, `${this.path}.damaged`);
    }
    this.renewIfGone();
    const { damage } = this;
    if (damage) throw damage;
  }

  /** Create a new store in place of a removed one; it trusts nothing. @throws OrcsError ORCS8002, ORCS5002 */
  renewIfGone(): void {
    if (lstatSync(this.path, { throwIfNoEntry: false })) return;
    makeFolder(dirname(this.path));
    this.#expectOwnFolder();
    this.#write({ version: VERSION, projects: {}, user: {} });
  }

  /** Removing the store must not silently deactivate everything that is sealed. */
  #nothing(): TrustEntries {
    if (hasEntries(this.sealsDir)) {
      throw this.#unusable(
        "is missing, but its seals still exist",
        "orcs doctor --repair creates a new one",
      );
    }
    return NO_ENTRIES;
  }

  #write(content: object): void {
    const text = `${JSON.stringify(content, null, 2)}\n`;
    const write = (): void => replaceFile(this.path, text, { isDurable: true });
    try {
      this.#accepted.moving([this.path], write);
    } catch (thrown) {
      throw this.#notWritten(thrown);
    }
  }

  readonly #notWritten = (thrown: unknown): OrcsError =>
    this.#unusable(`cannot be written: ${messageOf(thrown)}`);

  /** Anybody who can write there can trust anything. */
  #expectOwn(file: number): void {
    const uid = process.getuid?.();
    if (uid === undefined) return;
    const found = fstatSync(file);
    if (!found.isFile()) throw this.#unusable("is not a regular file");
    if (found.uid !== uid) throw this.#unusable("is owned by another user");
    if ((found.mode & 0o077) !== 0)
      throw this.#unusable("is accessible to other users: run chmod 600");
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
      throw this.#unusable("is in a folder that other users can write to");
    }
  }

  #parse(bytes: Buffer): TrustEntries {
    let read: unknown;
    try {
      if (!isUtf8(bytes)) throw new Error("it is not valid UTF-8");
      read = JSON.parse(bytes.toString("utf8"));
    } catch (thrown) {
      throw this.#unusable(`is damaged: ${messageOf(thrown)}`);
    }
    if (!isPlainObject(read)) throw this.#unusable("is damaged");
    if (read["version"] === 1) return fromFirstVersion(read["trusted"]);
    if (read["version"] !== VERSION) {
      throw this.#unusable(`has version ${JSON.stringify(read["version"])}; expected ${VERSION}`);
    }
    const { projects, user } = read;
    if (!isPlainObject(projects) || !isPlainObject(user)) throw this.#unusable("is damaged");
    const bad =
      Object.entries(projects).find(([, entry]) => !isTrustedProject(entry)) ??
      Object.entries(user).find(([, entry]) => !isLastGood(entry));
    if (bad) throw this.#unusable(`is damaged at ${JSON.stringify(bad[0])}`);
    return {
      projects: new Map(Object.entries(projects) as [string, TrustedProject][]),
      user: new Map(Object.entries(user) as [string, LastGood][]),
    };
  }

  #unusable(why: string, otherwise = "orcs doctor --repair moves it aside"): OrcsError {
    const message = `the trust store ${this.path} ${why}; nothing is trusted until it is restored; ${otherwise}`;
    return new OrcsError("ORCS8002", message, { path: this.path });
  }
}

/** The first version of the store kept no copies: its projects are known, and must be trusted again. */
function fromFirstVersion(trusted: unknown): TrustEntries {
  const projects = new Map<string, TrustedProject>();
  for (const [directory, entry] of Object.entries(isPlainObject(trusted) ? trusted : {})) {
    const isDev = isPlainObject(entry) && entry["dev"] === true;
    const at = isPlainObject(entry) && isText(entry["at"]) ? entry["at"] : "";
    const folders = { [directory]: NO_DIGEST };
    projects.set(directory, isDev ? { dev: true, at, folders } : { sets: [], folders });
  }
  return { projects, user: new Map() };
}

function isTrustedProject(entry: unknown): entry is TrustedProject {
  if (!isPlainObject(entry) || !isPlainObject(entry["folders"])) return false;
  if (!Object.values(entry["folders"]).every(isSha256)) return false;
  const { dev, at, sets } = entry;
  if (dev !== undefined) return dev === true && isText(at);
  return Array.isArray(sets) && sets.every(isTrustedSet);
}

function isTrustedSet(set: unknown): set is TrustedSet {
  const isBranch = (branch: unknown): boolean => branch === null || isText(branch);
  return isShaped(set, { digest: isSha256, at: isText, branch: isBranch });
}

function isLastGood(entry: unknown): entry is LastGood {
  return isShaped(entry, { digest: isSha256, at: isText, looks: isText });
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (thrown) {
    return !failedWith(thrown, "ENOENT");
  }
}
