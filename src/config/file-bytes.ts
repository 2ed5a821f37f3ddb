import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Stats } from "node:fs";

/** Larger than any configuration or hook, and small enough to be read at every start. */
export const MAX_FILE_BYTES = 16 * 2 ** 20;

const { O_RDONLY, O_NONBLOCK } = constants;

/**
 * The bytes of a plain file. Of anything else nobody can say how long it takes to read it, or whether it ends.
 * @param most bytes that it may have
 * @throws what the file system throws; an Error for what is no plain file or too large
 */
export function fileBytes(file: string, most = MAX_FILE_BYTES): Buffer {
  // To open some devices is to use them.
  expectPlain(statSync(file), most);
  // Something else may have its name by now: to open a pipe must not wait for a writer.
  const open = openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    const stats = fstatSync(open);
    expectPlain(stats, most);
    return contentOf(open, stats.size, most);
  } finally {
    closeSync(open);
  }
}

/** Read to its end, which may come later than its size says. */
function contentOf(open: number, size: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.max(size - total, 0) + 4096);
    const count = readSync(open, chunk, 0, chunk.length, null);
    if (count === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, count));
    total += count;
    if (total > most) throw tooLarge(most);
  }
}

function expectPlain(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new Error("it is a directory");
  if (!stats.isFile()) throw new Error("it is no plain file");
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): Error {
  return new Error(`it has more than ${most} bytes`);
}
