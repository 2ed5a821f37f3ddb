import { constants, type Dirent } from "node:fs";
import { access, lstat, readdir, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ANY_FILE, makeFolder, moveFile, replaceFileLater } from "../../machine/index.ts";
import type { ToolDeps } from "./builtin-tools.ts";
import { type BuiltinTool, defineTool, Refusal } from "./define-tool.ts";
import { unlessMissing } from "./sandbox.ts";
import { decodeText, readBytes } from "./text-file.ts";

/** `read`: a text file, whole. */
export function readTool({ sandbox, limits }: ToolDeps): BuiltinTool<"read"> {
  return defineTool("read", async ({ path }) => {
    const place = await sandbox.resolve(path);
    const bytes = Buffer.concat(await readBytes(place.path, limits.readBytes));
    return { ok: true, content: decodeText(bytes), size: bytes.length };
  });
}

/** `write`: replaces a text file atomically; a reader never sees a part of it. */
export function writeTool({ sandbox }: ToolDeps): BuiltinTool<"write"> {
  return defineTool("write", async ({ path, content }) => {
    const place = await sandbox.resolve(path);
    await expectWritable(place.path);
    makeFolder(dirname(place.path), 0o777);
    const bytes = Buffer.from(content);
    await replaceFileLater(place.path, bytes, { mode: ANY_FILE, keepsMode: true });
    return { ok: true, size: bytes.length };
  });
}

/** A new file replaces it, which the permissions of the old one would not prevent. */
async function expectWritable(path: string): Promise<void> {
  const found = await unlessMissing(stat(path));
  if (found === undefined) return;
  if (found.isDirectory()) throw new Refusal("it is a directory");
  if (!found.isFile()) throw new Refusal("it is not a regular file");
  await unlessMissing(access(path, constants.W_OK));
}

/** `mkdir`: a directory and its missing parents; an existing directory is fine. */
export function mkdirTool({ sandbox }: ToolDeps): BuiltinTool<"mkdir"> {
  return defineTool("mkdir", async ({ path }) => {
    const place = await sandbox.resolve(path);
    makeFolder(place.path, 0o777);
    return { ok: true };
  });
}

/** `remove`: a file, a directory with its content, or a link but not its target. */
export function removeTool({ sandbox }: ToolDeps): BuiltinTool<"remove"> {
  return defineTool("remove", async ({ path }) => {
    const place = await sandbox.entry(path);
    const found = await lstat(place.path);
    if (found.isDirectory()) await rm(place.path, { recursive: true });
    else await unlink(place.path);
    return { ok: true };
  });
}

/**
 * `mv`: rename. `to` is the new path itself, never a directory to move into: a hook that checks `to` must see where
 * things end up.
 */
export function mvTool({ sandbox }: ToolDeps): BuiltinTool<"mv"> {
  return defineTool("mv", async ({ from, to }) => {
    const source = await sandbox.entry(from);
    const target = await sandbox.entry(to);
    await lstat(source.path);
    if (target.path.startsWith(`${source.path}/`)) {
      throw new Refusal("a directory cannot be moved into itself");
    }
    const existing = await unlessMissing(lstat(target.path));
    if (target.path !== source.path && existing?.isDirectory()) {
      throw new Refusal("the target is an existing directory; give the full new path");
    }
    moveFile(source.path, target.path);
    return { ok: true };
  });
}

/** An entry of `scan_dir`; `size` is in bytes, 0 for anything but a file. */
type ScannedEntry = {
  name: string;
  kind: "file" | "dir" | "link" | "other";
  size: number;
};

/** `scan_dir`: the entries of a directory, links as such. */
export function scanDirTool({ sandbox, limits }: ToolDeps): BuiltinTool<"scan_dir"> {
  return defineTool("scan_dir", async ({ path }) => {
    const place = await sandbox.resolve(path);
    const found = await readdir(place.path, { withFileTypes: true });
    const listed = found.sort(byName).slice(0, limits.files);
    const scanned = await Promise.all(listed.map((entry) => scan(place.path, entry)));
    const entries = scanned.filter((entry) => entry !== undefined);
    return { ok: true, entries, ...(found.length > listed.length && { truncated: true }) };
  });
}

/** Undefined when it was removed meanwhile. */
async function scan(directory: string, entry: Dirent): Promise<ScannedEntry | undefined> {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: "dir", size: 0 };
  if (entry.isSymbolicLink()) return { name, kind: "link", size: 0 };
  if (!entry.isFile()) return { name, kind: "other", size: 0 };
  const found = await unlessMissing(lstat(join(directory, name)));
  return found && { name, kind: "file", size: found.size };
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}
