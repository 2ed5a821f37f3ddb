import { randomUUID } from "node:crypto";
import { isAbsolute, join } from "node:path";
import { FOLDER_VARIABLES, quoteWords, type ShellCommand } from "../core/index.ts";
import { createShellReader } from "../matching/index.ts";
import {
  codeVariables,
  interpreted,
  isInterpreter,
  isKnownProgram,
  plainInvocation,
} from "./command-programs.ts";
import type { CommandLine } from "./handlers.ts";
import { pythonCode } from "./python-function.ts";

/** The code that a hook's command runs, as far as its text tells. */
export interface CommandCode {
  /** Scripts that it names relative to the folder of the configuration, inside or outside of it: absolute. */
  readonly files: readonly string[];
  /** Files there that may be run if they exist, absolute: words of unknown programs, places of a Python module. */
  readonly besides: readonly string[];
  /** Words that may run code that is not sealed. */
  readonly unsealed: readonly string[];
  /**
   * Relative paths to scripts: they are resolved in the working directory of the command, not beside the configuration.
   */
  readonly relative: readonly string[];
  /** Relative words that an unknown program may take for its script. */
  readonly maybe: readonly string[];
}

/**
 * The code that a hook's command runs. A script counts as a file of the folder only if it is certainly read from there
 * or from its sealed copy: `$ORCS_DIR` in front, or a program written as `./check.sh`.
 * @param folder of its configuration, or the copy of it
 */
export function commandCode(
  { command, program, pythonFunction }: CommandLine,
  folder: string,
): CommandCode {
  if (pythonFunction !== undefined) {
    const { files, isHere } = pythonCode(pythonFunction, folder);
    return { ...NO_CODE, besides: files, unsealed: isHere ? [] : [pythonFunction] };
  }
  // A placeholder for the folder that no command can contain: an absolute path in a command does not refer to the copy.
  const mark = `/${randomUUID()}${/\s/.test(folder) ? " " : ""}`;
  const line =
    program === undefined
      ? command
      : command.replace(quoteWords([program]), () => quoteWords([mark + PROGRAM]));
  // Exported, as when the command runs: shells that it starts have them as well.
  const known = FOLDER_VARIABLES.map((name) => `export ${name}=${quoteWords([mark])};`).join(" ");
  const { commands, unread } = createShellReader().read(`${known} ${line}`);
  const code = new CodeOfCommand(mark, folder, program);
  if (unread) code.unsealed.add(command);
  for (const word of codeVariables(command)) code.unsealed.add(word);
  for (const each of commands.slice(FOLDER_VARIABLES.length)) code.look(each, command);
  return code.result;
}

const NO_CODE: CommandCode = { files: [], besides: [], unsealed: [], relative: [], maybe: [] };

/** The program of a command, below the placeholder. */
const PROGRAM = "/program";

/** Collects the code that the commands of a line run. */
class CodeOfCommand {
  readonly unsealed = new Set<string>();
  readonly #files = new Set<string>();
  readonly #besides = new Set<string>();
  readonly #relative = new Set<string>();
  readonly #maybe = new Set<string>();
  readonly #mark: string;
  readonly #folder: string;
  readonly #program: string | undefined;

  constructor(mark: string, folder: string, program: string | undefined) {
    this.#mark = mark;
    this.#folder = folder;
    this.#program = program;
  }

