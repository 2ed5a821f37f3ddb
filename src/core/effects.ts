import type { ShellDialect, ShellReader, UnreadFile } from "./shell.ts";

/** What a call can do to the world, however it is spelled. Types, docs and Lua definitions derive from this table. */
export const EFFECT_KINDS = {
  read: "takes in what a file or a folder contains",
  write: "creates a file or a folder, appends to it or overwrites it",
  remove: "removes a file or a folder, or moves it away",
  attributes: "changes who owns a file or who may use it, or its other attributes",
  run: "starts a program, or runs a file as one",
  connect: "exchanges data with a host; `from` is the file that is sent",
  signal: "ends processes, or sends them a signal",
  install: "installs or removes packages",
  system: "changes accounts, services, devices, the kernel, schedules or power",
} as const satisfies Readonly<Record<string, string>>;

export type EffectKind = keyof typeof EFFECT_KINDS;

/** Something that a call does, or may do. */
export interface Effect {
  readonly kind: EffectKind;
  /**
   * An absolute path or a glob of such, a host with its port if one is given, the name of a program, a package or a
   * part of the system. A variable of the environment that is shown is `env:NAME`, all of them are `env:*`. A character
   * of a glob that stands for itself has a backslash in front. Undefined where only the shell, or nobody, knows it.
   */
  readonly target?: string;
  /** False: it may happen. It says nothing about whether the target is known. */
  readonly sure: boolean;
  /** Everything below the target as well. */
  readonly recursive?: true;
  /**
   * Where a copy or a link comes from, or what is sent to a host: an absolute path. Of `run`: the address that it was
   * fetched from, `git+…` for a repository and `/dev/tcp/…` for a connection that gives a shell its commands.
   */
  readonly from?: string;
  /**
   * What becomes visible of what is read, if not all of it: a part that is searched for, or a digest; a packed form of
   * it; or nothing, as of a key that is used.
   */
  readonly shows?: "part" | "archive" | "nothing";
  /** Globs of names below a recursive target that are left out. */
  readonly except?: readonly string[];
  /** Only if the file or the folder is empty. */
  readonly empty?: true;
  /** The command that lists the files for it, if they are not named: `find . -name x`. */
  readonly found?: string;
  /** It happens on another machine or in a container: a path is one of there. */
  readonly elsewhere?: true;
  /** The target as it is written in the call. */
  readonly word?: string;
  /** The folder that a relative `word` begins in; undefined if unknown. */
  readonly cwd?: string;
  /** The program that does it, in a command line. */
  readonly program?: string;
  /** The argument that names the target, if it is no command line. */
  readonly arg?: string;
  /** The target is a link that is removed or replaced itself, not what it leads to. */
  readonly unfollowed?: true;
  /** The file that does it, if the call runs one: an absolute path. */
  readonly file?: string;
  /** The line in `file`, from 1. */
  readonly line?: number;
}

/** A command line in the arguments of a call. */
export interface CallLine {
  readonly line: string;
  /** The folder that it starts in. */
  readonly cwd: string;
  readonly dialect?: ShellDialect;
  /** The tool runs it, and it may as well be code in another language. */
  readonly script?: true;
  /** It is code in another language than that of shells. */
  readonly code?: true;
}

/** What a call does. */
export interface CallEffects {
  readonly effects: readonly Effect[];
  /** Its command lines, whose effects are among those above. */
  readonly lines?: readonly CallLine[];
  /** Why a part of the call could not be read, so that it may do anything; undefined if all of it was read. */
  readonly unread?: string;
  /** It could not be read because an argument has a type that no tool takes, or the call is too large. */
  readonly malformed?: true;
}

/** What a program says that a tool of its own does. */
export interface DeclaredEffect {
  readonly kind: EffectKind;
  /** A path, a host, or a name; if there is no `arg` either, it is unknown. */
  readonly target?: string;
  /** The argument that has the target, or a list of them. With the kind `run`, a command line. */
  readonly arg?: string;
  /** Default true; false: it may happen. */
  readonly sure?: boolean;
  /** Everything below the target as well. */
  readonly recursive?: true;
}

/** The content of a file that a call would run. */
export interface FileContent {
  readonly text: string;
  /** The same for the same content of the same file. */
  readonly identity: string;
}

/** Reads files that calls run: regular files of a limited size. Never waits and never throws. */
export interface FileReader {
  /**
   * @param path absolute
   * @returns a reason if it cannot be read; undefined if there is nothing
   */
  readonly read: (path: string) => FileContent | UnreadFile | undefined;
}

/** A call that only reads: a line for a shell with programs that are known, and with files that it names. */
export interface ReadingCall {
  /** Its programs and their subcommands: `git`, `git/log`. */
  readonly programs: readonly string[];
  /** Those of its programs that have a word behind their first operand. */
  readonly given: readonly string[];
  /** All that it says, in lower case. */
  readonly said: string;
}

/** Lists what calls do. Never throws; takes linear time. */
export interface EffectReader {
  /** Reads command lines, with what each command does. */
  readonly shell: ShellReader;
  /**
   * What a call of any tool does.
   * @param call for which files are looked at once
   */
  readonly ofCall: (payload: Readonly<Record<string, unknown>>, call?: object) => CallEffects;
}

/** Also tells calls apart that only read. */
export interface CallReader extends EffectReader {
  /** What a call says that only reads; undefined for any other. */
  readonly onlyReads: (
    payload: Readonly<Record<string, unknown>>,
    effects: CallEffects,
    call?: object,
  ) => ReadingCall | undefined;
}

/** How each kind is said of a call: "writes a.txt", "may write a.txt". */
const EFFECT_WORDS: Readonly<Record<EffectKind, string>> = {
  read: "reads",
  write: "writes",
  remove: "removes",
  attributes: "changes the attributes of",
  run: "runs",
  connect: "connects to",
  signal: "signals",
  install: "installs",
  system: "changes",
};

/**
 * What a call does, in words: `removes build/**`.
 * @param cwd folder that paths are shown relative to, if they are below it
 */
export function effectText(
  { kind, target, word, sure, recursive, from }: Effect,
  cwd?: string,
): string {
  const [verb = "", ...rest] = EFFECT_WORDS[kind].split(" ");
  const said = [sure ? verb : `may ${verb.slice(0, -1)}`, ...rest].join(" ");
  const shown = (path: string): string =>
    cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  const unknown = word === undefined || word === "" ? "something unknown" : `${word} (unknown)`;
  const isProject = kind === "install" && target === ".";
  const known = isProject ? "what the project lists" : shown(target ?? "");
  const what = target === undefined ? unknown : known;
  return `${said} ${what}${recursive ? (what.endsWith("/") ? "**" : "/**") : ""}${from === undefined ? "" : ` ${kind === "connect" ? "with" : "from"} ${shown(from)}`}`;
}

/** What a call does, each once; without the programs of a command line, which it shows itself. */
export function effectTexts({ effects, unread }: CallEffects, cwd?: string): readonly string[] {
  // Any word of a program that nobody knows may be a file: that says little.
  const told = effects.filter(({ kind, program, sure, target }) =>
    kind === "run" ? target !== program : sure || kind !== "read",
  );
  const texts = new Set(told.map((effect) => effectText(effect, cwd)));
  if (unread !== undefined) texts.add(`may do anything else: ${unread}`);
  return [...texts];
}
