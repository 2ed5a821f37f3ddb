import { join, relative, resolve, sep } from "node:path";

/** Whether an absolute path lies in a folder, or is it; both without links. */
export function isPathInside(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(root);
}

/** In a copy of a folder, what lies outside of the folder: by its absolute path. */
const OUTSIDE = "orcs-outside";

/** The name in a copy for a file outside of the folder that is copied. */
export function outsideName(path: string): string {
  return `${OUTSIDE}${path.replaceAll(sep, "/")}`;
}

/** Where a file of a copy is, by its name there, outside of the copy. */
export function pathOfName(directory: string, name: string): string {
  const isOutside = name.startsWith(`${OUTSIDE}/`);
  return isOutside ? name.slice(OUTSIDE.length) : join(directory, name);
}

/**
 * A path in a configuration, where code is loaded from it. Where a copy stands for its folder, that is in the copy,
 * whatever the path: nothing is looked for elsewhere.
 */
export function codePath(
  { baseDir, codeDir }: { readonly baseDir: string; readonly codeDir: string },
  path: string,
): string {
  const file = resolve(baseDir, path);
  if (codeDir === baseDir) return file;
  return join(codeDir, isPathInside(baseDir, file) ? relative(baseDir, file) : outsideName(file));
}
