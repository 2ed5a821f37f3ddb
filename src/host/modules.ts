import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { LuaModule } from "../lua/ports.ts";
import { isFileInside } from "./file-inside.ts";
import { readScript } from "./read-script.ts";

/** A module name: parts of letters, digits, `_` and `-`, joined by dots. */
const NAME = /^[\w-]+(\.[\w-]+)*$/;

/**
 * The file behind `require(name)`: `a.b` is `a/b.lua` or `a/b/init.lua` under one of the roots, in
 * their order. A link that leads out of its root is passed over.
 */
export function findModule(name: string, roots: readonly string[]): LuaModule | undefined {
  if (!NAME.test(name)) return undefined;
  const path = name.replaceAll(".", sep);
  for (const root of roots) {
    for (const candidate of [`${path}.lua`, join(path, "init.lua")]) {
      const found = readInside(root, candidate);
      if (found) return found;
    }
  }
  return undefined;
}

function readInside(root: string, candidate: string): LuaModule | undefined {
  try {
    const path = join(root, candidate);
    if (!isFileInside(root, path)) return undefined;
    return { file: realpathSync(path), bytes: readScript(path) };
  } catch {
    return undefined;
  }
}
