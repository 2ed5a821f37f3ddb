import { assignText, runsAsNumber } from "../assign.ts";
import type { Frame, NestedShell } from "../frame.ts";
import { layered, lexicalJoin, markOpaque, through } from "../frame.ts";
import type { Field } from "../words/expand-word.ts";
import { isUnset, keyed, knownText, UNKNOWN, UNSET } from "../value.ts";
import { builtinOutput } from "../words/builtin-output.ts";
import { known, scriptText, splitText, valueOfWord } from "../words/expand-word.ts";
import { quoteWords } from "../../../core/index.ts";
import { byName } from "../../programs/notation.ts";
import { hasOption, optionValue, partWords } from "./options.ts";

/** Apply the effects of a shell builtin to the scope; nothing for other programs. */
export function runBuiltin(entered: NestedShell): void {
  const builtin = BUILTINS.get(entered.program);
  // A path is that of a program, which changes nothing here.
  if (!builtin || entered.fields[0]?.text.includes("/") === true) return;
  const args = entered.fields.slice(1);
  if (args.some(({ text }) => runsAsNumber(text))) markOpaque(entered.draft);
  builtin(args, entered);
}

type Builtin = (args: readonly Field[], entered: NestedShell) => void;

const NAME = /^[A-Za-z_]\w*$/;

/** What a command reads: its own input, or that of the shell if nothing else has read from it. */
function readText({ frame, input, reading, draft }: NestedShell): string | null {
  const { stdin } = frame;
  let at = stdin.begin ?? 0;
  // `eval read` is one command that is listed twice.
  while (reading.found[at]?.program === "eval") at++;
  const isFirst = reading.found[at] === draft;
  const field = input ?? (isFirst ? stdin.text() : undefined);
  return field ? valueOfWord(field) : null;
}

const read: Builtin = (args, entered) => {
  const { frame } = entered;
  const parted = partWords("read", args);
  const array = optionValue(parted, "-a");
  const names = array ? [array] : parted.rest;
  for (const field of names) forgetField(field, frame);
  forget("REPLY", frame);
  const text = readText(entered);
  if (text === null || hasOption(parted, "-d", "-e", "-i", "-n", "-N", "-u")) return;
  const [line = ""] = text.split("\n", 1);
  const ifs = frame.scope.separators;
  const isSure = ifs !== undefined && (hasOption(parted, "-r") || !line.includes("\\"));
  if (!isSure || !names.every(({ text, known: isKnown }) => isKnown && NAME.test(text))) return;
  const values = array ? [splitText(line, ifs).pieces] : readValues(line, ifs, names.length);
  for (const [at, value] of values.entries()) frame.scope.set(names[at]?.text ?? "REPLY", value);
};

/**
 * What `read` assigns to this number of variables: words, and to the last one the rest of the line.
 * @param count 0 for `REPLY`, which gets the whole line
 */
function readValues(line: string, ifs: string, count: number): readonly string[] {
  if (count === 0) return [line];
  const values: string[] = [];
  const isSpace = (char: string): boolean => ifs.includes(char) && " \t\n".includes(char);
  const trimmed = (text: string): string => {
    let [begin, end] = [0, text.length];
    while (begin < end && isSpace(text.charAt(begin))) begin++;
    while (end > begin && isSpace(text.charAt(end - 1))) end--;
    return text.slice(begin, end);
  };
  let rest = trimmed(line);
  while (values.length < count - 1) {
    let end = 0;
    while (end < rest.length && !ifs.includes(rest.charAt(end))) end++;
    values.push(rest.slice(0, end));
    // Blanks around another separator belong to it.
    const after = trimmed(rest.slice(end));
    const hasOther = after !== "" && ifs.includes(after.charAt(0));
    rest = hasOther ? trimmed(after.slice(1)) : after;
  }
  // A separator at the end of the last word belongs to it only if there are others.
  const { pieces, closes } = splitText(rest, ifs);
  return [...values, pieces.length === 1 && closes ? (pieces[0] ?? "") : rest];
}

const mapfile: Builtin = (args, entered) => {
  const { frame, reading } = entered;
  const parted = partWords("mapfile", args);
  const callback = optionValue(parted, "-C");
  if (callback) reading.script(scriptText(callback), through(layered(frame), "mapfile"));
  for (const field of parted.rest) forgetField(field, frame);
  forget("MAPFILE", frame);
  const [name = known("MAPFILE"), ...others] = parted.rest;
  const isPlain = parted.options.length > 0 && parted.options.every(({ name }) => name === "-t");
  const text = readText(entered);
  if (text === null || !isPlain || others.length > 0) return;
  if (!name.known || !NAME.test(name.text)) return;
  const lines = text.split("\n");
  frame.scope.set(name.text, lines.at(-1) === "" ? lines.slice(0, -1) : lines);
};

