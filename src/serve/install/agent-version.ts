import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const KINDS = [".git", ".hg", ".jj", ".svn"];

/** The folder under version control that a file is in, or would be; undefined where there is none. */
export function versioned(file: string): string | undefined {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (KINDS.some((name) => existsSync(join(at, name)))) return at;
    if (at === dirname(at)) return undefined;
  }
}
