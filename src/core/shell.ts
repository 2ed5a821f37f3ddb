import type { Effect } from "./effects.ts";

/** A simple command that a command line would run. */
export interface ShellCommand {
  /**
   * Its name and arguments as the program would get them: quotes removed, `~`, known variables and braces expanded.
   * Globs and unknown words are kept as written.
   */
  readonly argv: readonly string[];
  /** 0-based positions in `argv` of words that are not completely known. */
  readonly unknown: readonly number[];
  /** The last part of `argv[0]` (`rm` of `/bin/rm`); empty if unknown. */
  readonly program: string;
  /**
   * Files that it reads or writes by redirection; without descriptors and here-documents. Redirections of a wrapper and
   * of what it runs (`sudo rm x > log`) are listed for the wrapper only.
   */
  readonly redirects: readonly ShellRedirect[];
  /**
   * What starts it, outermost first: programs that start others (`sudo`, `sh`, `xargs`, `find`), `eval`, `function`
   * (`uncalled`: one that nothing in the line calls), `alias`, `trap`, variables such as `EDITOR`, and `$()`, `<()` for
   * substitutions.
   */
  readonly via: readonly string[];
  /** Programs whose output it reads from a pipe, or executes as a script: `curl` in `curl … | sh`. */
  readonly from: readonly string[];
  /** Its working directory, relative to the start of the line; undefined if unknown. */
  readonly cwd: string | undefined;
  /** Whether any part is unknown: a word, the target of a redirection, or what it runs. */
  readonly dynamic: boolean;
  /**
   * Whether it is completely unknown what it runs: its name, or the script of a shell, comes from outside. Implies
   * `dynamic`.
   */
  readonly opaque: boolean;
  /**
   * Where each word of `argv` stands in the line, if requested: undefined for a word that is not itself in the line,
   * such as those in the script of `sh -c '…'` and those from a brace expansion.
   */
  readonly spans?: readonly (ShellSpan | undefined)[];
  /** The language that it is written in, if that is not the one of POSIX shells. */
  readonly dialect?: ShellDialect;
  /** What it does, as far as the dictionary of programs says it; undefined from a reader that does not know it. */
  readonly effects?: readonly Effect[];
  /** Whether its program is in the dictionary: another one may do anything with what it is given. */
  readonly described?: boolean;
  /** Its options and operands, as the dictionary tells them apart; undefined if its program is not there. */
  readonly args?: ShellArguments | undefined;
  /**
   * Command lines that its code runs, besides those that are commands of the line: `!x` of vi, `system("x")` of awk.
   */
  readonly runs?: readonly string[];
  /** If `stdin` is requested: positions in `argv` of words with glob characters that are all quoted. */
  readonly quoted?: readonly number[];
  /** What it reads from the standard input, if requested and if the line contains it. */
  readonly stdin?: ShellInput | undefined;
  /** Whether it stands in a function that nothing can call. */
  readonly idle?: boolean;
  /** Whether its program is an interpreter of another language than that of shells. */
  readonly interprets?: boolean | undefined;
  /** The file that it stands in, if it is not in the line itself but in a file that the line runs: an absolute path. */
  readonly file?: string;
  /** Its line in `file`, or in the text that is read if lines are requested, from 1. */
  readonly line?: number;
  /** Whether the line that runs the `file` has written this part of it before. */
  readonly written?: true;
  /** Of a `file` that is run but could not be read, in place of its commands: why. */
  readonly unread?: UnreadFile;
}

/** Languages of command lines other than those of POSIX shells. */
export type ShellDialect = "powershell" | "cmd";
/** Why a file that is run could not be read. */
export const UNREAD_FILES = {
  written: "the line itself writes it, and its text is not known",
  made: "a program of the line creates it",
  kind: "it is not a regular file",
  size: "it is too large",
  access: "it may not be read",
  depth: "it is run by too many others in turn",
  count: "the line runs too many files",
} as const satisfies Readonly<Record<string, string>>;

export type UnreadFile = keyof typeof UNREAD_FILES;
/** The arguments of a command. */
export interface ShellArguments {
  /** The name of the program and its subcommands in the dictionary: `git/push`. */
  readonly name: string;
  /** 0-based position in `argv` of the last subcommand; 0 without one. */
  readonly at: number;
  /**
   * By every name of an option, with dashes: its value, or whether it is set: `--no-force` unsets `--force`. The last
   * occurrence counts.
   */
  readonly options: Readonly<Record<string, string | boolean>>;
  /** 0-based positions in `argv`, behind the subcommand. */
  readonly operands: readonly number[];
  /** The number of operands in front of `--`; undefined if there is no `--`. */
  readonly before?: number | undefined;
}

/** The text of a here-document, a here-string, or of a command whose output follows from its words. */
export interface ShellInput {
  /** Unknown parts are kept as written. */
  readonly text: string;
  /** Whether all of it is known. */
  readonly known: boolean;
}

/** The place of a word, with its quotes, in a line: positions from 0, `end` is behind the last character. */
export interface ShellSpan {
  readonly begin: number;
  readonly end: number;
}

/** A redirection from or to a file. */
export interface ShellRedirect {
  readonly op: (typeof REDIRECT_OPS)[number];
  readonly target: string;
  /** Whether the target is not completely known. */
  readonly dynamic: boolean;
}

export const REDIRECT_OPS = [">", ">>", ">|", "&>", "&>>", "<", "<>"] as const;

/** Result of parsing a command line. */
export interface ShellReading {
  /** In line order; what a wrapper runs follows the wrapper. */
  readonly commands: readonly ShellCommand[];
  /** Why the rest of the line could not be parsed; undefined if it was parsed completely. */
  readonly unread: string | undefined;
}

/** Options of a reading. */
export interface ShellReadOptions {
  /** Whether commands have `spans`; default no. */
  readonly spans?: boolean | undefined;
  /** Whether commands have `stdin`; default no. */
  readonly stdin?: boolean | undefined;
  /** The language of the line; default: the one of POSIX shells, and that of PowerShell if it may be one for it. */
  readonly dialect?: ShellDialect | undefined;
  /** Whether commands have `line`; default no. */
  readonly lines?: boolean | undefined;
  /**
   * Whether the commands of files that the line runs are listed behind what runs them, or texts: only those of them
   * that mention one; default no.
   */
  readonly files?: boolean | readonly string[] | undefined;
  /** What the line is read for: files are looked at once for it, however many hooks ask. Default: each time. */
  readonly call?: object | undefined;
}

/** Lists what a command line would run. */
export interface ShellReader {
  /**
   * Never throws; takes linear time.
   * @param cwd directory in which the line starts; if omitted, directories are relative to it (`.`)
   */
  readonly read: (line: string, cwd?: string, options?: ShellReadOptions) => ShellReading;
}
