import { wordSet } from "../../core/index.ts";
import type {
  ArithmeticBinary,
  ArithmeticUnary,
  Command,
  CommandArgument,
  Redirection,
} from "unbash";
import type { ShellRedirect } from "../../core/index.ts";
import { programs } from "../programs/dictionary.ts";
import { byName } from "../programs/notation.ts";
import { assign, assignmentField } from "./assign.ts";
import { runBuiltin } from "./programs/builtins.ts";
import { launchFind, launchParallel, launchXargs } from "./programs/find-and-xargs.ts";
import { launchGit } from "./programs/git.ts";
import type { Frame, NestedShell, Stdin } from "./frame.ts";
import { layered, markOpaque } from "./frame.ts";
import {
  isOtherShell,
  mayBeOtherShell,
  OTHER_SHELLS,
  OTHER_SYNTAX,
} from "./programs/other-shells.ts";
import {
  launchEval,
  launchShell,
  launchCopy,
  launchSource,
  launchSsh,
  SHELLS,
} from "./programs/shells.ts";
import { launchIp, launchWrapper } from "./programs/wrapped-command.ts";
import type { LineReading } from "./reader.ts";
import { readRedirects } from "./redirects.ts";
import type { Scope } from "./scope.ts";
import type { Field } from "./words/expand-word.ts";
import { expandWord, known, programName, valueOfWord } from "./words/expand-word.ts";
import { UNKNOWN, withoutVariables } from "./value.ts";
import { withWholeValues } from "./whole-values.ts";

