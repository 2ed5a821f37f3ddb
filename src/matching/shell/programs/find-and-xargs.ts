import { layered, markOpaque, OWN_STDIN, through } from "../frame.ts";
import type { Field } from "../words/expand-word.ts";
import { joinedScript, known, scriptText, unknown, unmarked } from "../words/expand-word.ts";
import { UNKNOWN } from "../value.ts";
import { quoteWords, xargsWords } from "../../../core/index.ts";
import { byName } from "../../programs/notation.ts";
import type { NestedShell } from "../frame.ts";
import type { Parted } from "./options.ts";
import { hasOption, optionValue, partWords, surelyHas } from "./options.ts";

/** Words of `find` that begin a command. */
const FIND_BEGINS = /^-(?:exec|execdir|ok|okdir)$/;

/** Words of `find` with arguments that may look like such a word: a file, or a file and a format. */
const FIND_PRINTS = byName({ "-fls -fprint -fprint0 -printf": 1, "-fprintf": 2 });

/** Words of `fd` that begin a command, with the command after it or in the same word. */
const FD_BEGINS = /^(?:-[0-9HILagilpsu]*[xX]|--exec(?:-batch)?=?)(.*)$/;

/** Placeholders that `find` and `fd` replace with names. */
const TEMPLATES = ["{}", "{/}", "{//}", "{.}", "{/.}"];

/** `find … -exec CMD {} ;`: the found names are unknown. */
export function launchFind(entered: NestedShell): void {
  const { fields, program } = entered;
  const isFind = program.endsWith("find") && program !== "fdfind";
  for (let at = 1; at < fields.length; at++) {
    const text = fields[at]?.text ?? "";
    // Behind a word with a dash, it may be the argument of that word.
    if (isFind && !fields[at - 1]?.text.startsWith("-")) at += FIND_PRINTS.get(text) ?? 0;
    const attached = isFind ? undefined : FD_BEGINS.exec(text)?.[1];
    if (isFind && mayBegin(fields, at)) {
      runFound(commandAt(fields, at + 1, isFind).command, text, isFind, entered);
    }
    if (isFind ? !FIND_BEGINS.test(text) : attached === undefined) continue;
    const { command, end } = commandAt(fields, at + 1, isFind);
    if (attached) command.unshift({ text: attached, known: fields[at]?.known === true });
    at = end;
    runFound(command, text, isFind, entered);
  }
}

/** The words of a command that begins at a position, and where it ends. */
function commandAt(
  fields: readonly Field[],
  begin: number,
  isFind: boolean,
): { readonly command: Field[]; readonly end: number } {
  const command: Field[] = [];
  let end = begin;
  for (; end < fields.length; end++) {
    const field = fields[end];
    if (!field || field.text === ";") break;
    if (isFind && field.text === "+" && fields[end - 1]?.text === "{}") break;
    command.push(field);
  }
  return { command, end };
}

/**
 * Whether an unknown word may be `-exec`: the next word is not one of `find`, and something ends a command that nothing
 * else begins.
 */
