import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileBytes, isWithin, namesIn, realpath, textIfReadable } from "../machine/index.ts";
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
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, ".git");
    const found = lstatSync(git, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      // Commands change files there.
      const isElsewhere =
        worktreesOf(git)?.length !== 0 ||
        isThere(join(git, "commondir")) ||
        hasStray(join(git, "modules"), top);
      return isElsewhere ? `the work tree of ${git} may be elsewhere` : { top, folders: [git] };
    }
    if (found?.isFile()) return linked(top, git);
    if (found) return `${git} is a link`;
    if (dirname(top) === top) return undefined;
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The work trees that the settings of a git folder name; undefined if other files may name one. */
function worktreesOf(git: string): string[] | undefined {
  const text = ["config", "config.worktree"].map((name) => textOf(join(git, name))).join("\n");
  if (/\[\s*include/i.test(text)) return undefined;
  return [...text.matchAll(/(?:^|\])\s*worktree\b\s*=?\s*(.*?)\s*$/gim)].map(
    ([, path = ""]) => path,
  );
}

/** Whether a submodule, at any depth, has its work tree outside of a folder. */
function hasStray(folder: string, top: string): boolean {
  return namesIn(folder).some((name) => {
    const git = join(folder, name);
    if (lstatSync(git, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    if (!isThere(join(git, "HEAD"))) return hasStray(git, top);
    const trees = worktreesOf(git);
    const isInside = trees?.every((tree) => isWithin(top, realpath(resolve(git, unquoted(tree)))));
    return isInside !== true || hasStray(join(git, "modules"), top);
  });
}

const unquoted = (path: string): string => path.replaceAll('"', "");

/** A linked work tree or a submodule: its git folder must know it, for a `.git` file can name any folder. */
function linked(top: string, file: string): Repository | string {
  const named = /^gitdir: (.+?)\r?\n?$/.exec(textOf(file))?.[1];
  if (named === undefined) return `${file} names no repository`;
  const stranger = `${file} names a folder that does not know it`;
  try {
    const git = realpathSync(resolve(top, named));
    const back = textOf(join(git, "gitdir")).trim();
    if (back !== "") {
      if (realpathSync(resolve(git, back)) !== file || worktreesOf(git)?.length !== 0)
        return stranger;
      const common = realpathSync(resolve(git, textOf(join(git, "commondir")).trim()));
      return { top, folders: [git, common] };
    }
    const [tree, ...more] = worktreesOf(git) ?? [];
    const isOurs =
      tree !== undefined && more.length === 0 && realpathSync(resolve(git, unquoted(tree))) === top;
    return isOurs ? { top, folders: [git] } : stranger;
  } catch {
    return stranger;
  }
}

/**
 * The project of a folder: the outermost repository around it, but for one of a whole home or machine; without one, the
 * folder itself. One that `isKnown` stays the project of what is in it: a repository that is made above it later, as
 * `touch ../.git` would, hides no points. A known folder around repositories that is none itself is not theirs.
 */
export function projectOf(folder: string, isKnown: (folder: string) => boolean): string {
  const wide = new Set(["/", homedir()]);
  let repository: string | undefined;
  for (let at = folder; ; at = dirname(at)) {
    if (at === folder || !wide.has(at)) {
      const isRepository = isThere(join(at, ".git"));
      if ((isRepository || repository === undefined) && isKnown(at)) return at;
      if (isRepository) repository = at;
    }
    if (dirname(at) === at) return repository ?? folder;
  }
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
  let tracked: ReadonlySet<string> | undefined | null = null;
  return (path) => {
    let isIgnored = false;
    const parts = path.split("/");
    if (!MADE.test(parts.at(-1) ?? "")) return false;
    for (let n = 0; n < parts.length; n++) {
      const below = parts.slice(n).join("/");
      for (const { matches, negated } of rulesIn(parts.slice(0, n).join("/")))
        if (matches(below)) isIgnored = !negated;
    }
    if (!isIgnored) return false;
    if (tracked === null) tracked = trackedFolders(join(folders[0] ?? "", "index"));
    return tracked !== undefined && !tracked.has(path);
  };
}

interface Rule {
  readonly negated: boolean;
  readonly matches: (path: string) => boolean;
}

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
    rules.push({ negated, matches: isOurs ? globMatcher(glob) : () => true });
  }
  return rules;
}

/**
 * The folders with files that an index lists.
 * @returns undefined if it cannot be read: then no folder can be left out
 */
export function trackedFolders(file: string): ReadonlySet<string> | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })) return new Set();
  try {
    const bytes = fileBytes(file, LARGEST_INDEX);
    // A repository with SHA-256 has longer names of objects.
    for (const name of [20, 32]) {
      const found = foldersIn(bytes, name);
      if (found) return found;
    }
  } catch {
    // It is none that this user may read.
  }
  return undefined;
}

function foldersIn(bytes: Buffer, nameBytes: number): ReadonlySet<string> | undefined {
  const version =
    bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC" ? 0 : bytes.readUInt32BE(4);
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
      let drop = bytes[at] as number;
      let count = drop & 0x7f;
      while (drop & 0x80) {
        drop = bytes[++at] as number;
        count = ((count + 1) << 7) | (drop & 0x7f);
      }
      at++;
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
  return bytes.includes("link", at) && bytes.toString("latin1", at, at + 4) === "link"
    ? undefined
    : folders;
}
