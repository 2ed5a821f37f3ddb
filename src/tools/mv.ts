import { lstat, rename } from "node:fs/promises";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { codeOf, Refusal } from "./refusal.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/**
 * `mv`: rename. `to` is the new path itself, never a directory to move into: a hook that judges `to`
 * must see where things end up.
 */
export function mvTool({ sandbox }: ToolSurroundings): BuiltinTool<"mv"> {
  return defineTool("mv", async ({ from, to }) => {
    const source = await sandbox.entry(from);
    const target = await sandbox.entry(to);
    await lstat(source.path);
    if (target.path.startsWith(`${source.path}/`)) {
      throw new Refusal("a directory cannot be moved into itself");
    }
    if (target.path !== source.path && (await isDirectory(target.path))) {
      throw new Refusal("the target is a directory that exists; name the new path in it");
    }
    await rename(source.path, target.path);
    return { ok: true };
  });
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
