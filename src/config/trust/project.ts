import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { orUndefined } from "../../core/index.ts";
import { fileText, machineFile, realpath, upwards } from "../../machine/index.ts";
import { CONFIG_NAME, exists } from "../discover.ts";
import type { TrustedProject, TrustEntries } from "./trust-store.ts";

// Loaded by the process of every hook: it must stay light.

/** The project that a working directory belongs to. */
export interface Project {
  /** Its folder, links resolved: it has a configuration, or a trusted set. */
  readonly directory: string;
  readonly repository: RepositoryPlace | undefined;
  /** Its trust entry, if any. */
  readonly decision: TrustedProject | undefined;
  /** The key of that entry in the store. */
  readonly key: string;
  /** A folder further down with a configuration that has no trust entry. */
  readonly nearer: string | undefined;
}

/**
 * The project of a working directory: the nearest folder with a trust entry, even if its configuration is gone;
 * otherwise the nearest folder with a configuration.
 * @param cwd absolute
 * @param userDir folder of the user's own configuration, which is not a project
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
  for (const folder of upwards(realpath(cwd))) {
    const found = known?.at(folder);
    if (found) return { directory: folder, nearer: nearest, ...found };
    // The folder of the user's own configuration is not part of any project, even inside a repository.
    if (nearest === undefined && folder === ownFolder) return undefined;
    const file = join(folder, CONFIG_NAME);
    // Neither a link to the user's own file nor that of the machine is a project's configuration.
    if (nearest === undefined && exists(file) && realpath(file) !== own && !isOfMachine(file)) {
      nearest = folder;
    }
  }
  return nearest === undefined ? undefined : projectAt(nearest);
}

function isOfMachine(file: string): boolean {
  const ofMachine = machineFile();
  return ofMachine !== undefined && realpath(file) === realpath(ofMachine);
}

/** A folder as a project without a trust entry. @param directory links resolved */
function projectAt(directory: string): Project {
  const repository = repositoryOf(directory);
  const key = keyOf(directory, repository);
  return { directory, repository, key, decision: undefined, nearer: undefined };
}

/** The folder itself as a project, with its trust entry. @param directory links resolved */
export function projectIn(directory: string, { projects }: TrustEntries): Project {
  const found = new KnownFolders(projects).at(directory);
  return found ? { directory, nearer: undefined, ...found } : projectAt(directory);
}

/** The key of a folder in the store: the worktrees of a repository share an entry. */
export function keyOf(directory: string, repository: RepositoryPlace | undefined): string {
  return repository ? `${repository.common}//${repository.folder}` : directory;
}

/**
 * The keys under which a folder may have an entry, the strongest first: its own path (dev-trusted, or not a repository
 * when trusted), its repository, the path of its main worktree (not a repository then).
 */
export function keysOf(
  directory: string,
  repository: RepositoryPlace | undefined,
): readonly [own: string, ...shared: string[]] {
  const main = inMain(repository);
  return [directory, keyOf(directory, repository), ...(main === undefined ? [] : [main])];
}

/** The corresponding folder in the main worktree. */
export function inMain(repository: RepositoryPlace | undefined): string | undefined {
  return repository?.main === undefined ? undefined : join(repository.main, repository.folder);
}

/** Looks up the entries of folders, from a folder upwards. */
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

  at(folder: string): Pick<Project, "repository" | "decision" | "key"> | undefined {
    const repository = this.#repositoryOf(folder);
    const [own, ...shared] = keysOf(folder, repository);
    // The set that a folder has run stays valid, whatever happened to its repository.
    const ran = this.#folders.get(folder);
    for (const key of [own, ...(ran === undefined ? [] : [ran]), ...shared]) {
      const decision = this.#projects.get(key);
      // Dev-trust applies to that folder only.
      if (decision && (key === own || !("dev" in decision))) return { repository, key, decision };
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

// Git is never run, only its files are read: this happens for every event, and a repository can configure commands that
// git runs.

/** The place of a folder in a git repository. */
export interface RepositoryPlace {
  /** The git directory that all worktrees share, links resolved; it identifies the repository. */
  readonly common: string;
  /** Top of the worktree that contains the folder. */
  readonly worktree: string;
  /** Top of the main worktree; undefined for a bare repository. */
  readonly main: string | undefined;
  /** Path of the folder in its worktree, with `/`; empty for the top. */
  readonly folder: string;
  /** The checked-out branch; undefined for a detached head, or when it cannot be read. */
  readonly branch: string | undefined;
}

/**
 * The repository that contains a folder; undefined if there is none.
 * @param directory absolute, links resolved
 */
function repositoryOf(directory: string): RepositoryPlace | undefined {
  for (const top of upwards(directory)) {
    const git = gitDirectory(top);
    if (!git) continue;
    const folder = relative(top, directory).replaceAll(sep, "/");
    const main = basename(git.common) === ".git" ? dirname(git.common) : undefined;
    return { common: git.common, worktree: top, main, folder, branch: branchOf(git.own) };
  }
  return undefined;
}

/** The git directory of a worktree, and the shared one. */
function gitDirectory(top: string): { readonly own: string; readonly common: string } | undefined {
  const path = join(top, ".git");
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // A link can point to any repository, which does not know of it.
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
    // A folder can claim to belong to any repository: the repository must name the folder as well.
    const back = readSmall(join(own, "gitdir"))?.trim();
    if (back === undefined || dirname(own) !== join(common, "worktrees")) return undefined;
    return realpathSync(resolve(own, back)) === realpathSync(path) ? { own, common } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a git directory elsewhere, for example that of a submodule, names this worktree. */
function isWorktreeOf(own: string, top: string): boolean {
  const [, written] =
    /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readSmall(join(own, "config")) ?? "") ?? [];
  return written !== undefined && realpathSync(resolve(own, written)) === top;
}

function branchOf(own: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/(.+?)\s*$/.exec(readSmall(join(own, "HEAD")) ?? "") ?? [];
  return branch;
}

/** Maximum size of git's one-line files. */
const MOST_BYTES = 64 * 1024;

function readSmall(file: string): string | undefined {
  return orUndefined(() => {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size <= MOST_BYTES ? fileText(file) : undefined;
  });
}
