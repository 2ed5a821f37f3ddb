import { OrcsError, quoteWords } from "../../core/index.ts";
import type { ShellCommand } from "../../core/index.ts";
import type { Word } from "./command-arguments.ts";
import { ANY_OPERAND } from "./command-arguments.ts";
import type { Part, RunsPattern } from "./command-pattern.ts";
import { UNKNOWN_PATTERN, programOf, readPattern } from "./command-pattern.ts";
import type { FlagRequirement } from "./match-arguments.ts";
import { hasAnyOf, matchesCommand } from "./match-arguments.ts";

/** @param unread see `ShellReading` */
export type CommandMatcher = (commands: readonly ShellCommand[], unread?: string) => boolean;

/**
 * Compile patterns of commands: one that matches one of the commands is enough. An unknown word can be anything. For a
 * command with an unknown name, some part of the pattern must be present. `?` matches any command whose program cannot
 * be determined, and unreadable text.
 * @throws OrcsError ORCS1012 with `{ key: "runs", pattern }` for an invalid pattern, or when there is none
 */
export function compileRuns(patterns: readonly string[]): CommandMatcher {
  if (patterns.length === 0) {
    const why = "match.runs is an empty list; it needs at least one command";
    throw new OrcsError("ORCS1012", why, { key: "runs", pattern: "" });
  }
  const isUnknownMeant = patterns.some((pattern) => pattern.trim() === UNKNOWN_PATTERN);
  const all = patterns.filter((pattern) => pattern.trim() !== UNKNOWN_PATTERN).map(readPattern);
  const byProgram = new Map<string, RunsPattern[]>();
  const begun = all.filter(({ program }) => program.open);
  for (const pattern of all) {
    if (pattern.program.open) continue;
    const same = byProgram.get(pattern.program.text);
    if (same) same.push(pattern);
    else byProgram.set(pattern.program.text, [pattern]);
  }
  const holds = (command: ShellCommand): boolean => {
    if (command.opaque && isUnknownMeant) return true;
    if (command.argv.length > 0 && command.program === "") {
      const words = argumentsOf(command);
      return all.some((pattern) => matchesCommand(pattern, words) && hasAnyOf(pattern, words));
    }
    const { name, subcommand } = programOf(command.program);
    const some = byProgram.get(name) ?? [];
    const more = begun.filter(({ program }) => name.startsWith(program.text));
    if (some.length + more.length === 0) return false;
    const words = [...subcommand, ...argumentsOf(command)];
    return [...some, ...more].some((pattern) => matchesCommand(pattern, words));
  };
  return (commands, unread) => (isUnknownMeant && unread !== undefined) || commands.some(holds);
}

function argumentsOf({ argv, unknown, via }: ShellCommand): Word[] {
  const isUnknown = new Set(unknown);
  const isFound = via.at(-1) === "find";
  return argv.slice(1).map((text, at) => {
    if (!isUnknown.has(at + 1)) return { text, open: false };
    // The replacement by `find` begins with the directory that is searched.
    return isFound && text.startsWith("{}") ? ANY_OPERAND : partlyKnown(text);
  });
}

/** A partly unknown word: the part before the unknown. */
function partlyKnown(text: string): Word {
  return { text: /^[^$`<>{…]*/.exec(text)?.[0] ?? "", open: true };
}

/** A list of words is one simple command; a single word may be a whole line for a shell. */
export function commandLine(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  const [only = ""] = command;
  return command.length < 2 ? only : quoteWords(command);
}

/**
 * Whether each command that one pattern matches is matched by another one: `git push --force` and `git push`. Only what
 * the texts show.
 */
export function isNarrowerPattern(narrow: string, wide: string): boolean {
  if (narrow === wide) return true;
  if (narrow === UNKNOWN_PATTERN || wide === UNKNOWN_PATTERN) return false;
  const [own, other] = [readPattern(narrow), readPattern(wide)];
  if (!includes(other.program, own.program)) return false;
  if (other.leading && !(own.leading && requires(own.leading, other.leading))) return false;
  return requires(own.rest, other.rest);
}

/** Whether a part of a pattern requires all that another one requires. */
function requires(own: Part, other: Part): boolean {
  if (!other.needs.every((need) => own.needs.some((one) => isSameFlag(one, need)))) return false;
  const operands = other.operands.every(({ word, asValue }, i) => {
    const mine = own.operands[i];
    // An operand that may be the value of a flag stands for another place of the command.
    return mine && asValue.length === 0 && mine.asValue.length === 0 && includes(word, mine.word);
  });
  if (!operands || !other.after) return operands;
  return other.after.every(({ word }, i) => {
    const mine = own.after?.[i];
    return mine !== undefined && includes(word, mine.word);
  });
}

function includes(wide: Word, narrow: Word): boolean {
  return wide.open ? narrow.text.startsWith(wide.text) : !narrow.open && narrow.text === wide.text;
}

function isSameFlag(own: FlagRequirement, other: FlagRequirement): boolean {
  const value = other.value === undefined ? undefined : own.value;
  return JSON.stringify({ ...own, value }) === JSON.stringify(other);
}