const getopts: Builtin = ([, name], { frame }) => {
  if (name) forgetField(name, frame);
  for (const own of ["OPTARG", "OPTIND"]) forget(own, frame);
};

const complete: Builtin = (args, { frame, reading, draft }) => {
  const parted = partWords("complete", args);
  const command = optionValue(parted, "-C", "-F");
  if (command) reading.script(scriptText(command), through(layered(frame), "complete"));
  if (/\$\(|`/.test(optionValue(parted, "-W")?.text ?? "")) markOpaque(draft);
};

const BUILTINS = byName<Builtin>({
  "cd pushd": (args, { frame }) => changeDirectory(args, frame),
  popd: (_, { frame }) => moveTo(undefined, frame),
  export: (args, entered) => declare(args, entered, "x"),
  "declare typeset local": (args, entered) => declare(args, entered, "l"),
  readonly: (args, entered) => declare(args, entered, "r"),
  let: (args, { frame }) => forgetAll(args, frame),
  "mapfile readarray": mapfile,
  getopts,
  read,
  unset,
  set,
  shift,
  printf: printfVariable,
  alias,
  hash,
  trap,
  "break continue return exit": (_, { frame }) => {
    frame.scope.jumped = true;
  },
  "complete compgen": complete,
  // Their words may be evaluated as numbers.
  "test [": () => undefined,
});

/** Makes the variable unknown whose name, or element, is at the start of a word. */
function forgetField({ text, known: isKnown }: Field, frame: Frame): void {
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
  if (!isKnown) frame.scope.blur();
  else if (name !== undefined) forget(name, frame);
}

function forget(name: string, { scope }: Frame): void {
  scope.set(name, null);
}

/** Any name in the words may be set. */
function forgetAll(args: readonly Field[], frame: Frame): void {
  for (const { text } of args)
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) forget(name, frame);
}

function changeDirectory(args: readonly Field[], frame: Frame): void {
  const target = args.find(
    ({ text, known: isKnown }) => !isKnown || text === "-" || !/^[-+]/.test(text),
  );
  if (!target) {
    return moveTo(knownText(frame.scope.get("HOME")), frame);
  }
  if (!target.known || target.glob === true) return moveTo(undefined, frame);
  if (target.text === "-") return moveTo(frame.scope.previous, frame);
  return moveTo(lexicalJoin(frame.scope.cwd, target.text), frame);
}

function moveTo(directory: string | undefined, { scope }: Frame): void {
  scope.previous = scope.cwd;
  scope.cwd = directory;
}

/** With other options, these builtins fail, show something or declare functions. */
const ASSIGNING: Readonly<Record<Mark, RegExp>> = {
  x: /^[-+n]*$/,
  l: /^[-+aAgiIlnrtuxc]*$/,
  r: /^[-+aA]*$/,
};

/** `x` for builtins that export, `l` for those that declare local variables, `r` for read-only ones. */
type Mark = "x" | "l" | "r";

function declare(args: readonly Field[], { frame, reading, draft }: NestedShell, mark: Mark): void {
  const flags = args
    .filter(({ text }) => /^[-+]\w/.test(text))
    .map(({ text }) => text)
    .join("");
  // Name references, and values that differ from what is assigned.
  if (/[cnlu]/.test(flags) && mark === "l") {
    reading.giveUp("declare -c, -l, -n or -u");
    return frame.scope.blur();
  }
  const assigns = ASSIGNING[mark].test(flags);
  if (flags.includes("f") && (mark === "x" || flags.includes("x"))) passOn(args, frame);
  for (const arg of args) {
    if (!assigns) {
      if (!/^\w+$/.test(arg.text) || !/[fFp]/.test(flags)) forgetField(arg, frame);
      continue;
    }
    if (flags.includes("A")) startKeyed(arg, frame);
    const name = assignText(arg, frame, reading) ?? /^[A-Za-z_]\w*$/.exec(arg.text)?.[0];
    if (name === undefined) {
      if (!arg.known) frame.scope.blur();
      continue;
    }
    if (flags.includes("i")) frame.scope.set(name, null);
    if (mark === "x" && flags.includes("n")) forget(name, frame);
    if (mark === "x" || flags.includes("x")) frame.scope.export(name);
    const isLocal = mark === "l" && !flags.includes("g");
    // Without a value it is empty in a function, and unchanged outside of one.
    if (isLocal && name === arg.text && !flags.includes("A")) forget(name, frame);
    // A redirection that fails prevents it.
    if (mark === "r" || flags.includes("r")) frame.scope.lock(name, draft.redirects.length === 0);
    if (isLocal) frame.scope.keep(name);
  }
}

/** `export -f NAMES` */
function passOn(names: readonly Field[], { scope }: Frame): void {
  for (const { text, known: isKnown } of names) scope.passOn(isKnown ? text : "*");
}

/** `declare -A M`: empty if it is new; otherwise it is another one in a function, and the same outside of one. */
function startKeyed({ text, assignment }: Field, { scope }: Frame): void {
  const name = assignment?.name ?? text;
  if (!NAME.test(name)) return;
  const before = scope.get(name);
  const isNew = before === undefined || isUnset(before) || assignment !== undefined;
  const keys = keyed(before)?.keys();
  if (isNew) scope.set(name, new Map());
  // Which of its elements it has is unknown, but it has no others.
  else scope.set(name, keys ? new Map(Array.from(keys, (key) => [key, null])) : null);
}

function unset(args: readonly Field[], { frame }: NestedShell): void {
  const { options, rest } = partWords("unset", args);
  const isSure = options.every(({ name }) => name === "-v");
  for (const field of rest) {
    if (isSure && field.known && NAME.test(field.text)) frame.scope.set(field.text, UNSET);
    else forgetField(field, frame);
    const bodies = frame.scope.bodies(field.text);
    if (bodies.length > 0) frame.scope.redefine(field.text, undefined);
  }
}

/** `set -- words`: the positional parameters. With `-a`, everything that follows is exported. */
function set(args: readonly Field[], { frame }: NestedShell): void {
  const first = args[0];
  if (first && (!first.known || /^-[A-Za-z]*a|^-o$/.test(first.text))) frame.scope.passOn("*");
  let at = 0;
  for (let word = args[0]?.text; word && /^[-+][A-Za-z]+$/.test(word); word = args[at]?.text) {
    at += word.endsWith("o") ? 2 : 1;
  }
  const hasDashes = /^--?$/.test(args[at]?.text ?? "");
  if (hasDashes || at < args.length) frame.scope.positional = args.slice(hasDashes ? at + 1 : at);
}

function shift(args: readonly Field[], { frame, reading }: NestedShell): void {
  const { positional } = frame.scope;
  reading.budget.spend((positional?.length ?? 0) >> 6);
  const count = /^\d{1,5}$/.exec(args[0]?.text ?? "1")?.[0];
  if (!positional || count === undefined) frame.scope.positional = undefined;
  // More than there are is an error, and changes nothing.
  else if (Number(count) <= positional.length) {
    frame.scope.positional = positional.some((field) => field.loose === true)
      ? undefined
      : positional.slice(Number(count));
  }
}

function printfVariable(args: readonly Field[], { frame }: NestedShell): void {
  const { options, rest } = partWords("printf", args);
  const target = options[0]?.name === "-v" ? options[0].value : undefined;
  if (!target) return;
  const printed = builtinOutput([known("printf"), ...rest], () => undefined, frame.scope);
  if (!target.known) frame.scope.blur();
  else if (NAME.test(target.text) && printed !== undefined) frame.scope.set(target.text, printed);
  else forgetField(target, frame);
}

/** The text of an alias is listed where it is defined and where it is used: which one runs depends on the shell. */
function alias(args: readonly Field[], { frame, reading }: NestedShell): void {
  for (const field of args) {
    const at = field.text.indexOf("=");
    if (at <= 0) continue;
    const text = field.known ? field.text.slice(at + 1) : scriptText(field).replace(/^[^=]*=/, "");
    reading.script(text, through(layered(frame), "alias"));
    frame.scope.redefine(field.text.slice(0, at), text);
  }
}

/** `hash -p PATH NAME`: the name runs that path. */
function hash(args: readonly Field[], { frame }: NestedShell): void {
  const parted = partWords("hash", args);
  const path = optionValue(parted, "-p");
  for (const { text } of path ? parted.rest : []) {
    if (path) frame.scope.redefine(text, (path.known ? "" : UNKNOWN) + quoteWords([path.text]));
  }
}

/** The script of a trap is read at the end of the line, and also at its place if a signal may come before. */
function trap(args: readonly Field[], { frame, reading }: NestedShell): void {
  const [action, ...signals] = args.filter(({ text }) => text !== "--");
  if (!action || signals.length === 0 || /^-[lp]?$|^$/.test(action.text)) return;
  reading.calls.later(scriptText(action), through(frame, "trap"));
  if (signals.every(({ text }) => /^(?:EXIT|0)$/i.test(text))) return;
  reading.script(scriptText(action), through(layered(frame), "trap"));
}
