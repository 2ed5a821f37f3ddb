import { assignText } from "../assign.ts";
import type { Frame } from "../frame.ts";
import { lexicalJoin, through } from "../frame.ts";
import type { Field } from "../words/expand-word.ts";
import { joinedScript, known, scriptText, unmarked } from "../words/expand-word.ts";
import { UNSET } from "../value.ts";
import { xargsWords } from "../../../core/index.ts";
import type { NestedShell } from "./nested-shell.ts";
import { markOpaque } from "./nested-shell.ts";
import type { Parted, Wrapper } from "./options.ts";
import {
  hasOption,
  mayBeScript,
  mayHaveScript,
  optionValue,
  optionValues,
  partOptions,
  surelyHas,
} from "./options.ts";
import { readStdinScript } from "./shells.ts";

/** List the command of a wrapper such as `sudo` or `docker exec`. */
export function launchWrapper(entered: NestedShell, wrapper: Wrapper): void {
  const { fields, frame, program } = entered;
  const scope = wrapper.inPlace ? frame.scope : frame.scope.child();
  follow(fields.slice(1), wrapper, entered, through(frame, program, scope));
}

function follow(
  words: readonly Field[],
  wrapper: Wrapper,
  entered: NestedShell,
  frame: Frame,
): void {
  const parted = partOptions(words, wrapper, wrapper.operands === Infinity);
  if (wrapper.also) follow(words, wrapper.also, entered, { ...frame, scope: frame.scope.layer() });
  // Either reading may be right.
  if (parted.unsure && parted.rest.length > 1 && wrapper.operands !== Infinity) {
    entered.reading.budget.spend(parted.rest.length);
    follow(parted.rest.slice(1), wrapper, entered, { ...frame, scope: frame.scope.layer() });
  }
  if (wrapper.next) {
    const [subcommand, ...rest] = parted.rest;
    const next = subcommand?.known === true ? wrapper.next[subcommand.text] : undefined;
    if (next) follow(rest, next, entered, frame);
    return;
  }
  if (surelyHas(parted, ...(wrapper.idle ?? []))) return;
  const inner = settled(parted, wrapper, entered, frame);
  for (const script of optionValues(parted, wrapper.scripts ?? []))
    runScript(script, entered, inner);
  const split = optionValue(parted, ...(wrapper.split ?? []));
  if (split) return runSplit(split, parted.rest, entered, inner);
  runCommand(words, parted, wrapper, entered, inner);
  runBehindUnknown(words, parted, wrapper, entered, inner);
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
  { operands = 0, scripts, shell }: Wrapper,
  entered: NestedShell,
  inner: Frame,
): void {
  const apart = (): Frame => ({ ...inner, scope: inner.scope.layer() });
  if (scripts) {
    const from = words.findIndex((word) => !word.known);
    if (from < 0) return;
    if (words.some((word) => !word.known && mayHaveScript(word))) markOpaque(entered.draft);
    for (const word of words.slice(from + 1)) {
      if (mayBeScript(word)) runScript(word, entered, apart());
      else if (shell === true && !word.known) markOpaque(entered.draft);
    }
    // `flock "$X" FILE CMD`
    const [, , program] = rest;
    if (operands === 1 && program?.known === true && rest[0]?.known === false) {
      entered.run(rest.slice(2), apart());
    }
  }
  if (operands === 0 || operands === Infinity || rest[0]?.known !== false) return;
  for (let begin = operands + 1; NO_PROGRAM.test(rest[begin - 1]?.text ?? ""); begin++) {
    entered.run(rest.slice(begin), apart());
  }
}

function runCommand(
  words: readonly Field[],
  parted: Parted,
  wrapper: Wrapper,
  entered: NestedShell,
  inner: Frame,
): void {
  const { shell, scripts, each, joined, functions, after, as } = wrapper;
  const mark = after ? words.findIndex(({ text }) => after.includes(text)) : -1;
  const command = mark >= 0 ? words.slice(mark + 1) : commandOf(parted, wrapper, entered, inner);
  if (as !== undefined) {
    // Without the mark and without words, it starts nothing: `capsh --print`.
    const starts = mark >= 0 || command.length > 0 || words.some((word) => !word.known);
    if (starts) entered.run([known(as), ...command], inner);
    return;
  }
  const [first] = command;
  if (!first) {
    if (!parted.open && hasOption(parted, ...(scripts ?? []))) return;
    if (shell === true || (shell && (parted.open || hasOption(parted, ...shell)))) {
      readStdinScript({ ...entered, frame: inner });
    }
    return;
  }
  // `flock FILE -c SCRIPT`
  const behind = scripts && wrapper.operands === 1 ? partOptions(command, wrapper) : undefined;
  const late = behind ? optionValues(behind, scripts ?? []) : [];
  if (late.length > 0) for (const script of late) runScript(script, entered, inner);
  else if (wrapper.except?.includes(parted.rest[0]?.text ?? "") === true) return;
  else if (each) for (const script of command) runScript(script, entered, inner);
  else {
    const isJoined = joined === true || (joined && hasOption(parted, ...joined));
    // Names of programs have no blank: it is a script.
    const isScript = command.length === 1 && first.known && /\s/.test(first.text);
    if (isJoined || isScript) runScript(unmarked(joinedScript(command)), entered, inner);
    else entered.run(command, inner, functions);
  }
}

function runScript(script: Field, { reading }: NestedShell, frame: Frame): void {
  const scope = frame.scope.child();
  scope.positional = undefined;
  scope.mayLeaveLast();
  reading.script(scriptText(script), { ...frame, scope });
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
  wrapper: Wrapper,
  { frame: outer }: NestedShell,
  frame: Frame,
): Frame {
  if (wrapper.elsewhere) return { ...frame, scope: frame.scope.child("machine") };
  const { scope } = frame;
  if (wrapper.fresh || (wrapper.unset && hasOption(parted, "i", "ignore-environment"))) scope.dim();
  for (const { text } of optionValues(parted, wrapper.unset ?? [])) scope.set(text, UNSET);
  const directory = optionValue(parted, ...(wrapper.directory ?? []));
  if (directory) {
    scope.cwd = directory.known ? lexicalJoin(outer.scope.cwd, directory.text) : undefined;
  }
  return frame;
}

/** The words of the command itself. */
function commandOf(
  parted: Parted,
  wrapper: Wrapper,
  entered: NestedShell,
  frame: Frame,
): readonly Field[] {
  const { reading } = entered;
  let begin = 0;
  const { rest } = parted;
  if (wrapper.assignments) {
    // `env -` is `env -i`.
    if (rest[0]?.text === "-") begin++;
    for (; ; begin++) {
      const word = rest[begin];
      const name = word && assignText(word, frame, reading);
      if (name === undefined) break;
      frame.scope.export(name);
    }
  }
  if (wrapper.assignments === "mixed" && begin > 0 && rest[begin]?.text.startsWith("-")) {
    return commandOf(partOptions(rest.slice(begin), wrapper), wrapper, entered, frame);
  }
  const command = rest.slice(begin + (wrapper.operands ?? 0));
  if (command[0]?.text === "--") command.shift();
  const entry = optionValue(parted, ...(wrapper.entry ?? []));
  return entry ? [entry, ...command] : command;
}
