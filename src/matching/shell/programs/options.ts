import type { Field } from "../words/expand-word.ts";
import { UNKNOWN } from "../words/unknown-parts.ts";

/** Which options of a program take a value in the next word. */
export interface OptionSpec {
  /** Letters of the short ones. */
  readonly short?: string;
  /** Names of the long ones, without `--`. */
  readonly long?: readonly string[];
  /** Letters of short options whose optional value is the rest of their word. */
  readonly attached?: string;
  /** Names of long options that take two values. */
  readonly pairs?: readonly string[];
  /** Names of long options without a value, or with one only after `=`; for unknown ones see `Parted.unsure`. */
  readonly flags?: readonly string[];
  /** Options after which there are no others. */
  readonly last?: readonly string[];
  /** Whether words that begin with `+` are options as well. */
  readonly plus?: true;
}

/** The words of a command, split into options and the rest. */
export interface Parted {
  /** Options by letter or name, with their value if any. */
  readonly options: readonly (readonly [name: string, value: Field | undefined])[];
  /** The words after the options. */
  readonly rest: readonly Field[];
  /** Whether the first word of the rest may be the value of an unknown long option. */
  readonly unsure: boolean;
  /** Whether an unknown part of a word may be other options. */
  readonly open: boolean;
  /** Those of the options that are certain. */
  readonly certain: Parted["options"];
}

/**
 * Parse the leading options, up to the first other word, or `--`.
 * @param mixed whether options may also be among other words
 */
export function partOptions(fields: readonly Field[], spec: OptionSpec, mixed = false): Parted {
  const operands: Field[] = [];
  const options: [string, Field | undefined][] = [];
  let unsure = false;
  let certain: number | undefined;
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
    const from = known ? Infinity : unknownFrom(field);
    unsure = false;
    if (text === "--") {
      at++;
      break;
    }
    const long = text.startsWith("--");
    if (long) {
      const name = text.slice(2);
      const equals = name.indexOf("=");
      const isOpen = from < 2 + (equals < 0 ? Infinity : equals);
      if (isOpen) certain ??= options.length;
      const bare = writtenOut(equals < 0 ? name : name.slice(0, equals), spec);
      const value = equals < 0 ? undefined : after(field, 3 + equals);
      if (spec.pairs?.includes(bare) === true) at++;
      const takes = value === undefined ? takesValue(bare, spec) : false;
      unsure = takes === undefined && (known || isOpen);
      options.push([bare, takes === true ? fields[++at] : value]);
    } else {
      const before = options.length;
      at = shortOptions(fields, at, spec, options);
      // Letters that are read before the unknown part, unless that is the value of the last one.
      const letters = options.length - before;
      const takes = spec.short?.includes(text.charAt(letters)) === true;
      const isValue = takes && letters < from;
      if (from < Infinity && !isValue) certain ??= before + Math.min(letters, from - 1);
      // Its unknown part may be the letter of an option with a value.
      unsure = !known;
    }
    if (spec.last?.includes(options.at(-1)?.[0] ?? "") === true) {
      at++;
      break;
    }
  }
  const rest = [...operands, ...fields.slice(at)];
  const open = certain !== undefined;
  return { options, rest, unsure, open, certain: options.slice(0, certain) };
}

/** Where the first unknown part of a word begins. */
function unknownFrom({ text, marked }: Field): number {
  const at = marked?.indexOf(UNKNOWN) ?? -1;
  return at >= 0 ? at : Math.min(1, text.length);
}

/**
 * Parse a word of short options.
 * @returns the next position: after the value of the last one, if that is a word of its own
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

/** The part of a word after this many characters. */
function after({ text, known, marked }: Field, begin: number): Field {
  const value = { text: text.slice(begin), known };
  return marked?.startsWith(text.slice(0, begin)) === true
    ? { ...value, marked: marked.slice(begin) }
    : value;
}

