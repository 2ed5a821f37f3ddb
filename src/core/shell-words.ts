import { words } from "./text.ts";

/**
 * Shell words, read exactly: the words of one plain command, or nothing. The lenient reader, which lists whatever any
 * command line may run, is `src/matching/shell`.
 */

/** A word of a command, quotes and backslashes undone. */
export interface ExactWord {
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
export const RESERVED_WORDS = words(
  "! { } case do done elif else esac fi for if in then until while",
);

/** The same, with those of other shells than POSIX's. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...RESERVED_WORDS,
  ...words("coproc function select time"),
]);

/** How the words of a text are written. */
interface Dialect {
  /** What may stand next. Where nothing fits there is an operator, an expansion or a quote that is not closed. */
  readonly token: RegExp;
  readonly blank: RegExp;
  /** Whether the text is a command: comments, keywords and assignments have a meaning in it. */
  readonly isCommand: boolean;
}

const SHELL: Dialect = {
  token:
    /(?<blanks>[ \t]+)|(?<bare>[^ \t\n\r;&|<>()$`'"\\]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[^\n])*)"|\\(?<escaped>[^\n])/y,
  blank: /[ \t]*/y,
  isCommand: true,
};

/** As `xargs` and `env -S` read their text. Where these two differ, nothing fits: a backslash within quotes, say. */
const XARGS: Dialect = {
  token:
    /(?<blanks>[ \t\n]+)|(?<bare>[^ \t\n'"\\]+)|'(?<single>[^'\\\n]*)'|"(?<double>[^"\\\n]*)"|\\(?<escaped>[^a-z_0\n])/y,
  blank: /[ \t\n]*/y,
  isCommand: false,
};

/** What the shell may replace by something else. */
const EXPANDED = /[*?[\]{}~]/;

/** The words of one plain command as the shell would pass them on; undefined as for `readExactWords`. */
export function exactWords(command: string): readonly string[] | undefined {
  return readExactWords(command)?.map((word) => word.text);
}

/**
 * Read one plain command of a POSIX shell: words and blanks alone.
 *
 * @returns undefined for anything else, since no one can say from its words what it runs: an operator, line
 *   break, `$`, backquote or comment that is not quoted, a quote that is not closed, a backslash at the end or
 *   before a line break, a NUL, a reserved word in front, no word at all, and what is over `MAX_COMMAND`
 */
export function readExactWords(command: string): readonly ExactWord[] | undefined {
  if (command.length > MAX_COMMAND || command.includes("\0")) return undefined;
  const words = readWords(command, SHELL);
  return words?.length === 0 ? undefined : words;
}

/**
 * Split a text into words as `xargs` and `env -S` read it.
 * @returns undefined where the two differ, and for a quote that is not closed
 */
export function xargsWords(text: string): readonly string[] | undefined {
  return readWords(text, XARGS)?.map((word) => word.text);
}

/** The first word of a command, quotes and backslashes undone, and where it ends; undefined when it cannot be read. */
export function firstWord(
  command: string,
): { readonly text: string; readonly end: number } | undefined {
  return command === "" ? undefined : readWord(command, 0, SHELL, true);
}

/** A word as a shell reads it back: bare where it can be, else in single quotes. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/**
 * A command line of these words as they are: whatever they hold, none is a keyword, an assignment, a pattern or an
 * expansion to a shell.
 */
export function quoteWords(words: readonly string[]): string {
  return words.map(singleQuoted).join(" ");
}

/**
 * A program and its arguments as one plain command line: `readExactWords` gives back these words. Quotes stand only
 * where a word needs them, so that expressions for command lines match it as they match a typed one.
 */
export function plainCommand(program: string, args: readonly string[]): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(program) && !KEYWORDS.has(program);
  return [isPlain ? program : singleQuoted(program), ...args.map(quoteWord)].join(" ");
}

/** A text in single quotes, which any shell reads back as it is. */
export function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function readWords(text: string, dialect: Dialect): ExactWord[] | undefined {
  const words: ExactWord[] = [];
  for (let at = skipBlanks(text, 0, dialect); at < text.length;) {
    const word = readWord(text, at, dialect, words.length === 0);
    if (word === undefined) return undefined;
    words.push({ text: word.text, literal: word.literal });
    at = skipBlanks(text, word.end, dialect);
  }
  return words;
}

function skipBlanks(text: string, from: number, { blank }: Dialect): number {
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

/** The word that begins at `from`, and where it ends. */
function readWord(
  input: string,
  from: number,
  { token, isCommand }: Dialect,
  first: boolean,
): (ExactWord & { readonly end: number }) | undefined {
  if (isCommand && input[from] === "#") return undefined;
  let text = "";
  let quoted = false;
  let literal = true;
  let end = from;
  while (end < input.length) {
    token.lastIndex = end;
    const found = token.exec(input);
    if (found === null) return undefined;
    const { blanks, bare, single, double, escaped } = found.groups ?? {};
    if (blanks !== undefined) break;
    end = token.lastIndex;
    text += bare ?? single ?? escaped ?? unescaped(double ?? "");
    if (bare === undefined) quoted = true;
    else if (EXPANDED.test(bare) || (first && bare.includes("="))) literal = false;
  }
  if (isCommand && first && !quoted && RESERVED_WORDS.includes(text)) return undefined;
  return { text, literal, end };
}

/** Between double quotes a backslash keeps its place unless it stands before one of these. */
function unescaped(double: string): string {
  return double.replaceAll(/\\([$`"\\])/g, "$1");
}
