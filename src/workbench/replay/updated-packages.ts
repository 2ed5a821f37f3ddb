import { basename, dirname, relative, sep } from "node:path";
import {
  CONFIG_NAME,
  evaluateTrust,
  filesOfProject,
  isPathInside,
  pathOfName,
  projectIn,
  Seal,
  shownFile,
  TrustStore,
} from "../../config/index.ts";
import { realpath } from "../../machine/index.ts";
import type { SetOptions } from "./replay.ts";

/** The hooks of a configuration before and after its packages are accepted as they are installed. */
export interface UpdatedSets {
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
