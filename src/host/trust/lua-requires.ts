import { statSync } from "node:fs";
import { join } from "node:path";
import { isFileInside } from "../file-inside.ts";
import { MODULE_NAME, modulePaths } from "../loading/modules.ts";
import { LookBudget } from "./set-files.ts";

/**
 * A module named by a text where it is required, or where `require` is handed to another function, `pcall` say. What
 * stands in a comment counts, too.
 */
const REQUIRE =
  /\brequire\s*(?:[(,]\s*)?(?:"([\w.-]{1,255})"|'([\w.-]{1,255})'|\[(=*)\[([\w.-]{1,255})\]\3\])/g;

/**
 * The files that a piece of Lua requires by a name that it spells out, as `require` would find them.
 * @param roots folders that are looked in, in order
 * @throws OrcsError ORCS1020 when more is named than can be looked for
 */
export function requiredFiles(
  code: string,
  roots: readonly string[],
  budget = new LookBudget(),
): string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  for (const [, a, b, , c] of code.matchAll(REQUIRE)) {
    const name = a ?? b ?? c;
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    budget.spend(roots.length);
    const file = moduleFile(name, roots);
    if (file !== undefined) files.add(file);
  }
  return [...files];
}

function moduleFile(name: string, roots: readonly string[]): string | undefined {
  if (!MODULE_NAME.test(name)) return undefined;
  for (const root of roots) {
    const found = modulePaths(name)
      .map((path) => join(root, path))
      // Most are not there, and an error would cost more than the look.
      .find((file) => isThere(file) && isFileInside(root, file));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
