import type { Field } from "./field.ts";

/** Which options of a program take a value in the next word. */
export interface OptionSpec {
  /** Letters of the short ones. */
  readonly short?: string;
  /** Names of the long ones, without `--`. */
  readonly long?: readonly string[];
}

/** The words of a command, told apart. */
export interface Parted {
  /** Options by letter or name, with their value where they have one. */
  readonly options: readonly (readonly [name: string, value: Field | undefined])[];
  /** What follows the options. */
  readonly rest: readonly Field[];
}

/** Read the options in front, up to the first word that is none, or `--`. */
export function partOptions(fields: readonly Field[], spec: OptionSpec): Parted {
  const options: [string, Field | undefined][] = [];
  let at = 0;
  for (; at < fields.length; at++) {
    const field = fields[at];
    if (!field || !field.text.startsWith("-") || field.text === "-") break;
    const { text, known } = field;
    if (text === "--") {
      at++;
      break;
    }
    const long = text.startsWith("--");
    // `-exec` and the like of some programs are long ones with one dash.
    const name = long ? text.slice(2) : text.slice(1);
    const equals = name.indexOf("=");
    if (long) {
      const bare = equals < 0 ? name : name.slice(0, equals);
      const value = equals < 0 ? undefined : { text: name.slice(equals + 1), known };
      const takes = value === undefined && takesValue(bare, spec.long ?? []);
      options.push([bare, takes ? fields[++at] : value]);
      continue;
    }
    for (let letter = 0; letter < name.length; letter++) {
      const char = name.charAt(letter);
      if (!(spec.short ?? "").includes(char)) {
        options.push([char, undefined]);
        continue;
      }
      const attached = name.slice(letter + 1);
      options.push([char, attached === "" ? fields[++at] : { text: attached, known }]);
      break;
    }
  }
  return { options, rest: fields.slice(at) };
}

/** Whether a long option takes a value; it may be shortened as long as it is plain which one is meant. */
function takesValue(name: string, long: readonly string[]): boolean {
  return long.includes(name) || (name.length > 1 && long.some((whole) => whole.startsWith(name)));
}

/** The value of the last option by one of these names. */
export function optionValue({ options }: Parted, ...names: readonly string[]): Field | undefined {
  return options.findLast(([name, value]) => names.includes(name) && value !== undefined)?.[1];
}

/** Whether there is an option by one of these names. */
export function hasOption({ options }: Parted, ...names: readonly string[]): boolean {
  return options.some(([name]) => names.includes(name));
}
