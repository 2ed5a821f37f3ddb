import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

// Imports nothing of ours: the process of a hook looks for its configuration before it loads anything else.

export const CONFIG_NAME = "orcs.toml";
export const LOCAL_NAME = "orcs.local.toml";

/**
 * Variables that name the user's folders of orcs themselves, above `XDG_*` and `HOME`. An installed entry names its
 * folders, and `orcs hook` hands them on in these to all that it runs and starts.
 */
export const USER_FOLDERS = { config: "ORCS_CONFIG_HOME", state: "ORCS_STATE_HOME" } as const;

/** Where the user's own `orcs.toml` is looked for. */
export function defaultUserDir(from?: UserPlace): string {
  const otherwise = (): string => join(userFolder("XDG_CONFIG_HOME", ".config", from), "orcs");
  return absolute(USER_FOLDERS.config, from?.env) ?? otherwise();
}

/**
 * A folder of the user's, absolute whatever the environment says: what is relative would be looked for in the
 * project, and the XDG specification has it ignored.
 * @param variable that names it
 * @param otherwise where it is from the home directory
 * @param from default: this process's user
 */
export function userFolder(variable: string, otherwise: string, from?: UserPlace): string {
  return absolute(variable, from?.env) ?? join(from?.home ?? homeDirectory(), otherwise);
}

/** A user's environment and home directory. */
export interface UserPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** What a variable says where it is an absolute path. */
export function absolute(
  variable: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const said = env[variable];
  return said !== undefined && isAbsolute(said) ? said : undefined;
}

/** The nearest `orcs.toml`, from a directory upwards. */
export function nearestConfig(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const file = join(dir, CONFIG_NAME);
    if (exists(file)) return file;
    if (dirname(dir) === dir) return undefined;
  }
}

/** Also true for what is there but cannot be looked at: reading it will say why. */
export function exists(file: string): boolean {
  try {
    // Most are not there, and an error would cost more than the look.
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOTDIR");
  }
}

/** Who has no home has the root directory, where nobody else puts anything. */
function homeDirectory(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : "/";
  } catch {
    return "/";
  }
}

/** Whether an absolute path lies in a folder, or is it; both without links. */
export function isPathInside(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(root);
}

/** In a copy of a folder, what lies outside of the folder: by its absolute path. */
const OUTSIDE = "orcs-outside";

/** The name in a copy for a file outside of the folder that is copied. */
export function outsideName(path: string): string {
  return `${OUTSIDE}${path.replaceAll(sep, "/")}`;
}

/** Where a file of a copy is, by its name there, outside of the copy. */
export function pathOfName(directory: string, name: string): string {
  const isOutside = name.startsWith(`${OUTSIDE}/`);
  return isOutside ? name.slice(OUTSIDE.length) : join(directory, name);
}

/**
 * A path in a configuration, where code is loaded from it. Where a copy stands for its folder, that is in the copy,
 * whatever the path: nothing is looked for elsewhere.
 */
export function codePath(
  { baseDir, codeDir }: { readonly baseDir: string; readonly codeDir: string },
  path: string,
): string {
  const file = resolve(baseDir, path);
  if (codeDir === baseDir) return file;
  return join(codeDir, isPathInside(baseDir, file) ? relative(baseDir, file) : outsideName(file));
}