/** List what a simple command runs, and apply its effects to the scope. */
export function runSimple(parsed: Command, frame: Frame, reading: LineReading): void {
  const command = withWholeValues(parsed);
  const { name, prefix, suffix } = command;
  // The expanded words, before the command's own assignments are applied, and programs whose output is part of them.
  const fields: Field[] = [];
  const redirects: Redirection[] = [];
  const programs = new Set<string>();
  const around = reading.around(frame);
  const list = (part: CommandArgument): void => {
    for (const program of reading.substitutions(part, frame)) programs.add(program);
  };
  const take = (part: CommandArgument | Redirection): void => {
    if (part.type === "Word") {
      if (part.parts) list(part);
      for (const field of reading.placed(part, expandWord(part, around))) fields.push(field);
    } else if (part.type === "Assignment") {
      list(part);
      fields.push(assignmentField(part, frame, reading));
    } else redirects.push(part);
  };
  if (name) take(name);
  const [first] = fields;
  if (first && GLOB.test(first.text) && !/[$`]/.test(name?.text ?? ""))
    fields[0] = { ...first, literal: true };
  for (const [at, part] of suffix.entries()) {
    if (mayBeDescriptor(part, suffix[at + 1])) fields.push(ANY_WORD);
    else take(part);
  }
  let inner = frame;
  if (prefix.length > 0) {
    // Without a command, assignments persist; with one, they apply only to it.
    if (name) inner = layered(frame);
    for (const part of prefix) {
      if (part.type !== "Assignment") take(part);
      else {
        reading.substitutions(part, frame);
        assign(part, inner, reading);
        if (name) inner.scope.export(part.name);
      }
    }
  }
  const substituted = [...programs];
  if (isInOtherShell(fields, frame)) reading.giveUp(OTHER_SYNTAX);
  if (redirects.length === 0 && substituted.length === 0 && inner.substituted.length === 0) {
    runFields(fields, inner, reading);
  } else {
    const { files, stdin } = readRedirects(redirects, frame, reading);
    if (replacesStdin(fields, stdin)) reading.giveUp("exec redirects the input of the shell");
    const own = { ...inner, stdin: stdin ?? inner.stdin, substituted };
    runFields(fields, own, reading, { files, input: stdin?.text() });
  }
  if (reading.isFed) {
    reading.feed(() =>
      [...new Set([...frame.stdin.from, programName(fields[0]?.text ?? "")])].filter(Boolean),
    );
  }
  if (inner.scope !== frame.scope) keepChanges(command, inner.scope, frame.scope);
  const last = fields.at(-1);
  frame.scope.last = last && last.glob !== true ? (valueOfWord(last) ?? undefined) : undefined;
}

/** Stands for a word that may be none. */
const ANY_WORD: Field = { text: "", known: false, marked: UNKNOWN, loose: true };

/**
 * Whether a word of a script is the descriptor of the redirection behind it, and no word, if its unknown part is empty:
 * `bash -c 'cmd 3'$X'<&0'`.
 */
function mayBeDescriptor(
  part: CommandArgument | Redirection,
  next: CommandArgument | Redirection | undefined,
): boolean {
  if (part.type !== "Word" || !part.text.includes(UNKNOWN) || next?.pos !== part.end) return false;
  if (next.type === "Word" || next.type === "Assignment") return false;
  return /^(?:\d*|\{\w+\})$/.test(withoutVariables(part.text));
}

/** Take over the effects of a command on the shell, except for its own variables. */
function keepChanges(
  { name, prefix }: Pick<Command, "name" | "prefix">,
  from: Scope,
  to: Scope,
): void {
  const own = new Set<string>();
  for (const part of prefix) if (part.type === "Assignment") own.add(part.name);
  to.adopt(from, own);
  for (const variable of from.kept) to.keep(variable);
  // In some shells they persist for special builtins.
  if (SPECIAL_BUILTINS.has(name?.value ?? "")) for (const variable of own) to.set(variable, null);
}

const SPECIAL_BUILTINS = wordSet(
  ". : break continue eval exec exit export readonly return set shift source times trap unset",
);

/** The path of a program, as programs are named. */
const PROGRAM_PATH = /^[\w./~+-]*[\w+-]$/;
/** A flag, and the ends of a command of `find`. Not `-fix`: `$NAME-fix` is the name of something. */
const FLAG = /^(?:--[A-Za-z][\w-]*(?:=[^]*)?|-[A-Za-z]{1,2}|[;+])$/;

/**
 * A word of which variables are a part, as it is without them, for they may be empty: `/bin$X/sh` is a shell, and
 * `$X--force` a flag. Undefined where that would be no such word.
 */
function withoutVariable({ marked }: Field, such: RegExp): Field | undefined {
  const rest = marked?.includes(UNKNOWN) === true ? withoutVariables(marked) : "";
  return such.test(rest) ? known(rest) : undefined;
}

/** A name with a glob, which no program has: the glob is expanded. */
const GLOB = /[*?]|\[.*\]/;

/** What redirections of a command give it. */
interface Redirected {
  readonly files: readonly ShellRedirect[];
  /** See `NestedShell`. */
  readonly input?: Field | undefined;
}

const NOT_REDIRECTED: Redirected = { files: [] };

/**
 * List a command by its words, and what it runs in turn.
 * @param functions whether its name can be that of a function or an alias
 */
function runFields(
  fields: readonly Field[],
  frame: Frame,
  reading: LineReading,
  { files: redirects, input }: Redirected = NOT_REDIRECTED,
  functions = true,
): void {
  const [name] = fields;
  const dynamicTarget = redirects.some(({ dynamic }) => dynamic);
  if (!name) {
    if (redirects.length > 0) reading.add([], frame, { redirects, dynamic: dynamicTarget });
    return;
  }
  if (!name.known || name.glob === true || (GLOB.test(name.text) && name.literal !== true)) {
    const from = [...new Set([...frame.stdin.from, ...frame.substituted])];
    reading.add(fields, frame, { redirects, from, opaque: true });
    // It may expand to nothing; then the next word is the command.
    if (name.loose === true && fields.length > 1) {
      runFields(fields.slice(1), frame, reading, NOT_REDIRECTED, functions);
    }
    const other = withoutVariable(name, PROGRAM_PATH);
    if (other) runFields([other, ...fields.slice(1)], frame, reading, NOT_REDIRECTED, functions);
    return;
  }
  const others = fields.map((field) => withoutVariable(field, FLAG) ?? field);
  if (others.some((other, at) => other !== fields[at])) {
    runFields(others, frame, reading, { files: redirects, input }, functions);
  }
  const bodies = functions ? frame.scope.bodies(name.text) : [];
  if (bodies.length > 0) {
    if (redirects.length > 0) reading.add([], frame, { redirects, dynamic: dynamicTarget });
    reading.calls.call(name.text, fields.slice(1), frame);
    if (!bodies.includes(undefined)) return;
  }
  const program = programName(name.text);
  const draft = reading.add(fields, frame, { program, redirects });
  if (dynamicTarget) draft.dynamic = true;
  if (OTHER_SHELLS.has(program.toLowerCase())) markOpaque(draft);
  const entered: NestedShell = {
    fields,
    program,
    frame,
    draft,
    reading,
    input,
    run: (words, inner, own = false) => runFields(words, inner, reading, NOT_REDIRECTED, own),
  };
  runBuiltin(entered);
  recordCommand(entered);
}

/** Whether `exec` replaces the shell's standard input, which later commands read. */
function replacesStdin([name, ...args]: readonly Field[], stdin: Stdin | undefined): boolean {
  return stdin?.piped === true && name?.text === "exec" && args.length === 0;
}

/** Whether the words belong to another shell's language: then the meaning of the line is unknown. */
function isInOtherShell(fields: readonly Field[], { via }: Frame): boolean {
  if (via.length > 0 || !mayBeOtherShell(fields[0]?.text ?? "", fields[1]?.text)) return false;
  return isOtherShell(fields.map(({ text }) => text));
}

/** Not arithmetic: two words without an operator between them, or several statements. */
export const COMMAND_IN_NUMBERS =
  /^[\s(]*[^\s=<>!+*%&|^?:,()-][^\s=<>!+*%&|^?:,()]*\s+(?:--?[A-Za-z]|\/\S|[\w~$"'.{])|;/;

/** Arithmetic sets a variable; its value becomes unknown. */
export function forgetAssigned(node: ArithmeticBinary | ArithmeticUnary, { scope }: Frame): void {
  const target = node.type === "ArithmeticBinary" ? node.left : node.operand;
  if (!/^(?:(?:[-+*/%&|^]|<<|>>)?=|\+\+|--)$/.test(node.operator)) return;
  const name =
    target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
  if (name !== undefined) scope.set(name, null);
}

/** List what a program starts in turn, if it is one that starts others. */
function recordCommand(entered: NestedShell): void {
  // Some file systems do not distinguish `SUDO` from `sudo`.
  const program = entered.program.toLowerCase();
  if (SHELLS.has(program)) return launchShell(entered);
  const own = LAUNCHERS.get(program);
  if (own) return own(entered);
  const row = program.includes("/") ? undefined : programs().row(program);
  if (row && row.style !== "windows") launchWrapper(entered, row);
  return undefined;
}

const LAUNCHERS = byName<(entered: NestedShell) => void>({
  eval: launchEval,
  ". source": launchSource,
  "find gfind fd fdfind": launchFind,
  git: launchGit,
  ip: launchIp,
  parallel: launchParallel,
  "ssh autossh mosh": launchSsh,
  "scp sftp": launchCopy,
  "xargs gxargs": launchXargs,
});
