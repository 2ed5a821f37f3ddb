import { assignText } from "../assign.ts";
import type { Frame, NestedShell } from "../frame.ts";
import { layered, lexicalJoin, markOpaque, through } from "../frame.ts";
import type { Field } from "../words/expand-word.ts";
import { joinedScript, known, unmarked } from "../words/expand-word.ts";
import { UNSET } from "../value.ts";
import { xargsWords } from "../../../core/index.ts";
import { programs } from "../../programs/dictionary.ts";
import type { ProgramRow } from "../../programs/notation.ts";
import type { Parted } from "./options.ts";
import {
  mayBeScript,
  mayHaveScript,
  means,
  partOptions,
  valuesWithMeaning,
  valuesWithRole,
} from "./options.ts";
import { readStdinScript, runScript } from "./shells.ts";

/** List the command of a wrapper such as `sudo` or `docker exec`. */
export function launchWrapper(entered: NestedShell, row: ProgramRow): void {
  const { fields, frame, program } = entered;
  const name = program.toLowerCase();
  const words = fields.slice(1);
  if (!row.runsOthers && !subcommandOf(name, row, words[0])) return;
  const scope = row.notes.has("in-place") ? frame.scope : frame.scope.child();
  follow(words, row, name, entered, through(frame, program, scope));
}

/** The row of a subcommand, and its name. */
function subcommandOf(
  name: string,
  { names: [first = ""] }: ProgramRow,
  word: Field | undefined,
): readonly [name: string, row: ProgramRow] | undefined {
  if (word?.known !== true) return undefined;
  const inner = `${name}/${word.text}`;
  const row = programs().row(inner) ?? programs().row(`${first}/${word.text}`);
  return row && [inner, row];
}

/** @param name of the program with its subcommands: `docker/exec` */
function follow(
  words: readonly Field[],
  row: ProgramRow,
  name: string,
  entered: NestedShell,
  frame: Frame,
): void {
  const isAmong = row.begins !== undefined || row.hasSubcommands;
  const isDirect = subcommandOf(name, row, words[0]) !== undefined;
  const parted = partOptions(words, row, isAmong || isDirect || row.isLeading);
  const also = row.notes.get("also");
  const other = also === undefined ? undefined : programs().row(also);
  if (also !== undefined && other) follow(words, other, also, entered, layered(frame));
  // Either reading may be right.
  if (parted.unsure && parted.rest.length > 1 && isAmong) {
    entered.reading.budget.spend(parted.rest.length);
    follow(parted.rest.slice(1), row, name, entered, layered(frame));
  }
  const next = subcommandOf(name, row, parted.rest[0]);
  if (next) return follow(parted.rest.slice(1), next[1], next[0], entered, frame);
  if (row.hasSubcommands || means({ options: parted.certain }, "idle")) return;
  const inner = settled(parted, row, entered, frame);
  for (const script of valuesWithRole(parted, "line")) runLine(script, entered, inner);
  const split = valuesWithMeaning(parted, "split").at(-1);
  if (split) return runSplit(split, parted.rest, entered, inner);
  runCommand(words, parted, row, entered, inner);
  runBehindUnknown(words, parted, row, entered, inner);
}

/** No program is named so: a duration, a mask, a priority, an option. */
const NO_PROGRAM = /^[\d-]/;

/**
 * An unknown word may be an option. Then an operand after it, or its value, is not the command: `timeout "$X" 1 9 CMD`;
 * or the next word is a script: `su "$X" 'CMD ARG'`.
 */
function runBehindUnknown(
  words: readonly Field[],
  { rest }: Parted,
  { begins, options, notes }: ProgramRow,
  entered: NestedShell,
  inner: Frame,
): void {
  if ([...options.values()].some(({ role }) => role === "line")) {
    const from = words.findIndex((word) => !word.known);
    if (from < 0) return;
    if (words.some((word) => !word.known && mayHaveScript(word))) markOpaque(entered.draft);
    for (const word of words.slice(from + 1)) {
      if (mayBeScript(word)) runLine(word, entered, layered(inner));
      else if (notes.has("shell") && !word.known) markOpaque(entered.draft);
    }
    // `flock "$X" FILE CMD`
    const [, , program] = rest;
    if (begins === 1 && program?.known === true && rest[0]?.known === false) {
      entered.run(rest.slice(2), layered(inner));
    }
  }
  if (!begins || rest[0]?.known !== false) return;
  for (let begin = begins + 1; NO_PROGRAM.test(rest[begin - 1]?.text ?? ""); begin++) {
    entered.run(rest.slice(begin), layered(inner));
  }
}

