/** A simple command that a command line would run. */
export interface ShellCommand {
  /**
   * Its name and arguments as the program would get them: quotes removed, `~`, known variables and braces
   * expanded. Globs stay as they are written, and so does a word that is not known.
   */
  readonly argv: readonly string[];
  /** Positions in `argv`, from 0, of the words that are not known, or not wholly. */
  readonly unknown: readonly number[];
  /** The last part of `argv[0]` (`rm` of `/bin/rm`); empty when it is not known. */
  readonly program: string;
  /**
   * Files that it reads or writes by redirection; not descriptors, not here-documents. Those of a wrapper and of
   * what it runs (`sudo rm x > log`) stand with the wrapper alone.
   */
  readonly redirects: readonly ShellRedirect[];
  /**
   * Through what it runs, outermost first: programs that start others (`sudo`, `sh`, `xargs`, `find`), `eval`,
   * `function`, `alias`, `trap`, variables such as `EDITOR`, and `$()`, `<()` for substitutions.
   */
  readonly via: readonly string[];
  /** Programs whose output it reads from a pipe, or runs as its script: `curl` in `curl … | sh`. */
  readonly from: readonly string[];
  /** Directory it runs in, from where the line begins; undefined when it is not known. */
  readonly cwd: string | undefined;
  /** Whether something of it cannot be known: a word, the target of a redirection, or what it runs. */
  readonly dynamic: boolean;
  /**
   * Whether it is not known what it runs at all: its name comes from outside, or it is a shell whose script does.
   * Implies `dynamic`.
   */
  readonly opaque: boolean;
}

/** A redirection from or to a file. */
export interface ShellRedirect {
  readonly op: (typeof REDIRECT_OPS)[number];
  readonly target: string;
  /** Whether the target is not known, or not wholly. */
  readonly dynamic: boolean;
}

export const REDIRECT_OPS = [">", ">>", ">|", "&>", "&>>", "<", "<>"] as const;

/** What could be read of a command line. */
export interface ShellReading {
  /** In the order of the line; what a wrapper runs stands after the wrapper. */
  readonly commands: readonly ShellCommand[];
  /** Why the rest of the line could not be read; undefined when there is no rest. */
  readonly unread: string | undefined;
}

/** Lists what a command line would run. */
export interface ShellReader {
  /**
   * Never throws; time is linear in the line.
   * @param cwd absolute directory that it starts in; left out, directories are relative to where it starts (`.`)
   */
  read(line: string, cwd?: string): ShellReading;
}
