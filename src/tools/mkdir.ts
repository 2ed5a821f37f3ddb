import { mkdir } from "node:fs/promises";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/** `mkdir`: a directory and the missing ones above it; one that is there already is fine. */
export function mkdirTool({ sandbox }: ToolSurroundings): BuiltinTool<"mkdir"> {
  return defineTool("mkdir", async ({ path }) => {
    const place = await sandbox.resolve(path);
    await mkdir(place.path, { recursive: true });
    return { ok: true };
  });
}
