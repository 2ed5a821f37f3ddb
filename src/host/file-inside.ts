import { realpathSync, statSync } from "node:fs";
import { sep } from "node:path";

/**
 * Whether a path leads to a file inside of a folder, its links followed. A pipe is none: nobody can say how
 * long it takes to read one, or whether it ends.
 */
export function isFileInside(root: string, path: string): boolean {
  try {
    const file = realpathSync(path);
    return file.startsWith(realpathSync(root) + sep) && statSync(file).isFile();
  } catch {
    return false;
  }
}
