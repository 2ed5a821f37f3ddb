import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { codeOf, Refusal } from "./refusal.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/** `write`: a text file, whole or not at all; a reader never sees half of it. */
export function writeTool({ sandbox }: ToolSurroundings): BuiltinTool<"write"> {
  return defineTool("write", async ({ path, content }) => {
    const place = await sandbox.resolve(path);
    const mode = await modeOf(place.path);
    await mkdir(dirname(place.path), { recursive: true });
    const size = await replaceFile(place.path, Buffer.from(content), mode);
    return { ok: true, size };
  });
}

/** The mode of the file that is there, undefined when there is none. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Refusal("it is a directory");
    if (!found.isFile()) throw new Refusal("it is not a regular file");
    // A new file takes its place, which the old one's own permissions would not prevent.
    await access(path, constants.W_OK);
    return found.mode & 0o777;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function replaceFile(path: string, bytes: Buffer, mode: number | undefined): Promise<number> {
  const temporary = join(dirname(path), `.orcs-${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(temporary, flags, 0o666);
  try {
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return bytes.length;
}
