import { dirname, join, relative, sep } from "node:path";
import { CONFIG_NAME, exists } from "../../config/found-files.ts";
import { realpath } from "../realpath.ts";
import { repositoryOf } from "./repository.ts";
import type { RepositoryPlace } from "./repository.ts";
import type { TrustEntries, TrustedProject } from "./trust-store.ts";

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
      // Who vouches for whatever a folder will hold does so for that folder alone.
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
