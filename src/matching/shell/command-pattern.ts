import { patternError } from "../patterns/regex.ts";
import type { Word } from "./command-arguments.ts";
import { isAnything, leadingFlags, readArguments } from "./command-arguments.ts";
import type { FlagRequirement } from "./match-arguments.ts";
import { flagRequirements } from "./match-arguments.ts";
import type { FlagSet } from "./flags.ts";
import { flagsOf } from "./flags.ts";
import { closingQuote } from "./words/braces.ts";

/** A compiled pattern. */
export interface RunsPattern {
  readonly program: Word;
  /** Flags before the subcommand, for programs that have such flags: Git. */
  readonly leading: Part | undefined;
  readonly rest: Part;
}

/** The arguments that a pattern requires. */
export interface Part {
  readonly known: FlagSet;
  readonly needs: readonly FlagRequirement[];
  /** In this order, before all others. */
  readonly operands: readonly PatternOperand[];
  /** The operands after `--`; undefined when the pattern has none. */
  readonly after: readonly PatternOperand[] | undefined;
}

interface PatternOperand {
  readonly word: Word;
  /** The flag whose value it may be instead. */
  readonly asValue: readonly FlagRequirement[];
}

/** The pattern for commands that cannot be determined. */
export const UNKNOWN_PATTERN = "?";

/** @throws OrcsError ORCS1012 with `{ key: "runs", pattern }`. */
export function readPattern(pattern: string): RunsPattern {
  try {
    return compile(patternWords(pattern));
  } catch (error) {
    if (!(error instanceof RunsSyntaxError)) throw error;
    throw patternError("runs", pattern, error.message, error);
  }
}

function compile([first, ...words]: readonly Word[]): RunsPattern {
  if (!first || isAnything(first))
    throw new RunsSyntaxError("it does not begin with a program name");
  const { name, subcommand } = programOf(first.text);
  const rest = [...subcommand, ...words];
  const program = { text: name, open: first.open && subcommand.length === 0 };
  if (name !== "git") {
    const sub = rest[leadingFlags(rest, flagsOf(name))];
    return { program, leading: undefined, rest: partOf(rest, flagsOf(name, sub?.text)) };
  }
  const own = flagsOf(name);
  const at = leadingFlags(rest, own);
  return {
    program,
    leading: partOf(rest.slice(0, at), own),
    rest: partOf(rest.slice(at), flagsOf(name, rest[at]?.text ?? "")),
  };
}

function partOf(words: readonly Word[], known: FlagSet): Part {
  for (const { text, open } of words) {
    if (open && /^-{1,2}$/.test(text)) throw new RunsSyntaxError(`'${text}*' is not a flag`);
  }
  const { flags, operands, after } = readArguments(words, known);
  return {
    known,
    needs: flags.flatMap((flag) => flagRequirements(flag, known)),
    // For a flag that continues, only the name is required.
    operands: operands
      .filter(({ word }) => !isAnything(word))
      .map(({ word, behind }) => ({
        word,
        asValue: behind ? flagRequirements({ ...behind, hasValue: true }, known) : [],
      })),
    after: after?.map(({ word }) => ({ word, asValue: [] })),
  };
}

/** An invalid pattern; the message has the reason and what to do. */
class RunsSyntaxError extends Error {}

/** Maximum length of a pattern in characters, and maximum number of its words. */
const MAX_LENGTH = 4_096;
const MAX_WORDS = 64;

const BLANK = /[ \t]/;

/**
 * The words of a pattern, split like a shell does. Unlike `exactWords`, it reports the reason when a pattern is more
 * than one simple command.
 * @returns at least one word; a lone `*` at the end is not included
 * @throws RunsSyntaxError
 */
function patternWords(pattern: string): Word[] {
  if (pattern.length > MAX_LENGTH) {
    throw new RunsSyntaxError(`it is longer than ${MAX_LENGTH} characters`);
  }
  const words: Word[] = [];
  const text = pattern.trimEnd();
  let at = 0;
  for (;;) {
    while (at < text.length && BLANK.test(text.charAt(at))) at++;
    if (at === text.length) break;
    if (at === text.length - 1 && text[at] === "*" && words.length > 0) break;
    const read = readWord(text, at, words.length === 0);
    words.push(read.word);
    at = read.end;
  }
  const [program] = words;
  if (!program || program.text === "")
    throw new RunsSyntaxError("it does not begin with a program name");
  if (words.length > MAX_WORDS) throw new RunsSyntaxError(`it has more than ${MAX_WORDS} words`);
  return words;
}

