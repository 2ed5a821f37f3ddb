import { wordSet } from "../../core/index.ts";
import type { CallEffects, Effect, ReadingCall, ShellCommand } from "../../core/index.ts";
import { isRecord } from "../../matching/index.ts";
import type { Payload } from "../../matching/index.ts";
import { nameIn } from "./call-reading.ts";
import type { ReaderDeps } from "./call-reading.ts";

/** Arguments beside a line that say nothing about what is run. */
const BESIDE = wordSet(
  "command description timeout timeout_ms run_in_background is_background explanation",
);
/** A path without globs, without characters that file systems leave out, and not of a variable. */
const PLAIN_PATH = /^\/[\w./@+,=:% -]*$/;

/**
 * What a call says that only reads; undefined for a call that may do anything else, and for one that is not simple
 * enough to tell. A guard that has nothing to say about what is said need not look at it.
 * @param call for what files are looked at once
 */
export function readingCall(
  payload: Payload,
  { effects, lines = [], unread }: CallEffects,
  { shell, home, realPath }: ReaderDeps,
  call: object | undefined,
): ReadingCall | undefined {
  const [one] = lines;
  if (one === undefined || lines.length > 1 || unread !== undefined || !isBareLine(payload))
    return undefined;
  const { line, cwd, dialect } = one;
  if (dialect !== undefined || one.script || one.code) return undefined;
  const from = home();
  if (!effects.every((effect) => isRead(effect, from))) return undefined;
  const { commands } = shell.read(line, cwd, { files: true, call });
  if (!commands.every(isSimple)) return undefined;
  const reads = effects.filter(({ kind }) => kind === "read");
  try {
    // As it is written: behind a link, `..` leads elsewhere.
    const isOther = ({ target = "", word = target, cwd: folder = "/" }: Effect): boolean =>
      realPath(word, folder) !== target;
    if (reads.some(isOther)) return undefined;
  } catch {
    return undefined;
  }
  const programs = new Set(
    effects.flatMap(({ kind, target = "" }) => (kind === "run" ? [target] : [])),
  );
  const given = new Set<string>();
  const said = [nameIn(payload), line, cwd, ...reads.map(({ target }) => target)];
  for (const { program, args, argv, redirects, stdin, file } of commands) {
    programs.add(program.toLowerCase());
    const names = args?.name.split("/") ?? [];
    names.forEach((_, at) => programs.add(names.slice(0, at + 1).join("/")));
    if ((args?.operands[0] ?? argv.length) < argv.length - 1) given.add(program.toLowerCase());
    said.push(...argv, ...redirects.map(({ target }) => target), stdin?.text, file);
  }
  return { programs: [...programs], given: [...given], said: said.join("\n").toLowerCase() };
}

/** Whether the arguments of a call are a command line alone. */
function isBareLine(payload: Payload): boolean {
  const { args } = payload;
  return (
    isRecord(args) &&
    typeof args["command"] === "string" &&
    Object.keys(args).every((name) => BESIDE.has(name) && !isRecord(args[name]))
  );
}

/** Whether an effect reads a file or a folder that is named, or runs a program that is there. */
function isRead(
  { kind, target, from, found, elsewhere, recursive, shows, except }: Effect,
  home: string | undefined,
): boolean {
  if (target === undefined || from !== undefined || found !== undefined || elsewhere) return false;
  if (kind === "run") return true;
  if (kind !== "read" || !PLAIN_PATH.test(target) || except) return false;
  // Of a whole folder, it shows what is searched for at most, and the folder is not one that homes are in.
  const isAboveHome = `${home ?? ""}/`.startsWith(target === "/" ? "/" : `${target}/`);
  return !recursive || ((shows === "part" || shows === "nothing") && !isAboveHome);
}

/** Whether a command is a program of the dictionary by its name, with words that are known, and starts no other. */
function isSimple(command: ShellCommand): boolean {
  const { argv, program, described, opaque, dialect, via, unknown, runs = [], unread } = command;
  return (
    described === true &&
    argv[0] === program &&
    !opaque &&
    dialect === undefined &&
    via.length + unknown.length + runs.length === 0 &&
    unread === undefined
  );
}
