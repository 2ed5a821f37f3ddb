import { statSync } from "node:fs";
import type { NamedHandler } from "../../config/vouch.ts";
import { commandPaths } from "./command-files.ts";
import { moduleFiles } from "./module-files.ts";
import { LookBudget } from "./set-files.ts";

/** A handler, and what relative paths in it are relative to. */
export type NamingHandler = Pick<NamedHandler, "handler" | "baseDir">;

/** How the files are looked for that a handler names. */
export interface FileLook {
  /** Directory of the project, links resolved. */
  readonly project: string;
  /** Where commands run, if that is known. */
  readonly cwd?: string | undefined;
  /** Reads a file; undefined for one that cannot be read. */
  readonly textOf: (file: string) => string | undefined;
  /** How much may be looked for; default as much as for a whole set. */
  readonly budget?: LookBudget | undefined;
}

/**
 * What there is of the files that a handler outside of Lua names: those that stand as words in a command, a module and
 * what it imports by relative paths. Folders are passed over; what is neither is named all the same.
 * @throws OrcsError ORCS1020 when more is named than can be looked for
 */
export function namedFiles(
  named: NamingHandler,
  { project, cwd, textOf, budget = new LookBudget() }: FileLook,
): string[] {
  const { handler, baseDir } = named;
  switch (handler.kind) {
    case "shell":
      return commandPaths(handler, { baseDir, project, cwd, budget }).filter(isThere);
    case "module":
      return moduleFiles(handler.file, textOf, budget);
    case "webhook":
    case "inline":
    case "script":
      return [];
  }
}

function isThere(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isDirectory();
  } catch {
    // It may be there for others.
    return false;
  }
}