function runCommand(
  words: readonly Field[],
  parted: Parted,
  row: ProgramRow,
  entered: NestedShell,
  inner: Frame,
): void {
  const { notes } = row;
  const after = notes.get("after")?.split(",");
  const mark = after ? words.findIndex(({ text }) => after.includes(text)) : -1;
  const command = mark >= 0 ? words.slice(mark + 1) : commandOf(parted, row, entered, inner);
  const as = notes.get("as");
  if (as !== undefined) {
    // Without the mark and without words, it starts nothing: `capsh --print`.
    const starts = mark >= 0 || command.length > 0 || words.some((word) => !word.known);
    if (starts) entered.run([known(as), ...command], inner);
    return;
  }
  const [first] = command;
  if (!first) {
    if (!parted.open && parted.options.some(({ row: option }) => option?.role === "line")) return;
    const hasShell = [...row.options.values()].some(({ meaning }) => meaning === "shell");
    if (notes.has("shell") || (hasShell && (parted.open || means(parted, "shell"))))
      readStdinScript({ ...entered, frame: inner });
    return;
  }
  const excepted = notes.get("except")?.split(",") ?? [];
  // `flock FILE -c SCRIPT`
  const late = row.begins === 1 ? valuesWithRole(partOptions(command, row), "line") : [];
  if (late.length > 0) for (const script of late) runLine(script, entered, inner);
  else if (excepted.includes(parted.rest[0]?.text ?? "")) return;
  else if (notes.has("each")) for (const script of command) runLine(script, entered, inner);
  else {
    const isJoined = notes.has("joined") || means(parted, "joined");
    // Names of programs have no blank: it is a script.
    const isScript = command.length === 1 && first.known && /\s/.test(first.text);
    if (isJoined || isScript) runLine(unmarked(joinedScript(command)), entered, inner);
    else entered.run(command, inner, notes.has("functions"));
  }
}

function runLine(script: Field, entered: NestedShell, frame: Frame): void {
  const scope = frame.scope.child();
  scope.positional = undefined;
  scope.mayLeaveLast();
  runScript(script, { ...entered, frame: { ...frame, scope } });
}

/** `env -S "cmd args"`: the text is split into words in front of the others. */
function runSplit(
  split: Field,
  rest: readonly Field[],
  { program, run, draft }: NestedShell,
  frame: Frame,
): void {
  const words = split.known ? xargsWords(split.text) : undefined;
  if (!words || words.some((word) => /[$#]/.test(word))) markOpaque(draft);
  if (words)
    run([known(program), ...words.map(known), ...rest], { ...frame, via: frame.via.slice(0, -1) });
}

/** Apply the working directory and the variables of the command. */
function settled(
  parted: Parted,
  { notes }: ProgramRow,
  { frame: outer }: NestedShell,
  frame: Frame,
): Frame {
  if (notes.has("elsewhere")) return { ...frame, scope: frame.scope.child("machine") };
  const { scope } = frame;
  if (notes.has("fresh") || means(parted, "clean")) scope.dim();
  for (const { text } of valuesWithMeaning(parted, "unset")) scope.set(text, UNSET);
  const directory = valuesWithRole(parted, "cd").at(-1);
  if (directory) {
    scope.cwd = directory.known ? lexicalJoin(outer.scope.cwd, directory.text) : undefined;
  }
  return frame;
}

/** The words of the command itself. */
function commandOf(
  parted: Parted,
  row: ProgramRow,
  entered: NestedShell,
  frame: Frame,
): readonly Field[] {
  const { reading } = entered;
  const isMixed = row.notes.has("mixed");
  let begin = 0;
  const { rest } = parted;
  if (isMixed || row.notes.has("assignments")) {
    // `env -` is `env -i`.
    if (rest[0]?.text === "-") begin++;
    for (; ; begin++) {
      const word = rest[begin];
      const name = word && assignText(word, frame, reading);
      if (name !== undefined) frame.scope.export(name);
      // Any name will do, also one that is no variable: `env a.b=c ls`.
      else if (!word?.known || !/^[^-=][^=]*=/.test(word.text)) break;
    }
  }
  if (isMixed && begin > 0 && rest[begin]?.text.startsWith("-"))
    return commandOf(partOptions(rest.slice(begin), row), row, entered, frame);
  const command = row.begins === undefined ? [] : rest.slice(begin + row.begins);
  if (command[0]?.text === "--") command.shift();
  const entry = valuesWithRole(parted, "entry").at(-1);
  return entry ? [entry, ...command] : command;
}

/** Options of `ip` that take a value; all of its options can be shortened and have one dash or two. */
const WITH_VALUE = ["netns", "family", "batch", "loops", "rcvbuf"];

/** `ip netns exec NAME CMD` and `ip vrf exec NAME CMD`; with `-all`, there is no name. */
export function launchIp({ fields, frame, run }: NestedShell): void {
  const words = fields.slice(1);
  let isAll = false;
  let at = 0;
  for (; words[at]?.text.startsWith("-") === true; at++) {
    const name = words[at]?.text.replace(/^--?/, "") ?? "";
    if (name.length > 0 && "all".startsWith(name)) isAll = true;
    else if (WITH_VALUE.some((whole) => whole.startsWith(name))) at++;
  }
  const [object, verb] = words.slice(at);
  const isObject = /^(?:net(?:ns?)?|v(?:rf?)?)$/.test(object?.text ?? "");
  if (isObject && verb && verb.text !== "" && "exec".startsWith(verb.text))
    run(words.slice(at + (isAll ? 2 : 3)), through(layered(frame), "ip"));
}
