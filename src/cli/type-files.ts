import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join, relative, sep } from "node:path";
import {
  getOwn,
  isPlainObject,
  type Json,
  type JsonObject,
  objectIn,
  OrcsError,
} from "../core/index.ts";
import { type FileChange, fileChange } from "./atomic-writes.ts";

/** Default folder of definitions. */
export const TYPES_DIR = ".orcs";

/** Name of the JSON Schema of orcs.toml in that folder. */
export const SCHEMA_FILE = "orcs.schema.json";

/**
 * Files that describe hooks and orcs.toml to an editor: definitions, JSON Schema, `.luarc.json`.
 * @param root the project, absolute
 * @param dir folder of the first two, absolute
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
    shipped(META, "meta/orcs.lua"),
    shipped("schema/orcs.schema.json", SCHEMA_FILE),
    fileChange(".luarc.json", join(root, ".luarc.json"), (text) => luarcText(text, library)),
  ];
}

/** The package contains generated definitions, so nothing has to be loaded. */
const PACKAGE = new URL("../../", import.meta.url);
const META = "dist/meta/orcs.lua";

/** The file of the Lua definitions. */
export const DEFINITIONS = fileURLToPath(new URL(META, PACKAGE));

/**
 * `.luarc.json` with the settings of lua-language-server for hooks: existing settings stay, missing ones are added.
 * Settings can be flat, nested or prefixed with `Lua.`, as that server reads them.
 * @param text of the file; undefined when it does not exist
 * @param library path of the definitions, relative to the file
 * @throws OrcsError ORCS5002 when it is not plain JSON, with what to add by hand
 */
export function luarcText(text: string | undefined, library: string): string {
  const wanted = settings(library);
  const tree =
    text === undefined || text.trim() === "" ? { $schema: SCHEMA } : parsed(text, wanted);
  let changed = text === undefined || text.trim() === "";
  for (const [name, value] of Object.entries(wanted)) {
    const { table, key } = placeOf(tree, name);
    const before = getOwn(table, key);
    const after = before === undefined ? value : joined(before, value);
    if (JSON.stringify(after) === JSON.stringify(before)) continue;
    table[key] = after;
    changed = true;
  }
  return changed ? `${JSON.stringify(tree, undefined, 2)}\n` : (text ?? "");
}

const SCHEMA = "https://raw.githubusercontent.com/LuaLS/vscode-lua/master/setting/schema.json";

/** Libraries that scripts do not have. `package` includes `require`, which the definitions restore. */
const ABSENT = ["io", "os", "debug", "package"];

function settings(library: string): JsonObject {
  return {
    "runtime.version": "Lua 5.4",
    "runtime.builtin": Object.fromEntries(ABSENT.map((name) => [name, "disable"])),
    "workspace.library": [library],
    "workspace.checkThirdParty": false,
  };
}

function parsed(text: string, wanted: JsonObject): JsonObject {
  // Undefined for example with comments, which would get lost.
  const tree = objectIn(text.replace(/^\uFEFF/, ""));
  if (tree) return tree;
  const lines = Object.entries(wanted).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const why = `.luarc.json is not plain JSON, so it is left as it is; add to it:\n${lines.join(",\n")}`;
  throw new OrcsError("ORCS5002", why, { path: ".luarc.json" });
}

/** The place of a setting, existing or not. */
function placeOf(tree: JsonObject, name: string): { table: JsonObject; key: string } {
  for (const key of [name, `Lua.${name}`])
    if (Object.hasOwn(tree, key)) return { table: tree, key };
  const [group = "", key = ""] = name.split(".");
  for (const above of [tree, getOwn(tree, "Lua")]) {
    const table = isPlainObject(above) ? getOwn(above, group) : undefined;
    if (isPlainObject(table)) return { table, key };
  }
  return { table: tree, key: name };
}

/** Lists get their missing elements, tables their missing keys; other values are kept. */
function joined(before: Json, value: Json): Json {
  if (Array.isArray(before) && Array.isArray(value)) {
    return [...before, ...value.filter((each) => !before.includes(each))];
  }
  if (isPlainObject(before) && isPlainObject(value)) return { ...value, ...before };
  return before;
}
