import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { codeOf, type FileContent, type FileReader, type UnreadFile } from "../../core/index.ts";

/** Scripts that people write are smaller: beyond it are bundles and data. */
const MAX_BYTES = 256 * 1024;
/** Contents that are kept. */
const KEPT_FILES = 64;
/** A file that has changed just now may change again without a change of its times, which are not exact. */
const SETTLED_NS = 100_000_000n;

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/** A reader of files that calls run: they are kept as long as their inode, size and times are the same. */
export function createFileReader(): FileReader {
  const kept = new Map<string, FileContent>();
  const load = (path: string): FileContent | UnreadFile => {
    const found = opened(path);
    if (typeof found === "string" || found.isChanging) return found;
    if (kept.size >= KEPT_FILES) kept.delete(kept.keys().next().value ?? "");
    kept.set(found.identity, found);
    return found;
  };
  return {
    read: (path) => {
      try {
        // Opening some devices has side effects.
        const stats = statSync(path, { bigint: true });
        return unreadable(stats) ?? kept.get(identityOf(stats)) ?? load(path);
      } catch (thrown) {
        const code = codeOf(thrown);
        return code === "ENOENT" || code === "ENOTDIR" ? undefined : "access";
      }
    },
  };
}

/** @throws what the file system throws */
function opened(path: string): (FileContent & { readonly isChanging: boolean }) | UnreadFile {
  // The name may refer to something else by now: opening a pipe must not wait for a writer.
  const open = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = fstatSync(open, { bigint: true });
    const unread = unreadable(stats);
    if (unread) return unread;
    // One byte more than it has: it may have grown.
    const bytes = Buffer.allocUnsafe(Number(stats.size) + 1);
    let length = 0;
    for (let count = 1; count > 0 && length < bytes.length; length += count)
      count = readSync(open, bytes, length, bytes.length - length, null);
    const identity = identityOf(stats);
    const age = BigInt(Date.now()) * 1_000_000n - stats.ctimeNs;
    const isChanging =
      age < SETTLED_NS || identityOf(fstatSync(open, { bigint: true })) !== identity;
    return { text: bytes.toString("utf8", 0, length), identity, isChanging };
  } finally {
    closeSync(open);
  }
}

function unreadable(stats: BigIntStats): UnreadFile | undefined {
  if (!stats.isFile()) return "kind";
  return stats.size > MAX_BYTES ? "size" : undefined;
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
