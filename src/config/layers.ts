import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { environmentTree } from "./environment.ts";
import { CONFIG_NAME, defaultUserDir, exists, nearestConfig } from "./found-files.ts";

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
  /** A file's path, absolute, or the object itself. */
  readonly from: { readonly file: string } | { readonly object: unknown };
  /** What relative paths in it are relative to. */
  readonly baseDir: string;
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
  /** Directory of the user's own `orcs.toml`; default `$XDG_CONFIG_HOME/orcs` or `~/.config/orcs`. */
  readonly userDir?: string | undefined;
  /** Variables `ORCS_<SECTION>_<KEY>`, above all files; an object's or no configuration heeds none. Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What the command line says, with the keys of TOML. */
  readonly overrides?: object | undefined;
}

const LOCAL_NAME = "orcs.local.toml";

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
  const { config, cwd } = options;
  if (config === false) return [];
  if (typeof config === "string") {
    const file = resolve(cwd, config);
    const own = join(options.userDir ?? defaultUserDir(), CONFIG_NAME);
    return [fileLayer("named", file, isSameFile(file, own))];
  }
  if (config !== undefined) return [objectLayer("object", config, cwd)];
  return foundLayers(cwd, options.userDir ?? defaultUserDir());
}

function foundLayers(cwd: string, userDir: string): Layer[] {
  const layers: Layer[] = [];
  const user = join(userDir, CONFIG_NAME);
  const hasUser = exists(user);
  if (hasUser) layers.push(fileLayer("user", user));
  // As for a process that runs there: what stands above a link is none of its business.
  const project = nearestConfig(real(cwd));
  // In the user's own directory the file found is the user's, not a project's.
  if (project === undefined || (hasUser && isSameFile(project, user))) return layers;
  layers.push(fileLayer("project", project));
  const local = join(dirname(project), LOCAL_NAME);
  if (exists(local)) layers.push(fileLayer("local", local));
  return layers;
}

function fileLayer(origin: Origin, file: string, isOwn = origin === "user"): Layer {
  const baseDir = dirname(file);
  // The user's file has the name of the project's; its ids must not.
  const idPrefix = origin === "user" ? `${basename(baseDir)}/${basename(file)}` : basename(file);
  const rank = origin === "project" || origin === "local" ? 1 : 0;
  return { origin, rank, from: { file }, baseDir, isOwn, idPrefix };
}

function objectLayer(origin: Origin, object: unknown, cwd: string): Layer {
  const idPrefix = origin === "object" ? "config" : origin;
  return { origin, rank: 0, from: { object }, baseDir: cwd, isOwn: false, idPrefix };
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
