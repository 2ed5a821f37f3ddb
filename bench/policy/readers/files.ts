import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The files under a folder whose names end so, in order. */
export function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .toSorted()
    .map((path) => join(folder, path));
}
