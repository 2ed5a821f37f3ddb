import { wordSet } from "../core/index.ts";
import { existsSync, lstatSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { CallEffects, Effect, EffectReader, ShellCommand } from "../core/index.ts";
import { isWithin, realpath } from "../machine/index.ts";
import { leavesBackground, mayRunAgain, programs } from "../matching/index.ts";
import type { ProgramRow, Role } from "../matching/index.ts";
import type { Area, Target } from "./area.ts";
import { foundAt } from "./area.ts";
import { repositoryOf } from "./repository.ts";

/** What has to be kept before a call. */
export interface CallAreas {
  readonly areas: readonly Area[];
  /** Whether the call may remove or overwrite something; an area alone may be of a call that only changes modes. */
  readonly loses: boolean;
  /** Why not all of it can be given back. */
  readonly missing?: string | undefined;
}

/** Commands of git that lose nothing: they read, add, or refuse to lose. All others may. */
const HARMLESS = wordSet(`
  status log diff show ls-files ls-tree ls-remote rev-parse rev-list describe grep blame shortlog add commit push clone
  init config cat-file count-objects diff-tree diff-index diff-files check-ignore check-attr for-each-ref help version
  archive bundle format-patch merge-base name-rev show-ref var whatchanged fsck hash-object difftool stash/list stash/show
  remote/show remote/-v worktree/list submodule/status reflog/show
`);
/** Commands that change only what the repository knows of itself. */
const OF_REFERENCES = wordSet(
  "branch tag fetch update-ref symbolic-ref remote reflog notes replace pack-refs",
);
/** Commands that remove objects, or change another work tree: what they lose cannot be given back. */
const FINAL = wordSet("gc prune lfs filter-repo repack maintenance prune-packed worktree");
/** Settings with which git works elsewhere, in a line without its quotes. */
const ELSEWHERE = /\bGIT_[A-Z]|\bCDPATH|core\.worktree|--git-d|--work-t/i;
/** The same in the environment of the agent. */
const SET_ELSEWHERE = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CONFIG_COUNT", "CDPATH"];
/** Options in front of a command of git that change nothing of what it does. */
const PLAIN_OPTION =
  /^(?:--no-pager|-[pP]|--paginate|--no-optional-locks|-c|(?:user|author|committer|color|advice)\.\S+)$/;
/** A folder behind `-C`, without what a shell expands. */
const PLAIN_FOLDER = /^[\w./@+-]+$/;
/** Roles of operands behind which what is lost is not what was there before the line. */
const CHANGES_PLACES = new Set<Role>(["moves", "links"]);
/** Roles of folders in which a link may come to stand. */
const PLANTS = new Set<Role>(["into", "moves", "links"]);
/** Languages in which code does more than what its effects say. */
const RUNS_CODE = wordSet("program awk");
/** What starts others in its own folder. All that others start may be in a home, in a container, on another machine. */
const STAYS = wordSet(`
  sh ash bash dash ksh mksh zsh eval command builtin exec time env nice ionice stdbuf xargs find function alias $() <() >()
`);
const MOUNTS = /^u?mount/;
/** What code runs that a point would give back, if it were in this project. */
const LOSES = /\bgit|\bhub\b|find|\bfd|\brm\b|>/;
/** Code that may lose files, whatever its calls are about: the work tree is kept, too. */
const CODE_LOSES =
  /unlink|remove|rmtree|rmdir|\brm|delete|truncat|renam|replace\(|\bmove|\bmv\b|write|git\b.{0,80}\b(?:checkout|reset|restore|clean)\b/;
/** How find and fd are told to follow links. */
const FOLLOWS = /^-\w*L|^-follow$|^--follow$/;
const PLANTED = "what is before it may put another folder there";
const BEHIND = "a part of it goes on behind the call";
/** What is there is for throwing away, or is no file. */
const PASSING = ["/tmp", "/var/tmp", "/dev", "/proc"];

/** Collect what has to be kept of a project before a call. @param root without links */
export class AreaReader {
  readonly #root: string;
  readonly #targets = new Map<string, Target>();
  readonly #areas = new Map<string, Area>();
  #loses = false;
  #missing: string | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** @param isWritten whether this session had a point of a file before, and may have written it since */
  read(
    { effects, lines = [], unread }: CallEffects,
    shell: EffectReader["shell"],
    isWritten: (path: string) => boolean,
  ): CallAreas {
    if (unread !== undefined) this.#lacks(`a part of the call cannot be read: ${unread}`);
    for (const effect of effects) this.#effect(effect, isWritten);
    for (const { line, cwd, dialect } of lines) {
      if (line.includes("&") && leavesBackground(line)) this.#lacks(BEHIND);
      const { commands } = shell.read(line, cwd, { files: true, dialect });
      let isOrdered: boolean | undefined;
      const last = commands.findLastIndex(
        (each) =>
          gitName(each) !== undefined || each.effects?.some(({ kind }) => kind === "remove"),
      );
      const planted = commands.findIndex(mayPlant);
      const isSet =
        ELSEWHERE.test(line.replaceAll(/["'\\]/g, "")) ||
        commands.some(({ program }) => program === "." || program === "source");
      for (const [at, command] of commands.entries()) {
        const { via, from, file } = command;
        if (planted >= 0 && planted < entered(commands, at, cwd)) this.#lacks(PLANTED);
        // Code in front of what is lost may put something else there.
        const isBehind = at > last && from.length === 0 && (via.length === 0 || file !== undefined);
        if (RUNS_CODE.has(rowOf(command)?.lang ?? "")) {
          isOrdered ??= !mayRunAgain(line);
          if (!isBehind || !isOrdered) this.#lacks(`code of ${command.program} may do more`);
        }
        this.#program(command);
        this.#git(command, cwd, isSet);
      }
    }
    return this.#result;
  }

  /** All of a work tree, without a call that says what is needed. */
  everything(folder: string): CallAreas {
    this.#tree(folder);
    return this.#result;
  }

  /** The work tree around something that nobody can name. A home without a repository is too much for it. */
  #around(folder: string): void {
    if (repositoryOf(folder) !== undefined || folder !== realpath(homedir())) this.#tree(folder);
  }

  #tree(folder: string): void {
    this.#loses = true;
    if (repositoryOf(folder) !== undefined) this.#repository(folder, false);
    else this.#areas.set(`tree ${folder}`, { base: folder, kind: "tree" });
  }

  get #result(): CallAreas {
    const targets = [...this.#targets.values()];
    const files: Area[] = [{ base: this.#root, kind: "files", targets }];
    const areas = [...(targets.length > 0 ? files : []), ...this.#areas.values()];
    return { areas, loses: this.#loses, missing: this.#missing };
  }

  #lacks(why: string): void {
    this.#missing ??= why;
  }

  #effect(effect: Effect, isWritten: (path: string) => boolean): void {
    const { kind, target, word = "", program } = effect;
    if (kind !== "remove" && kind !== "write" && kind !== "attributes") return;
    // What git does is known better below.
    if (program === "git" && kind === "write" && effect.recursive) return;
    if (effect.elsewhere) return this.#lacks(`${word} is on another machine or in a container`);
    if (target === undefined) return this.#unknown(effect);
    const prefix = /^(.*?)\/[^/]*(?<!\\)[*?[{]/.exec(target)?.[1];
    const isGlob = prefix !== undefined;
    const path = (prefix ?? target).replaceAll(/\\(.)/g, "$1") || "/";
    // A link itself is removed; what a link leads to is written, and what is in `link/`.
    const isEntered = /\/\.?["']?$/.test(word);
    if (isGlob && isEntered) this.#lacks("it follows links");
    const place = isGlob ? realpath(path) : join(realpath(dirname(path)), basename(path));
    const ends = (effect.unfollowed && !isEntered) || isGlob ? [place] : [place, realpath(place)];
    for (const end of new Set(ends)) {
      if (!isWithin(this.#root, end)) {
        if (!isPassing(end) && (isGlob || lstatSync(end, { throwIfNoEntry: false })))
          this.#lacks(`${end} is outside of ${this.#root}`);
        continue;
      }
      const relative = end === this.#root ? "" : end.slice(this.#root.length + 1);
      if (/(?:^|\/)\.git(?:\/|$)/.test(relative)) {
        this.#lacks(`${end} is a part of a repository itself`);
        continue;
      }
      if (kind === "write" && !effect.recursive && !isGlob && isWritten(end)) continue;
      // Written in place, all its names have the new content.
      if (kind === "write" && foundAt(end)?.kind === "file" && lstatSync(end).nlink > 1)
        this.#lacks(`${end} has other names (hard links)`);
      if (kind !== "attributes") this.#loses = true;
      if (relative === "" && !isGlob && kind === "remove" && !effect.found) {
        this.#lacks("it removes the project itself");
        continue;
      }
      // A folder whose own name has characters of globs is kept as a whole.
      const isPlain = isGlob && !/[*?[\]{}()!+@\\,|]/.test(end);
      const glob = isPlain ? `${end}${target.slice(prefix.length)}` : undefined;
      const recursive = effect.recursive === true || (isGlob && !isPlain);
      const found = { path: relative, recursive, ...(glob !== undefined && { glob }) };
      this.#targets.set(`${end} ${recursive} ${glob}`, found);
    }
  }

  /** Something whose name is not known. What is certain of it is kept: the folder that it is in. */
  #unknown({ kind, word = "", cwd }: Effect): void {
    this.#lacks(`it is unknown what ${JSON.stringify(word)} is`);
    if (kind === "attributes" || cwd === undefined) return;
    const [before = ""] = word.split(/[$`~…*?[]/);
    const folder = realpath(resolve(cwd, before.slice(0, before.lastIndexOf("/") + 1)));
    if (!isWithin(this.#root, folder) || /\/\.git(?:\/|$)/.test(folder)) return;
    if (folder === this.#root || folder === realpath(cwd)) return this.#around(folder);
    this.#loses = true;
    const path = folder.slice(this.#root.length + 1);
    this.#targets.set(`${folder} unknown`, { path, recursive: true });
  }

  /** What is in the point is what is there before the line, and what its effects say. */
  #program(command: ShellCommand): void {
    const { program, argv, via, from, effects = [], runs = [] } = command;
    if (runs.some((text) => LOSES.test(text)))
      this.#lacks(`what ${program} runs may be in another folder`);
    const isCode = RUNS_CODE.has(rowOf(command)?.lang ?? "");
    if (isCode && CODE_LOSES.test([...argv.slice(1), ...runs, command.stdin?.text].join("\n"))) {
      const folder = realpath(resolve(this.#root, command.cwd ?? ""));
      if (isWithin(this.#root, folder) && existsSync(folder)) this.#around(folder);
    }
    const by = via.find((each) => !STAYS.has(each));
    if (by !== undefined && effects.some(({ kind }) => kind === "remove"))
      this.#lacks(`${by} may run ${program} in another folder`);
    const moves = program !== "git" && hasRole(command, CHANGES_PLACES);
    // `find … | while read f`
    const isFed = program === "read" && from.length > 0;
    if ((rowOf(command)?.waits && !isFed) || moves || MOUNTS.test(program))
      this.#lacks(`${program} changes what is lost before it is`);
    if (/^g?find$|^fd/.test(program) && argv.some((word) => FOLLOWS.test(word)))
      this.#lacks("it follows links");
  }

  #git(command: ShellCommand, start: string, isSet: boolean): void {
    const name = gitName(command);
    if (name === undefined) return;
    this.#loses = true;
    const { argv, args, via } = command;
    const by = via.find((each) => !STAYS.has(each));
    if (by !== undefined) return this.#lacks(`${by} may run git in another folder`);
    if (FINAL.has(name)) return this.#lacks(`git ${name} removes what only git has`);
    if (command.cwd === undefined) return this.#lacks("it is unknown where git runs");
    const options = argv.slice(1, args?.at);
    let at = resolve(start, command.cwd);
    for (let n; (n = options.indexOf("-C")) >= 0 && PLAIN_FOLDER.test(options[n + 1] ?? "");)
      at = resolve(at, options.splice(n, 2)[1] ?? "");
    const isElsewhere =
      isSet ||
      SET_ELSEWHERE.some((each) => process.env[each]) ||
      !options.every((word) => PLAIN_OPTION.test(word));
    if (isElsewhere) return this.#lacks("git may work in another folder than it is started in");
    const folder = realpath(at);
    if (!existsSync(folder)) return this.#lacks(PLANTED);
    // What git ignores depends on more than can be read here.
    const isWhole =
      name === "clean" || (name === "stash" && argv.some((word) => /^-\w*a|^--all/.test(word)));
    this.#repository(folder, isWhole, OF_REFERENCES.has(name) || name === "commit");
  }

  #repository(folder: string, isWhole: boolean, isOnlyGit = false): void {
    const repository = repositoryOf(folder);
    if (repository === undefined) return;
    if (typeof repository === "string") return this.#lacks(repository);
    if (!isWithin(this.#root, repository.top))
      return this.#lacks(`${repository.top} is outside of ${this.#root}`);
    for (const base of repository.folders) this.#areas.set(`git ${base}`, { base, kind: "git" });
    if (isOnlyGit) return;
    const key = `tree ${repository.top}`;
    const known = this.#areas.get(key);
    const whole = isWhole || known?.whole === true;
    this.#areas.set(key, { base: repository.top, kind: "tree", whole });
  }
}

function isPassing(path: string): boolean {
  const folders = [...PASSING, realpath(tmpdir())];
  return folders.some((folder) => path !== folder && isWithin(folder, path));
}

function rowOf({ program, args }: ShellCommand): ProgramRow | undefined {
  const { row } = programs();
  return row(args?.name ?? program) ?? row(program.toLowerCase().replace(/[\d.]+$/, ""));
}

function hasRole(command: ShellCommand, roles: ReadonlySet<Role>): boolean {
  const shapes = rowOf(command)?.shapes ?? [];
  return shapes.some(({ operands }) => operands.some(({ role }) => roles.has(role)));
}

/** Whether a command may put a link where a folder was. */
function mayPlant(command: ShellCommand): boolean {
  const { described = false, effects = [] } = command;
  const unpacks = effects.some(({ kind, recursive }) => kind === "write" && recursive === true);
  const isTree = ![undefined, "commit"].includes(gitName(command));
  return !described || unpacks || isTree || hasRole(command, PLANTS);
}

/** The first command in the folders that what is lost is reached through; that number is 0 where it needs none. */
function entered(commands: readonly ShellCommand[], at: number, start: string): number {
  const { argv, cwd = "", effects = [] } = commands[at] as ShellCommand;
  // A name in the folder that the line starts in is reached through none.
  const isBelow = ({ kind, target = "", word = "/", recursive, found }: Effect): boolean => {
    const isFar = recursive === true && (word.includes("/") || dirname(target) !== start);
    return kind === "remove" && (isFar || found !== undefined || /[*?[]/.test(target));
  };
  const isGit = gitName(commands[at] as ShellCommand) !== undefined;
  if (effects.some(isBelow) || (isGit && argv.includes("-C"))) return at;
  if (!isGit || realpath(cwd) === realpath(start)) return 0;
  let first = at;
  while (first > 0 && commands[first - 1]?.cwd === cwd) first--;
  return first;
}

/** The command of git, if it is one that may lose something. */
function gitName({ program, argv, args }: ShellCommand): string | undefined {
  if (program !== "git" && program !== "hub" && args?.name.startsWith("git/") !== true)
    return undefined;
  const named = args?.name.slice("git/".length) ?? "";
  const first = argv[args && args.at > 0 ? args.at : (args?.operands[0] ?? 1)] ?? "";
  const [name = first] = (named === "" ? first : named).split("/");
  const second = argv[(args?.at ?? 0) + 1] ?? "";
  if (argv.length < 2 || first.startsWith("-")) return undefined;
  if (name === "commit" && argv.includes("--amend")) return name;
  return [name, named, `${name}/${second}`].some((each) => HARMLESS.has(each)) ? undefined : name;
}
