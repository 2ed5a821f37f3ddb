/** A word of a command, quotes and backslashes undone. */
export interface CommandWord {
  readonly text: string;
  /**
   * Whether the shell is sure to pass on `text` and nothing else. It is false for a word with an unquoted
   * `*`, `?`, `[`, `]`, `{`, `}` or `~`, wherever it stands, and for a first word with an unquoted `=`,
   * which may be an assignment.
   */
  readonly literal: boolean;
}

/** Longest command that is read, in UTF-16 units. */
export const MAX_COMMAND = 65_536;

/** Words that begin or end something other than a plain command when they come first, unquoted. */
export const RESERVED_WORDS: readonly string[] =
  "! { } case do done elif else esac fi for if in then until while".split(" ");

/** What may stand next in a plain command. Where none fits there is an operator, an expansion or an open quote. */
const TOKEN =
  /(?<blanks>[ \t]+)|(?<bare>[^ \t\n\r;&|<>()$`'"\\]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[^\n])*)"|\\(?<escaped>[^\n])/y;

/** What the shell may replace by something else. */
const EXPANDED = /[*?[\]{}~]/;

/** The words of one plain command as the shell would pass them on; undefined as for `readCommand`. */
export function commandWords(command: string): readonly string[] | undefined {
  return readCommand(command)?.map((word) => word.text);
}

/**
 * Read one plain command of a POSIX shell: words and blanks alone.
 *
 * @returns undefined for anything else, since no one can say from its words what it runs: an operator, line
 *   break, `$`, backquote or comment that is not quoted, a quote that is not closed, a backslash at the end or
 *   before a line break, a NUL, a reserved word in front, no word at all, and what is over `MAX_COMMAND`
 */
export function readCommand(command: string): readonly CommandWord[] | undefined {
  if (command.length > MAX_COMMAND || command.includes("\0")) return undefined;
  const words: CommandWord[] = [];
  let at = 0;
  while (at < command.length) {
    at = skipBlanks(command, at);
    if (at === command.length) break;
    const word = readWord(command, at, words.length === 0);
    if (word === undefined) return undefined;
    words.push(word);
    at = word.end;
  }
  return words.length === 0 ? undefined : words.map(({ text, literal }) => ({ text, literal }));
}

function skipBlanks(command: string, from: number): number {
  let at = from;
  while (command[at] === " " || command[at] === "\t") at++;
  return at;
}

/** The word that begins at `from`, and where it ends. */
function readWord(
  command: string,
  from: number,
  first: boolean,
): (CommandWord & { end: number }) | undefined {
  if (command[from] === "#") return undefined;
  let text = "";
  let quoted = false;
  let literal = true;
  let end = from;
  while (end < command.length) {
    TOKEN.lastIndex = end;
    const found = TOKEN.exec(command);
    if (found === null) return undefined;
    const { blanks, bare, single, double, escaped } = found.groups ?? {};
    if (blanks !== undefined) break;
    end = TOKEN.lastIndex;
    text += bare ?? single ?? escaped ?? unescaped(double ?? "");
    if (bare === undefined) quoted = true;
    else if (EXPANDED.test(bare) || (first && bare.includes("="))) literal = false;
  }
  if (first && !quoted && RESERVED_WORDS.includes(text)) return undefined;
  return { text, literal, end };
}

/** Between double quotes a backslash keeps its place unless it stands before one of these. */
function unescaped(double: string): string {
  return double.replaceAll(/\\([$`"\\])/g, "$1");
}
