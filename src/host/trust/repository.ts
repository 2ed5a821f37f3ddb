import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

// Git is read from its files and never run: this is asked for every event, and a repository may set what git runs.

/** Where a folder lies in a git repository. */
export interface RepositoryPlace {
  /** The git directory that all worktrees share, links resolved: what tells repositories apart. */
  readonly common: string;
  /** Top of the worktree that the folder lies in. */
  readonly worktree: string;
  /** Top of the main worktree; undefined for a bare repository. */
  readonly main: string | undefined;
  /** Path of the folder in its worktree, with `/`; empty for the top. */
  readonly folder: string;
  /** The branch that is checked out; undefined for a detached head, or one that cannot be read. */
  readonly branch: string | undefined;
}

/**
 * The repository that a folder lies in; undefined where there is none.
 * @param directory absolute, links resolved
 */
export function repositoryOf(directory: string): RepositoryPlace | undefined {
  for (let top = directory; ; top = dirname(top)) {
    const git = gitDirectory(top);
    if (git) {
      const folder = relative(top, directory).replaceAll(sep, "/");
      const main = basename(git.common) === ".git" ? dirname(git.common) : undefined;
      return { common: git.common, worktree: top, main, folder, branch: branchOf(git.own) };
    }
    if (dirname(top) === top) return undefined;
  }
}

/** The git directory of a worktree's own, and the one that it shares. */
function gitDirectory(top: string): { readonly own: string; readonly common: string } | undefined {
  const path = join(top, ".git");
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // A link can be laid to any repository, which says nothing of it.
    if (found === undefined || found.isSymbolicLink()) return undefined;
    if (!found.isFile()) {
      return readSmall(join(path, "HEAD")) === undefined ? undefined : { own: path, common: path };
    }
    const [, written] = /^gitdir: (.+?)\s*$/.exec(readSmall(path) ?? "") ?? [];
    if (written === undefined) return undefined;
    const own = realpathSync(resolve(top, written));
    const shared = readSmall(join(own, "commondir"))?.trim();
    if (shared === undefined) return isWorktreeOf(own, top) ? { own, common: own } : undefined;
    const common = realpathSync(isAbsolute(shared) ? shared : join(own, shared));
    // A folder can say that it belongs to any repository: the repository must say so, too.
    const back = readSmall(join(own, "gitdir"))?.trim();
    if (back === undefined || dirname(own) !== join(common, "worktrees")) return undefined;
    return realpathSync(resolve(own, back)) === realpathSync(path) ? { own, common } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a git directory that lies elsewhere, that of a submodule say, says that this is its worktree. */
function isWorktreeOf(own: string, top: string): boolean {
  const [, written] =
    /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readSmall(join(own, "config")) ?? "") ?? [];
  return written !== undefined && realpathSync(resolve(own, written)) === top;
}

function branchOf(own: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/(.+?)\s*$/.exec(readSmall(join(own, "HEAD")) ?? "") ?? [];
  return branch;
}

/** Files of git's that are a line each. */
const MOST_BYTES = 64 * 1024;

function readSmall(file: string): string | undefined {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size > MOST_BYTES) return undefined;
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
