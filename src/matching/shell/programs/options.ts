import { programs } from "../../programs/dictionary.ts";
import type { OptionWith } from "../../programs/arguments.ts";
import { readWords } from "../../programs/arguments.ts";
import type { ProgramRow, Role } from "../../programs/notation.ts";
import type { Field } from "../words/expand-word.ts";
import { behind } from "../words/expand-word.ts";

export type PartedOption = OptionWith<Field>;

/** The words of a command, split into options and the rest. */
export interface Parted {
  readonly options: readonly PartedOption[];
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
 * Parse the options of a command.
 * @param isLeading whether they end at the first other word, as they do where a command may follow
 */
export function partOptions(
  fields: readonly Field[],
  row: ProgramRow,
  isLeading: boolean = row.isLeading || row.begins !== undefined || row.hasSubcommands,
): Parted {
  const read = readWords(row, fields, 0, isLeading);
  const options = read.options.map(({ name, row: option, value }) => {
    const word = value && fields[value.at];
    return { name, row: option, value: word && behind(word, value.from) };
  });
  return {
    options,
    rest: read.operands.flatMap((at) => fields[at] ?? []),
    unsure: read.isUnsure,
    open: read.certain !== undefined,
    certain: options.slice(0, read.certain),
  };
}

/** The same for the words behind the name of a program that surely has a row. */
export function partWords(name: string, args: readonly Field[], isLeading = true): Parted {
  const row = programs().row(name);
  if (!row) throw new Error(`no row: ${name}`);
  return partOptions(args, row, isLeading);
}

/** The value of the last option with one of these names. */
export function optionValue({ options }: Parted, ...names: readonly string[]): Field | undefined {
  return options.findLast(({ name, value }) => names.includes(name) && value !== undefined)?.value;
}

/** The values of all options whose value has a role. */
export function valuesWithRole({ options }: Parted, role: Role): readonly Field[] {
  return options.flatMap(({ row, value }) => (value && row?.role === role ? value : []));
}

/** The values of all options with a meaning. */
export function valuesWithMeaning({ options }: Parted, meaning: string): readonly Field[] {
  return options.flatMap(({ row, value }) => (value && row?.meaning === meaning ? value : []));
}

/** Whether there certainly is an option with one of these names. */
export function surelyHas({ certain }: Parted, ...names: readonly string[]): boolean {
  return certain.some(({ name }) => names.includes(name));
}

/** Whether there is, or may be, an option with one of these names. */
export function hasOption({ options }: Parted, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

/** Whether there is, or may be, an option with a meaning. */
export function means({ options }: Pick<Parted, "options">, meaning: string): boolean {
  return options.some(({ row }) => row?.meaning === meaning);
}

/** Whether a word has more than the name of a file or a program: it may be a script. */
export function mayBeScript({ text }: Field): boolean {
  return /[^\w@%+=:,./-]/.test(text);
}

/** Whether an option that is known in part may have a script in its word: `-$X"a b"`. */
export function mayHaveScript({ text }: Field): boolean {
  return /^-.*[\s;|&]/s.test(text);
}
