import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import type { ToolSurroundings } from "./surroundings.ts";
import { readTextFile } from "./text-file.ts";

/** `read`: a text file, whole. */
export function readTool({ sandbox, limits }: ToolSurroundings): BuiltinTool<"read"> {
  return defineTool("read", async ({ path }) => {
    const place = await sandbox.resolve(path);
    const { content, size } = await readTextFile(place.path, limits.readBytes);
    return { ok: true, content, size };
  });
}
