import type { OptionSpec } from "./options.ts";

/** How the command that a program starts stands among its words. */
export interface Wrapper extends OptionSpec {
  /** Words between the options and the command; infinitely many when only options hold one. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command, or among the options as well. */
  readonly assignments?: true | "mixed";
  /** Another way in which its words may be meant. */
  readonly also?: Wrapper;
  /** Whether the words are joined by spaces and given to a shell, or with which options they are. */
  readonly joined?: true | readonly string[];
  /** Whether each word is a script of its own. */
  readonly each?: true;
  /** Whether it is the shell itself that runs it, so that what it changes stays changed. */
  readonly inPlace?: true;
  /** Whether the name may be that of a function. */
  readonly functions?: true;
  /** Whether it runs in another place: with another working directory, without the variables of the line. */
  readonly elsewhere?: true;
  /** Whether it does not get all variables of the line. */
  readonly fresh?: true;
  /** Words behind one of which the command stands, where there is one. */
  readonly after?: readonly string[];
  /** Options that have it run nothing. */
  readonly idle?: readonly string[];
  /** Options whose value is a script. */
  readonly scripts?: readonly string[];
  /** Options whose value is the working directory of the command. */
  readonly directory?: readonly string[];
  /** Options whose value is the program that runs; what follows are its arguments. */
  readonly entry?: readonly string[];
  /** Options whose value is split into words that stand before the rest. */
  readonly split?: readonly string[];
  /** Options by which variables are unset. */
  readonly unset?: readonly string[];
  /** Options with which, or whether always, a shell reads the standard input when no command is named. */
  readonly shell?: readonly string[] | true;
  /** Words, after the options, by which a wrapper follows. */
  readonly next?: Readonly<Record<string, Wrapper>>;
}

/** A program whose words, behind its options, are the command. */
export const PLAIN: Wrapper = {};
