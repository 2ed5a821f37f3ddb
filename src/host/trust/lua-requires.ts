import { join } from "node:path";
import { isFileInside } from "../file-inside.ts";
import { MODULE_NAME, modulePaths } from "../loading/modules.ts";

/**
 * A module named by a text where it is required, or where `require` is handed to another function, `pcall` say. What
 * stands in a comment counts, too.
 */
const REQUIRE =
  /\brequire\s*(?:[(,]\s*)?(?:"([\w.-]{1,255})"|'([\w.-]{1,255})'|\[(=*)\[([\w.-]{1,255})\]\3\])/g;

/**
 * The files that a piece of Lua requires by a name that it spells out, as `require` would find them.
 * @param roots folders that are looked in, in order
 */
export function requiredFiles(code: string, roots: readonly string[]): string[] {
  const names = new Set([...code.matchAll(REQUIRE)].map(([, a, b, , c]) => a ?? b ?? c));
  return [...names].flatMap((name) => {
    const file = name === undefined ? undefined : moduleFile(name, roots);
    return file === undefined ? [] : [file];
  });
}

function moduleFile(name: string, roots: readonly string[]): string | undefined {
  if (!MODULE_NAME.test(name)) return undefined;
  for (const root of roots) {
    const found = modulePaths(name)
      .map((path) => join(root, path))
      .find((file) => isFileInside(root, file));
    if (found !== undefined) return found;
  }
  return undefined;
}
