import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFile } from "./stored-file.ts";

/**
 * Work in a new folder, which is gone afterwards.
 * @param name the beginning of its name
 * @param above the folder that it is in
 */
export async function inTemporaryFolder<T>(
  name: string,
  work: (folder: string) => T | Promise<T>,
  above = tmpdir(),
): Promise<T> {
  const folder = mkdtempSync(join(above, name));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Create files by their names below a folder. */
export function createFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, bytes] of files) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    createFile(file, bytes);
  }
}
