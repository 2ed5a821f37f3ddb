import { wordSet } from "../../../core/index.ts";
import type { Frame, NestedShell } from "../frame.ts";
import { layered, markOpaque, through } from "../frame.ts";
import { knownText, UNKNOWN } from "../value.ts";
import { DESCRIPTOR_FILE, STDIN_FILE } from "../redirects.ts";
import type { Field } from "../words/expand-word.ts";
import { joinedScript, known, scriptText } from "../words/expand-word.ts";
import type { Parted } from "./options.ts";
import {
  hasOption,
  mayBeScript,
  mayHaveScript,
  optionValue,
  partWords,
  surelyHas,
} from "./options.ts";

/** Shells with the language of `sh`, or nearly. */
export const SHELLS = wordSet("ash bash csh dash fish ksh mksh rbash sh tcsh zsh");

/** Shells that set `$_` after each command, and those that never do. Of others, such as `sh`, nobody knows. */
const SETS_LAST: ReadonlySet<string> = new Set(["bash", "ksh", "mksh", "rbash", "zsh"]);
const LEAVES_LAST: ReadonlySet<string> = new Set(["ash", "dash", "busybox"]);

/** `sh -c SCRIPT NAME ARGS…`, `sh FILE ARGS…`, `sh` that reads its standard input. */
export function launchShell(entered: NestedShell): void {
  const { fields, frame, program } = entered;
  const parted = partWords("sh", fields.slice(1));
  const inner = through(frame, program, frame.scope.child());
  const own = { ...entered, frame: inner };
  if (LEAVES_LAST.has(program)) inner.scope.leaveLast();
  else if (!SETS_LAST.has(program)) inner.scope.mayLeaveLast();
  if (surelyHas(parted, "--version", "--help") || isOnlyChecked(fields)) return;
  const startup = optionValue(parted, "--rcfile", "--init-file");
  if (startup) runFile(startup, own);
  runStartup(hasOption(parted, "-i") ? "ENV" : "BASH_ENV", own);
  if (program === "zsh") runZshStartup(hasOption(parted, "-i"), own);
  if (hasOption(parted, "-a") || optionValue(parted, "-o")?.text === "allexport")
    inner.scope.passOn("*");
  // `-` ends the options, like `--`.
  const rest = parted.rest[0]?.text === "-" ? parted.rest.slice(1) : parted.rest;
  if (hasOption(parted, "-c", "--command")) {
    const [script, name, ...args] = rest;
    inner.scope.positional = args;
    if (name) inner.scope.set("0", name.known ? name.text : null);
    if (script) runScript(script, own);
    if (script?.braced !== undefined) {
      // In `sh` braces stay, and are the script: `sh -c "bash -c '{git,push}'"` without the inner quotes.
      runScript(known(script.braced), { ...entered, frame: layered(inner) });
    }
    if (parted.open) runPossible([...rest.slice(1), ...fields.slice(1)], own);
    return;
  }
  if (parted.open) runPossible(fields.slice(1), own);
  const [file, ...args] = rest;
  const readsStdin = hasOption(parted, "-s");
  inner.scope.positional = readsStdin ? rest : args;
  if (file && !readsStdin) return runFile(file, own);
  readStdinScript(own);
}

/** An unknown part of a word may be `-c`: what looks like a script may be one, or it is read from the input. */
function runPossible(words: readonly Field[], entered: NestedShell): void {
  const { frame } = entered;
  const apart = (): NestedShell => {
    const inner = layered(frame);
    inner.scope.positional = undefined;
    return { ...entered, frame: inner };
  };
  for (const word of words) {
    if (!word.known && mayHaveScript(word)) markOpaque(entered.draft, frame.substituted);
    else if (!word.text.startsWith("-") && mayBeScript(word)) runScript(word, apart());
  }
  readStdinScript(apart());
}

