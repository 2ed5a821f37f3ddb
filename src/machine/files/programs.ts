import { constants } from "node:fs";
import { delimiter, join } from "node:path";
import { isFileFor } from "./read-bounded.ts";

/**
 * Find a program on a path; undefined if it is not there. It is not started: some programs write files when started.
 */
export function programOnPath(name: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .flatMap((folder) => (folder === "" ? [] : [join(folder, name)]))
    .find((file) => isFileFor(file, constants.X_OK));
}
