import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { lazyConstant, orUndefined } from "../core/index.ts";
import {
  fileBytes,
  isWithin,
  namesIn,
  realpath,
  textIfReadable,
  upwards,
} from "../machine/index.ts";
import { globMatcher } from "../matching/index.ts";

/** A repository as its files say, without running git: a hostile one can name programs that git runs. */
export interface Repository {
  /** Its work tree: absolute, without links. */
  readonly top: string;
  /** Its git folder, and for a linked work tree the folder of the main one. */
  readonly folders: readonly string[];
}

const textOf = (file: string): string => textIfReadable(file) ?? "";

/** A larger index belongs to more files than a point keeps. */
const LARGEST_INDEX = 64 * 2 ** 20;

/**
 * The repository that a folder is in.
 * @returns undefined if it is in none; a reason if it is none whose work tree is known for sure
 */
export function repositoryOf(folder: string): Repository | string | undefined {
  for (const top of upwards(folder)) {
    const git = join(top, ".git");
    const found = lstatSync(git, { throwIfNoEntry: false });
    if (!found) continue;
    if (found.isFile()) return linked(top, git);
    if (!found.isDirectory()) return `${git} is a link`;
    // Commands change files there.
    const isElsewhere =
      worktreesOf(git)?.length !== 0 ||
      isThere(join(git, "commondir")) ||
      hasStray(join(git, "modules"), top);
    return isElsewhere ? `the work tree of ${git} may be elsewhere` : { top, folders: [git] };
  }
  return undefined;
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The work trees that the settings of a git folder name; undefined if other files may name one. */
function worktreesOf(git: string): string[] | undefined {
  const text = ["config", "config.worktree"].map((name) => textOf(join(git, name))).join("\n");
  if (/\[\s*include/i.test(text)) return undefined;
  const found = text.matchAll(/(?:^|\])\s*worktree\b\s*=?\s*(.*?)\s*$/gim);
  return [...found].map(([, path = ""]) => path.replaceAll('"', ""));
}

/** Whether a submodule, at any depth, has its work tree outside of a folder. */
function hasStray(folder: string, top: string): boolean {
  return namesIn(folder).some((name) => {
    const git = join(folder, name);
    if (lstatSync(git, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    if (!isThere(join(git, "HEAD"))) return hasStray(git, top);
    const trees = worktreesOf(git);
    const isInside = trees?.every((tree) => isWithin(top, realpath(resolve(git, tree))));
    return isInside !== true || hasStray(join(git, "modules"), top);
  });
}

/** A linked work tree or a submodule: its git folder must know it, for a `.git` file can name any folder. */
function linked(top: string, file: string): Repository | string {
  const named = /^gitdir: (.+?)\r?\n?$/.exec(textOf(file))?.[1];
  if (named === undefined) return `${file} names no repository`;
  const git = realpath(resolve(top, named));
  const pathIn = (name: string): string => realpath(resolve(git, textOf(join(git, name)).trim()));
  const isLinked = textOf(join(git, "gitdir")).trim() !== "";
  const [tree, ...more] = worktreesOf(git) ?? ["", ""];
  const isOurs = isLinked
    ? tree === undefined && pathIn("gitdir") === file && isThere(pathIn("commondir"))
    : tree !== undefined && more.length === 0 && realpath(resolve(git, tree)) === top;
  if (!isOurs) return `${file} names a folder that does not know it`;
  return { top, folders: isLinked ? [git, pathIn("commondir")] : [git] };
}

/**
 * The project of a folder: the outermost repository around it, but for one of a whole home or machine; without one, the
 * folder itself. One that `isKnown` stays the project of what is in it: a repository that is made above it later, as
 * `touch ../.git` would, hides no points. A known folder around repositories that is none itself is not theirs.
 */
export function projectOf(folder: string, isKnown: (folder: string) => boolean): string {
  const wide = new Set(["/", homedir()]);
  let repository: string | undefined;
  for (const at of upwards(folder)) {
    if (at !== folder && wide.has(at)) continue;
    const isRepository = isThere(join(at, ".git"));
    if ((isRepository || repository === undefined) && isKnown(at)) return at;
    if (isRepository) repository = at;
  }
  return repository ?? folder;
}

/**
 * Folders that builds and package managers fill: what else git ignores may be somebody's work, which a checkout
 * overwrites.
 */
const MADE =
  /^(?:node_modules|bower_components|dist|build|out|target|coverage|htmlcov|\.next|\.nuxt|\.output|\.svelte-kit|\.turbo|\.vite|\.cache|\.parcel-cache|__pycache__|\.\w+_cache|\.tox|\.nox|\.?venv|\.eggs|\w*\.egg-info|\.hypothesis|\.gradle|\.terraform|_build|DerivedData|Pods|\.build|CMakeFiles|cmake-build-\w+|bin|obj|bazel-\w+|vendor|\.yarn|\.pnpm-store|\.dart_tool)$/;

/**
 * Which folders of a work tree are left out, because builds make them, and git ignores them and has nothing in them.
 * Where that is not certain, a folder is kept.
 */
export function ignoredFolders({ top, folders }: Repository): (path: string) => boolean {
  const git = folders.at(-1) ?? "";
  const lists = new Map<string, readonly Rule[]>();
  const rulesIn = (folder: string): readonly Rule[] => {
    const known = lists.get(folder);
    if (known) return known;
    const excluded = folder === "" ? rulesOf(join(git, "info/exclude")) : [];
    const rules = [...excluded, ...rulesOf(join(top, folder, ".gitignore"))];
    lists.set(folder, rules);
    return rules;
  };
  const tracked = lazyConstant(() => trackedFolders(join(folders[0] ?? "", "index")));
  return (path) => {
    let isIgnored = false;
    const parts = path.split("/");
    if (!MADE.test(parts.at(-1) ?? "")) return false;
    for (let n = 0; n < parts.length; n++) {
      const below = parts.slice(n).join("/");
      for (const rule of rulesIn(parts.slice(0, n).join("/"))) isIgnored = rule(below) ?? isIgnored;
    }
    return isIgnored && !tracked().has(path);
  };
}

/** Whether it ignores a path, or brings it back; undefined if it does not match. */
type Rule = (path: string) => boolean | undefined;

/** The rules of a `.gitignore` that can hold for a folder. */
function rulesOf(file: string): readonly Rule[] {
  const rules: Rule[] = [];
  for (const line of textOf(file).split(/\r?\n/)) {
    const text = line.replace(/(?<!\\)\s+$/, "");
    if (text === "" || text.startsWith("#")) continue;
    const negated = text.startsWith("!");
    const plain = text.slice(negated ? 1 : 0).replace(/\/$/, "");
    const glob = plain.includes("/") ? plain.replace(/^\//, "") : `**/${plain}`;
    // Other characters mean something else in our globs; such a rule ignores nothing, and brings everything back.
    const isOurs = /^[\w.*?/@+ -]+$/.test(glob);
    if (!isOurs && !negated) continue;
    const matches = isOurs ? globMatcher(glob) : () => true;
    rules.push((path) => (matches(path) ? !negated : undefined));
  }
  return rules;
}

/** The folders with files that an index lists; every folder if it cannot be read: then none can be left out. */
function trackedFolders(file: string): Pick<ReadonlySet<string>, "has"> {
  if (!isThere(file)) return new Set();
  const bytes = orUndefined(() => fileBytes(file, LARGEST_INDEX)) ?? Buffer.alloc(0);
  // A repository with SHA-256 has longer names of objects.
  return foldersIn(bytes, 20) ?? foldersIn(bytes, 32) ?? { has: () => true };
}

function foldersIn(bytes: Buffer, nameBytes: number): ReadonlySet<string> | undefined {
  const isIndex = bytes.length >= 12 && bytes.toString("latin1", 0, 4) === "DIRC";
  const version = isIndex ? bytes.readUInt32BE(4) : 0;
  if (version < 2 || version > 4) return undefined;
  const folders = new Set<string>();
  let at = 12;
  let path = "";
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += 40 + nameBytes;
    if (at + 2 > bytes.length - nameBytes) return undefined;
    const isExtended = version > 2 && (bytes.readUInt16BE(at) & 0x4000) !== 0;
    at += isExtended ? 4 : 2;
    let kept = 0;
    if (version === 4) {
      let drop = bytes[at++] as number;
      let count = drop & 0x7f;
      for (; drop & 0x80; count = ((count + 1) << 7) | (drop & 0x7f)) drop = bytes[at++] as number;
      kept = Buffer.byteLength(path) - count;
      if (!(kept >= 0)) return undefined;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    path = Buffer.from(path).toString("utf8", 0, kept) + bytes.toString("utf8", at, end);
    if (path === "" || path.startsWith("/")) return undefined;
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  // A split index lists the rest in another file.
  return bytes.toString("latin1", at, at + 4) === "link" ? undefined : folders;
}
