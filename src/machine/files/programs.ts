import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Find a program on a path; undefined if it is not there. It is not started: some programs write files when started.
 */
export function programOnPath(name: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .flatMap((folder) => (folder === "" ? [] : [join(folder, name)]))
    .find(isExecutable);
}

/** Whether a path is that of a file that can be started. */
function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