function mayBegin(fields: readonly Field[], at: number): boolean {
  const [unknownWord, next, ...rest] = fields.slice(at);
  if (unknownWord?.known !== false || !next || (next.known && /^[-(!]/.test(next.text)))
    return false;
  const end = rest.findIndex(
    ({ text }, i) => text === ";" || (text === "+" && rest[i - 1]?.text === "{}"),
  );
  const begin = [next, ...rest].findIndex(({ text }) => FIND_BEGINS.test(text));
  if (end >= 0) return begin < 0 || begin > end;
  // The end may be unknown, too. Otherwise these are folders.
  return begin < 0 && next.known && rest.at(-1)?.known === false;
}

function runFound(
  command: readonly Field[],
  begin: string,
  isFind: boolean,
  { frame, program, run }: NestedShell,
): void {
  if (command.length === 0) return;
  let words = command;
  for (const template of isFind ? ["{}"] : TEMPLATES)
    words = filled(words, template, UNKNOWN + template);
  // Without a placeholder, `fd` appends the names.
  if (!isFind && words.every((word, index) => word === command[index]))
    words = [...words, READ_WORDS];
  const inner = through(layered(frame), program);
  // The folder of the found file.
  if (begin.endsWith("dir")) inner.scope.cwd = undefined;
  run(words, { ...inner, stdin: OWN_STDIN });
}

/** Maximum number of runs of a command that are followed one by one. */
const MOST_RUNS = 16;

/** Stands for unknown words that a program reads. */
const READ_WORDS: Field = { ...unknown("…"), loose: true };

/** `xargs CMD ARGS…`: the words it reads are appended, or replace the `-I` placeholder. */
export function launchXargs(entered: NestedShell): void {
  const { fields, frame, run } = entered;
  const parted = partWords("xargs", fields.slice(1));
  const inner = { ...through(layered(frame), "xargs"), stdin: OWN_STDIN };
  const alternatives = [parted.rest, ...(parted.unsure ? [parted.rest.slice(1)] : [])];
  for (const rest of alternatives) {
    const command = rest.length > 0 ? rest : [known("echo")];
    const template = templateOf(parted);
    const isOwn = !parted.open && !hasOption(parted, "-a");
    const read = isOwn ? frame.stdin.text() : undefined;
    const input = read?.known === true ? read.text : undefined;
    const runs =
      template === undefined
        ? appended(command, input, parted)
        : put(command, input, template, parted);
    for (const words of runs) run(words, inner);
  }
}

/** The words it reads are appended, in as many runs as the options determine. */
function appended(
  command: readonly Field[],
  input: string | undefined,
  parted: Parted,
): readonly (readonly Field[])[] {
  const words = input === undefined ? undefined : wordsOf(input, parted);
  if (!words || hasOption(parted, "-L", "-l", "-s", "-x")) return [[...command, READ_WORDS]];
  const each = optionValue(parted, "-n");
  if (!each || words.length === 0) return [[...command, ...words.map(known)]];
  const count = Number(each.text);
  if (!(count >= 1) || words.length / count > MOST_RUNS) return [[...command, READ_WORDS]];
  const runs: Field[][] = [];
  for (let at = 0; at < words.length; at += count) {
    runs.push([...command, ...words.slice(at, at + count).map(known)]);
  }
  return runs;
}

function wordsOf(input: string, parted: Parted): readonly string[] | undefined {
  if (hasOption(parted, "-0", "-E", "-e")) return undefined;
  const delimiter = optionValue(parted, "-d");
  if (!delimiter) return xargsWords(input);
  if (delimiter.text !== "\\n" && delimiter.text.length !== 1) return undefined;
  const separator = delimiter.text === "\\n" ? "\n" : delimiter.text;
  return input.split(separator).filter((text, at, all) => text !== "" || at < all.length - 1);
}

/** Each line it reads replaces a placeholder. */
function put(
  command: readonly Field[],
  input: string | undefined,
  template: string,
  parted: Parted,
): readonly (readonly Field[])[] {
  const lines = input?.split("\n").filter((line) => line.trim() !== "");
  const isPlain = !hasOption(parted, "-0", "-d", "-E", "-e");
  if (
    !lines ||
    !isPlain ||
    lines.length > MOST_RUNS ||
    lines.some((line) => !/^[^\s"'\\]+$/.test(line))
  )
    return [filled(command, template, UNKNOWN + template, 1)];
  return lines.map((line) => filled(command, template, line, 1));
}

/**
 * Words with a placeholder replaced.
 * @param first the first word that may have one: `xargs -I` leaves the name of the program as it is
 */
function filled(
  command: readonly Field[],
  template: string,
  by: string,
  first = 0,
): readonly Field[] {
  return command.map((field, at) => {
    if (at < first || !field.text.includes(template)) return field;
    if (field.known) return unmarked(field.text.replaceAll(template, () => by));
    const marked = (field.marked ?? UNKNOWN + field.text).replaceAll(template, () => by);
    return { ...unmarked(marked), known: false };
  });
}

function templateOf(parted: Parted): string | undefined {
  const given = optionValue(parted, "-I", "-J", "-i");
  if (given) return given.text === "" ? "{}" : given.text;
  return hasOption(parted, "-i") ? "{}" : undefined;
}

/** Options with which a run gets several arguments, or in another form. */
const GROUPING =
  "-n -N -L -X -m -C -i -W -I -s -0 -d --trim --header --rpl --pipe --pipepart".split(" ");

/** Maximum number of arguments that are followed one by one; beyond it, all are unknown. */
const MOST_ARGS = 16;

const TEMPLATE = /\{[-+./#%0-9]*\}/g;

/** `parallel CMD ::: ARGS…`: a shell runs the command once for each argument. */
export function launchParallel({ fields, frame, draft, reading, run }: NestedShell): void {
  const parted = partWords("parallel", fields.slice(1));
  if (surelyHas(parted, "--dry-run", "--help", "--version")) return;
  const scope = frame.scope.child();
  const inner = { ...through(frame, "parallel", scope), stdin: OWN_STDIN };
  for (const rest of [parted.rest, ...(parted.unsure ? [parted.rest.slice(1)] : [])]) {
    const end = rest.findIndex(({ text }) => /^:::+\+?$/.test(text));
    const command = end < 0 ? rest : rest.slice(0, end);
    const isListed = end >= 0 && rest[end]?.text === ":::";
    const args = isListed ? rest.slice(end + 1) : end < 0 ? lines(frame.stdin.text()) : undefined;
    const isKnown =
      args?.every((arg) => arg.known && arg.glob !== true && !arg.text.startsWith(":::")) ===
        true &&
      args.length <= MOST_ARGS &&
      !hasOption(parted, ...GROUPING, "-a");
    if (command.length === 0 && !isKnown) return markOpaque(draft, frame.stdin.from);
    const line = joinedScript(command);
    for (const arg of isKnown ? (args ?? []) : [READ_WORDS]) {
      reading.script(filledTemplate(line, arg), inner);
      if (losesQuotes(command)) run(filledWords(command, arg), inner);
    }
  }
}

/**
 * Whether joining takes a word apart: `parallel bash -c 'a b'`. With -q, and in the other program of this name
 * (moreutils), the words stay as they are, which is also what was meant.
 */
function losesQuotes(command: readonly Field[]): boolean {
  return command.slice(1).some(({ text }) => /[\s$]/.test(text));
}

/** An argument put into words, or behind them. */
function filledWords(command: readonly Field[], arg: Field): readonly Field[] {
  const by = arg.known ? arg.text : `${UNKNOWN}{}`;
  const words = filled(command, "{}", by);
  return words.every((word, index) => word === command[index]) ? [...words, arg] : words;
}

function lines(read: Field | undefined): readonly Field[] | undefined {
  if (read?.known !== true) return undefined;
  return read.text.split("\n").filter(Boolean).map(known);
}

/** An argument is quoted when it is inserted into a line; without a template it is the line itself. */
function filledTemplate(line: string, arg: Field): string {
  if (line === "") return scriptText(arg);
  const text =
    arg.known && !/^[\w./:@%+,=-]+$/.test(arg.text) ? quoteWords([arg.text]) : scriptText(arg);
  let isPut = false;
  const put = line.replaceAll(TEMPLATE, (template) => {
    isPut = true;
    return arg.known && (template === "{}" || template === "{1}") ? text : UNKNOWN + template;
  });
  return isPut ? put : `${line} ${text}`;
}
