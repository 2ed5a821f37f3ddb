import { GlobSyntaxError, nameGlobSource, pathGlobSource } from "./glob-syntax.ts";
import { baseName, normalisePath } from "./path.ts";
import type { Regex } from "./regex.ts";
import { compileWhole, patternError } from "./regex.ts";

/** Maximum length of a glob, and of its RE2 source, in characters. */
const MAX_GLOB_LENGTH = 1_024;
const MAX_SOURCE_LENGTH = 10_000;
/** A longer path (PATH_MAX) cannot be opened; it matches nothing. */
const MAX_PATH_LENGTH = 4_096;

/** A compiled glob over paths. */
export interface Glob {
  /** Written with a leading `!`: it stands for the paths that `matches` rejects. */
  readonly negated: boolean;
  /** Whether the pattern, without its `!`, matches a normalised path. Linear in the path. */
  matches(path: string): boolean;
}

/**
 * Create a glob test for paths, by text alone: both are normalised (`./a//b` is `a/b`), dotfiles are ordinary files, a
 * pattern without `/` is compared with the last segment (`*.rs` at any depth), and a leading `!` negates.
 * @throws OrcsError ORCS1012 for an invalid pattern
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const glob = compileGlob("glob", pattern);
  return (path) => glob.matches(normalisePath(path)) !== glob.negated;
}

/**
 * Compile a glob over paths.
 * @param key of the pattern, such as `path`, for the message
 * @throws OrcsError ORCS1012 with `{ key, pattern }`
 */
export function compileGlob(key: string, pattern: string): Glob {
  const negated = pattern.startsWith("!") && pattern[1] !== "(";
  const body = negated ? pattern.slice(1) : pattern;
  if (body === "") throw patternError(key, pattern, "it is empty");
  const anyDepth = !body.includes("/") && body !== "." && body !== "..";
  const { climbs, rest } = normaliseGlob(key, pattern, body);
  const regex = compile(key, pattern, rest, pathGlobSource);
  return {
    negated,
    matches(path) {
      if (path.length > MAX_PATH_LENGTH) return false;
      if (anyDepth) return regex.test(baseName(path));
      const below = afterClimbs(path, climbs);
      return below !== undefined && regex.test(below);
    },
  };
}

/**
 * Compile a glob over a whole name (`*`, `?`, `[…]`), in which a slash is an ordinary character.
 * @param pattern the complete text that contains the glob, for the message
 * @throws OrcsError ORCS1012 with `{ key, pattern }`
 */
export function compileNameGlob(key: string, glob: string, pattern = glob): Regex {
  return compile(key, pattern, glob, nameGlobSource);
}

function compile(
  key: string,
  pattern: string,
  body: string,
  toSource: (glob: string) => string,
): Regex {
  if (body.length > MAX_GLOB_LENGTH) {
    throw patternError(key, pattern, `it is longer than ${MAX_GLOB_LENGTH} characters`);
  }
  let source: string;
  try {
    source = toSource(body);
  } catch (error) {
    if (error instanceof GlobSyntaxError) throw patternError(key, pattern, error.message, error);
    throw error;
  }
  if (source.length <= MAX_SOURCE_LENGTH) return compileWhole(key, pattern, source);
  throw patternError(key, pattern, "its ranges make it too large");
}

/**
 * A glob in the form of a normalised path: without `.`, empty segments and `..` after a plain name. A final slash means
 * everything below. Leading `..` are counted separately, since no wildcard may match one.
 */
function normaliseGlob(
  key: string,
  pattern: string,
  body: string,
): { climbs: number; rest: string } {
  const absolute = body.startsWith("/");
  const kept: string[] = [];
  let climbs = 0;
  for (const segment of body.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "**" && kept.at(-1) === "**") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length === 0) climbs += absolute ? 0 : 1;
    else if (/[*?[\]{}()!+@\\,|]/.test(kept.pop() ?? "")) {
      throw patternError(key, pattern, "'..' after a wildcard matches no path");
    }
  }
  if (body.endsWith("/") && kept.at(-1) !== "**") kept.push("**");
  return { climbs, rest: (absolute ? "/" : "") + kept.join("/") };
}

/** The rest of a path after exactly this many leading `..`. */
function afterClimbs(path: string, climbs: number): string | undefined {
  let at = 0;
  let found = 0;
  for (; path.startsWith("..", at) && (path[at + 2] === "/" || at + 2 === path.length); found++) {
    at += 3;
  }
  return found === climbs ? path.slice(at) : undefined;
}
