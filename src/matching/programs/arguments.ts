import { UNKNOWN } from "../shell/value.ts";
import type { OptionRow, ProgramRow, Role, Shape } from "./notation.ts";

/** A word of a command, or a part of one. */
export interface Argument {
  readonly text: string;
  /** Its position in `argv`. */
  readonly at: number;
  /** Whether all of it is known. */
  readonly known: boolean;
}

/** An option as it stands in a command, with its value in some form. */
export interface OptionWith<Value> {
  /** The first name in its row, else the one that is written; with dashes. */
  readonly name: string;
  readonly row: OptionRow | undefined;
  readonly value: Value | undefined;
  /** Whether it is unset: `--no-force`. */
  readonly isNegated?: boolean;
}

export type GivenOption = OptionWith<Argument>;

/** An argument with its role. */
export interface Part extends Argument {
  readonly role: Role;
  /** The option whose value it is. */
  readonly option?: string;
}

/** The arguments of a command, as its row tells them apart. */
export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Argument[];
  /** What the options mean: see `OptionRow.meaning`. */
  readonly meanings: ReadonlySet<string>;
  /** Values of options and operands that have a role, in the order of the words. */
  readonly parts: readonly Part[];
  /** Whether an unknown word may be further options. */
  readonly isOpen: boolean;
  /** The number of operands in front of `--`; undefined if there is no `--`. */
  readonly before?: number | undefined;
}

/** A word as a reader of lines has it. */
export interface CommandWord {
  readonly text: string;
  readonly known: boolean;
  /** The text with a mark before each unknown part. */
  readonly marked?: string;
}

/** An option among words: the word with its value, and where in it that begins. */
type ReadOption = OptionWith<{ readonly at: number; readonly from: number }>;

/** Words, told apart into options and others, by their positions. */
export interface ReadWords {
  readonly options: readonly ReadOption[];
  readonly operands: readonly number[];
  readonly before: number | undefined;
  readonly isOpen: boolean;
  /** Whether the first operand may be the value of an unknown option. */
  readonly isUnsure: boolean;
  /** The number of options that are certain, if an unknown part of a word may be others. */
  readonly certain: number | undefined;
}

/**
 * Read the words of a command as getopt and git do: letters together, values joined or in the next word, long names
 * abbreviated where that is unambiguous, `--no-` in front, `--` at the end.
 * @param begin position of the first word behind the name of the program or its subcommand
 * @param isLeading whether options end at the first operand
 */
