import { randomUUID } from "node:crypto";
import { isAbsolute, join } from "node:path";
import { FOLDER_VARIABLES } from "../core/hosts.ts";
import type { ShellCommand } from "../core/shell.ts";
import { quoteWords } from "../core/shell-words.ts";
import { createShellReader } from "../shell/shell.ts";
import {
  codeVariables,
  interpreted,
  isInterpreter,
  isKnownProgram,
  plainInvocation,
} from "./command-programs.ts";
import type { ShellHandler } from "./hook-entry.ts";

/** The code that a command of a hook runs, as far as its text says. */
export interface CommandCode {
  /** Scripts that it names from the folder of the configuration, below it or by dots out of it: absolute. */
  readonly files: readonly string[];
  /** Words of programs that are not known which name something there, absolute: it may be what they run. */
  readonly besides: readonly string[];
  /** Words that may run something else than what is sealed. */
  readonly unsealed: readonly string[];
  /** Relative paths to scripts: they are looked for where the command runs, not beside the configuration. */
  readonly relative: readonly string[];
  /** Relative words that a program which is not known may take for its script. */
  readonly maybe: readonly string[];
}

/**
 * What a command of a hook runs. A script counts as a file of the folder only where it is certain that it is read from
 * there, or from the copy that stands for it: `$ORCS_DIR` says so, and a program in front that is written `./check.sh`.
 * @param folder of its configuration, or the copy of it
 */
export function commandCode(
  { command, program }: Pick<ShellHandler, "command" | "program">,
  folder: string,
): CommandCode {
  // A name for the folder that no command can spell: what is written as a path in full is not the copy.
  const mark = `/${randomUUID()}${/\s/.test(folder) ? " " : ""}`;
  const line =
    program === undefined
      ? command
      : command.replace(quoteWords([program]), () => quoteWords([mark + PROGRAM]));
  // Exported, as they are when it runs: the shells that it starts have them, too.
  const known = FOLDER_VARIABLES.map((name) => `export ${name}=${quoteWords([mark])};`).join(" ");
  const { commands, unread } = createShellReader().read(`${known} ${line}`);
  const code = new CodeOfCommand(mark, folder, program);
  if (unread) code.unsealed.add(command);
  for (const word of codeVariables(command)) code.unsealed.add(word);
  for (const each of commands.slice(FOLDER_VARIABLES.length)) code.look(each, command);
  return code.result;
}

/** What stands behind the name of the folder for a program that stands in front. */
const PROGRAM = "/program";

/** Collects what the commands of a line run. */
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
    // Redirections alone.
    if (name === undefined) return;
    if (unknown.includes(0)) return this.#follows(each, name);
    if (name.includes("/") && !isSystem(name, program)) {
      // What a program of the configuration gets is its own affair.
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
    // Without a script it runs what it reads.
    const inputs = redirects.filter(({ op }) => op === "<" || op === "<>");
    for (const { target, dynamic } of inputs) this.#runs(target, !dynamic, each);
    if (inputs.length === 0 || from.length > 0) this.unsealed.add(argv.join(" "));
  }

  /** A word that names a script. */
  #runs(word: string, isKnown: boolean, { cwd }: ShellCommand): void {
    const file = this.#inFolder(word);
    if (isKnown && file !== undefined && !GLOB.test(word.slice(this.#mark.length))) {
      this.#files.add(file);
      return;
    }
    this.unsealed.add(word);
    if (!isKnown || isAbsolute(word)) return;
    // A line that has gone to a folder of its own has its reasons, and may not have come there.
    if (!isAbsolute(cwd ?? "")) this.#relative.add(word);
    else this.#mayBe(`${cwd}/${word}`);
  }

  /** What runs something that cannot be told from its words. */
  #follows(each: ShellCommand, text: string): void {
    this.unsealed.add(text);
    this.#words(each);
  }

  /** Words of what is not known: any may be its script. */
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

  /** A path that something may run. */
  #mayBe(path: string): void {
    const file = this.#inFolder(path);
    if (file !== undefined) this.#besides.add(file);
  }

  /** The file that a word names behind the name of the folder, by dots perhaps out of it. */
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

/** A word, and what may be the value of an option in it: `--file=x`, `-fx`. */
function partsOf(word: string): string[] {
  if (!word.startsWith("-")) return [word];
  const value = /^[^=]*=(.+)/.exec(word)?.[1];
  const rest = /^-[A-Za-z](.+)/.exec(word)?.[1];
  return [value, rest].filter((part) => part !== undefined);
}

/** Whether a path names a program of the system that is known by its name. */
function isSystem(path: string, program: string): boolean {
  if (!/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path)) return false;
  return isKnownProgram(program);
}
