import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The content of a file; undefined when it does not exist.
 * @throws Error for something that is not a regular file (or is a link), and for a larger file
 */
export async function readWhole(file: string, maxBytes: number): Promise<Uint8Array | undefined> {
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
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Write a file atomically, readable by its owner only: readers see either the old or the new content. */
export async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  await syncFolder(dirname(file));
}

/** Rename a file to `<file>.rejected-<n>` with the first free number; returns the new path. */
export async function setAside(file: string): Promise<string> {
  for (let n = 1; ; n++) {
    const aside = `${file}.rejected-${n}`;
    try {
      // The name is reserved first, because a rename would replace an existing file.
      await (await open(aside, "wx", 0o600)).close();
    } catch (thrown) {
      if (codeOf(thrown) === "EEXIST") continue;
      throw thrown;
    }
    try {
      await rename(file, aside);
    } catch (thrown) {
      await rm(aside, { force: true });
      throw thrown;
    }
    return aside;
  }
}

export function tooLarge(bytes: number, maxBytes: number): string {
  return `it has ${bytes} bytes; the limit is ${maxBytes}`;
}

/** Make a rename durable. */
async function syncFolder(dir: string): Promise<void> {
  try {
    const handle = await open(dir, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Not every system supports it. The file is complete either way.
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
