import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";

/** The text that a diagnostic points into, for its caret; undefined when it cannot be read. */
export function textAt({ place }: Diagnostic, cwd: string): string | undefined {
  if (!place) return undefined;
  try {
    return readFileSync(resolve(cwd, place.file), "utf8");
  } catch {
    return undefined;
  }
}