/** The only known long option that a name begins, as getopt reads it; otherwise the name. */
function writtenOut(name: string, { long = [], flags = [], pairs = [] }: OptionSpec): string {
  const [whole, other] = [...long, ...flags, ...pairs].filter((each) => each.startsWith(name));
  return whole === undefined || other !== undefined ? name : whole;
}

/** Whether a long option takes a value; undefined when it is unknown. */
function takesValue(
  name: string,
  { long = [], flags = [], pairs = [] }: OptionSpec,
): boolean | undefined {
  if (long.includes(name) || pairs.includes(name)) return true;
  if (flags.includes(name)) return false;
  // It may begin several, of which one takes a value.
  if (long.some((whole) => whole.startsWith(name))) return true;
  return flags.some((whole) => whole.startsWith(name)) ? false : undefined;
}

/** The value of the last option with one of these names. */
export function optionValue({ options }: Parted, ...names: readonly string[]): Field | undefined {
  return options.findLast(([name, value]) => names.includes(name) && value !== undefined)?.[1];
}

/** The values of all options with one of these names. */
export function optionValues({ options }: Parted, names: readonly string[]): readonly Field[] {
  return options.flatMap(([name, value]) => (value && names.includes(name) ? [value] : []));
}

/** Whether there certainly is an option with one of these names. */
export function surelyHas({ certain }: Parted, ...names: readonly string[]): boolean {
  return certain.some(([name]) => names.includes(name));
}

/** Whether there is, or may be, an option with one of these names. */
export function hasOption({ options }: Parted, ...names: readonly string[]): boolean {
  return options.some(([name]) => names.includes(name));
}

/** Whether a word has more than the name of a file or a program: it may be a script. */
export function mayBeScript({ text }: Field): boolean {
  return /[^\w@%+=:,./-]/.test(text);
}

/** Whether an option that is known in part may have a script in its word: `-$X"a b"`. */
export function mayHaveScript({ text }: Field): boolean {
  return /^-.*[\s;|&]/s.test(text);
}

/** Where the command of a wrapper program is among its words. */
export interface Wrapper extends OptionSpec {
  /** Number of words between the options and the command; infinite when only options contain one. */
  readonly operands?: number;
  /** Whether `NAME=value` can precede the command, or also be among the options. */
  readonly assignments?: true | "mixed";
  /** An alternative reading of its words. */
  readonly also?: Wrapper;
  /** Whether, or with which options, the words are joined by spaces and passed to a shell. */
  readonly joined?: true | readonly string[];
  /** The program that gets the words as its arguments: `capsh -- -c SCRIPT` starts `bash -c SCRIPT`. */
  readonly as?: string;
  /** Whether each word is a script of its own. */
  readonly each?: true;
  /** Whether the shell itself runs it, so that its changes persist. */
  readonly inPlace?: true;
  /** Whether the name can be that of a function. */
  readonly functions?: true;
  /** Whether it runs in another place: with another working directory, without the variables of the line. */
  readonly elsewhere?: true;
  /** Whether it does not get all variables of the line. */
  readonly fresh?: true;
  /** The command follows one of these words, if present. */
  readonly after?: readonly string[];
  /** First words of another program of the same name, which runs nothing. */
  readonly except?: readonly string[];
  /** Options with which it runs nothing. */
  readonly idle?: readonly string[];
  /** Options whose value is a script. */
  readonly scripts?: readonly string[];
  /** Options whose value is the working directory of the command. */
  readonly directory?: readonly string[];
  /** Options whose value is the program; the following words are its arguments. */
  readonly entry?: readonly string[];
  /** Options whose value is split into words in front of the rest. */
  readonly split?: readonly string[];
  /** Options that unset variables. */
  readonly unset?: readonly string[];
  /** Options with which a shell reads the standard input when no command is named; `true` for always. */
  readonly shell?: readonly string[] | true;
  /** Words after the options, and the wrapper that follows each. */
  readonly next?: Readonly<Record<string, Wrapper>>;
}
