import { basename, dirname, join, resolve } from "node:path";
import { environmentTree } from "./environment.ts";
import { CONFIG_NAME, exists, LOCAL_NAME, nearestConfig } from "./discover.ts";
import type { Rank } from "../core/index.ts";
import { defaultUserDir, realIfThere } from "../machine/index.ts";

/** The origin of a configuration. */
export type Origin =
  | "user"
  | "project"
  | "local"
  | "named"
  | "object"
  | "environment"
  | "command line"
  | "built-in"
  | "bundle"
  | "machine";

/** A configuration that counts, before it is read. */
export interface Layer {
  readonly origin: Origin;
  /** The rank of its hooks; in the configuration of the machine, of those that it enforces. */
  readonly rank: Rank;
  /**
   * The absolute path of a file, with its name in messages and its content if that must not be read from the file; or
   * an object.
   */
  readonly from:
    | { readonly file: string; readonly bytes?: Uint8Array | undefined }
    | { readonly object: unknown };
  /** The base of relative paths in its settings. */
  readonly baseDir: string;
  /** The folder from which its code is loaded: `baseDir` or a sealed copy of it. */
  readonly codeDir: string;
  /** Whether its packages are not compared with the lock. */
  readonly asInstalled?: boolean | undefined;
  /**
   * Whether it is the user's own configuration, discovered or explicit, or the machine's: only they can set
   * `self_guard`.
   */
  readonly isOwn: boolean;
  /** First part of generated ids of its hooks. */
  readonly idPrefix: string;
}

/** Which configurations to read. */
export interface LayerOptions {
  /**
   * A path: only that file. An object: its keys as in TOML. False: none. Undefined: the user's own, then the nearest
   * `orcs.toml` from `cwd` upwards and the `orcs.local.toml` beside it.
   */
  readonly config?: string | object | false | undefined;
  /** Absolute. */
  readonly cwd: string;
  /**
   * The project whose configuration counts besides the user's own when `config` is undefined; false for none. Default:
   * that of the nearest `orcs.toml`.
   */
  readonly project?: LayerFiles | false | undefined;
  /** Replaces the file that `config` names: a sealed copy. */
  readonly named?: LayerFiles | undefined;
  /** The configuration of the machine, below all others, whatever `config` is. Default: none. */
  readonly machine?: LayerFiles | undefined;
  /** Replaces the user's own configuration: the last active copy. */
  readonly user?: LayerFiles | undefined;
  /** Directory of the user's own `orcs.toml`; default `$XDG_CONFIG_HOME/orcs` or `~/.config/orcs`. */
  readonly userDir?: string | undefined;
  /**
   * Variables `ORCS_<SECTION>_<KEY>`, which override all files; not used with an object or without a configuration.
   * Default: those of the process.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Options of the command line, with the keys of TOML. */
  readonly overrides?: object | undefined;
}

/** The configurations of a folder, and where to read them. */
export interface LayerFiles {
  /** Their folder. */
  readonly directory: string;
  /** The folder from which code is loaded: `directory` or a sealed copy of it. */
  readonly codeDir: string;
  /** Names of the files, the weakest first, with their content if it must not be read from the folder. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  /** Whether packages count as they are installed, whatever the lock has: to see what accepting them would change. */
  readonly asInstalled?: boolean | undefined;
}

/** File names of a project's configurations, the weakest first. */
export const PROJECT_FILES: readonly string[] = [CONFIG_NAME, LOCAL_NAME];

/** Those that exist. */
export function filesOfProject(directory: string): LayerFiles {
  const names = PROJECT_FILES.filter((name) => exists(join(directory, name)));
  return { directory, codeDir: directory, files: new Map(names.map((name) => [name, undefined])) };
}

/** The configurations that count, the weakest first. */
export function findLayers(options: LayerOptions): Layer[] {
  const { cwd, config, machine, overrides, environment = process.env } = options;
  const ofMachine = machine ? layersOf(machine, () => "machine") : [];
  const layers = [...ofMachine, ...configLayers(options)];
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

/** @param user the user's own file: discovered in its directory, it is the user's, not a project's */
function nearestProject(cwd: string, user: string): LayerFiles | undefined {
  // As for a process that runs there, folders above a link do not count.
  const project = nearestConfig(realIfThere(cwd));
  if (project === undefined || (exists(user) && isSameFile(project, user))) return undefined;
  return filesOfProject(dirname(project));
}

function layersOf(from: LayerFiles, originOf: (name: string) => Origin): Layer[] {
  const { directory, codeDir, files, asInstalled } = from;
  return [...files].map(([name, bytes]) =>
    Object.assign(fileLayer(originOf(name), join(directory, name), bytes, codeDir), {
      asInstalled,
    }),
  );
}

function fileLayer(
  origin: Origin,
  file: string,
  bytes?: Uint8Array,
  codeDir = dirname(file),
): Layer {
  const baseDir = dirname(file);
  // The user's file can have the same name as the project's; its ids must differ.
  const before = { user: `${basename(baseDir)}/`, machine: "machine/" }[origin as string] ?? "";
  return {
    origin,
    rank: RANK_OF[origin] ?? 0,
    from: { file, bytes },
    baseDir,
    codeDir,
    isOwn: origin === "user" || origin === "machine",
    idPrefix: before + basename(file),
  };
}

const RANK_OF: Readonly<Partial<Record<Origin, Rank>>> = { machine: -2, project: 1, local: 1 };

/**
 * The layer of a bundle.
 * @param files the unpacked bundle
 * @param isEnforced whether the machine enforces it
 */
export function bundleLayer(files: LayerFiles, isEnforced: boolean): Layer | undefined {
  const [layer] = layersOf(files, () => "bundle");
  return layer && { ...layer, rank: isEnforced ? -1 : 0, idPrefix: "bundle" };
}

function objectLayer(origin: Origin, object: unknown, cwd: string): Layer {
  const idPrefix = origin === "object" ? "config" : origin;
  return { origin, rank: 0, from: { object }, baseDir: cwd, codeDir: cwd, isOwn: false, idPrefix };
}

function isSameFile(a: string, b: string): boolean {
  return realIfThere(a) === realIfThere(b);
}
