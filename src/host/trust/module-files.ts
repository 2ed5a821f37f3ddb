import { statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { getOwn, isPlainObject } from "../../core/json.ts";
import { realpath } from "../realpath.ts";
import { LookBudget } from "./set-files.ts";

/** A file that a JavaScript module imports by a relative path that it spells out. */
const IMPORT =
  /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:"(\.{1,2}\/[^"\n]{1,1024})"|'(\.{1,2}\/[^'\n]{1,1024})'|`(\.{1,2}\/[^`\n]{1,1024})`)/g;
const ENDINGS = ["", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/**
 * A JavaScript module and the files that it imports by relative paths, and these again, as Node would find them.
 * @param textOf reads a file; undefined for one that cannot be read
 * @throws OrcsError ORCS1020 when more is named than can be looked for
 */
export function moduleFiles(
  first: string,
  textOf: (file: string) => string | undefined,
  budget = new LookBudget(),
): string[] {
  const files = new Set<string>();
  const next = [first];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    // To Node a link is what it points at, and its imports stand beside that.
    const folder = dirname(realpath(file));
    const seen = new Set<string>();
    for (const [, a, b, c] of (textOf(file) ?? "").matchAll(IMPORT)) {
      const path = a ?? b ?? c;
      if (path === undefined || seen.has(path)) continue;
      seen.add(path);
      next.push(...importedBy(join(folder, path), textOf, budget));
    }
  }
  return [...files];
}

function importedBy(
  path: string,
  textOf: (file: string) => string | undefined,
  budget: LookBudget,
): string[] {
  budget.spend(1);
  const found = ENDINGS.map((ending) => path + ending).find(isFile);
  if (found !== undefined) return [found];
  budget.spend(ENDINGS.length);
  const description = join(path, "package.json");
  const files = isFile(description) ? [description] : [];
  const main = files.length > 0 ? mainOf(textOf(description)) : undefined;
  for (const name of [...(main === undefined ? [] : [main, join(main, "index")]), "index"]) {
    budget.spend(ENDINGS.length);
    const file = ENDINGS.map((ending) => join(path, name) + ending).find(isFile);
    if (file !== undefined) return [...files, file];
  }
  return files;
}

function mainOf(text: string | undefined): string | undefined {
  try {
    const read: unknown = JSON.parse(text ?? "");
    const main = isPlainObject(read) ? getOwn(read, "main") : undefined;
    return typeof main === "string" ? main : undefined;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

/** A package that a JavaScript module imports by a name that it spells out. */
const PACKAGE =
  /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:"([@\w][\w@./-]{0,255})"|'([@\w][\w@./-]{0,255})')/g;

/** The packages that a JavaScript module imports, those of Node aside. */
export function importedPackages(code: string): string[] {
  const names = [...code.matchAll(PACKAGE)].map(([, a, b]) => packageOf(a ?? b ?? ""));
  return [...new Set(names)].filter((name) => name !== "" && !isBuiltin(name));
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "";
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
