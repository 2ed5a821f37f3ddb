import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { Vouched } from "../../config/vouch.ts";
import type { LuaModule } from "../../lua/ports.ts";
import { isFileInside } from "../file-inside.ts";
import { luaBytes, readScript } from "./read-script.ts";

/** A module name: parts of letters, digits, `_` and `-`, joined by dots. */
export const MODULE_NAME = /^[\w-]+(\.[\w-]+)*$/;

/** Where a module of that name may stand, relative to a root, in order. */
export function modulePaths(name: string): string[] {
  const path = name.replaceAll(".", sep);
  return [`${path}.lua`, join(path, "init.lua")];
}

/**
 * The file behind `require(name)`: `a.b` is `a/b.lua` or `a/b/init.lua` under one of the roots, in
 * their order. A link that leads out of its root is passed over, and in a project that is trusted as it was,
 * whatever was no part of it then.
 */
export function findModule(
  name: string,
  roots: readonly string[],
  vouched?: Vouched,
): LuaModule | undefined {
  if (!MODULE_NAME.test(name)) return undefined;
  for (const root of roots) {
    for (const candidate of modulePaths(name)) {
      const path = join(root, candidate);
      const found = vouched?.holds(root) ? trusted(path, vouched) : readInside(root, path);
      if (found) return found;
    }
  }
  return undefined;
}

function readInside(root: string, path: string): LuaModule | undefined {
  try {
    if (!isFileInside(root, path)) return undefined;
    return { file: realpathSync(path), bytes: readScript(path) };
  } catch {
    return undefined;
  }
}

function trusted(path: string, vouched: Vouched): LuaModule | undefined {
  const bytes = vouched.bytesOf(path);
  return bytes && { file: vouched.shown(path), bytes: luaBytes(bytes) };
}
