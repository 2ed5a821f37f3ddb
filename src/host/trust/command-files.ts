import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { ShellHandler } from "../../config/handler.ts";
import { isDirectory } from "../../config/scripts.ts";
import { inside } from "../../config/inside.ts";
import { realpath } from "../realpath.ts";
import type { LookBudget } from "./set-files.ts";
import { shellWords } from "./shell-words.ts";

/** Where the folder of the configuration is named by its variable. */
const CONFIG_DIR = /\$(?:\{ORCS_CONFIG_DIR\}|ORCS_CONFIG_DIR(?!\w))/g;

/** So many folders are taken for ones that a command goes to. */
const MOST_ENTERED = 16;

/** Where the words of a command may name files. */
export interface CommandPlace {
  /** Folder of its configuration. */
  readonly baseDir: string;
  /** Of the project, links resolved. */
  readonly project: string;
  /** Where it runs, if that is known. */
  readonly cwd?: string | undefined;
  readonly budget: LookBudget;
}

/**
 * Paths that a command may name: those that are written relative, wherever they lead, and those in the project.
 * Programs of the system are no part of it. Which of them exist is for others to say.
 */
export function commandPaths(
  { command, program }: Pick<ShellHandler, "command" | "program">,
  { baseDir, project, cwd, budget }: CommandPlace,
): string[] {
  const paths = new Set(program === undefined ? [] : [resolve(program)]);
  const relative = new Set<string>();
  for (const word of shellWords(command)) {
    budget.spend(1);
    const path = word.replaceAll(CONFIG_DIR, () => baseDir);
    if (path.includes("\0")) continue;
    const isOwn = path !== word || inside(baseDir, path) || inside(project, realpath(path));
    if (isAbsolute(path) && isOwn) paths.add(resolve(path));
    else for (const below of relativeIn(path)) relative.add(below);
  }
  const folders = [baseDir, ...(cwd === undefined ? [] : [cwd])];
  const below = (within: readonly string[]): string[] => {
    budget.spend(within.length * relative.size);
    return within.flatMap((folder) => [...relative].map((path) => join(folder, path)));
  };
  for (const path of below(folders)) paths.add(path);
  // It may go there first, with `cd` or `-C`.
  const entered = [...paths].filter((path) => isDirectory(path) && inside(project, realpath(path)));
  for (const path of below(entered.slice(0, MOST_ENTERED))) paths.add(path);
  return [...paths];
}

/**
 * What of a word may be a path in the project. Variables and commands that stand before it tell where that is, as
 * `$CLAUDE_PROJECT_DIR/check.sh` and `$(pwd)/check.sh` do: it is looked for in every folder that they may mean.
 */
function relativeIn(word: string): string[] {
  if (isAbsolute(word)) return existsSync(word) ? [] : [word];
  const [, rest] = /^\$(?:\{[^}]*\}|\w+)\/+(.+)/s.exec(word) ?? [];
  return rest === undefined ? [word] : [word, rest];
}
