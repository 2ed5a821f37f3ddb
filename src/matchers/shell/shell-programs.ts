import { markOpaque } from "./entered.ts";
import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { through } from "./frame.ts";
import { hasOption, partOptions } from "./options.ts";

/** Shells that read what `sh` reads, or nearly. */
export const SHELLS: ReadonlySet<string> = new Set([
  "ash",
  "bash",
  "csh",
  "dash",
  "fish",
  "ksh",
  "mksh",
  "rbash",
  "sh",
  "tcsh",
  "zsh",
]);

const SHELL_OPTIONS = { short: "oO", long: ["rcfile", "init-file"] };

/** Files that are the standard input. */
const STDIN_FILES = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/;

/** `sh -c SCRIPT NAME ARGS…`, `sh FILE ARGS…`, `sh` that reads its standard input. */
export function launchShell(entered: Entered): void {
  const { fields, frame, program } = entered;
  // `+o` and `+e` are options as well.
  const words = fields.slice(1).filter(({ text }) => !/^\+[a-zA-Z]+$/.test(text));
  const parted = partOptions(words, SHELL_OPTIONS);
  const inner = through(frame, program, frame.scope.layer());
  if (hasOption(parted, "c", "command")) {
    const [script, name, ...args] = parted.rest;
    inner.scope.positional = args;
    if (name) inner.scope.set("0", name.known ? name.text : null);
    if (script) runScript(script, { ...entered, frame: inner });
    return;
  }
  const [file, ...args] = parted.rest;
  inner.scope.positional = args;
  if (file && !hasOption(parted, "s")) return runFile(file, { ...entered, frame: inner });
  if (hasOption(parted, "s")) inner.scope.positional = parted.rest;
  readStdinScript({ ...entered, frame: inner });
}

/** `eval WORDS`: the words joined are a script of this very shell. */
export function launchEval(entered: Entered): void {
  const { fields, frame } = entered;
  const words = fields.slice(1).filter(({ text }, index) => index > 0 || text !== "--");
  if (words.length === 0) return;
  const text = words.map((field) => field.text).join(" ");
  const known = words.every((field) => field.known);
  runScript({ text, known }, { ...entered, frame: through(frame, "eval") });
}

/** `source FILE`, which may be the standard input or a substitution. */
export function launchSource(entered: Entered): void {
  const [file, ...args] = entered.fields.slice(1);
  if (!file) return;
  const { scope } = entered.frame;
  const { positional } = scope;
  if (args.length > 0) scope.positional = args;
  runFile(file, { ...entered, frame: through(entered.frame, "source") });
  scope.positional = positional;
}

/** Read what a shell gets on its standard input; the frame is that of the script. */
export function readStdinScript({ frame, draft, reading }: Entered): void {
  const { stdin } = frame;
  const script = stdin.text();
  if (script)
    return reading.script(script.text, { ...frame, stdin: { ...stdin, text: () => undefined } });
  if (stdin.piped) markOpaque(draft, stdin.from);
  return undefined;
}

/** A script in a word. What of it is not known is read as it is written, and so stays unknown. */
function runScript(script: Field, { frame, draft, reading }: Entered): void {
  const begin = reading.found.length;
  reading.script(script.text, frame);
  const isOpaque = reading.found.slice(begin).some((command) => command.opaque);
  if (!script.known && isOpaque) markOpaque(draft, frame.substituted);
}

function runFile(file: Field, entered: Entered): void {
  const { frame, draft } = entered;
  const substitution = /^<\(([^]*)\)$/.exec(file.text);
  if (substitution?.[1] !== undefined) return runPrinted(substitution[1], entered);
  if (!file.known) return markOpaque(draft, frame.substituted);
  if (STDIN_FILES.test(file.text)) readStdinScript(entered);
  return undefined;
}

/** What a script prints is the script: `sh <(…)`. */
function runPrinted(script: string, { frame, draft, reading }: Entered): void {
  const printed = reading.printedBy(script, frame);
  if (printed === undefined) markOpaque(draft, frame.substituted);
  else reading.script(printed, frame);
}
