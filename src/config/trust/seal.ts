import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  createFile,
  fileBytes,
  isSha256,
  makeFolder,
  moveFile,
  sha256,
} from "../../machine/index.ts";
import { exists } from "../discover.ts";
import { isPathInside, pathOfName } from "../path-inside.ts";
import {
  isPlainObject,
  isShaped,
  isText,
  messageOf,
  OrcsError,
  orFail,
  orUndefined,
} from "../../core/index.ts";

/** A file of a sealed set. */
export interface SealedFile {
  /** SHA-256 as hexadecimal digits. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Whether it is executable. */
  readonly isProgram: boolean;
  /** Made for the copy and not part of the project: it declares the type of its modules. */
  readonly isDerived: boolean;
}

/** The content of a seal. */
export interface SealContent {
  /** Names of its configurations, the weakest first. */
  readonly layers: readonly string[];
  /** By path in the project, with `/`. */
  readonly files: ReadonlyMap<string, SealedFile & { readonly bytes: Uint8Array }>;
}

/** A set of files as it was trusted: a copy in the user's state folder. Its hooks run from there. */
export class Seal implements SealContent {
  readonly digest: string;
  /** The folder that stands for the project's. */
  readonly directory: string;
  readonly layers: SealContent["layers"];
  readonly files: SealContent["files"];

  private constructor(directory: string, digest: string, { layers, files }: SealContent) {
    this.directory = directory;
    this.digest = digest;
    this.layers = layers;
    this.files = files;
  }

  /**
   * Write a set, unless an intact copy exists. The copy is complete or does not exist.
   * @throws OrcsError ORCS5002 when it cannot be written
   */
  static write(seals: string, content: SealContent): Seal {
    const digest = digestOf(content);
    const folder = join(seals, digest);
    const existing = orUndefined(() => Seal.open(seals, digest));
    if (existing) return existing;
    const aside = join(seals, `.new-${process.pid}-${randomUUID()}`);
    try {
      makeFolder(aside);
      chmodSync(seals, 0o700);
      for (const [name, file] of content.files) {
        const path = join(aside, FILES, name);
        makeFolder(dirname(path));
        createFile(path, file.bytes, { mode: file.isProgram ? 0o700 : 0o600, isDurable: true });
      }
      const manifest = { version: VERSION, ...manifestOf(content) };
      createFile(join(aside, MANIFEST), `${JSON.stringify(manifest)}\n`, { isDurable: true });
      return (
        Seal.#moveInPlace(aside, seals, digest) ?? new Seal(join(folder, FILES), digest, content)
      );
    } catch (thrown) {
      rmSync(aside, { recursive: true, force: true });
      throw new OrcsError("ORCS5002", `a seal cannot be written in ${seals}: ${messageOf(thrown)}`);
    }
  }

  /**
   * Read a set, and compare every byte with what was sealed.
   * @throws OrcsError ORCS8010 when it is missing or differs
   */
  static open(seals: string, digest: string): Seal {
    const folder = join(seals, digest);
    const read = (): Seal => {
      expectOwn(folder);
      const { layers, files } = readManifest(join(folder, MANIFEST));
      const content = files.map(([name, file]) => {
        const bytes = fileBytes(join(folder, FILES, name));
        if (sha256(bytes) !== file.hash) throw new Error(`${name} differs from the sealed content`);
        return [name, { ...file, bytes }] as const;
      });
      const seal = new Seal(join(folder, FILES), digest, { layers, files: new Map(content) });
      if (digestOf(seal) !== digest) throw new Error("it differs from the sealed content");
      return seal;
    };
    return orFail(read, (thrown) => unusable(folder, thrown));
  }

  /** @returns the copy that another process wrote meanwhile, if any; a damaged one is replaced */
  static #moveInPlace(aside: string, seals: string, digest: string): Seal | undefined {
    const folder = join(seals, digest);
    try {
      moveFile(aside, folder);
    } catch (thrown) {
      if (!lstatSync(folder, { throwIfNoEntry: false })) throw thrown;
      const written = orUndefined(() => Seal.open(seals, digest));
      if (written) {
        rmSync(aside, { recursive: true, force: true });
        return written;
      }
      const damaged = join(seals, `.damaged-${process.pid}-${randomUUID()}`);
      moveFile(folder, damaged);
      rmSync(damaged, { recursive: true, force: true });
      moveFile(aside, folder);
    }
    return undefined;
  }
}

const VERSION = 1;
const MANIFEST = "seal.json";
const FILES = "files";