/** The file that a variable names: a shell runs it first. */
function runStartup(name: string, { frame, run }: NestedShell): void {
  const file = knownText(frame.scope.get(name));
  if (file !== undefined && file !== "" && !/\$\(|`/.test(file))
    run([known("."), known(file)], frame);
}

/** The files in the folder that `ZDOTDIR` names. */
function runZshStartup(isInteractive: boolean, { frame, run }: NestedShell): void {
  const folder = knownText(frame.scope.get("ZDOTDIR"));
  if (folder === undefined || folder === "") return;
  run([known("."), known(`${folder}/.zshenv`)], frame);
  if (isInteractive) run([known("."), known(`${folder}/.zshrc`)], frame);
}

/**
 * Whether the shell only looks for syntax errors: `bash -n`, unless it is interactive or `+n` switches it off again.
 */
function isOnlyChecked(fields: readonly Field[]): boolean {
  const options = [];
  for (const { text, known } of fields.slice(1)) {
    if (!known || !/^[-+][A-Za-z]+$/.test(text)) break;
    // What follows `o` is the name of an option.
    if (/[ois]/.test(text) || text.startsWith("+")) return false;
    options.push(text);
    if (text.includes("c")) break;
  }
  return options.some((text) => text.includes("n"));
}

/** `eval WORDS`: the joined words are a script of this shell. */
export function launchEval(entered: NestedShell): void {
  const { fields, frame } = entered;
  const words = fields.slice(1).filter(({ text }, index) => index > 0 || text !== "--");
  if (words.length === 0) return;
  const known = words.every((field) => field.known);
  runScript(
    { text: joinedScript(words), known, marked: joinedScript(words) },
    { ...entered, frame: through(frame, "eval") },
  );
}

/** `source FILE`, which can be the standard input or a substitution. */
export function launchSource(entered: NestedShell): void {
  const [file, ...args] = entered.fields.slice(1);
  if (!file) return;
  const { scope } = entered.frame;
  const { positional } = scope;
  if (args.length > 0) scope.positional = args;
  runFile(file, { ...entered, frame: through(entered.frame, "source") });
  if (args.length > 0) scope.positional = positional;
}

/** Read a shell's script from its standard input; the frame is that of the script. */
export function readStdinScript({ frame, draft, reading }: NestedShell): void {
  const { stdin } = frame;
  const script = stdin.text();
  if (script) {
    // What a program prints may be more commands.
    if (!script.known && stdin.from.length > 0) markOpaque(draft, stdin.from);
    return reading.script(scriptText(script), {
      ...frame,
      stdin: { ...stdin, text: () => undefined },
    });
  }
  if (stdin.piped) markOpaque(draft, stdin.from);
  return undefined;
}

/** A script in a word. Its unknown parts are read as written, and so stay unknown. */
export function runScript(script: Field, { frame, draft, reading }: NestedShell): void {
  const begin = reading.found.length;
  reading.script(scriptText(script), frame);
  const isOpaque =
    isPrinted(script, frame) || reading.found.slice(begin).some((command) => command.opaque);
  if (!script.known && isOpaque) markOpaque(draft, frame.substituted);
}

/** Whether an unknown part of a script is what a printing command of the line writes: it may be more commands. */
function isPrinted({ marked }: Field, { substituted }: Frame): boolean {
  if (!substituted.some((program) => program === "echo" || program === "printf")) return false;
  return marked === undefined || new RegExp(`${UNKNOWN}(?:\\$\\(|\`)`).test(marked);
}

function runFile(file: Field, entered: NestedShell): void {
  const { frame, draft } = entered;
  const substitution = /^<\(([^]*)\)$/.exec(file.text);
  if (substitution?.[1] !== undefined) return runPrinted(substitution[1], entered);
  if (!file.known) return markOpaque(draft, frame.substituted);
  if (STDIN_FILE.test(file.text)) readStdinScript(entered);
  else if (DESCRIPTOR_FILE.test(file.text)) markOpaque(draft, frame.substituted);
  return undefined;
}

/** The output of a script is the script: `sh <(…)`. */
function runPrinted(script: string, { frame, draft, reading }: NestedShell): void {
  const printed = reading.printedBy(script, frame);
  if (printed?.includes(UNKNOWN) !== false) markOpaque(draft, frame.substituted);
  if (printed !== undefined) reading.script(printed, frame);
}

/** Settings whose value is a command. */
const COMMAND = /^\s*(?:Proxy|Local|Remote|KnownHosts)Command[\s=]+([^]*)$/i;

/**
 * `ssh HOST WORDS…`: the joined words are a script on the other machine; without any, its shell reads the standard
 * input.
 */
export function launchSsh(entered: NestedShell): void {
  const { fields, frame, program, reading } = entered;
  const inner = through(frame, program, frame.scope.child("machine"));
  const before = partWords(program, fields.slice(1));
  // Options may also follow the host.
  const { rest, options } = partWords(program, before.rest.slice(1));
  runSettings([...before.options, ...options], entered);
  if (rest.length > 0) reading.script(joinedScript(rest), inner);
  else if (before.rest.length > 0) readStdinScript({ ...entered, frame: inner });
}

/** `scp` and `sftp`: the commands in their options. */
export function launchCopy(entered: NestedShell): void {
  const { fields, program } = entered;
  runSettings(partWords(program, fields.slice(1), false).options, entered);
}

/** The commands in options of `ssh`. */
function runSettings(options: Parted["options"], { frame, program, reading }: NestedShell): void {
  for (const { name, row, value } of options) {
    if (!value) continue;
    const text = scriptText(value);
    const command =
      row?.role === "line" ? text : name === "-o" ? COMMAND.exec(text)?.[1] : undefined;
    if (command !== undefined)
      reading.script(command, through(frame, program, frame.scope.child()));
  }
}
