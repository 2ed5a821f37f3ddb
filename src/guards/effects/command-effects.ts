import { lazyConstant, wordSet } from "../../core/index.ts";
import type { ShellArguments, ShellCommand, ShellReading } from "../../core/index.ts";
import type { Arguments, DescribedCommand, Part } from "../../matching/index.ts";
import { programs } from "../../matching/index.ts";
import { addCalls, isOfCode } from "../languages/calls.ts";
import { escapesOf, perhapsWritten, shellOuts } from "../languages/escapes.ts";
import { readCode } from "../languages/languages.ts";
import { windowsDescribed } from "../windows/effects.ts";
import type { WindowsCommand } from "../windows/reader.ts";
import { withSentFiles } from "./connections.ts";
import { ANYTHING, EffectList, isGiven } from "./effect-list.ts";
import type { EffectDetails } from "./effect-list.ts";
import { FUNCTIONS } from "./functions.ts";
import { addCommonOutputs, addGuesses, isVariablesOption } from "./guesses.ts";
import { withIdle } from "./idle.ts";
import { LineNotes } from "./line-notes.ts";
import { namesGiven, withBraces } from "./names-given.ts";
import { namesShown } from "./names-shown.ts";
import { isShell } from "../scripts/piece.ts";
import { Origins, readsInput } from "./origins.ts";
import { addByRole, selectionOf } from "./roles.ts";

/** A command with what functions beside the rows need to know of it. */
export interface EffectCall {
  readonly command: ShellCommand;
  readonly described: DescribedCommand;
  /** Of the innermost row. */
  readonly args: Arguments;
  /** All commands of the line, and the position of this one. */
  readonly reading: ShellReading;
  readonly position: number;
  readonly found: EffectList;
  /** Lists what the roles of these parts say. */
  readonly byRole: (parts: readonly Part[], details?: EffectDetails) => void;
  /** Lists what a text in a language does. */
  readonly code: (lang: string, text: string) => void;
  /** Lists what a program does with words of this command: `python -m black`. */
  readonly program: (argv: readonly string[]) => void;
}

/** Reads a line that a command of another one runs. */
type ReadInner = (line: string, cwd: string | undefined) => ShellReading;

/** What the commands of a line are read with. */
interface LineContext {
  readonly reading: ShellReading;
  readonly notes: LineNotes;
  readonly readInner: ReadInner | undefined;
}

/** Operators of redirections that write. */
const WRITES: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);
/** Programs that run a command on another machine or in a container: its files are not those of this one. */
export const ELSEWHERE = wordSet(
  "ssh mosh docker podman nerdctl kubectl oc docker-compose vagrant lxc incus",
);