export function readWords(
  row: ProgramRow,
  words: readonly CommandWord[],
  begin: number,
  isLeading: boolean,
): ReadWords {
  const options: ReadOption[] = [];
  const operands: number[] = [];
  let isOpen = false;
  let isUnsure = false;
  let certain: number | undefined;
  let before: number | undefined;
  let at = begin;
  const textAt = (position: number): string => words[position]?.text ?? "";
  const give = (
    name: string,
    option: OptionRow | undefined,
    value?: ReadOption["value"],
    isNegated = false,
  ): void => void options.push({ name: option?.name ?? name, row: option, value, isNegated });
  const next = (count: number): ReadOption["value"] => {
    at += count;
    return at < words.length ? { at, from: 0 } : undefined;
  };
  const letters = (text: string, from: number): void => {
    for (let letter = from; letter < text.length; letter++) {
      const name = `-${text.charAt(letter)}`;
      const option = row.options.get(name);
      if (option?.takes === undefined) {
        give(name, option);
        continue;
      }
      const isJoined = letter + 1 < text.length && from > 0;
      if (isJoined) give(name, option, { at, from: letter + 1 });
      else give(name, option, option.takes === "value" ? next(1) : undefined);
      if (from > 0) break;
    }
  };
  const long = (text: string, unknownAt: number): void => {
    const equals = text.indexOf("=");
    const written = equals < 0 ? text : text.slice(0, equals);
    const { option, values } = longOption(row, written);
    const unset = option ? undefined : negatedOption(row, written);
    const isOpenName = unknownAt < (equals < 0 ? Infinity : equals);
    if (isOpenName) certain ??= options.length;
    if (unset) return give(written, unset, undefined, true);
    isUnsure = equals < 0 && values === undefined && (unknownAt === Infinity || isOpenName);
    const value = equals < 0 ? undefined : { at, from: equals + 1 };
    give(written, option, value ?? (values ? next(values) : undefined));
  };
  const rest = (): void => {
    for (at++; at < words.length; at++) operands.push(at);
  };
  if (row.isBundled && at < words.length && !textAt(at).startsWith("-")) {
    letters(textAt(at), 0);
    at++;
  }
  for (; at < words.length; at++) {
    const { text = "", known = true } = words[at] ?? {};
    const isOption =
      text.length > 1 && (text.startsWith("-") || (row.hasPlus && /^\+[A-Za-z]/.test(text)));
    if (!isOption) {
      if (!known && /^[$`"]/.test(text)) isOpen = true;
      operands.push(at);
      if (isLeading) rest();
      continue;
    }
    isUnsure = false;
    if (text === "--") {
      before = operands.length;
      rest();
      break;
    }
    const unknownAt = known ? Infinity : unknownFrom(words[at]);
    if (text.startsWith("--") || row.style === "single") long(text, unknownAt);
    else {
      const count = options.length;
      isOpen ||= !known;
      letters(text, 1);
      // Letters that are read before the unknown part, unless that is the value of the last one.
      const read = options.length - count;
      const isValue =
        row.options.get(`-${text.charAt(read)}`)?.takes === "value" && read < unknownAt;
      if (unknownAt < Infinity && !isValue) certain ??= count + Math.min(read, unknownAt - 1);
      // Its unknown part may be the letter of an option with a value.
      isUnsure = !known;
    }
    if (options.at(-1)?.row?.meaning === "split") rest();
  }
  return { options, operands, before, isOpen, isUnsure, certain };
}

/** Where the first unknown part of a word begins. */
function unknownFrom(word: CommandWord | undefined): number {
  const at = word?.marked?.indexOf(UNKNOWN) ?? -1;
  return at >= 0 ? at : Math.min(1, word?.text.length ?? 0);
}

/** The arguments of a command, by what its row says. */
export function readArguments(
  row: ProgramRow,
  argv: readonly string[],
  unknown: ReadonlySet<number>,
  begin = 1,
): Arguments {
  const words = argv.map((text, at) => ({ text, known: !unknown.has(at) }));
  const read = readWords(row, words, begin, row.isLeading);
  const argument = (at: number, from = 0): Argument => ({
    text: (argv[at] ?? "").slice(from),
    at,
    known: !unknown.has(at),
  });
  const options = read.options.map(({ value, ...option }) => ({
    ...option,
    value: value && argument(value.at, value.from),
  }));
  const operands = read.operands.map((at) => argument(at));
  const meanings = meaningsOf(options);
  const parts = partsOf(row, options, operands, meanings);
  return { options, operands, meanings, parts, isOpen: read.isOpen, before: read.before };
}

/** The option that a long name is, or abbreviates unambiguously, and the number of its values in words of their own. */
function longOption(
  row: ProgramRow,
  written: string,
): { readonly option?: OptionRow; readonly values?: number } {
  const exact =
    row.options.get(written) ??
    (row.style === "single" ? row.options.get(written.replace(/^--/, "-")) : undefined);
  if (exact) return { option: exact, values: valuesOf(exact) };
  if (row.isExact || written.length < 3) return {};
  const meant = new Set<OptionRow>();
  for (const [name, option] of row.options) {
    if (name.startsWith(written) && name.startsWith("--") === written.startsWith("--"))
      meant.add(option);
  }
  const [only, ...others] = meant;
  if (!only) return {};
  if (others.length === 0) return { option: only, values: valuesOf(only) };
  return others.some(valuesOf) || valuesOf(only) > 0 ? {} : { values: 0 };
}

function valuesOf({ takes }: OptionRow): number {
  return takes === "value" ? 1 : takes === "pair" ? 2 : 0;
}

/** What the options mean that are given. */
export function meaningsOf(options: readonly GivenOption[]): ReadonlySet<string> {
  const meanings = new Set<string>();
  for (const { row: option, isNegated } of options) {
    if (option?.meaning === undefined) continue;
    if (isNegated) meanings.delete(option.meaning);
    else meanings.add(option.meaning);
  }
  return meanings;
}

/** The option that `--no-NAME` unsets. */
function negatedOption(row: ProgramRow, written: string): OptionRow | undefined {
  if (!written.startsWith("--no-") || row.style === "single") return undefined;
  return longOption(row, `--${written.slice("--no-".length)}`).option;
}

function partsOf(
  row: ProgramRow,
  options: readonly GivenOption[],
  operands: readonly Argument[],
  meanings: ReadonlySet<string>,
): Part[] {
  const parts: Part[] = [];
  for (const { name, row: option, value } of options) {
    if (option && value) parts.push({ ...value, role: option.role, option: name });
  }
  const shape = shapeFor(row, operands.length, meanings);
  if (shape) parts.push(...assigned(shape, operands));
  return parts.sort((a, b) => a.at - b.at);
}

/** What a row says of this number of operands. */
export function shapeFor(
  { shapes }: ProgramRow,
  count: number,
  meanings: ReadonlySet<string>,
): Shape | undefined {
  return shapes.find(
    ({ when, most }) =>
      count <= most && when.every(({ meaning, isSet }) => meanings.has(meaning) === isSet),
  );
}

/** The operands with their roles: what is left over goes to the one that stands for any number. */
function assigned({ operands: roles }: Shape, given: readonly Argument[]): Part[] {
  const parts: Part[] = [];
  let spare = given.length - roles.filter(({ count }) => count === "one").length;
  let at = 0;
  for (const { role, count } of roles) {
    if (count === "none") {
      parts.push({ text: ".", at: -1, known: true, role });
      continue;
    }
    const most = count === "one" ? 1 : count === "maybe" ? Math.min(1, spare) : spare;
    for (let taken = 0; taken < most; taken++) {
      const argument = given[at++];
      // A command is listed by itself.
      const isCommand = role === "program" && count === "any";
      if (argument) parts.push({ ...argument, role: isCommand ? "text" : role });
    }
    if (count !== "one") spare -= Math.max(0, most);
  }
  return parts;
}
