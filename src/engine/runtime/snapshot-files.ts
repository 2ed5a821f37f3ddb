import { createHash } from "node:crypto";
import { constants, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import {
  createFile,
  failedWith,
  makeFolder,
  moveFile,
  replaceFileLater,
} from "../../machine/index.ts";
import { beginning, isPlainObject, messageOf, OrcsError, toJson } from "../../core/index.ts";
import type { Json, Logger } from "../../core/index.ts";
import type { SnapshotStore } from "./runtime-host.ts";

/** Largest file that is read or written, in bytes. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Snapshots as JSON files of a folder, one per component. Files are replaced atomically: a reader, also after a crash,
 * finds the old or the new snapshot. Saves and loads of a component run one after the other.
 * @param dir absolute; created by the first save, accessible by its owner only
 */
export function snapshotFiles(dir: string, logger: Logger): SnapshotStore {
  const turns = new KeyedMutex();
  return {
    load(component) {
      const file = join(dir, fileName(component));
      const work = (): Promise<Json | undefined> => load(file, component, logger);
      return turns.take(component, () => orFailure("read from", file, component, work));
    },
    save(component, snapshot) {
      const file = join(dir, fileName(component));
      return orFailure("written to", file, component, async () => {
        // Serialised now: the caller may change the snapshot afterwards.
        const bytes = writtenSnapshot(component, snapshot);
        if (bytes.length > MAX_BYTES) throw new Error(tooLarge(bytes.length, MAX_BYTES));
        await turns.take(component, async () => {
          makeFolder(dir);
          await replaceFileLater(file, bytes, { isDurable: true });
        });
      });
    },
  };
}

/**
 * A hash keeps ids apart on every file system, independent of case, accents, length and separators; the readable part
 * is for people. The input is not UTF-8, which would encode all lone surrogates the same way.
 */
function fileName(component: string): string {
  const readable = component.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const hash = createHash("sha256").update(component, "utf16le").digest("hex");
  return `${readable.slice(0, 60)}-${hash}.json`;
}

async function load(file: string, component: string, logger: Logger): Promise<Json | undefined> {
  const bytes = await readWhole(file, MAX_BYTES);
  if (bytes === undefined) return undefined;
  const found = readSnapshot(bytes, component);
  if ("snapshot" in found) return found.snapshot;
  const aside = setAside(file);
  const whose = JSON.stringify(component);
  logger.warn(
    `ORCS6013: the snapshot of ${whose} cannot be used: ${found.wrong}; it was renamed to ${aside}`,
  );
  return undefined;
}

/**
 * The content of a file; undefined when it does not exist.
 * @throws Error for something that is not a regular file (or is a link), and for a larger file
 */
async function readWhole(file: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    // A pipe would wait for a writer, and a link could lead anywhere.
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new Error("it is not a regular file");
      if (found.size > maxBytes) throw new Error(tooLarge(found.size, maxBytes));
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return undefined;
    throw thrown;
  }
}

/** Rename a file to `<file>.rejected-<n>` with the first free number; returns the new path. */
function setAside(file: string): string {
  for (let n = 1; ; n++) {
    const aside = `${file}.rejected-${n}`;
    try {
      // The name is reserved first, because a rename would replace an existing file.
      createFile(aside, "");
    } catch (thrown) {
      if (failedWith(thrown, "EEXIST")) continue;
      throw thrown;
    }
    try {
      moveFile(file, aside);
    } catch (thrown) {
      rmSync(aside, { force: true });
      throw thrown;
    }
    return aside;
  }
}

function tooLarge(bytes: number, maxBytes: number): string {
  return `it has ${bytes} bytes; the limit is ${maxBytes}`;
}

async function orFailure<T>(
  verb: "read from" | "written to",
  file: string,
  component: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const what = `the snapshot of ${JSON.stringify(component)} cannot be ${verb} ${file}`;
    const why = `${what}: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS6013", why, { component, file }, { cause: thrown });
  }
}

/** Version of `{ "version", "component", "saved_at", "snapshot" }`. */
const VERSION = 1;

/**
 * The file content for a snapshot, which `readSnapshot` reads back.
 * @throws NotJson when the snapshot is not JSON
 */
function writtenSnapshot(component: string, snapshot: Json): Buffer {
  const checked = toJson(snapshot, undefined, ["snapshot"]);
  const saved_at = new Date().toISOString();
  const file = { version: VERSION, component, saved_at, snapshot: checked };
  return Buffer.from(`${JSON.stringify(file)}\n`);
}

/** The snapshot in a file's content, or what is wrong with it. */
function readSnapshot(
  bytes: Uint8Array,
  component: string,
): { readonly snapshot: Json } | { readonly wrong: string } {
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Without the parser's message, which quotes the content.
    return { wrong: "it is not valid JSON" };
  }
  if (!isPlainObject(found)) return { wrong: "it is not an object" };
  const { version, component: whose, snapshot } = found;
  if (version !== VERSION)
    return { wrong: `its version is ${shown(version)}; expected ${VERSION}` };
  if (whose !== component) return { wrong: `it belongs to ${shown(whose)}` };
  if (snapshot === undefined) return { wrong: "it contains no snapshot" };
  try {
    return { snapshot: toJson(snapshot, undefined, ["snapshot"]) };
  } catch (thrown) {
    return { wrong: beginning(messageOf(thrown)) };
  }
}

function shown(value: unknown): string {
  return value === undefined ? "not given" : beginning(JSON.stringify(value));
}

/** Runs work with the same key one after the other, in the order of the calls, even after failures. */
class KeyedMutex {
  /** The end of the last work for each key; never rejects. */
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(key, turn);
    try {
      await before;
      return await work();
    } finally {
      end();
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
