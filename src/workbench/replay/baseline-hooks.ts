import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  CONFIG_NAME,
  evaluateTrust,
  filesOfProject,
  isPathInside,
  loadConfig,
  loadTrusted,
  nearestConfig,
  pathOfName,
  projectIn,
  Seal,
  shownFile,
  TrustStore,
} from "../../config/index.ts";
import { isTrusted, OrcsError } from "../../core/index.ts";
import { isWithin, type ProcessResult, realpath, runProcess } from "../../machine/index.ts";
import type { SetOptions } from "./replay.ts";

/** Two sets of hooks to compare. */
export interface BothSets {
  readonly set: SetOptions;
  readonly against: SetOptions;
  /** Remove temporary files. */
  close(): void;
}

/**
 * The current set, and the one in a folder or in a git revision of the configuration's repository. Both are read
 * without the user's own configuration, whose hooks would be the same in both.
 * @param config file of the configuration; default the nearest one, which must be trusted
 * @param against a folder with an `orcs.toml`; if there is none, a git revision
 * @throws OrcsError ORCS5001, ORCS8001; ORCS1015 for the configuration
 */
export async function openBothSets(
  config: string | undefined,
  against: string,
  cwd: string,
): Promise<BothSets> {
  const file = config === undefined ? await trustedConfig(cwd) : resolve(cwd, config);
  const folder = dirname(file);
  const inside = pathInside(folder, cwd) ?? "";
  const set = { config: file, cwd };
  const other = resolve(cwd, against);
  if (statSync(other, { throwIfNoEntry: false })?.isDirectory()) {
    const there = join(other, CONFIG_NAME);
    if (!existsSync(there)) throw misuse(`there is no ${CONFIG_NAME} in ${against}`);
    const shown = (path: string): string => join(against, path);
    const options = await otherSet(there, inside, { folder, top: other, shown });
    return { set, against: options, close: () => undefined };
  }
  const revision = await checkedOut(against, folder);
  try {
    const there = join(revision.folder, file.slice(folder.length));
    if (!existsSync(there)) throw misuse(`revision ${against} has no ${relative(cwd, file)}`);
    const shown = (path: string): string => `${against}:${path}`;
    const { top } = revision;
    const options = await otherSet(there, inside, { folder, top, shown });
    return { set, against: options, close: () => revision.remove() };
  } catch (thrown) {
    revision.remove();
    throw thrown;
  }
}

interface Shown {
  /** The folder of the project's configuration, which the other set replaces. */
  readonly folder: string;
  /** The base of shown paths. */
  readonly top: string;
  readonly shown: (path: string) => string;
}

/**
 * A set in another place. Paths in payloads are those of the project, so its references to its own folder are read as
 * references to the project's.
 * @param inside path of the working directory, relative to the folder of the configuration
 */
async function otherSet(
  file: string,
  inside: string,
  { folder, top, shown }: Shown,
): Promise<SetOptions> {
  const other = dirname(file);
  const cwd = join(other, inside);
  const { settings } = await loadConfig({
    config: file,
    cwd,
  });
  const root = pathInside(other, settings.permissions.root);
  return {
    config: file,
    cwd,
    ...(root !== undefined && { overrides: { permissions: { root: join(folder, root) } } }),
    shownAs: (path) => {
      const own = pathInside(top, resolve(cwd, path));
      return own === undefined ? path : shown(own);
    },
  };
}

/** @throws OrcsError ORCS5001 if there is none, ORCS8001 if it is not trusted */
async function trustedConfig(cwd: string): Promise<string> {
  const file = nearestConfig(cwd);
  if (file === undefined) throw misuse(`there is no ${CONFIG_NAME} here; pass it with --config`);
  const { projectTrust } = await loadTrusted({ cwd });
  if (projectTrust && !isTrusted(projectTrust))
    throw new OrcsError("ORCS8001", projectTrust.why, { file });
  return file;
}

/** A path relative to a folder; undefined when it is not inside. */
function pathInside(folder: string, path: string): string | undefined {
  return isWithin(folder, path) ? relative(folder, path) : undefined;
}

function misuse(why: string): OrcsError {
  return new OrcsError("ORCS5001", why);
}

/** Time limit for a large repository on a slow disk, in milliseconds. */
const GIT_MS = 120_000;
const MAX_SAID = 2 ** 20;
/** Variables that git and tar get. */
const VARIABLES = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "LANG"];

