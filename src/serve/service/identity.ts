import { statSync } from "node:fs";

/** By what a file is known to be another than before. */
export function identityOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return `${found?.ino} ${found?.mtimeMs}`;
}
