import { sep } from "node:path";

/** Whether an absolute path lies in a folder, or is it; both without links. */
export function inside(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(root);
}
