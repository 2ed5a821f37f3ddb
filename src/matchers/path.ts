import { PATH_ARGS } from "../core/point-table.ts";
import { shownUnder } from "../core/visible-value.ts";
import { compileGlob } from "./glob.ts";

/** Where paths are resolved. */
export interface PathOptions {
  /** Absolute working directory of payloads that name none. */
  readonly cwd: string;
  /** The path with its symbolic links resolved; may throw when there is nothing at it. */
  readonly realpath?: ((path: string) => string) | undefined;
}

/**
 * A glob over the path-like arguments of a call (`PATH_ARGS`, a string or a list of strings): one that
 * matches is enough. Each is resolved against the payload's working directory by its text alone and held
 * against the pattern as seen from that directory and as an absolute path, the directory also by its real
 * path. With `!` in front, an argument none of whose forms match.
 *
 * @throws OrcsError ORCS1012 with `{ key: "path", pattern }`.
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

/** A working directory: by its text, and with its links resolved. */
interface Directory {
  readonly written: string;
  readonly real: string;
}

/** Resolves working directories; the same one comes again and again, so the last is kept. */
function directories(options: PathOptions): (cwd: string | undefined) => Directory {
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
      // Nothing is there (yet): its own text is all there is.
      return { written, real: written };
    }
  };
}

function listed(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((_, i) => shownUnder(value, i)).filter((item) => typeof item === "string");
}

/** Every spelling of a path that a pattern may have been written for. */
function pathForms(path: string, { written, real }: Directory): string[] {
  const absolute = resolvePath(written, path);
  const inside = pathInside(written, absolute);
  if (real === written) return [inside ?? relativePath(written, absolute), absolute];
  // The working directory is reached through a link, and the path may be written either way.
  const below = inside ?? pathInside(real, absolute);
  if (below === undefined) return [relativePath(written, absolute), absolute];
  return [below, resolvePath(written, below), resolvePath(real, below)];
}

/**
 * A path without `.`, `..` and empty segments, by its text alone: `./a//b/../c/` is `a/c`.
 * A relative path keeps the `..` that lead out of it; the place itself is the empty string.
 */
export function normalisePath(path: string): string {
  if (isPlain(path)) return path;
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push(segment);
  }
  return (absolute ? "/" : "") + kept.join("/");
}

/** Most paths are normal already, and looking is five times faster than splitting. */
function isPlain(path: string): boolean {
  return (
    path !== "" &&
    !path.startsWith(".") &&
    !path.endsWith("/") &&
    !path.includes("//") &&
    !path.includes("/.")
  );
}

/** The absolute form of a path that is written from `cwd`, normalised. */
export function resolvePath(cwd: string, path: string): string {
  if (path.startsWith("/")) return normalisePath(path);
  return normalisePath(cwd.startsWith("/") ? `${cwd}/${path}` : `/${cwd}/${path}`);
}

/**
 * An absolute path as seen from a directory, both normalised; the directory itself is the empty string.
 * @returns undefined when it is not inside.
 */
export function pathInside(directory: string, path: string): string | undefined {
  if (path === directory) return "";
  const lead = directory === "/" ? "/" : `${directory}/`;
  return path.startsWith(lead) ? path.slice(lead.length) : undefined;
}

/** An absolute path as seen from a directory, with `..` where it leads out; both normalised. */
export function relativePath(directory: string, path: string): string {
  const from = directory.split("/").filter(Boolean);
  const to = path.split("/").filter(Boolean);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++;
  return [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/");
}

/** The last segment of a normalised path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
