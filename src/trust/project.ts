import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { CONFIG_NAME, exists } from "../config/discover.ts";
import { realpath } from "../files/real-path.ts";
import type { TrustedProject, TrustEntries } from "./trust-store.ts";

// Loaded by the process of every hook: it must stay as light as it is.

/** The project that a working directory belongs to. */
export interface Project {
  /** Its folder, links resolved: with a configuration, or with a set that was trusted. */
  readonly directory: string;
  readonly repository: RepositoryPlace | undefined;
  /** What is said of it; undefined for nothing. */
  readonly said: TrustedProject | undefined;
  /** Where that stands in the store, or would. */
  readonly key: string;
  /** A folder further down with a configuration of which nothing is said. */
  readonly nearer: string | undefined;
}

/**
 * The project of a working directory: the nearest folder of which something is said, whatever has become of its
 * configuration; where there is none, the nearest one with a configuration.
 * @param cwd absolute
 * @param userDir folder of the user's own configuration, which is nobody's project
 */
export function projectOf(
  cwd: string,
  userDir: string,
  { projects }: TrustEntries,
): Project | undefined {
  const known = projects.size === 0 ? undefined : new KnownFolders(projects);
  const ownFolder = realpath(userDir);
  const own = realpath(join(userDir, CONFIG_NAME));
  let nearest: string | undefined;
  for (let folder = realpath(cwd); ; folder = dirname(folder)) {
    const found = known?.at(folder);
    if (found) return { directory: folder, nearer: nearest, ...found };
    // Who works in the folder of the user's own configuration works in no project, whatever repository it lies in.
    if (nearest === undefined && folder === ownFolder) return undefined;
    const file = join(folder, CONFIG_NAME);
    // A link to the user's own file says nothing of the projects around it.
    if (nearest === undefined && exists(file) && realpath(file) !== own) nearest = folder;
    if (dirname(folder) === folder) break;
  }
  return nearest === undefined ? undefined : projectAt(nearest);
}

/** A folder as a project of which nothing is said. @param directory links resolved */
function projectAt(directory: string): Project {
  const repository = repositoryOf(directory);
  const key = keyOf(directory, repository);
  return { directory, repository, key, said: undefined, nearer: undefined };
}

/** The folder itself as a project, with what is said of it. @param directory links resolved */
export function projectIn(directory: string, { projects }: TrustEntries): Project {
  const found = new KnownFolders(projects).at(directory);
  return found ? { directory, nearer: undefined, ...found } : projectAt(directory);
}

/** Where a folder stands in the store: a repository's worktrees share what is said of them. */
export function keyOf(directory: string, repository: RepositoryPlace | undefined): string {
  return repository ? `${repository.common}//${repository.folder}` : directory;
}

/**
 * Where something may be said of a folder, the strongest first: by its own path, where it is dev-trusted or was no
 * repository when it was trusted; of its repository; by the path of its main worktree, which was none then.
 */
export function keysOf(
  directory: string,
  repository: RepositoryPlace | undefined,
): readonly [own: string, ...shared: string[]] {
  const main = inMain(repository);
  return [directory, keyOf(directory, repository), ...(main === undefined ? [] : [main])];
}

/** The folder of the main worktree that a folder corresponds to. */
export function inMain(repository: RepositoryPlace | undefined): string | undefined {
  return repository?.main === undefined ? undefined : join(repository.main, repository.folder);
}

/** Looks up what is said of folders, each asked with the one above it next. */
class KnownFolders {
  readonly #projects: TrustEntries["projects"];
  /** Keys by the folders that have run a set. */
  readonly #folders = new Map<string, string>();
  #repository: RepositoryPlace | undefined;

  constructor(projects: TrustEntries["projects"]) {
    this.#projects = projects;
    for (const [key, { folders }] of projects) {
      for (const folder of Object.keys(folders)) this.#folders.set(folder, key);
    }
  }

  at(folder: string): Pick<Project, "repository" | "said" | "key"> | undefined {
    const repository = this.#repositoryOf(folder);
    const [own, ...shared] = keysOf(folder, repository);
    // What a folder has run holds, whatever became of its repository meanwhile.
    const ran = this.#folders.get(folder);
    for (const key of [own, ...(ran === undefined ? [] : [ran]), ...shared]) {
      const said = this.#projects.get(key);
      // Dev-trust applies to that folder only.
      if (said && (key === own || !("dev" in said))) return { repository, key, said };
    }
    return undefined;
  }

  #repositoryOf(folder: string): RepositoryPlace | undefined {
    const known = this.#repository;
    const isAbove = known && relative(known.worktree, folder).split(sep)[0] === "..";
    if (!known || isAbove) return (this.#repository = repositoryOf(folder));
    const path = relative(known.worktree, folder).replaceAll(sep, "/");
    return { ...known, folder: path };
  }
}

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
function repositoryOf(directory: string): RepositoryPlace | undefined {
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