/** What code has in it that may write, among much else. */
const MAY_WRITE =
  /[>|`]|unlink|remove|rename|open|system|exec|rmdir|qx|File|IO|chmod|truncate|link|write/;

/**
 * The commands of a line with what each of them does.
 * @param readInner undefined if lines are nested too deeply
 */
export function withEffects(
  reading: ShellReading,
  line: string,
  home: LineNotes["home"],
  readInner?: ReadInner,
): ShellReading {
  const notes = new LineNotes(line, home);
  const context = { reading, notes, readInner };
  const commands: ShellCommand[] = [];
  const origins = new Origins((word) => notes.valuesIn(word));
  for (const [position, command] of reading.commands.entries()) {
    commands.push(
      origins.follow({ ...command, ...effectsOf(position, command, context, commands) }),
    );
    notes.note(command);
  }
  return { ...reading, commands: withIdle(commands, line) };
}

type Effects = Required<Pick<ShellCommand, "effects" | "described">> &
  Pick<ShellCommand, "args" | "runs" | "interprets">;

function effectsOf(
  position: number,
  written: ShellCommand,
  context: LineContext,
  before: readonly ShellCommand[],
): Effects {
  const { reading, notes } = context;
  const command = withBraces(written, reading, position);
  const described = programs().describe(command);
  const isUndescribed = !described && isShell(command.program.toLowerCase());
  const parted = isUndescribed ? programs().describeShell(command) : described;
  const args = parted && argumentsOf(parted);
  const isElsewhere = command.via.some((program) => ELSEWHERE.has(program));
  const given = namesGiven(reading, position, notes);
  const shown = lazyConstant(() => namesShown(reading, position));
  const found = new EffectList(command, { given, shown, notes, isElsewhere });
  for (const { op, target, dynamic } of command.redirects) {
    const file = { text: target, at: -1, known: !dynamic };
    if (op === "<" || op === "<>")
      found.file("read", file, command.program === "wc" ? { shows: "nothing" } : {});
    if (WRITES.has(op)) found.file("write", file);
  }
  // What it runs comes from outside: it may do anything.
  if (command.opaque) found.add("run", { text: command.argv.join(" "), at: 0, known: false });
  if (command.program === "")
    return { effects: withSentFiles(found, command, before, notes), described: !command.opaque };
  found.add("run", { text: command.program, at: 0, known: true });
  const own = ownWords(reading, position);
  const argv = own > 0 ? command.argv.slice(0, own) : command.argv;
  const isDescribed = describe(position, { ...command, argv }, found, context);
  if (!isDescribed) {
    if (own >= 0) addGuesses({ ...command, argv }, found);
    addCommonOutputs(command, found);
    if (own >= 0 && !isOfCode(command.program)) {
      for (const line of shellOuts([...argv.slice(1), ...(command.stdin?.text.split("\n") ?? [])]))
        found.mayRun(line);
      for (const path of perhapsWritten(argv)) found.file("write", path, { sure: false });
    }
  }
  const name = command.program.toLowerCase();
  // What awk runs is read by its reader.
  const interprets = isOfCode(name) || /^[gmn]?awk[\d.]*$/.test(name);
  if (isOfCode(name))
    addCalls(command, readsInput(command) ? command.stdin?.text : undefined, found);
  found.runs.push(...escapesOf(name, command.argv, command.stdin?.text));
  const effects = withSentFiles(found, command, before, notes);
  return {
    effects,
    described: isDescribed,
    args,
    runs: found.runs,
    interprets: interprets || undefined,
  };
}

function argumentsOf({ path, at, args }: DescribedCommand): ShellArguments {
  const options: Record<string, string | boolean> = {};
  for (const { name: written, row, value, isNegated } of args.options) {
    for (const each of row?.names ?? [written])
      options[each] = isNegated ? false : (value?.text ?? true);
  }
  const operands = args.operands.map((operand) => operand.at);
  return { name: path, at, options, operands, before: args.before };
}

/** Lists what a program does; returns whether the dictionary describes it. */
function describe(
  position: number,
  command: ShellCommand,
  found: EffectList,
  context: LineContext,
): boolean {
  const { listed }: Partial<WindowsCommand> = command;
  const row = programs().describe(command, listed);
  if (!row) return false;
  const described = row.row.style === "windows" ? windowsDescribed(row, command) : row;
  const { args, outer } = described;
  const selection = selectionOf(described);
  const byRole: EffectCall["byRole"] = (parts, details) => {
    for (const part of parts) {
      // It is used, not shown, whichever program has this option.
      if (part.role === "guess" && isVariablesOption(command.argv[part.at - 1])) continue;
      addByRole(part, selection, found, details);
    }
  };
  const { fn, lang, changesTree, expandsGlobs, mayChangeGiven } = described.row;
  if (expandsGlobs) found.expandGlobs();
  const folders = [...outer, args].flatMap(({ parts }) =>
    parts.filter(({ role }) => role === "cd"),
  );
  for (const part of folders) {
    const changes = changesTree && !args.meanings.has("dry");
    if (changes && part === folders.at(-1)) found.file("write", part, { recursive: true });
    found.enter(part);
  }
  const code: EffectCall["code"] = (language, text) =>
    readCode(language, text, {
      found,
      prints: args.options.some(({ name }) => name === "-p" || name === "--print"),
      args,
      stdin: command.stdin?.text,
      assigned: (name) => context.notes.assigned(name),
      run: (line) => {
        found.runs.push(line);
        for (const { effects = [] } of context.readInner?.(line, found.folder).commands ?? [])
          found.list.push(...effects);
      },
    });
  const program: EffectCall["program"] = (argv) => {
    const name = argv[0] ?? "";
    const shift = command.argv.length - argv.length;
    const unknown = command.unknown.map((at) => at - shift).filter((at) => at > 0);
    const inner = { ...command, program: name, argv, unknown };
    if (!describe(position, inner, found, context)) addGuesses(inner, found);
  };
  for (const { parts } of outer) byRole(parts);
  const special = fn === undefined ? undefined : FUNCTIONS[fn];
  const { reading } = context;
  if (special)
    special({ command, described, args, reading, position, found, byRole, code, program });
  else byRole(args.parts);
  const list = args.parts.some(
    ({ role, text }) => role === "list" && /^-$|^\/dev\/stdin$/.test(text),
  );
  if (list || args.meanings.has("listed")) found.listed(command.stdin?.text, { shows: "archive" });
  const codes = args.parts.filter(({ role }) => role === "code");
  if (lang !== undefined) {
    const { parts } = args;
    if (codes.length > 0) code(lang, codes.map(({ text }) => text).join("\n"));
    const isInput =
      codes.length === 0 && !parts.some(({ role, text }) => role === "script" && text !== "-");
    const { stdin } = command;
    if (isInput && stdin) code(lang, stdin.text);
    // A script that the line wrote before.
    for (const part of parts) {
      const path = part.role === "script" || part.role === "reads" ? found.pathOf(part) : undefined;
      const text = path === undefined ? undefined : context.notes.textOf(path);
      if (text !== undefined) code(lang, text);
    }
  }
  if (mayChangeGiven && found.names.length > 0) {
    const given = args.operands.filter(({ text }) => isGiven(text));
    // Without such a word, it reads the names.
    if (given.length === 0 && codes.length > 0) given.push(ANYTHING);
    if (codes.length === 0 || codes.some(({ text }) => MAY_WRITE.test(text)))
      for (const operand of given) found.file("write", operand, { sure: false });
  }
  addCommonOutputs(command, found, described);
  return true;
}

/** The command that a program runs is at most this many places after it in the list. */
const SOON = 8;
/** Programs whose words all belong to the script or the command that they run. */
const TAKES_SCRIPT = wordSet("sh bash zsh dash ksh ash eval su ssh xargs parallel find fish");

/** How many words of a command are its own, and not part of a command that it runs; -1 if all of them are a script. */
function ownWords({ commands }: ShellReading, position: number): number {
  const { program = "", argv = [] } = commands[position] ?? {};
  for (const inner of commands.slice(position + 1, position + 1 + SOON)) {
    // The value that git config sets is a word of its own, and may be a command.
    if (!inner.via.includes(program) || program === "" || program === "git") continue;
    if (TAKES_SCRIPT.has(program)) return -1;
    const begin = argv.length - inner.argv.length;
    if (begin > 0 && inner.argv.every((word, at) => word === argv[begin + at])) return begin;
  }
  return argv.length;
}
