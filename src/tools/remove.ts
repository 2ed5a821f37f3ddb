import { lstat, rm, unlink } from "node:fs/promises";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/** `remove`: a file, a directory with all that is in it, or a link but not what it leads to. */
export function removeTool({ sandbox }: ToolSurroundings): BuiltinTool<"remove"> {
  return defineTool("remove", async ({ path }) => {
    const place = await sandbox.entry(path);
    const found = await lstat(place.path);
    if (found.isDirectory()) await rm(place.path, { recursive: true });
    else await unlink(place.path);
    return { ok: true };
  });
}
