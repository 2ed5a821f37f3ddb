import { join, relative, resolve, sep } from "node:path";

/** Whether an absolute path lies in a folder, or is it; both without links. */
export function inside(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(root);
}

/** A path in a configuration, where code is loaded from it: what lies in the folder is taken from what stands for it. */
export function codePath(
  { baseDir, codeDir }: { readonly baseDir: string; readonly codeDir: string },
  path: string,
): string {
  const file = resolve(codeDir, path);
  return codeDir !== baseDir && inside(baseDir, file)
    ? join(codeDir, relative(baseDir, file))
    : file;
}
