import type { Entered } from "./entered.ts";
import { known, unknown, UNKNOWN, unmarked } from "../words/field.ts";
import type { Field } from "../words/field.ts";
import { OWN_STDIN, through } from "../frame.ts";
import { hasOption, optionValue, partOptions } from "./options.ts";
import type { OptionSpec, Parted } from "./options.ts";
import { splitQuoted } from "../words/split-quoted.ts";

const OPTIONS: OptionSpec = {
  short: "adEIJLnPRSs",
  attached: "eil",
  long: ["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"],
  flags: [
    "eof",
    "exit",
    "interactive",
    "max-lines",
    "no-run-if-empty",
    "null",
    "open-tty",
    "replace",
    "show-limits",
    "verbose",
  ],
};

/** Most runs of a command that are followed one by one. */
const MOST_RUNS = 16;

/** What stands for words that a program reads and nobody knows. */
export const READ_WORDS: Field = { ...unknown("…"), loose: true };

/** `xargs CMD ARGS…`: what it reads stands behind, or where `-I` says. */
export function launchXargs(entered: Entered): void {
  const { fields, frame, run } = entered;
  const parted = partOptions(fields.slice(1), OPTIONS);
  const inner = { ...through(frame, "xargs", frame.scope.layer()), stdin: OWN_STDIN };
  const alternatives = [parted.rest, ...(parted.unsure ? [parted.rest.slice(1)] : [])];
  for (const rest of alternatives) {
    const command = rest.length > 0 ? rest : [known("echo")];
    const template = templateOf(parted);
    const read = hasOption(parted, "a", "arg-file") ? undefined : frame.stdin.text();
    const input = read?.known === true ? read.text : undefined;
    const runs =
      template === undefined
        ? appended(command, input, parted)
        : put(command, input, template, parted);
    for (const words of runs) run(words, inner);
  }
}

/** The words that are read stand behind, in as many runs as the options say. */
function appended(
  command: readonly Field[],
  input: string | undefined,
  parted: Parted,
): readonly (readonly Field[])[] {
  const words = input === undefined ? undefined : wordsOf(input, parted);
  if (!words || hasOption(parted, "L", "l", "s", "x", "max-lines", "max-chars"))
    return [[...command, READ_WORDS]];
  const each = optionValue(parted, "n", "max-args");
  if (!each || words.length === 0) return [[...command, ...words.map(known)]];
  const count = Number(each.text);
  if (!(count >= 1) || words.length / count > MOST_RUNS) return [[...command, READ_WORDS]];
  const runs: Field[][] = [];
  for (let at = 0; at < words.length; at += count) {
    runs.push([...command, ...words.slice(at, at + count).map(known)]);
  }
  return runs;
}

function wordsOf(input: string, parted: Parted): string[] | undefined {
  if (hasOption(parted, "0", "null", "E", "e", "eof")) return undefined;
  const delimiter = optionValue(parted, "d", "delimiter");
  if (!delimiter) return splitQuoted(input);
  if (delimiter.text !== "\\n" && delimiter.text.length !== 1) return undefined;
  const separator = delimiter.text === "\\n" ? "\n" : delimiter.text;
  return input.split(separator).filter((text, at, all) => text !== "" || at < all.length - 1);
}

/** Each line that is read is put in place of a text. */
function put(
  command: readonly Field[],
  input: string | undefined,
  template: string,
  parted: Parted,
): readonly (readonly Field[])[] {
  const lines = input?.split("\n").filter((line) => line.trim() !== "");
  const isPlain = !hasOption(parted, "0", "null", "d", "delimiter", "E", "e", "eof");
  if (
    !lines ||
    !isPlain ||
    lines.length > MOST_RUNS ||
    lines.some((line) => !/^[^\s"'\\]+$/.test(line))
  )
    return [filled(command, template, UNKNOWN + template)];
  return lines.map((line) => filled(command, template, line));
}

/** Words in which something stands in place of a text. */
export function filled(command: readonly Field[], template: string, by: string): readonly Field[] {
  return command.map((field) => {
    if (!field.text.includes(template)) return field;
    if (field.known) return unmarked(field.text.replaceAll(template, () => by));
    const marked = (field.marked ?? UNKNOWN + field.text).replaceAll(template, () => by);
    return { ...unmarked(marked), known: false };
  });
}

function templateOf(parted: Parted): string | undefined {
  const given = optionValue(parted, "I", "J", "replace", "i");
  if (given) return given.text === "" ? "{}" : given.text;
  return hasOption(parted, "i", "replace") ? "{}" : undefined;
}
