import { patternError } from "../regex.ts";
import { isAnything, leadingFlags, readArguments } from "./arguments.ts";
import type { Word } from "./arguments.ts";
import { flagsOf } from "./flags.ts";
import type { FlagSet } from "./flags.ts";
import { needsOf } from "./needs.ts";
import type { Need } from "./needs.ts";
import { programOf } from "./program.ts";
import { patternWords, RunsSyntaxError } from "./words.ts";

/** A pattern, compiled. */
export interface RunsPattern {
  readonly program: Word;
  /** Flags before the subcommand, of programs that have a place of their own for these: Git. */
  readonly leading: Part | undefined;
  readonly rest: Part;
}

/** What a pattern says of arguments. */
export interface Part {
  readonly known: FlagSet;
  readonly needs: readonly Need[];
  /** In this order, before all others. */
  readonly operands: readonly PatternOperand[];
  /** What stands after `--`; undefined when the pattern has none. */
  readonly after: readonly PatternOperand[] | undefined;
}

interface PatternOperand {
  readonly word: Word;
  /** The flag that may have it as its value instead. */
  readonly asValue: readonly Need[];
}

/** The pattern that asks for what cannot be known. */
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
  if (!first || isAnything(first)) throw new RunsSyntaxError("it names no program");
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
    if (open && /^-{1,2}$/.test(text)) throw new RunsSyntaxError(`'${text}*' names no flag`);
  }
  const { flags, operands, after } = readArguments(words, known);
  return {
    known,
    needs: flags.flatMap((flag) => needsOf(flag, known)),
    // Of a flag that goes on, the name is all there is to it.
    operands: operands
      .filter(({ word }) => !isAnything(word))
      .map(({ word, behind }) => ({
        word,
        asValue: behind ? needsOf({ ...behind, hasValue: true }, known) : [],
      })),
    after: after?.map(({ word }) => ({ word, asValue: [] })),
  };
}
