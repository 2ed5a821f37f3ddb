import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Refusal } from "./refusal.ts";

/** A text file, whole. */
export interface TextFile {
  readonly content: string;
  /** Bytes. */
  readonly size: number;
}

/** A file whose bytes are not text. */
export class NotText extends Refusal {}

/**
 * Read a text file.
 *
 * @param path links in it are followed already
 * @param limit bytes; a larger file is refused
 * @throws Refusal for what is not a file or too large; NotText for a NUL byte and for what is not UTF-8.
 */
export async function readTextFile(path: string, limit: number): Promise<TextFile> {
  // Without NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new Refusal("it is a directory");
    if (!stat.isFile()) throw new Refusal("it is not a regular file");
    if (stat.size > limit) throw tooLarge(limit);
    return toText(await readBytes(file, limit));
  } finally {
    await file.close();
  }
}

/** Read to the end: some files say that their size is 0, and any may grow meanwhile. */
async function readBytes(file: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(65_536), 0, 65_536, length);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    length += bytesRead;
    if (length > limit) throw tooLarge(limit);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

function toText(bytes: Buffer): TextFile {
  if (bytes.includes(0)) throw new NotText("it is a binary file (it holds a NUL byte)");
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { content: decoder.decode(bytes), size: bytes.length };
  } catch {
    throw new NotText("it is a binary file (it is not UTF-8)");
  }
}

function tooLarge(limit: number): Refusal {
  return new Refusal(`it is larger than the limit of ${limit} bytes`);
}
