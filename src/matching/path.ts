import { posix } from "node:path";
import { PATH_ARGS, shownUnder } from "../core/index.ts";
import { compileGlob } from "./patterns/glob.ts";
import { normalisePath, pathInside, resolvePath } from "./patterns/path.ts";

/** How paths are resolved. */
export interface PathOptions {
  /** Absolute working directory of payloads that name none. */
  readonly cwd: string;
  /** The path with its symbolic links resolved; may throw when it does not exist. */
  readonly realpath?: ((path: string) => string) | undefined;
}

/**
 * A glob over the path arguments of a call (`PATH_ARGS`, a string or a list of strings): one match is enough. Each
 * argument is resolved against the payload's working directory by its text alone, and compared as a path relative to
 * that directory (also by its real path) and as an absolute path. With a leading `!`: an argument none of whose forms
 * match.
 * @throws OrcsError ORCS1012 with `{ key: "path", pattern }`
 */
export function pathCondition(
  pattern: string,
  options: PathOptions,
): (args: Readonly<Record<string, unknown>>, cwd: unknown) => boolean {
  const glob = compileGlob("path", pattern);
  const locate = directories(options);
  return (args, cwd) => {
    const from = locate(typeof cwd === "string" ? cwd : undefined);
    const matches = (path: string): boolean =>
      pathForms(path, from).some((form) => glob.matches(form)) !== glob.negated;
    for (const key of PATH_ARGS) {
      const value = shownUnder(args, key);
      if (typeof value === "string" ? matches(value) : listed(value).some(matches)) return true;
    }
    return false;
  };
}

/** The path arguments of a call, by name; undefined if there are none. */
export function pathArguments(
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const paths = PATH_ARGS.map((key) => [key, shownUnder(args, key)] as const).filter(
    ([, value]) => value !== undefined,
  );
  return paths.length > 0 ? Object.fromEntries(paths) : undefined;
}

/** A working directory: as written, and with its links resolved. */
export interface Directory {
  readonly written: string;
  readonly real: string;
}

/** Resolves working directories, and caches the last one, since it repeats. */
export function directories(options: PathOptions): (cwd: string | undefined) => Directory {
  const own = normalisePath(options.cwd);
  let lastCwd: string | undefined;
  let last: Directory | undefined;
  return (cwd) => {
    if (last !== undefined && cwd === lastCwd) return last;
    const written = cwd === undefined ? own : resolvePath(own, cwd);
    try {
      last = { written, real: options.realpath?.(written) ?? written };
      lastCwd = cwd;
      return last;
    } catch {
      // It does not exist (yet): its own text is used.
      return { written, real: written };
    }
  };
}

function listed(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((_, i) => shownUnder(value, i)).filter((item) => typeof item === "string");
}

/** All forms of a path that a pattern may be written for. */
export function pathForms(path: string, { written, real }: Directory): string[] {
  const absolute = resolvePath(written, path);
  const inside = pathInside(written, absolute);
  if (real === written) return [inside ?? posix.relative(written, absolute), absolute];
  // The working directory is reached through a link, and the path may be written either way.
  const below = inside ?? pathInside(real, absolute);
  if (below === undefined) return [posix.relative(written, absolute), absolute];
  return [below, resolvePath(written, below), resolvePath(real, below)];
}