  get result(): CommandCode {
    return {
      files: [...this.#files],
      besides: [...this.#besides].filter((file) => !this.#files.has(file)),
      unsealed: [...this.unsealed].map((text) => this.#shown(text)),
      relative: [...this.#relative],
      maybe: [...this.#maybe],
    };
  }

  look(each: ShellCommand, line: string): void {
    const { argv, unknown, program, redirects, from, opaque } = each;
    const [name] = argv;
    if (opaque) return this.#follows(each, argv.length === 0 ? line : argv.join(" "));
    // Only redirections.
    if (name === undefined) return;
    if (unknown.includes(0)) return this.#follows(each, name);
    if (name.includes("/") && !isSystem(name, program)) {
      // The arguments of a program of the configuration do not matter.
      const isOwn = this.#inFolder(name) !== undefined && !isInterpreter(program);
      this.#runs(name, true, each);
      if (!isOwn) this.#words(each);
      return;
    }
    const isKnown = isInterpreter(program);
    const runs = (isKnown ? interpreted : plainInvocation)(program, argv, unknown);
    if (!runs) return this.#follows(each, (isKnown ? argv : argv.slice(0, 2)).join(" "));
    for (const at of runs.scripts) {
      const word = argv[at];
      if (word === undefined) this.unsealed.add(argv.join(" "));
      else this.#runs(word, !unknown.includes(at), each);
    }
    for (const word of runs.within) this.#runs(word, true, each);
    if (!isKnown || runs.isInline || runs.scripts.length > 0) return;
    // Without a script, an interpreter runs its input.
    const inputs = redirects.filter(({ op }) => op === "<" || op === "<>");
    for (const { target, dynamic } of inputs) this.#runs(target, !dynamic, each);
    if (inputs.length === 0 || from.length > 0) this.unsealed.add(argv.join(" "));
  }

  /** Add a word that names a script. */
  #runs(word: string, isKnown: boolean, { cwd }: ShellCommand): void {
    const file = this.#inFolder(word);
    if (isKnown && file !== undefined && !GLOB.test(word.slice(this.#mark.length))) {
      this.#files.add(file);
      return;
    }
    this.unsealed.add(word);
    if (!isKnown || isAbsolute(word)) return;
    // The line changed the directory on purpose, and may not have succeeded.
    if (!isAbsolute(cwd ?? "")) this.#relative.add(word);
    else this.#mayBe(`${cwd}/${word}`);
  }

  /** Add a command whose code cannot be determined from its words. */
  #follows(each: ShellCommand, text: string): void {
    this.unsealed.add(text);
    this.#words(each);
  }

  /** Words of an unknown command: each may be its script. */
  #words({ argv, unknown, cwd }: ShellCommand): void {
    argv.forEach((word, i) => {
      if (unknown.includes(i)) return;
      for (const part of partsOf(word)) {
        if (isAbsolute(part)) this.#mayBe(part);
        else if (isAbsolute(cwd ?? "")) this.#mayBe(`${cwd}/${part}`);
        else if (i > 0) this.#maybe.add(part);
      }
    });
  }

  /** Add a path that may be run. */
  #mayBe(path: string): void {
    const file = this.#inFolder(path);
    if (file !== undefined) this.#besides.add(file);
  }

  /** The file that a word names relative to the placeholder, inside or outside of the folder. */
  #inFolder(word: string): string | undefined {
    if (word === this.#mark + PROGRAM && this.#program !== undefined) return this.#program;
    if (word !== this.#mark && !word.startsWith(`${this.#mark}/`)) return undefined;
    return join(this.#folder, word.slice(this.#mark.length));
  }

  #shown(text: string): string {
    const written =
      this.#program === undefined ? text : text.replaceAll(this.#mark + PROGRAM, this.#program);
    return written.replaceAll(this.#mark, "$ORCS_DIR");
  }
}

const GLOB = /[*?[\]]/;

/** A word, and the part of it that may be an option's value: `--file=x`, `-fx`. */
function partsOf(word: string): string[] {
  if (!word.startsWith("-")) return [word];
  const value = /^[^=]*=(.+)/.exec(word)?.[1];
  const rest = /^-[A-Za-z](.+)/.exec(word)?.[1];
  return [value, rest].filter((part) => part !== undefined);
}

/** Whether a path names a known program of the system. */
function isSystem(path: string, program: string): boolean {
  if (!/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path)) return false;
  return isKnownProgram(program);
}
