import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileBytes, isFileInside, realpath, sha256 } from "../../machine/index.ts";
import { isPathInside, outsideName } from "../path-inside.ts";
import { OrcsError } from "../../core/index.ts";
import { MODULE_NAME, modulePaths } from "./script-sources.ts";

/** A file of a set. */
interface SetFile {
  readonly bytes: Uint8Array;
  /** SHA-256 as hexadecimal digits. */
  readonly hash: string;
}

/** Limits of files, and of bytes in all, that are read at a start. */
const MAX_FILES = 10_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Limit of lookups for files that code or a command seems to name. */
const MAX_LOOKS = 40_000;

/** Counts the file lookups that the content of a project causes. */
export class LookBudget {
  #left = MAX_LOOKS;

  /** @throws OrcsError ORCS1020 when the limit is exceeded */
  spend(looks: number): void {
    this.#left -= looks;
    if (this.#left >= 0) return;
    const why = `its code and commands reference too many files (limit: ${MAX_LOOKS} look-ups)`;
    throw new OrcsError("ORCS1020", why);
  }
}

/** The files of a project, each read once. A file with several paths is one file. */
export class SetFiles {
  readonly #directory: string;
  /** By path in the project. */
  readonly #files = new Map<string, SetFile>();
  /** The same paths in the project, by absolute path as named. */
  readonly #names = new Map<string, string>();
  #bytes = 0;
  #isFull = false;

  /** @param directory links resolved */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whether the limit was reached; nothing more is read then. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Absolute paths, as named. */
  get paths(): readonly string[] {
    return [...this.#names.keys()];
  }

  /**
   * Each file by its path in the project, and by each path through links to folders, which a copy does not have.
   * @param directory of the project, as the paths of its files begin
   */
  namedFrom(directory: string): ReadonlyMap<string, SetFile> {
    const all = new Map(this.#files);
    for (const [path, real] of this.#names) {
      const file = this.#files.get(real);
      if (!file) continue;
      const isHere = isPathInside(directory, path);
      const name = isHere ? relative(directory, path).replaceAll(sep, "/") : outsideName(path);
      if (!all.has(name)) all.set(name, file);
    }
    return all;
  }

  /**
   * The bytes of a file, read at most once.
   * @throws what the file system throws; an Error for something that is not a plain file, or exceeds the limit
   */
  read(file: string): Uint8Array {
    return this.#keep(file, () => fileBytes(file)).bytes;
  }

  /** Add a file of a package under a name of its own. @throws Error when it exceeds the limit */
  addNamed(name: string, bytes: Uint8Array): void {
    if (!this.#files.has(name)) this.#add(name, bytes);
  }

  /** Add a file that was read. @throws Error when it exceeds the limit */
  add(file: string, bytes: Uint8Array): void {
    this.#keep(file, () => bytes);
  }

  /** The path in the project, by its real folder: independent of the path by which the project is reached. */
  nameOf(file: string): string {
    const folder = dirname(file);
    const path = join(realpath(folder), file.slice(folder.length));
    const name = relative(this.#directory, path);
    return (name === "" ? file : name).replaceAll(sep, "/");
  }

  /** Whether a file is outside of the project; for a link, its own place counts. */
  isOutside(file: string): boolean {
    return !isPathInside(this.#directory, join(realpath(dirname(file)), basename(file)));
  }

  /** The path in a copy of the project. Files outside of the project have a place of their own there. */
  sealedName(file: string): string {
    if (!this.isOutside(file)) return this.nameOf(file);
    return outsideName(join(realpath(dirname(file)), basename(file)));
  }

  #keep(file: string, read: () => Uint8Array): SetFile {
    const name = this.sealedName(file);
    const known = this.#files.get(name);
    const kept = known ?? this.#add(name, read());
    this.#names.set(file, name);
    return kept;
  }

  #add(name: string, bytes: Uint8Array): SetFile {
    this.#bytes += bytes.length;
    this.#isFull = this.#files.size >= MAX_FILES || this.#bytes > MAX_BYTES;
    if (this.#isFull) throw new Error(`it has more than ${MAX_FILES} files or ${MAX_BYTES} bytes`);
    const file = { bytes, hash: sha256(bytes) };
    this.#files.set(name, file);
    return file;
  }
}

/**
 * A module name in a call of `require`, or where `require` is passed to another function such as `pcall`. Comments
 * count as well.
 */
const REQUIRE =
  /\brequire\s*(?:[(,]\s*)?(?:"([\w.-]{1,255})"|'([\w.-]{1,255})'|\[(=*)\[([\w.-]{1,255})\]\3\])/g;

/**
 * The files that a piece of Lua requires by literal names, as `require` finds them.
 * @param roots folders to search, in order
 * @throws OrcsError ORCS1020 when too many names would have to be looked up
 */
export function requiredFiles(
  code: string,
  roots: readonly string[],
  budget = new LookBudget(),
): string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  for (const [, a, b, , c] of code.matchAll(REQUIRE)) {
    const name = a ?? b ?? c;
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    budget.spend(roots.length);
    const file = moduleFile(name, roots);
    if (file !== undefined) files.add(file);
  }
  return [...files];
}

function moduleFile(name: string, roots: readonly string[]): string | undefined {
  if (!MODULE_NAME.test(name)) return undefined;
  for (const root of roots) {
    const found = modulePaths(name)
      .map((path) => join(root, path))
      // Most do not exist, and throwing an error costs more than the lookup.
      .find((file) => existsSync(file) && isFileInside(root, file));
    if (found !== undefined) return found;
  }
  return undefined;
}
