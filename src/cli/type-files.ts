import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileChange } from "./file-change.ts";
import type { FileChange } from "./file-change.ts";
import { luarcText } from "./luarc.ts";

/** Where definitions go unless somebody says otherwise. */
export const TYPES_DIR = ".orcs";

/** Name of the JSON Schema of orcs.toml in that folder. */
export const SCHEMA_FILE = "orcs.schema.json";

/**
 * The files that tell an editor what hooks and orcs.toml are: definitions, JSON Schema, `.luarc.json`.
 * @param root the project, absolute
 * @param dir where the first two go, absolute
 * @throws OrcsError ORCS5002
 */
export function typeFiles(root: string, dir: string): FileChange[] {
  const shown = (file: string): string => relative(root, file).replaceAll(sep, "/") || ".";
  const shipped = (from: string, to: string): FileChange => {
    const file = join(dir, to);
    return fileChange(shown(file), file, () => readFileSync(new URL(from, PACKAGE), "utf8"));
  };
  const library = shown(join(dir, "meta"));
  return [
    shipped("lua/meta/orcs.lua", "meta/orcs.lua"),
    shipped("schema/orcs.schema.json", SCHEMA_FILE),
    fileChange(".luarc.json", join(root, ".luarc.json"), (text) => luarcText(text, library)),
  ];
}

/** The package, of which the definitions are a part: made beforehand, so that nothing has to be loaded. */
const PACKAGE = new URL("../../", import.meta.url);
