import { assignText } from "./assign.ts";
import { lexicalJoin } from "./directory.ts";
import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { known } from "./field.ts";
import { through } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { hasOption, optionValue, partOptions } from "./options.ts";
import type { Parted } from "./options.ts";
import { readStdinScript } from "./shell-programs.ts";
import type { Wrapper } from "./wrappers.ts";

/** List the command that a wrapper such as `sudo` or `docker exec` runs. */
export function launchWrapper(entered: Entered, wrapper: Wrapper): void {
  const { fields, frame, program } = entered;
  follow(fields.slice(1), wrapper, entered, through(frame, program, frame.scope.layer()));
}

function follow(words: readonly Field[], wrapper: Wrapper, entered: Entered, frame: Frame): void {
  const parted = partOptions(words, wrapper);
  if (wrapper.next) {
    const [subcommand, ...rest] = parted.rest;
    const next = subcommand?.known === true ? wrapper.next[subcommand.text] : undefined;
    if (next) follow(rest, next, entered, frame);
    return;
  }
  if (hasOption(parted, ...(wrapper.idle ?? []))) return;
  const inner = settled(parted, wrapper, entered, frame);
  const script = wrapper.scripts && scriptOf(words, wrapper, wrapper.scripts);
  if (script) return entered.reading.script(script.text, inner);
  const command = commandOf(parted, wrapper, entered, inner);
  if (command.length > 0) {
    const text = command.map((field) => field.text).join(" ");
    if (wrapper.joined) entered.reading.script(text, inner);
    else entered.run(command, inner);
    return;
  }
  const { shell } = wrapper;
  if (shell === true || (shell && hasOption(parted, ...shell))) {
    readStdinScript({ ...entered, frame: inner });
  }
}

/** The value of an option that is a script; it may stand behind operands, up to `--`. */
function scriptOf(
  words: readonly Field[],
  wrapper: Wrapper,
  names: readonly string[],
): Field | undefined {
  for (let left = words; left.length > 0;) {
    const parted = partOptions(left, wrapper);
    const script = optionValue(parted, ...names);
    if (script || wrapper.operands === undefined) return script;
    left = parted.rest.slice(1);
  }
  return undefined;
}

/** Where the command runs, and with which variables. */
function settled(parted: Parted, wrapper: Wrapper, { frame: outer }: Entered, frame: Frame): Frame {
  const { scope } = frame;
  if (wrapper.elsewhere) {
    scope.cwd = undefined;
    return frame;
  }
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
  { reading }: Entered,
  frame: Frame,
): readonly Field[] {
  let { rest } = parted;
  // `env -S "cmd args"` splits a text into the words in front.
  const split = optionValue(parted, "S", "split-string");
  if (split && wrapper.long?.includes("split-string")) {
    rest = [
      ...split.text
        .split(/\s+/)
        .filter(Boolean)
        .map((text) => plain(text, split)),
      ...rest,
    ];
  }
  if (wrapper.assignments) {
    while (rest[0] && assignText(rest[0], frame, reading)) rest = rest.slice(1);
  }
  const dashes = wrapper.afterDashes ? rest.findIndex(({ text }) => text === "--") : -1;
  if (dashes >= 0) return rest.slice(dashes + 1);
  const command = rest.slice(wrapper.operands ?? 0);
  if (command[0]?.text === "--") command.shift();
  const entry = optionValue(parted, ...(wrapper.entry ?? []));
  return entry ? [entry, ...command] : command;
}

function plain(text: string, { known: isKnown }: Field): Field {
  const bare = text.replaceAll(/^(['"])(.*)\1$/g, "$2");
  return isKnown && !bare.includes("$") ? known(bare) : { text: bare, known: false };
}
