import type { Field } from "../words/field.ts";

/** Which options of a program take a value in the next word. */
export interface OptionSpec {
  /** Letters of the short ones. */
  readonly short?: string;
  /** Names of the long ones, without `--`. */
  readonly long?: readonly string[];
  /** Letters of short ones whose value, if any, is the rest of their word. */
  readonly attached?: string;
  /** Names of long ones that take no value, or one behind `=` alone; for those of others see `Parted.unsure`. */
  readonly flags?: readonly string[];
  /** Options behind which no others stand. */
  readonly last?: readonly string[];
  /** Whether words with `+` in front are options as well. */
  readonly plus?: true;
}

/** The words of a command, told apart. */
export interface Parted {
  /** Options by letter or name, with their value where they have one. */
  readonly options: readonly (readonly [name: string, value: Field | undefined])[];
  /** What follows the options. */
  readonly rest: readonly Field[];
  /** Whether the first word of the rest may be the value of a long option that nobody knows. */
  readonly unsure: boolean;
}

/**
 * Read the options in front, up to the first word that is none, or `--`.
 * @param mixed whether options may stand among other words as well
 */
export function partOptions(fields: readonly Field[], spec: OptionSpec, mixed = false): Parted {
  const operands: Field[] = [];
  const options: [string, Field | undefined][] = [];
  let unsure = false;
  let at = 0;
  for (; at < fields.length; at++) {
    const field = fields[at];
    if (!field) break;
    if (!isOption(field.text, spec)) {
      if (!mixed) break;
      operands.push(field);
      continue;
    }
    const { text, known } = field;
    unsure = false;
    if (text === "--") {
      at++;
      break;
    }
    const long = text.startsWith("--");
    if (long) {
      const name = text.slice(2);
      const equals = name.indexOf("=");
      const bare = equals < 0 ? name : name.slice(0, equals);
      const value = equals < 0 ? undefined : after(field, 3 + equals);
      const takes = value === undefined ? takesValue(bare, spec) : false;
      unsure = takes === undefined && known;
      options.push([bare, takes === true ? fields[++at] : value]);
    } else at = shortOptions(fields, at, spec, options);
    if (spec.last?.includes(options.at(-1)?.[0] ?? "") === true) {
      at++;
      break;
    }
  }
  return { options, rest: [...operands, ...fields.slice(at)], unsure };
}

/**
 * Read a word of short options.
 * @returns where it ends: at the value of the last one, when that is a word of its own
 */
function shortOptions(
  fields: readonly Field[],
  begin: number,
  spec: OptionSpec,
  options: [string, Field | undefined][],
): number {
  const field = fields[begin];
  const name = field?.text.slice(1) ?? "";
  let at = begin;
  if (field) {
    for (let letter = 0; letter < name.length; letter++) {
      const char = name.charAt(letter);
      const attached = name.slice(letter + 1);
      const mayTake = spec.short?.includes(char) === true;
      if (mayTake) options.push([char, attached === "" ? fields[++at] : after(field, 2 + letter)]);
      else if (spec.attached?.includes(char) === true)
        options.push([char, attached === "" ? undefined : after(field, 2 + letter)]);
      else {
        options.push([char, undefined]);
        continue;
      }
      break;
    }
  }
  return at;
}

function isOption(text: string, { plus }: OptionSpec): boolean {
  return text.length > 1 && (text.startsWith("-") || (plus === true && /^\+[A-Za-z]/.test(text)));
}

/** The part of a word behind so many characters. */
function after({ text, known, marked }: Field, begin: number): Field {
  const value = { text: text.slice(begin), known };
  return marked?.startsWith(text.slice(0, begin)) === true
    ? { ...value, marked: marked.slice(begin) }
    : value;
}

/**
 * Whether a long option takes a value; it may be shortened as long as it is plain which one is meant.
 * @returns undefined when it is not known
 */
function takesValue(name: string, { long = [], flags = [] }: OptionSpec): boolean | undefined {
  if (long.includes(name)) return true;
  if (flags.includes(name)) return false;
  // One letter alone is no name that is shortened.
  if (name.length === 1) return undefined;
  if (long.some((whole) => whole.startsWith(name))) return true;
  return flags.some((whole) => whole.startsWith(name)) ? false : undefined;
}

/** The value of the last option by one of these names. */
export function optionValue({ options }: Parted, ...names: readonly string[]): Field | undefined {
  return options.findLast(([name, value]) => names.includes(name) && value !== undefined)?.[1];
}

/** The values of all options by one of these names. */
export function optionValues({ options }: Parted, names: readonly string[]): readonly Field[] {
  return options.flatMap(([name, value]) => (value && names.includes(name) ? [value] : []));
}

/** Whether there is an option by one of these names. */
export function hasOption({ options }: Parted, ...names: readonly string[]): boolean {
  return options.some(([name]) => names.includes(name));
}

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