/** A set without the content of its files. */
interface ListedContent {
  readonly layers: readonly string[];
  readonly files: Iterable<readonly [name: string, file: SealedFile]>;
}

/** SHA-256 of a whole set: any change in any file changes it. */
export function digestOf(content: ListedContent): string {
  return sha256(JSON.stringify(["orcs-seal-1", manifestOf(content)]));
}

function manifestOf({ layers, files }: ListedContent) {
  const entries = [...files].map(([name, { hash, size, isProgram, isDerived }]) => {
    return [name, { hash, size, isProgram, isDerived }] as const;
  });
  return { layers, files: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

interface Manifest extends ListedContent {
  readonly files: readonly (readonly [name: string, file: SealedFile])[];
}

/** Larger than the manifest of a set of ten thousand files. */
const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

/** The manifest of a seal, without reading its files. @throws Error */
function readManifest(file: string): Manifest {
  const read: unknown = JSON.parse(fileBytes(file, MAX_MANIFEST_BYTES).toString("utf8"));
  if (!isPlainObject(read) || read["version"] !== VERSION) throw new Error("its list is damaged");
  const { layers, files } = read;
  if (!Array.isArray(layers) || !isPlainObject(files)) throw new Error("its list is damaged");
  const entries = Object.entries(files).map(([name, entry]) => {
    if (!isBelow(name) || !isSealedFile(entry)) throw new Error("its list is damaged");
    return [name, entry] as const;
  });
  return { layers: layers.map(String), files: entries };
}

/** Whether a folder is a sealed copy, by its path. */
export function isSeal(directory: string): boolean {
  return basename(directory) === FILES && isSha256(basename(dirname(directory)));
}

/** The sealed files of a folder that is a copy. @throws Error when the content differs from what its path states */
export function sealOf(directory: string): ReadonlyMap<string, SealedFile> {
  const folder = dirname(directory);
  const list = readManifest(join(folder, MANIFEST));
  if (digestOf(list) !== basename(folder))
    throw new Error("its list differs from the sealed content");
  return new Map(list.files);
}

/** The manifest of a sealed set, by its digest. @throws Error */
export function sealedFiles(seals: string, digest: string): Manifest {
  const folder = join(seals, digest);
  return orFail(
    () => readManifest(join(folder, MANIFEST)),
    (thrown) => unusable(folder, thrown),
  );
}

function unusable(folder: string, thrown: unknown): OrcsError {
  const why = `the sealed copy ${folder} cannot be used: ${messageOf(thrown)}`;
  const remedy =
    "accept the current state with orcs trust, of your own configuration with orcs trust --user";
  return new OrcsError("ORCS8010", `${why}; ${remedy}`, { path: folder });
}

/** A path in a set must stay below its folder, whoever wrote it. */
function isBelow(name: string): boolean {
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function isSealedFile(entry: unknown): entry is SealedFile {
  const isNumber = (value: unknown): boolean => typeof value === "number";
  const isFlag = (value: unknown): boolean => typeof value === "boolean";
  return isShaped(entry, { hash: isText, size: isNumber, isProgram: isFlag, isDerived: isFlag });
}

/** Anybody who can write there can replace trusted files. */
function expectOwn(folder: string): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  for (const path of [dirname(folder), folder]) {
    const found = lstatSync(path);
    if (!found.isDirectory()) throw new Error(`${path} is not a directory`);
    if (found.uid !== uid) throw new Error(`${path} is owned by another user`);
    if ((found.mode & 0o077) !== 0)
      throw new Error(`${path} is accessible to other users: run chmod 700`);
  }
}

/** Whether a folder has exactly the content of a set; otherwise the names of differing files, at most `most`. */
export function differing(
  directory: string,
  { layers, files }: Manifest,
  configurations: readonly string[],
  most: number,
): string[] {
  const names: string[] = [];
  const extra = configurations.filter((name) => !layers.includes(name));
  for (const name of extra) if (exists(join(directory, name))) names.push(name);
  for (const [name, file] of files) {
    if (names.length >= most) break;
    const path = pathOfName(directory, name);
    if (file.isDerived || isSame(path, file)) continue;
    names.push(isPathInside(directory, path) ? name : path);
  }
  return names;
}

function isSame(path: string, { hash, size }: SealedFile): boolean {
  // A file of another size differs; it need not be read, however large it is.
  const look = (): boolean => statSync(path).size === size && sha256(fileBytes(path)) === hash;
  return orUndefined(look) ?? false;
}