/**
 * Copy the files of a git revision into a temporary folder. The repository is only read.
 * @returns the copies of the folder, and of the repository's top folder
 * @param revision in any form that git accepts
 * @param folder inside the repository
 * @throws OrcsError ORCS5001 when there is no such revision, no repository or no git
 */
async function checkedOut(revision: string, folder: string) {
  const wrong = (why: string): OrcsError =>
    new OrcsError("ORCS5001", `${revision} is neither a folder nor a git revision: ${why}`, {
      revision,
    });
  if (revision === "" || revision.startsWith("-")) throw wrong("invalid revision name");
  const run = async (file: string, ...args: string[]): Promise<string> => {
    const ended = await runProcess({
      file,
      args,
      cwd: folder,
      env: environment(),
      timeoutMs: GIT_MS,
      maxOutputBytes: MAX_SAID,
    });
    if (ended.kind === "exited" && ended.code === 0) return text(ended.stdout).trim();
    throw wrong(whyNot(file, ended));
  };
  // From here on a commit id is used, whatever the revision looked like.
  const commit = await run(
    "git",
    "rev-parse",
    "--verify",
    "--end-of-options",
    `${revision}^{commit}`,
  );
  const prefix = await run("git", "rev-parse", "--show-prefix");
  const top = await run("git", "rev-parse", "--show-toplevel");
  const made = realpathSync(mkdtempSync(join(tmpdir(), "orcs-replay-")));
  const remove = (): void => rmSync(made, { recursive: true, force: true });
  try {
    const archive = join(made, "revision.tar");
    const files = join(made, "files");
    mkdirSync(files);
    await run("git", "-C", top, "archive", "--format=tar", `--output=${archive}`, commit);
    await run("tar", "-x", "-f", archive, "-C", files);
    rmSync(archive);
    return { folder: join(files, prefix), top: files, remove };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function environment(): Record<string, string> {
  const known = VARIABLES.map((name) => [name, process.env[name]] as const);
  const entries = known.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

function whyNot(file: string, ended: ProcessResult): string {
  switch (ended.kind) {
    case "exited": {
      const [line = ""] = text(ended.stderr).trim().split("\n");
      return line === "" ? `${file} ended with code ${ended.code}` : line;
    }
    case "not_started":
      return `${file} cannot be started: ${ended.error}`;
    default:
      return `${file} failed (${ended.kind})`;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

/** The hooks of a configuration before and after its packages are accepted as they are installed. */
interface UpdatedSets {
  readonly set: SetOptions;
  /** The hooks that are active: a sealed copy. Undefined if there is none, as for a dev-trusted folder. */
  readonly against: SetOptions | undefined;
}

/**
 * The two sets of a configuration. Both are read without other configurations, whose hooks would be the same in both.
 * @param file absolute
 * @throws OrcsError ORCS8002, ORCS8010 when the active copy cannot be used
 */
export function updatedSets(file: string, cwd: string): UpdatedSets {
  const directory = realpath(dirname(file));
  const files =
    basename(file) === CONFIG_NAME
      ? filesOfProject(directory)
      : { directory, codeDir: directory, files: new Map([[basename(file), undefined]]) };
  const active = activeCopy(directory, basename(file), cwd);
  const set = { config: file, files: { ...files, asInstalled: true }, cwd };
  return { set, against: active && { config: file, cwd, ...active } };
}

/** The sealed copy of a folder's configuration, if it contains this file. */
function activeCopy(
  directory: string,
  name: string,
  cwd: string,
): Required<Pick<SetOptions, "files" | "shownAs">> | undefined {
  const store = new TrustStore();
  const digest = activeDigest(directory, store);
  if (digest === undefined) return undefined;
  const seal = Seal.open(store.sealsDir, digest);
  if (!seal.layers.includes(name)) return undefined;
  const codeDir = seal.directory;
  const files = new Map(seal.layers.map((layer) => [layer, seal.files.get(layer)?.bytes] as const));
  const shownAs = (file: string): string => {
    if (!isPathInside(codeDir, file)) return file;
    return shownFile(pathOfName(directory, relative(codeDir, file).replaceAll(sep, "/")), cwd);
  };
  return { files: { directory, codeDir, files }, shownAs };
}

/** Of a trusted project, or of the user's own configuration. */
function activeDigest(directory: string, store: TrustStore): string | undefined {
  const entries = store.all();
  for (const [folder, { digest }] of entries.user)
    if (realpath(folder) === directory) return digest;
  return evaluateTrust(projectIn(directory, entries), store).digest;
}
