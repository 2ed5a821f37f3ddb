import { effectText, EFFECT_CONDITIONS, OrcsError } from "../core/index.ts";
import type { CallEffects, Effect, Unread, UnsureMatch } from "../core/index.ts";
import { directories, pathForms } from "./path.ts";
import type { Directory, PathOptions } from "./path.ts";
import { compileGlob, compileNameGlob } from "./patterns/glob.ts";
import { pathInside, resolvePath } from "./patterns/path.ts";

export type EffectCondition = keyof typeof EFFECT_CONDITIONS;
export type Payload = Readonly<Record<string, unknown>>;

/** Whether something matches. */
type Level = "no" | "maybe" | "yes";

/** A pattern of targets, without its `!`. */
interface TargetPattern {
  readonly level: (effect: Effect, target: string, from: Directory) => Level;
  /** Whether the target, and everything below it that the effect is about, is meant. */
  readonly covers: (effect: Effect, target: string, from: Directory) => boolean;
}

const WILD = /[*?[{\\]|[@+]\(/;
/** A name that no pattern is written for: what covers it covers everything below a folder. */
const ANY_NAME = "\u0001";

/**
 * Compile a condition on what a call does. With several patterns, a target matches if it matches one of those without a
 * leading `!`, or if there are none, and none of those with one.
 * @throws OrcsError ORCS1012 with `{ key, pattern }` for an invalid pattern, or if there is none
 */
export function effectCondition(
  key: EffectCondition,
  patterns: readonly string[],
  unsure: UnsureMatch,
  options: PathOptions,
): (payload: Payload, called: CallEffects) => boolean | Unread {
  if (patterns.length === 0) {
    const why = `match.${key} is an empty list; it needs at least one pattern`;
    throw new OrcsError("ORCS1012", why, { key, pattern: "" });
  }
  const kind = EFFECT_CONDITIONS[key];
  const compile = key === "connects" ? hostPattern : pathPattern;
  const isNegated = (pattern: string): boolean => /^!(?!\()/.test(pattern);
  const compiled = (pattern: string): TargetPattern => compile(key, pattern);
  const wanted = patterns.filter((pattern) => !isNegated(pattern)).map(compiled);
  const left = patterns.filter(isNegated).map((pattern) => compile(key, pattern.slice(1), pattern));
  const locate = directories(options);

  function levelOf(effect: Effect, from: Directory): Level {
    const { target } = effect;
    if (target === undefined) return wanted.length === 0 ? "yes" : "maybe";
    const level =
      wanted.length === 0 ? "yes" : highest(wanted.map((each) => each.level(effect, target, from)));
    if (level === "no" || left.some((each) => each.covers(effect, target, from))) return "no";
    return level;
  }

  return (payload, { effects, unread }) => {
    const { cwd } = payload;
    const from = locate(typeof cwd === "string" ? cwd : undefined);
    let possible: string | undefined;
    for (const effect of effects) {
      const isAny = effect.kind === "run" && effect.target === undefined;
      if (effect.kind !== kind && !isAny) continue;
      // A file of a container or of another machine is another one. What connects is not.
      if (effect.elsewhere && kind !== "connect") continue;
      const level = isAny ? "maybe" : levelOf(effect, from);
      if (level === "yes" && effect.sure)
        return unread === undefined ? true : { why: unread, isMatch: true };
      if (level !== "no") possible ??= `it ${effectText(effect, from.written)}`;
    }
    possible ??= unread === undefined ? undefined : `orcs could not read all of it (${unread})`;
    if (possible === undefined || unsure === "ignore") return false;
    return unsure === "match" ? true : { why: possible, isMatch: false, asks: true };
  };
}

function highest(levels: readonly Level[]): Level {
  return levels.includes("yes") ? "yes" : levels.includes("maybe") ? "maybe" : "no";
}

/** Names and globs of hosts. A port counts if the pattern has one. */
function hostPattern(key: EffectCondition, pattern: string, whole = pattern): TargetPattern {
  const host = pattern.toLowerCase();
  const glob = compileNameGlob(key, host, whole);
  const hasPort = /:(?:\d+|\*)$/.test(host);
  const matches = (target: string): boolean =>
    glob.test(hasPort ? target : target.replace(/:\d+$/, ""));
  return {
    level: (_, target) => (matches(target) ? "yes" : "no"),
    covers: (_, target) => matches(target),
  };
}

/** A glob over files: see `match.path`. */
function pathPattern(key: EffectCondition, pattern: string, whole = pattern): TargetPattern {
  const glob = compileGlob(key, whole);
  const isName = !pattern.includes("/");
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (pattern.endsWith("/")) segments.push("**");
  const wildAt = segments.findIndex((segment) => WILD.test(segment));
  /** The folder, or the file, in front of the first wildcard. */
  const lead = wildAt < 0 ? segments : segments.slice(0, wildAt);
  const leadPath = `${pattern.startsWith("/") ? "/" : ""}${lead.join("/")}`;

  const level = (effect: Effect, target: string, from: Directory): Level => {
    if (!target.startsWith("/")) return "no";
    const forms = pathForms(target, from);
    if (forms.some((form) => glob.matches(form))) return "yes";
    if (effect.recursive) {
      // All of a project, and more.
      if (isName || leadPath === "")
        return pathInside(target, from.written) === undefined ? "no" : "maybe";
      const isAbove = [from.written, from.real].some(
        (folder) => pathInside(target, resolvePath(folder, leadPath)) !== undefined,
      );
      // What is removed with its folder is gone for sure, if it is there.
      if (isAbove) return effect.kind === "remove" ? "yes" : "maybe";
    }
    // A tool takes names literally, but for a search.
    const isGlob = (effect.program !== undefined || effect.kind === "read") && WILD.test(target);
    if (!isGlob && !effect.recursive) return "no";
    const may = forms.some((form) => {
      const parts = form.split("/").filter(Boolean);
      if (isName) return mayBeSame(parts.at(-1) ?? "", pattern);
      return mayOverlap(effect.recursive ? [...parts, "**"] : parts, segments);
    });
    return may ? "maybe" : "no";
  };
  // What is no file, such as a variable of the environment, is no other file either.
  const covers = (effect: Effect, target: string, from: Directory): boolean =>
    !target.startsWith("/") ||
    pathForms(target, from).some(
      (form) =>
        glob.matches(form) &&
        (!effect.recursive || glob.matches(`${form}/${ANY_NAME}/${ANY_NAME}`)),
    );
  return { level, covers };
}

/** Paths with more segments are not compared: they may be the same. */
const MOST_SEGMENTS = 64;

/** Whether two globs may have a path in common, as far as the ends of their segments show it. */
function mayOverlap(some: readonly string[], others: readonly string[]): boolean {
  if (some.length > MOST_SEGMENTS || others.length > MOST_SEGMENTS) return true;
  /** For each end of `others`, whether it may be the same as what is left of `some`: at first nothing. */
  let after = [true];
  for (const other of others.toReversed()) after.unshift(other === "**" && after[0] === true);
  for (const each of some.toReversed()) {
    const row = [each === "**" && after.at(-1) === true];
    for (let at = others.length - 1; at >= 0; at--) {
      const other = others[at] ?? "";
      const isOpen = each === "**" || other === "**";
      const rest = isOpen
        ? after[at] === true || row[0] === true
        : mayBeSame(each, other) && after[at + 1] === true;
      row.unshift(rest);
    }
    after = row;
  }
  return after[0] === true;
}

/** Whether two globs of a name may mean the same one. */
function mayBeSame(a: string, b: string): boolean {
  const [some, other] = [endsOf(a), endsOf(b)];
  if (some.isPlain && other.isPlain) return a === b;
  return fits(some, other) && fits(other, some);
}

interface Ends {
  readonly before: string;
  readonly after: string;
  /** Without a wildcard. */
  readonly isPlain: boolean;
}

/** Whether what a name begins and ends with can be that of another one. */
function fits(name: Ends, { before, after, isPlain }: Ends): boolean {
  if (isPlain) return true;
  const [begins, ends] = [name.before.startsWith(before), name.after.endsWith(after)];
  if (name.isPlain) return begins && ends;
  return (begins || before.startsWith(name.before)) && (ends || after.endsWith(name.after));
}

/** What a glob begins and ends with, up to its first and from its last wildcard. */
function endsOf(glob: string): Ends {
  const begin = glob.search(WILD);
  if (begin < 0) return { before: glob, after: glob, isPlain: true };
  const end = /[\w.-]*$/.exec(glob)?.index ?? glob.length;
  return { before: glob.slice(0, begin), after: glob.slice(Math.max(begin, end)), isPlain: false };
}
