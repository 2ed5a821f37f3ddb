import { join, relative, sep } from "node:path";
import { isPathInside, pathOfName } from "../path-inside.ts";
import { filesOfProject, PROJECT_FILES } from "../layers.ts";
import type { TrustedFiles } from "../found-project.ts";
import { OrcsError, orUndefined } from "../../core/index.ts";
import { shownPath } from "../../machine/index.ts";
import { inMain, type Project } from "./project.ts";
import { differing, Seal, sealedFiles } from "./seal.ts";
import type { TrustedProject, TrustedSet, TrustStore } from "./trust-store.ts";

/**
 * The trust decision about a project, and its active set. Runs no code, and reads only as many files of the project as
 * needed to detect a change.
 * @throws OrcsError ORCS8010 when the copy of the trusted set cannot be used; ORCS8002 when the store is inside a
 * trusted project
 */
export function evaluateTrust(project: Project, store: TrustStore): TrustedFiles {
  const { directory, decision } = project;
  if (isPathInside(directory, store.realPath)) {
    const why = `the trust store ${store.path} is inside the project`;
    if (decision === undefined) return inactive(project, store, { state: "store", why });
    // Moving the store into the project must not end its trust.
    const advice = "move it elsewhere before the project's configuration can be used";
    throw new OrcsError("ORCS8002", `${why}; ${advice}`, { path: store.path });
  }
  if (decision === undefined) {
    return inactive(project, store, { state: "unknown", why: "it is not in the trust store" });
  }
  if ("dev" in decision) {
    return inactive(project, store, { state: "dev", why: "its folder is dev-trusted" });
  }
  return sealed(project, decision, store);
}

function inactive(
  { directory, nearer }: Project,
  store: TrustStore,
  standing: Pick<TrustedFiles, "state" | "why">,
): TrustedFiles {
  const files = PROJECT_FILES.map((name) => join(directory, name));
  return {
    ...standing,
    directory,
    nearer,
    source: filesOfProject(directory),
    files: [...files, store.path],
    ...UNSEALED,
  };
}

const UNSEALED = {
  digest: undefined,
  at: undefined,
  differs: [],
  packageDirs: [],
  sealed: new Map<string, never>(),
  holds: () => false,
  bytesOf: () => undefined,
  shown: (file: string) => file,
} as const;

function sealed(
  project: Project,
  decision: Extract<TrustedProject, { sets: unknown }>,
  store: TrustStore,
): TrustedFiles {
  const { directory, nearer, repository } = project;
  const main = inMain(repository);
  const { set, differs } = activeSet(project, decision, store);
  remember(project, set.digest, store);
  const seal = Seal.open(store.sealsDir, set.digest);
  const codeDir = seal.directory;
  const nameOf = (file: string): string => relative(codeDir, file).replaceAll(sep, "/");
  const layers = seal.layers.map((name) => [name, seal.files.get(name)?.bytes] as const);
  return {
    state: "trusted",
    why: differs.length > 0 ? `changed since then: ${namesText(differs)}` : UNCHANGED,
    directory,
    nearer,
    digest: set.digest,
    at: set.at,
    differs,
    source: { directory, codeDir, files: new Map(layers) },
    files: [...seal.files.keys(), ...PROJECT_FILES]
      .map((name) => pathOfName(directory, name))
      .concat(store.path),
    // Prefer the packages of the main worktree: anything can be checked out in the others.
    packageDirs: main === undefined ? [directory] : [main, directory],
    sealed: seal.files,
    holds: (folder) => isPathInside(codeDir, folder),
    bytesOf: (file) => seal.files.get(nameOf(file))?.bytes,
    shown: (file) => (isPathInside(codeDir, file) ? pathOfName(directory, nameOf(file)) : file),
  };
}

const UNCHANGED = "its content is unchanged";
/** Maximum number of files that a message lists. */
const MOST_NAMED = 5;

/**
 * The set that a folder runs: one with exactly its content, otherwise the one that it (or the main worktree) ran last,
 * otherwise the newest.
 * @throws OrcsError ORCS8010
 */
function activeSet(
  project: Project,
  { sets, folders }: Extract<TrustedProject, { sets: unknown }>,
  { sealsDir }: TrustStore,
): { set: TrustedSet; differs: readonly string[] } {
  const { directory, repository } = project;
  const main = inMain(repository);
  const preferred = [folders[directory], main === undefined ? undefined : folders[main]];
  const newest = [...sets].reverse();
  const ordered = [
    ...preferred.flatMap((digest) => newest.find((set) => set.digest === digest) ?? []),
    ...newest,
  ];
  const [first] = ordered;
  if (!first) {
    const where = shownPath(directory);
    const why = `${where} was trusted by an earlier version of orcs, which stored no copy of it: run orcs trust ${where}`;
    throw new OrcsError("ORCS8010", why, { path: directory });
  }
  let nearest: readonly string[] | undefined;
  for (const set of new Set(ordered)) {
    // Undefined when its list cannot be read; if it is the chosen set, opening it reports why.
    const differs = orUndefined(() =>
      differing(directory, sealedFiles(sealsDir, set.digest), PROJECT_FILES, MOST_NAMED + 1),
    );
    if (differs?.length === 0) return { set, differs };
    nearest ??= set === first ? (differs ?? []) : undefined;
  }
  return { set: first, differs: nearest ?? [] };
}

/** Record which set a folder runs, for the time when its content matches none. */
function remember({ directory, key }: Project, digest: string, store: TrustStore): void {
  // A store that cannot be written is reported when something is to be trusted. Trusted sets run anyway.
  orUndefined(() => {
    if (store.all().projects.get(key)?.folders[directory] === digest) return;
    store.change(({ projects }) => {
      const decision = projects.get(key);
      if (!decision || decision.folders[directory] === digest) return;
      projects.set(key, { ...decision, folders: { ...decision.folders, [directory]: digest } });
    });
  });
}

/** File names as a text. */
export function namesText(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMED).map(shownPath);
  return [...named, ...(names.length > MOST_NAMED ? ["more"] : [])].join(", ");
}
