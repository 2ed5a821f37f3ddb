import type { ShellCommand } from "../../core/index.ts";
import { wordSet } from "../../core/index.ts";
import type { Argument, DescribedCommand } from "../../matching/index.ts";
import type { EffectList } from "./effect-list.ts";
import { isAddress, pathOfUrl, wordAt } from "./effect-list.ts";

const LONGEST_PATH = 4096;

/**
 * What a program that is not in the dictionary may read: each of its words, and the parts of these, that may be a file.
 */
export function addGuesses(
  command: Pick<ShellCommand, "argv" | "unknown">,
  found: EffectList,
): void {
  const { argv } = command;
  for (const [at, text] of argv.entries())
    if (at > 0 && !isVariablesOption(argv[at - 1]) && !isVariablesOption(text.split("=", 1)[0]))
      guess(wordAt(command, at), found);
}

/** Whether a word is an option of a file that becomes variables of what is run, and is not shown. */
export function isVariablesOption(word: string | undefined): boolean {
  return word === "--env-file" || word === "--env-file-if-exists";
}

/** The same for a word. */
export function guess(word: Argument, found: EffectList): void {
  for (const text of new Set(mayBePaths(word.text)))
    found.file("read", { ...word, text }, { sure: false });
}

/** A text of which all may be the name of a file. */
export function perhaps(text: string, found: EffectList): void {
  if (text === "" || text.length > LONGEST_PATH) return;
  found.file("read", found.given(text), { sure: false });
}

/** Options of any program whose value is mostly a file or a folder that it writes. */
const OUTPUTS = [
  ...wordSet(`
    --output --out --outfile --out-file --output-file --output-path --outdir --out-dir --output-dir --outDir --outFile
    --target-dir --dest --destination
  `),
];
/** A value that may be a path. */
const PATH = /^(?!-)(?=.*[/.])[^\s{]+$/;

/** Lists what a program may write by the common names of options that its row does not have. */
export function addCommonOutputs(
  command: ShellCommand,
  found: EffectList,
  described?: DescribedCommand,
): void {
  for (const [at, word] of command.argv.entries()) {
    if (at === 0 || !word.startsWith("--")) continue;
    const [name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(word)?.slice(1) ?? [];
    if (name.length < 5 || name === "--target") continue;
    if (!OUTPUTS.some((option) => option.startsWith(name))) continue;
    // It may abbreviate one of several options.
    if (described && [...described.row.options.keys()].some((own) => own.startsWith(name)))
      continue;
    const given = wordAt(command, value === undefined ? at + 1 : at);
    const text = value ?? given.text;
    if (PATH.test(text)) found.file("write", { ...given, text }, { sure: false });
  }
}

/** The possible paths in a word: all of it, and its parts around what separates a name from a value. */
function mayBePaths(word: string): readonly string[] {
  // A text with a blank before the first slash is prose: "fix .env".
  if (word.length > LONGEST_PATH || /\n|^[^/]*\s/.test(word) || /^--?[\w-]+$/.test(word)) return [];
  // git leaves these out.
  if (/^:(?:[!^]|\(exclude)/.test(word)) return [];
  const file = pathOfUrl(word);
  if (isAddress(word)) return [];
  const value = /[=@](.+)$/s.exec(word)?.[1];
  if (value !== undefined && isAddress(value)) return [word];
  const joined = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  return [word, file, joined, value, ...word.split(/[=@:,;<]/)].filter(
    (part): part is string => part !== undefined && part !== "" && !/^--?[a-z]/i.test(part),
  );
}
