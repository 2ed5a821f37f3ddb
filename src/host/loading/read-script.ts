import { readFileSync } from "node:fs";

const MARK = Buffer.from("\uFEFF");
const HASH = "#".charCodeAt(0);
const LINE_END = "\n".charCodeAt(0);

/**
 * The bytes of a Lua file as Lua's own loader takes them: without a byte order mark, and without a first
 * line that begins with `#` (its line end stays, so that lines count as in the file).
 * @throws what reading the file throws
 */
export function readScript(file: string): Uint8Array {
  return luaBytes(readFileSync(file));
}

/** The same of bytes that were read. */
export function luaBytes(given: Uint8Array): Uint8Array {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const text = bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
  if (text[0] !== HASH) return text;
  const end = text.indexOf(LINE_END);
  return end < 0 ? new Uint8Array() : text.subarray(end);
}
