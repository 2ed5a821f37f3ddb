import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPathInside } from "../path-inside.ts";
import { defaultUserDir, realpath, shownPath } from "../../machine/index.ts";
import { filesOfProject } from "../layers.ts";
import { loadConfig } from "../load.ts";
import type { Settings } from "../settings.ts";
import type { FoundLayer } from "../found-project.ts";
import { mapChanges, OrcsError, orUndefined } from "../../core/index.ts";
import type { Diagnostic, MapChange, TrustStanding } from "../../core/index.ts";
import { evaluateTrust } from "./evaluate-trust.ts";
import { shownMachineFiles } from "./machine-configuration.ts";
import type { Project, RepositoryPlace } from "./project.ts";
import { keyOf, keysOf, projectIn, projectOf } from "./project.ts";
import { digestOf, Seal, type SealContent, type SealedFile, sealedFiles } from "./seal.ts";
import { TrustSet, type Unsealed } from "./trust-set.ts";
import { NO_DIGEST, type TrustedProject, type TrustStore } from "./trust-store.ts";

/** A project as its folder is now, with everything needed to trust it. */
export interface ProjectInspection {
  /** Its folder, links resolved. */
  readonly directory: string;
  readonly project: Project;
  /** Its configurations. */
  readonly layers: readonly FoundLayer[];
  /** The current trust decision. */
  readonly standing: TrustStanding;
  /** Whether the folder has exactly the content of a trusted set. */
  readonly isSealed: boolean;
  /** Digest of the active sealed set; undefined if there is none. */
  readonly active: string | undefined;
  /** The content of a seal of it. */
  readonly content: SealContent;
  /** SHA-256 of that, as hexadecimal digits. */
  readonly digest: string;
  /** How it differs from the active set, by name. */
  readonly changed: readonly MapChange<"name">[];
  /** Code that its hooks run and that no seal contains. */
  readonly unsealed: readonly Unsealed[];
  /** Reasons why it cannot be trusted as it is. */
  readonly problems: readonly Diagnostic[];
  /** Values that are ignored: a project cannot loosen the user's own configuration. */
  readonly ignored: readonly Diagnostic[];
  /** Its effective settings, on top of the user's own; undefined when it has errors. */
  readonly settings: Settings | undefined;
  /** The errors that prevent it from loading. */
  readonly configError: OrcsError | undefined;
}

/**
 * Inspect the project that contains a directory, without running any of its code. Its files are read once: what is
 * shown is what can be trusted.
 * @throws OrcsError ORCS5001 when there is none, ORCS8002
 */
export async function inspectProject(from: string, store: TrustStore): Promise<ProjectInspection> {
  const cwd = realpath(resolve(from));
  const entries = store.all();
  const found = projectOf(cwd, defaultUserDir(), entries);
  if (found === undefined) {
    const why =
      cwd === realpath(defaultUserDir())
        ? `${shownPath(cwd)} contains your own configuration, which does not need to be trusted; see orcs trust --user`
        : `no orcs.toml found in ${shownPath(cwd)} or its parent directories`;
    throw new OrcsError("ORCS5001", why);
  }
  // A nearer project may be trusted separately.
  const project = found.nearer === undefined ? found : projectIn(found.nearer, entries);
  const read = await readFolder(project.directory);
  const { set } = read;
  if (!set) {
    const why = `${shownPath(project.directory)} no longer has a configuration: remove its trust with orcs trust --revoke`;
    throw new OrcsError("ORCS5001", why);
  }
  const { content } = set;
  const digest = digestOf(content);
  const { state, why, active } = standingOf(project, store);
  const isSealed = sets(project.decision).some((known) => known.digest === digest);
  return {
    directory: project.directory,
    project,
    layers: read.layers,
    standing: { directory: project.directory, state, why },
    isSealed,
    active,
    content,
    digest,
    // With errors, not all files are known: one that is not in the content may be there.
    changed: (active === undefined || isSealed ? [] : differences(store, active, content)).filter(
      ({ name, is }) =>
        is !== "gone" || !read.mistakes || !existsSync(resolve(project.directory, name)),
    ),
    unsealed: set.unsealed,
    problems: set.problems,
    ignored: read.ignored,
    settings: read.settings,
    configError: read.mistakes,
  };
}

/** The trust decision about a project. An unusable copy does not prevent trusting it again. */
function standingOf(
  project: Project,
  store: TrustStore,
): Pick<TrustStanding, "state" | "why"> & { readonly active: string | undefined } {
  try {
    const { state, why, digest } = evaluateTrust(project, store);
    return { state, why, active: digest };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { state: "store", why: thrown.message, active: undefined };
  }
}

