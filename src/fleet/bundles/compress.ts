import { gzipSync } from "fflate";

/**
 * Compress the content of a bundle. Node's own zlib makes other bytes of the same content on another processor or in
 * another version; this one is JavaScript, so a bundle is the same wherever it is built. Only building loads it.
 */
export function compress(content: Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9, mem: 12, mtime: 0 });
}