function readWord(pattern: string, from: number, first: boolean): { word: Word; end: number } {
  let text = "";
  let at = from;
  while (at < pattern.length && !BLANK.test(pattern.charAt(at))) {
    const char = pattern.charAt(at);
    if (char === "'" || char === '"') {
      const end = closing(pattern, at);
      const inner = pattern.slice(at + 1, end);
      text += char === "'" ? inner : doubleQuoted(inner);
      at = end + 1;
    } else if (char === "\\") {
      if (at + 1 === pattern.length) {
        throw new RunsSyntaxError("it ends with a backslash; write '\\\\' for a literal backslash");
      }
      text += pattern.charAt(at + 1);
      at += 2;
    } else if (char === "*" && at === pattern.length - 1 && at > from) {
      return { word: { text, open: true }, end: at + 1 };
    } else {
      refuseSyntax(pattern, at, from, first);
      text += char;
      at++;
    }
  }
  return { word: { text, open: false }, end: at };
}

/** The position of a closing quote. */
function closing(pattern: string, start: number): number {
  const end = closingQuote(pattern, start);
  if (end < pattern.length) return end;
  const quote = pattern.charAt(start);
  throw new RunsSyntaxError(
    `the quote ${quote} at ${start + 1} is not closed; write \\${quote} for a literal quote`,
  );
}

function doubleQuoted(text: string): string {
  const expansion = /(?:^|[^\\])(?:\\\\)*(`|\$(?=[\w{(@*#?$!-]))/.exec(text)?.[1];
  if (expansion !== undefined) refuse(expansion, EXPANSION);
  return text.replaceAll(/\\([$`"\\])/g, "$1");
}

const EXPANSION =
  "is an expansion whose value is unknown; write the value, or put it in single quotes";

/** What a shell would not pass on unchanged, and why; perhaps only behind such a part of the word. */
const SYNTAX: readonly (readonly [syntax: RegExp, why: string, behind?: RegExp])[] = [
  [/^[|&;()\n\r]/, "separates commands; write one pattern for each command"],
  [/^[<>]/, "is a redirection; a pattern contains only the words of a command"],
  [/^(?:`|\$[\w{(@*#?$!'"-])/, EXPANSION],
  [/^[*?[]/, "is not a wildcard here (only a final * is); write \\CHAR for the character itself"],
  [
    /^\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}/,
    "is a brace expansion; write one pattern for each alternative",
  ],
  [/^~/, "is not expanded; write the full directory", /^$/],
  [/^#/, "begins a comment; write \\# for the character itself", /^$/],
  [/^\0/, "is not allowed in a command"],
];
const ASSIGNMENT = "is a variable assignment; a pattern begins with the program";

/** Reject what a shell would not pass on unchanged. */
function refuseSyntax(pattern: string, at: number, from: number, first: boolean): void {
  const char = pattern.charAt(at);
  const before = pattern.slice(from, at);
  if (char === "=" && first && /^[A-Za-z_]\w*$/.test(before)) refuse(char, ASSIGNMENT);
  for (const [syntax, why, behind] of SYNTAX)
    if (syntax.test(pattern.slice(at)) && behind?.test(before) !== false)
      refuse(char, why.replace("CHAR", char));
}

function refuse(char: string, why: string): never {
  throw new RunsSyntaxError(`${JSON.stringify(char).replaceAll('"', "'")} ${why}`);
}

/**
 * A program's name without its directory, in lower case, because file systems differ in whether case counts. Git's own
 * programs have another name: `git-push` is `git push`.
 */
export function programOf(path: string): {
  readonly name: string;
  /** Additional words that its name stands for. */
  readonly subcommand: readonly Word[];
} {
  const last = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const name = last.endsWith(".exe") ? last.slice(0, -".exe".length) : last;
  if (!name.startsWith("git-")) return { name, subcommand: [] };
  return { name: "git", subcommand: [{ text: name.slice("git-".length), open: false }] };
}
