import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { codeOf } from "./refusal.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/** What `scan_dir` says of one entry; `size` is in bytes, 0 for what is not a file. */
type ScannedEntry = {
  name: string;
  kind: "file" | "dir" | "link" | "other";
  size: number;
};

/** `scan_dir`: the entries of a directory, links as such. */
export function scanDirTool({ sandbox, limits }: ToolSurroundings): BuiltinTool<"scan_dir"> {
  return defineTool("scan_dir", async ({ path }) => {
    const place = await sandbox.resolve(path);
    const found = await readdir(place.path, { withFileTypes: true });
    const listed = found.sort(byName).slice(0, limits.files);
    const scanned = await Promise.all(listed.map((entry) => scan(place.path, entry)));
    const entries = scanned.filter((entry) => entry !== undefined);
    return { ok: true, entries, ...(found.length > listed.length && { truncated: true }) };
  });
}

/** Undefined when it has gone meanwhile. */
async function scan(directory: string, entry: Dirent): Promise<ScannedEntry | undefined> {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: "dir", size: 0 };
  if (entry.isSymbolicLink()) return { name, kind: "link", size: 0 };
  if (!entry.isFile()) return { name, kind: "other", size: 0 };
  try {
    return { name, kind: "file", size: (await lstat(join(directory, name))).size };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}