/** The content of a project's folder, read as if it were trusted. */
async function readFolder(directory: string) {
  let layers: readonly FoundLayer[] = [];
  let set: TrustSet | undefined;
  try {
    const { settings, warnings } = await loadConfig({
      cwd: directory,
      project: filesOfProject(directory),
      machine: shownMachineFiles(),
      async examine(found) {
        set = await TrustSet.of(found);
        layers = await found.layers();
        return set.problems;
      },
    });
    return { set, layers, settings, ignored: warnings, mistakes: undefined };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { set, layers, settings: undefined, ignored: [], mistakes: thrown };
  }
}

function sets(decision: TrustedProject | undefined) {
  return decision && "sets" in decision ? decision.sets : [];
}

function differences(
  store: TrustStore,
  digest: string,
  { files }: SealContent,
): MapChange<"name">[] {
  const list = orUndefined(() => sealedFiles(store.sealsDir, digest).files);
  if (!list) return [];
  const derived = [...list, ...files].flatMap(([name, { isDerived }]) => (isDerived ? name : []));
  const changed = mapChanges(hashesOf(list), hashesOf(files), "name");
  return changed.filter(({ name }) => !derived.includes(name));
}

function hashesOf(files: Iterable<readonly [string, SealedFile]>): ReadonlyMap<string, string> {
  return new Map(Array.from(files, ([name, { hash }]) => [name, hash]));
}

/**
 * Trust a project: the inspected set, or its folder with any content (dev trust). Sets trusted earlier on the same
 * branch are replaced; those of other branches stay.
 * @throws OrcsError ORCS8002, ORCS5002, and as `expectTrustable`
 */
export function trust(look: ProjectInspection, store: TrustStore, dev: boolean): void {
  expectTrustable(look, store, dev);
  const { project, content } = look;
  const at = new Date().toISOString();
  const { directory, repository } = project;
  // Dev trust applies to one folder, not to its repository: other worktrees can contain anything.
  const key = dev ? directory : keyOf(directory, repository);
  store.begin();
  const digest = dev ? NO_DIGEST : Seal.write(store.sealsDir, content).digest;
  store.change(({ projects }) => {
    // This worktree shares what the repository was trusted for under the path of its main worktree. Read again, because
    // it may have been revoked meanwhile.
    const shared = repository && project.key !== directory ? project.key : key;
    const before = projects.get(key) ?? projects.get(shared);
    const branch = repository?.branch ?? null;
    const others = sets(before).filter((known) => known.branch !== branch);
    const stays = dev ? {} : before?.folders;
    leave(projects, directory, repository);
    projects.set(key, {
      ...(dev ? { dev, at } : { sets: [...others, { digest, branch, at }] }),
      folders: { ...stays, [directory]: digest },
    });
  });
}

/** Removes the entry of a folder by its path, and its part in others. */
function leave(
  projects: Map<string, TrustedProject>,
  directory: string,
  repository: RepositoryPlace | undefined,
): void {
  projects.delete(directory);
  // If the repository is gone, its sets must not become active with the next repository in that place.
  if (!repository) projects.delete(`${join(directory, ".git")}//`);
  for (const [other, entry] of projects) {
    const { [directory]: ran, ...folders } = entry.folders;
    if (ran !== undefined) projects.set(other, { ...entry, folders });
  }
}

/**
 * Checks whether a project can be trusted. Call it before asking the user or writing anything.
 * @param dev whether its folder will be dev-trusted
 * @throws OrcsError ORCS8002 when it contains the store; ORCS8001, ORCS1015 when it cannot be trusted as it is
 */
export function expectTrustable(
  { configError, problems, directory }: ProjectInspection,
  { path, realPath }: TrustStore,
  dev: boolean,
): void {
  if (isPathInside(directory, realPath)) {
    const why = `${shownPath(directory)} cannot be trusted: it contains the trust store ${path}`;
    throw new OrcsError("ORCS8002", why, { path });
  }
  if (dev) return;
  // The problem "has errors" says less than the errors themselves.
  if (configError && problems.every(({ code }) => code === "ORCS1015")) throw configError;
  if (problems.length === 0) return;
  const all = problems.map(({ code, message }) => `${code}: ${message}`).join("\n");
  throw new OrcsError("ORCS8001", `${shownPath(directory)} cannot be trusted:\n${all}`);
}

/**
 * Remove every trust entry of a project. @returns whether there was one
 * @throws OrcsError ORCS8002, ORCS5002
 */
export function revoke(
  { decision, key, directory, repository }: Project,
  store: TrustStore,
): boolean {
  if (decision === undefined) return false;
  store.change(({ projects }) => {
    for (const each of [key, ...keysOf(directory, repository)]) projects.delete(each);
  });
  return true;
}

/**
 * The project that contains a directory, without reading its content. Also works when the folder or its configuration
 * is gone.
 * @throws OrcsError ORCS8002
 */
export function projectFor(from: string, store: TrustStore): Project | undefined {
  const entries = store.all();
  const found = projectOf(resolve(from), defaultUserDir(), entries);
  // A nearer project without an entry must not get the entry of the project around it.
  return found?.nearer === undefined ? found : projectIn(found.nearer, entries);
}
