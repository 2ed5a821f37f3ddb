import { isAbsolute, join } from "node:path";
import { FOLDER_VARIABLES } from "../core/handler.ts";
import type { ShellCommand } from "../core/shell.ts";
import { createShellReader } from "../matchers/shell/reader.ts";
import { inside } from "./inside.ts";

/** The code that a command of a hook runs, as far as its text says. */
export interface CommandCode {
  /** Files that it names from the folder of the configuration, below it or by dots out of it: absolute. */
  readonly files: readonly string[];
  /** Words that run what cannot be followed: it may be another program at each run. */
  readonly unsealed: readonly string[];
  /** Relative paths to scripts: they are looked for where the command runs, not beside the configuration. */
  readonly relative: readonly string[];
}

/**
 * What a command of a hook runs.
 * @param command as it is handed to `sh -c`
 * @param folder of its configuration, or the copy of it
 * @param project folders whose files may change: a program there is not one of the system
 */
export function commandCode(
  command: string,
  folder: string,
  project: readonly string[] = [folder],
): CommandCode {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  // Exported, as they are when it runs: the shells that it starts have them, too.
  const known = FOLDER_VARIABLES.map((name) => `export ${name}=${quoted};`).join(" ");
  const found = {
    files: new Set<string>(),
    unsealed: new Set<string>(),
    relative: new Set<string>(),
  };
  const isOwn = (path: string): boolean => project.some((each) => inside(each, path));
  const runs = (word: string, isKnown: boolean): void => {
    if (!isKnown) found.unsealed.add(word);
    else if (!isAbsolute(word)) {
      found.relative.add(word);
      found.unsealed.add(word);
    } else {
      const path = join(word);
      // By dots it leads out of the folder, wherever that is: whoever reads it as a set says so.
      if (inside(folder, path) || inside(folder, word.split("/..")[0] ?? "")) found.files.add(path);
      else if (isOwn(path)) found.unsealed.add(word);
    }
  };
  const { commands, unread } = createShellReader().read(`${known} ${command}`);
  if (unread) found.unsealed.add(command);
  for (const each of commands) look(each, command, runs, found.unsealed);
  return {
    files: [...found.files],
    unsealed: [...found.unsealed],
    relative: [...found.relative],
  };
}

function look(
  { argv, unknown, program, redirects, from, opaque }: ShellCommand,
  line: string,
  runs: (word: string, isKnown: boolean) => void,
  unsealed: Set<string>,
): void {
  const [name] = argv;
  if (opaque || name === undefined) {
    unsealed.add(argv.length === 0 ? line : argv.join(" "));
    return;
  }
  if (unknown.includes(0)) return runs(name, false);
  if (name.includes("/") && !isSystem(name, program)) return runs(name, true);
  const interpreter = INTERPRETERS.find(({ names }) => names.test(program));
  if (interpreter) {
    const at = scriptAt(argv, interpreter);
    if (at === "inline") return;
    const word = at === undefined ? undefined : argv[at];
    if (word !== undefined && at !== undefined) return runs(word, !unknown.includes(at));
    // Without a script it runs what it reads.
    const input = redirects.find(({ op }) => op === "<");
    if (input) runs(input.target, !input.dynamic);
    else if (at === undefined || from.length > 0) unsealed.add(argv.join(" "));
    return;
  }
  if (!PLAIN.has(program)) unsealed.add(argv.slice(0, 2).join(" "));
  else if (READS_SCRIPT.has(program) && argv.includes("-f")) unsealed.add(argv.join(" "));
}

/** Whether a path names a program of the system that is known by its name. */
function isSystem(path: string, program: string): boolean {
  if (!/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(path)) return false;
  return PLAIN.has(program) || INTERPRETERS.some(({ names }) => names.test(program));
}

/** A program that runs a script which it is given as a file. */
interface Interpreter {
  readonly names: RegExp;
  /** Options that take the next word. */
  readonly takes: ReadonlySet<string>;
  /** Options after which it runs no file, but code that names what it likes. */
  readonly code: ReadonlySet<string>;
  /** The same where the code is read as part of the command. */
  readonly inline?: RegExp;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const INTERPRETERS: readonly Interpreter[] = [
  {
    names: /^(?:ba|da|k|z|a)?sh$/,
    takes: set("-o +o -O +O"),
    code: set("-s"),
    inline: /^-[a-z]*c$/,
  },
  { names: /^(?:\.|source)$/, takes: set(""), code: set("") },
  { names: /^python(?:\d+(?:\.\d+)?)?$/, takes: set("-W -X"), code: set("-c -m") },
  {
    names: /^node(?:js)?$/,
    takes: set("-C --conditions --env-file --title"),
    code: set(
      "-e --eval -p --print -r --require --import --loader --experimental-loader --test -i",
    ),
  },
  { names: /^perl$/, takes: set("-I"), code: set("-e -E -M -m") },
  { names: /^ruby$/, takes: set("-I -E"), code: set("-e -r") },
  { names: /^php$/, takes: set("-d -c"), code: set("-r -B -R -F") },
  { names: /^lua(?:\d(?:\.\d)?|jit)?$/, takes: set(""), code: set("-e -l -i") },
];

/** Position of the script among the words; "inline" where its code is read as a command; undefined for neither. */
function scriptAt(argv: readonly string[], of: Interpreter): number | "inline" | undefined {
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (of.inline?.test(word)) return "inline";
    if (!/^[-+]./.test(word)) return i;
    const [name = ""] = word.split("=");
    if (
      of.code.has(name) ||
      [...of.code].some((code) => code.length === 2 && word.startsWith(code))
    ) {
      return undefined;
    }
    if (of.takes.has(word)) i++;
  }
  return undefined;
}

/** Programs that run nothing that a project could put in their way; those that start others are read through. */
const PLAIN = set(
  ": [ [[ alias awk base64 basename break cat cd chmod command comm continue cp curl cut date dd diff dirname echo " +
    "egrep env eval exec exit expand export expr false fgrep file find fold getopts grep hash head hostname id jq join " +
    "kill let ln local logger ls md5sum mkdir mktemp mv nice nl nohup notify-send od paste pgrep popd printenv printf " +
    "pushd pwd read readlink readonly realpath return rev rg rm rmdir sed seq set setsid sha1sum sha256sum shift shopt " +
    "sleep sort split stat stdbuf tac tail tee test time timeout times touch tr trap true tty type ulimit umask unalias " +
    "uname uniq unset wait wc wget whoami xargs yes",
);
/** Of these, the ones that can be told to read what they do from a file. */
const READS_SCRIPT = set("awk sed find xargs");
