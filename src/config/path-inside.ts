import { join, relative, resolve, sep } from "node:path";
import { installedFile } from "./packages/package-name.ts";

/** Whether an absolute path is a folder or inside it; both without links. */
export function isPathInside(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(root);
}

/** In a copy of a folder: the place of files outside of the folder, by their absolute path. */
const OUTSIDE = "orcs-outside";

/** The name in a copy of a file outside of the copied folder. */
export function outsideName(path: string): string {
  return `${OUTSIDE}${path.replaceAll(sep, "/")}`;
}

/** The original path of a file of a copy, by its name there. */
export function pathOfName(directory: string, name: string): string {
  const installed = installedFile(directory, name);
  if (installed !== undefined) return installed;
  const isOutside = name.startsWith(`${OUTSIDE}/`);
  return isOutside ? name.slice(OUTSIDE.length) : join(directory, name);
}

/**
 * A path in a configuration, for loading code. If a copy replaces its folder, the result is in the copy, for any path.
 */
export function codePath(
  { baseDir, codeDir }: { readonly baseDir: string; readonly codeDir: string },
  path: string,
): string {
  const file = resolve(baseDir, path);
  if (codeDir === baseDir) return file;
  return join(codeDir, isPathInside(baseDir, file) ? relative(baseDir, file) : outsideName(file));
}
