import type { Argument, Arguments, GivenOption, Part } from "./arguments.ts";
import { meaningsOf, shapeFor } from "./arguments.ts";
import type { OptionRow, ProgramRow } from "./notation.ts";

/** Values of switches: `-WhatIf:$false`. */
const FALSE = /^(?:\$false|0)$/i;

/**
 * Read the words of a command as PowerShell and cmd do: names of parameters in any case and abbreviated, values behind
 * a colon or in the next word, lists of values with commas, switches such as `/s/q`.
 * @param common the parameters that every command has
 * @param listed positions of words that belong to the same value as the word before
 */
export function readWindowsArguments(
  row: ProgramRow,
  common: ProgramRow,
  argv: readonly string[],
  unknown: ReadonlySet<number>,
  listed: ReadonlySet<number>,
): Arguments {
  const options: GivenOption[] = [];
  /** The operands, those of a list together. */
  const groups: Argument[][] = [];
  let into: (value: Argument) => void = (value) => void groups.push([value]);
  const operand = into;
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at] ?? "";
    const known = !unknown.has(at);
    if (listed.has(at)) {
      into({ text, at, known });
      continue;
    }
    const found = optionOf(row, common, text);
    if (!found) {
      operand({ text, at, known });
      const group = groups.at(-1);
      into = (value) => void group?.push(value);
      continue;
    }
    const { name, option, value } = found;
    const give = (given?: Argument): void => void options.push({ name, row: option, value: given });
    into = option?.takes ? give : operand;
    if (option?.takes === "value" && value === undefined && at + 1 < argv.length) {
      at++;
      give({ text: argv[at] ?? "", at, known: !unknown.has(at) });
    } else if (value === undefined) give();
    else if (option?.takes) give({ text: value, at, known });
    else if (!FALSE.test(value)) give();
  }
  const meanings = meaningsOf(options);
  return {
    options,
    operands: groups.flat(),
    meanings,
    parts: partsOf(row, options, groups, meanings),
    isOpen: groups.flat().some(({ text }) => text.startsWith("@")),
  };
}

interface FoundOption {
  readonly name: string;
  readonly option: OptionRow | undefined;
  readonly value: string | undefined;
}

/** The option that a word is; undefined for an operand. */
function optionOf(row: ProgramRow, common: ProgramRow, text: string): FoundOption | undefined {
  if (!/^[-/]/.test(text)) return undefined;
  const [, written = "", value] = /^(.[A-Za-z][\w-]*):(.+)$/s.exec(text) ?? [text, text];
  const name = written.toLowerCase();
  const exact = row.options.get(name) ?? common.options.get(name);
  if (exact) return { name: exact.name, option: exact, value };
  if (name.startsWith("-")) {
    if (!/^-[a-z]+$/.test(name)) return undefined;
    // PowerShell rejects what is ambiguous; the parameters that name files come first in the rows.
    const option = abbreviated(row, name) ?? abbreviated(common, name);
    return { name: option?.name ?? name, option, value };
  }
  // `rd /s/q`. In PowerShell, a longer word is an absolute path.
  const letters = /^(?:\/[a-z?]){2,}$/.test(name) ? name.slice(1).split("/") : [];
  const option = letters.map((letter) => row.options.get(`/${letter}`)).find(Boolean);
  if (letters.length > 0 || /^\/[a-z?][^/]?$/.test(name))
    return { name: option?.name ?? name, option, value: undefined };
  return undefined;
}

function abbreviated(row: ProgramRow, written: string): OptionRow | undefined {
  for (const [name, option] of row.options) if (name.startsWith(written)) return option;
  return undefined;
}

function partsOf(
  row: ProgramRow,
  options: readonly GivenOption[],
  groups: readonly (readonly Argument[])[],
  meanings: ReadonlySet<string>,
): Part[] {
  const parts: Part[] = [];
  const given = new Set<OptionRow>();
  for (const { name, row: option, value } of options) {
    if (!option || !value) continue;
    given.add(option);
    parts.push({ ...value, role: option.role, option: name });
  }
  let next = 0;
  for (const { role, count, option } of shapeFor(row, groups.length, meanings)?.operands ?? []) {
    const parameter = option === undefined ? undefined : row.options.get(option);
    if (parameter && given.has(parameter)) continue;
    const most = count === "any" ? groups.length : next + 1;
    for (; next < Math.min(most, groups.length); next++) {
      for (const argument of groups[next] ?? [])
        parts.push({ ...argument, role, ...(option !== undefined && { option }) });
    }
  }
  return parts;
}
