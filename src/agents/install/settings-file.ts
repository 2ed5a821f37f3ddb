import { isUtf8 } from "node:buffer";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ANY_FILE, fileBytes, stageFile, type StagedFile, upwards } from "../../machine/index.ts";
import { messageOf, OrcsError } from "../../core/index.ts";

/** A file as it was when it was read. */
export interface SettingsFile {
  /** As requested, absolute. */
  readonly path: string;
  /** Its place after links are resolved. */
  readonly file: string;
  /** Undefined when it does not exist. */
  readonly bytes: Buffer | undefined;
}

/** Read a file that may not exist. @throws OrcsError ORCS7004 */
export function readSettingsFile(path: string): SettingsFile {
  return withSettings(path, "cannot read", () => {
    const file = resolvedLinks(path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return { path, file, bytes: undefined };
    // Reading a pipe or a device would block.
    if (!found.isFile()) throw new Error("it is not a regular file");
    return { path, file, bytes: fileBytes(file) };
  });
}

/**
 * Replace a file atomically, and create missing folders.
 * @param who can read it: a new one all users, whatever the mask of this process is; this user alone; or its mode stays
 * @returns the folders that were created, the outermost first
 * @throws OrcsError ORCS7004, also when the file has changed since it was read; nothing was changed
 */
export function writeSettingsFile(
  { path, file, bytes }: SettingsFile,
  after: Buffer,
  who: "all" | "user" | "as before" = "as before",
): string[] {
  const made: string[] = [];
  let staged: StagedFile | undefined;
  try {
    // Renaming would ignore that a file is read-only.
    if (bytes) accessSync(file, constants.W_OK);
    makeFolder(dirname(file), made);
    if (who === "all") for (const folder of made) chmodSync(folder, 0o755);
    const mode = { all: 0o644, user: 0o600, "as before": ANY_FILE }[who];
    staged = stageFile(file, after, { mode, keepsMode: who !== "user", isDurable: true });
    expectUnchanged(path, bytes);
    staged.commit();
    return made;
  } catch (thrown) {
    staged?.discard();
    removeFolders(made);
    throw settingsError(path, "cannot write", thrown);
  }
}

/** Whether other users may read or change a file. */
export function isOpenToOthers(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** Remove a file. @throws OrcsError ORCS7004, also when it has changed since it was read */
export function removeSettingsFile({ path, file, bytes }: SettingsFile): void {
  withSettings(path, "cannot remove", () => {
    expectUnchanged(path, bytes);
    rmSync(file);
  });
}

/** Remove a temporary file, if possible. */
export function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A parent is not a folder, or is not accessible.
  }
}

/** Remove empty folders, the innermost (the last) first. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody has put something into it.
      return;
    }
  }
}

/** The error for settings that cannot be used. */
export function settingsError(path: string, what: string, thrown: unknown): OrcsError {
  if (thrown instanceof OrcsError) return thrown;
  const why = `${what} ${path}: ${messageOf(thrown)}; nothing was changed`;
  return new OrcsError("ORCS7004", why, { path }, { cause: thrown });
}

/** What a function returns; an error of it says what could not be done. @throws OrcsError ORCS7004 */
export function withSettings<T>(path: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw settingsError(path, what, thrown);
  }
}

const MOST_LINKS = 40;

/** The target of a path, even if its last link leads to nothing yet. */
function resolvedLinks(path: string): string {
  let file = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return file;
    if (!found.isSymbolicLink()) return realpathSync(file);
    file = resolve(dirname(file), readlinkSync(file));
  }
  throw new Error("its links lead nowhere");
}

function expectUnchanged(path: string, bytes: Buffer | undefined): void {
  const now = readSettingsFile(path).bytes;
  const isSame = bytes && now ? now.equals(bytes) : now === bytes;
  if (!isSame) throw new Error("it was changed in the meantime");
}

function makeFolder(folder: string, made: string[]): void {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  makeFolder(dirname(folder), made);
  mkdirSync(folder);
  made.push(folder);
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The text of settings, and their byte order mark. @throws Error when the bytes are not UTF-8 */
export function settingsText(bytes: Buffer | undefined) {
  if (bytes === undefined) return { mark: "", text: "" };
  if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
  const text = bytes.toString("utf8");
  return text.startsWith(BYTE_ORDER_MARK)
    ? { mark: BYTE_ORDER_MARK, text: text.slice(1) }
    : { mark: "", text };
}

const REPOSITORY_FOLDERS = [".git", ".hg", ".jj", ".svn"];

/** The repository that contains a file, existing or not; undefined if there is none. */
export function repositoryOf(file: string): string | undefined {
  const isOne = (at: string) => REPOSITORY_FOLDERS.some((name) => existsSync(join(at, name)));
  return [...upwards(dirname(file))].find(isOne);
}
