import { followedPath } from "../../machine/index.ts";
import { commandLine, compileRuns, globMatcher } from "../../matching/index.ts";
import { effectReader } from "./effect-reader.ts";

/**
 * Whether a command line would run one of these commands, or might: as `match.runs`, and `orcs.runs` in Lua. A line
 * that cannot be parsed completely counts as one that might.
 * @param line a line for a shell, or a list of words
 * @param patterns such as `git push --force`
 * @throws OrcsError ORCS1012 for an invalid pattern
 */
export function matchesRun(
  line: string | readonly string[],
  patterns: string | readonly string[],
): boolean {
  const holds = compileRuns(typeof patterns === "string" ? [patterns] : patterns);
  const { commands, unread } = effectReader("/").shell.read(commandLine(line));
  return holds(commands, unread) || unread !== undefined;
}

/**
 * The absolute path that a file system call would reach, links followed as far as something exists: as
 * `orcs.real_path` in Lua.
 * @param cwd default: the working directory of the process
 * @throws Error for what the system would reject, for example a loop of links
 */
export function realPath(path: string, cwd = process.cwd()): string {
  return followedPath(path, cwd, process.cwd());
}

/**
 * A function that compares paths with a glob: as `match.path`, and `orcs.glob_match` in Lua.
 * @throws OrcsError ORCS1012 for an invalid glob
 */
export function glob(pattern: string): (path: string) => boolean {
  return globMatcher(pattern);
}
