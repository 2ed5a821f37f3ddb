import type { OptionRow, ProgramRow, Role, Shape } from "./notation.ts";

/** A word of a command, or a part of one. */
export interface Argument {
  readonly text: string;
  /** Its position in `argv`. */
  readonly at: number;
  /** Whether all of it is known. */
  readonly known: boolean;
}

/** An option as it stands in a command. */
export interface GivenOption {
  /** The first name in its row, else the one that is written; with dashes. */
  readonly name: string;
  readonly row: OptionRow | undefined;
  readonly value: Argument | undefined;
  /** Whether it is unset: `--no-force`. */
  readonly isNegated?: boolean;
}

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

/**
 * Read the words of a command as getopt and git do: letters together, values joined or in the next word, long names
 * abbreviated where that is unambiguous, `--no-` in front, `--` at the end.
 * @param begin position of the first word behind the name of the program or its subcommand
 */
export function readArguments(
  row: ProgramRow,
  argv: readonly string[],
  unknown: ReadonlySet<number>,
  begin = 1,
): Arguments {
  const options: GivenOption[] = [];
  const operands: Argument[] = [];
  let isOpen = false;
  let before: number | undefined;
  const word = (at: number, from = 0): Argument => ({
    text: (argv[at] ?? "").slice(from),
    at,
    known: !unknown.has(at),
  });
  const give = (
    name: string,
    option: OptionRow | undefined,
    value: Argument | undefined,
    isNegated = false,
  ): void => {
    options.push({ name: option?.name ?? name, row: option, value, isNegated });
  };
  let at = begin;
  const letters = (text: string, from: number): void => {
    for (let letter = from; letter < text.length; letter++) {
      const name = `-${text.charAt(letter)}`;
      const option = row.options.get(name);
      if (option?.takes === undefined) {
        give(name, option, undefined);
        continue;
      }
      const rest = text.slice(letter + 1);
      if (rest !== "" && from > 0) give(name, option, word(at, letter + 1));
      else if (option.takes === "value" && at + 1 < argv.length) give(name, option, word(++at));
      else give(name, option, undefined);
      if (from > 0) break;
    }
  };
  const [first] = argv.slice(begin);
  if (row.isBundled && first !== undefined && !first.startsWith("-")) letters(first, 0);
  else at--;
  for (at++; at < argv.length; at++) {
    const text = argv[at] ?? "";
    if (text === "-" || !text.startsWith("-")) {
      if (unknown.has(at) && /^[$`"]/.test(text)) isOpen = true;
      operands.push(word(at));
      if (!row.isLeading) continue;
      for (at++; at < argv.length; at++) operands.push(word(at));
    } else if (text === "--") {
      before = operands.length;
      for (at++; at < argv.length; at++) operands.push(word(at));
    } else if (text.startsWith("--") || row.style === "single") {
      const equals = text.indexOf("=");
      const written = equals < 0 ? text : text.slice(0, equals);
      const option = longOption(row, written);
      const unset = option ? undefined : negatedOption(row, written);
      if (unset) give(written, unset, undefined, true);
      else if (equals >= 0) give(written, option, word(at, equals + 1));
      else if (option?.takes === "value" && at + 1 < argv.length) give(written, option, word(++at));
      else give(written, option, undefined);
    } else {
      if (unknown.has(at)) isOpen = true;
      letters(text, 1);
    }
  }
  const meanings = meaningsOf(options);
  const parts = partsOf(row, options, operands, meanings);
  return { options, operands, meanings, parts, isOpen, before };
}

/** The option that a long name is, or abbreviates unambiguously. */
function longOption(row: ProgramRow, written: string): OptionRow | undefined {
  const exact =
    row.options.get(written) ??
    (row.style === "single" ? row.options.get(written.replace(/^--/, "-")) : undefined);
  if (exact || row.isExact || written.length < 3) return exact;
  const meant = new Set<OptionRow>();
  for (const [name, option] of row.options) {
    if (name.startsWith(written) && name.startsWith("--") === written.startsWith("--"))
      meant.add(option);
  }
  const [only, other] = meant;
  return other ? undefined : only;
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
  return longOption(row, `--${written.slice("--no-".length)}`);
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
  const shape = row.shapes.find(
    ({ when, most }) =>
      operands.length <= most &&
      when.every(({ meaning, isSet }) => meanings.has(meaning) === isSet),
  );
  if (shape) parts.push(...assigned(shape, operands));
  return parts.sort((a, b) => a.at - b.at);
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
      if (argument) parts.push({ ...argument, role });
    }
    if (count !== "one") spare -= Math.max(0, most);
  }
  return parts;
}
