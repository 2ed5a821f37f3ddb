import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { environmentTree } from "./environment.ts";
import { CONFIG_NAME, exists, LOCAL_NAME, nearestConfig } from "./discover.ts";
import { defaultUserDir } from "../files/user-folders.ts";

/** Where a configuration comes from. */
export type Origin =
  | "user"
  | "project"
  | "local"
  | "named"
  | "object"
  | "environment"
  | "command line"
  | "built-in";

/** One configuration that counts, not read yet. */
export interface Layer {
  readonly origin: Origin;
  /** 1 for what was found in a project: its hooks run after all others and cannot replace them. */
  readonly rank: 0 | 1;
  /**
   * A file's path, absolute, as messages name it, and what it holds where that is not to be read from there; or the
   * object itself.
   */
  readonly from:
    | { readonly file: string; readonly bytes?: Uint8Array | undefined }
    | { readonly object: unknown };
  /** What relative paths in its settings are relative to. */
  readonly baseDir: string;
  /** The folder that stands for `baseDir` where code is loaded: a sealed copy of it, or itself. */
  readonly codeDir: string;
  /** Whether it is the user's own configuration, be it found or named: nobody else says `self_guard`. */
  readonly isOwn: boolean;
  /** First part of the ids that its hooks get when they have none. */
  readonly idPrefix: string;
}

/** Which configurations to read. */
export interface LayerOptions {
  /**
   * A path: that file alone. An object: its keys as in TOML. False: none.
   * Undefined: the user's own, then the nearest `orcs.toml` upwards of `cwd` and the `orcs.local.toml` beside it.
   */
  readonly config?: string | object | false | undefined;
  /** Absolute. */
  readonly cwd: string;
  /**
   * The project whose configuration counts, besides the user's own, where `config` is undefined; false for none.
   * Default: that of the nearest `orcs.toml`.
   */
  readonly project?: LayerFiles | false | undefined;
  /** What stands for the file that `config` names: a sealed copy. */
  readonly named?: LayerFiles | undefined;
  /** What stands for the user's own configuration: a copy of what was active last. */
  readonly user?: LayerFiles | undefined;
  /** Directory of the user's own `orcs.toml`; default `$XDG_CONFIG_HOME/orcs` or `~/.config/orcs`. */
  readonly userDir?: string | undefined;
  /** Variables `ORCS_<SECTION>_<KEY>`, above all files; an object's or no configuration heeds none. Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What the command line says, with the keys of TOML. */
  readonly overrides?: object | undefined;
}

/** Configurations of one folder, and where they are read. */
export interface LayerFiles {
  /** The folder that they belong to. */
  readonly directory: string;
  /** The folder that stands for it where code is loaded: a sealed copy, or itself. */
  readonly codeDir: string;
  /** Names of the files, the weakest first, and what they hold where that is not to be read in the folder. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
}

/** The configurations of a project, the weakest first. */
export const PROJECT_FILES: readonly string[] = [CONFIG_NAME, LOCAL_NAME];

/** Of those, the ones that are there. */
export function filesOfProject(directory: string): LayerFiles {
  const names = PROJECT_FILES.filter((name) => exists(join(directory, name)));
  return { directory, codeDir: directory, files: new Map(names.map((name) => [name, undefined])) };
}

/** The configurations that count, the weakest first. */
export function findLayers(options: LayerOptions): Layer[] {
  const { cwd, config, overrides, environment = process.env } = options;
  const layers = configLayers(options);
  if (config === undefined || typeof config === "string") {
    const tree = environmentTree(environment);
    if (tree) layers.push(objectLayer("environment", tree, cwd));
  }
  if (overrides !== undefined) layers.push(objectLayer("command line", overrides, cwd));
  return layers;
}

function configLayers(options: LayerOptions): Layer[] {
  const { config, cwd, named } = options;
  if (config === false) return [];
  if (named) return layersOf(named, () => "named");
  if (typeof config === "string") {
    const file = resolve(cwd, config);
    const own = join(options.userDir ?? defaultUserDir(), CONFIG_NAME);
    return [{ ...fileLayer("named", file), isOwn: isSameFile(file, own) }];
  }
  if (config !== undefined) return [objectLayer("object", config, cwd)];
  return foundLayers(options, options.userDir ?? defaultUserDir());
}

function foundLayers({ cwd, project, user }: LayerOptions, userDir: string): Layer[] {
  const own = user ? layersOf(user, () => "user") : [];
  const file = join(userDir, CONFIG_NAME);
  if (!user && exists(file)) own.push(fileLayer("user", file));
  const found = project ?? nearestProject(cwd, file);
  return found
    ? [...own, ...layersOf(found, (name) => (name === LOCAL_NAME ? "local" : "project"))]
    : own;
}

/** @param user the user's own file: in its directory the file found is the user's, not a project's */
function nearestProject(cwd: string, user: string): LayerFiles | undefined {
  // As for a process that runs there: what stands above a link is none of its business.
  const project = nearestConfig(real(cwd));
  if (project === undefined || (exists(user) && isSameFile(project, user))) return undefined;
  return filesOfProject(dirname(project));
}

function layersOf(from: LayerFiles, originOf: (name: string) => Origin): Layer[] {
  const { directory, codeDir, files } = from;
  return [...files].map(([name, bytes]) =>
    fileLayer(originOf(name), join(directory, name), bytes, codeDir),
  );
}

function fileLayer(
  origin: Origin,
  file: string,
  bytes?: Uint8Array,
  codeDir = dirname(file),
): Layer {
  const baseDir = dirname(file);
  // The user's file has the name of the project's; its ids must not.
  const idPrefix = origin === "user" ? `${basename(baseDir)}/${basename(file)}` : basename(file);
  const rank = origin === "project" || origin === "local" ? 1 : 0;
  return {
    origin,
    rank,
    from: { file, bytes },
    baseDir,
    codeDir,
    isOwn: origin === "user",
    idPrefix,
  };
}

function objectLayer(origin: Origin, object: unknown, cwd: string): Layer {
  const idPrefix = origin === "object" ? "config" : origin;
  return { origin, rank: 0, from: { object }, baseDir: cwd, codeDir: cwd, isOwn: false, idPrefix };
}

function isSameFile(a: string, b: string): boolean {
  return real(a) === real(b);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
