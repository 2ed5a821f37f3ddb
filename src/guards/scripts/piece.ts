import { wordSet } from "../../core/index.ts";
/** How a file is read that a command runs. `any`: by its first line, else as a shell script. */
export type Format =
  | "any"
  | "shell"
  | "code"
  | "makefile"
  | "justfile"
  | "taskfile"
  | "package"
  | "dockerfile"
  | "tox"
  | "pre-commit"
  | "crontab";

/** A file that a command runs. */
export interface FileRun {
  /** Absolute. */
  readonly path: string;
  readonly format: Format;
  /** The program that runs it: `python3`, `make`. */
  readonly program: string;
  /** Where it runs; undefined if unknown. */
  readonly cwd: string | undefined;
  /** The words that it is given, if they are known. */
  readonly args?: readonly string[] | undefined;
  /** What of it is run: targets, scripts; all of it if there are none. */
  readonly goals?: readonly string[] | undefined;
  /** The text that is run, if it is the standard input and not the file. */
  readonly text?: string;
  /** It stands in the line, where it is read as it is written: only what its names stand for is added. */
  readonly isInLine?: true;
  /** Which goals are reached is not known: where the line writes the file, it may be any. */
  readonly isAny?: boolean;
  /** Only what make runs at any rate: `+command`. */
  readonly isDry?: boolean;
  /** Variables that the command sets in it. */
  readonly variables?: readonly (readonly [name: string, value: string])[];
}

/** A part of a file that runs: a script of a shell, or the words of a command. */
export interface Piece {
  /** The file that it stands in, if it is not the one that is run: an included one. */
  readonly file?: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly text?: string;
  readonly argv?: readonly string[];
}

/** A path without its last part; the root has none. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** A folder and those above it. */
export function above(folder: string, most = 12): readonly string[] {
  const found = [folder];
  for (let at = 0; at < most && found.at(-1) !== "/"; at++)
    found.push(folderOf(found.at(-1) ?? "/"));
  return found;
}

/** The interpreter in the first line of a file; undefined if there is none. */
export function shebang(text: string): string | undefined {
  const line = /^#![ \t]*(\S+)((?:[ \t]+\S+)*)/.exec(text.slice(0, 256));
  if (!line) return undefined;
  const [, path = "", rest = ""] = line;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name !== "env") return name;
  return rest.split(/[ \t]+/).find((word) => word !== "" && !/^-|=/.test(word));
}

/** A folder that is not known: no file has such a name. */
export const UNKNOWN_FOLDER = "/\0";

/** Shells, as far as their scripts are read as those of `sh`. */
const SHELLS = wordSet("sh bash zsh dash ksh ash mksh rbash busybox fish");

export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

const INTERPRETERS =
  /^(?:python|pypy|node|nodejs|bun|deno|tsx|ts-node|perl|ruby|php|lua|luajit|osascript|tclsh|Rscript|groovy|julia|elixir)[\d.]*$/;

export function isInterpreter(program: string): boolean {
  return INTERPRETERS.test(program);
}

/** Where a parenthesis closes that is open in front of a position; -1 if it does not, not within so many characters. */
export function closing(text: string, from: number, longest = 2_000): number {
  let depth = 1;
  const most = Math.min(text.length, from + longest);
  for (let at = from; at < most; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return -1;
}
