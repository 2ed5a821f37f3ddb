import type {
  Effect,
  FileReader,
  ShellCommand,
  ShellReading,
  UnreadFile,
} from "../../core/index.ts";
import { quoteWords, wordSet } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import { ELSEWHERE, withEffects } from "../effects/command-effects.ts";
import type { ReaderDeps } from "../effects/call-reading.ts";
import { Origins } from "../effects/origins.ts";
import { codePieces } from "./code-pieces.ts";
import { gitAlias } from "./git-files.ts";
import { makePieces } from "./makefile.ts";
import type { Makefiles } from "./makefile.ts";
import type { FileRun, Format, Piece } from "./piece.ts";
import { UNKNOWN_FOLDER, isInterpreter, isShell, shebang } from "./piece.ts";
import {
  cronPieces,
  dockerPieces,
  hookPieces,
  justPieces,
  packagePieces,
  taskPieces,
  toxPieces,
} from "./recipes.ts";
import { gitWords, runsOf } from "./runs-of.ts";
import { shellPieces } from "./shell-text.ts";
import { SourcedFunctions } from "./sourced-functions.ts";
import { WrittenFiles } from "./written.ts";
import type { WrittenContent } from "./written.ts";

/** How deep files run others, how many a line runs, and how much text they have together. */
const MOST_DEPTH = 4;
const MOST_FILES = 50;
const MOST_TEXT = 512 * 1024;
/** Files that are looked at again before a reading is given again. */
const MOST_READS = 1_000;
/** Readings of scripts that are kept, by the length of their texts. */
const KEPT_TEXT = 1024 * 1024;
/** Programs that do nothing to the world: they are not listed if they stand in a file and write to none. */
const INERT = wordSet(`
  : true false echo printf test [ [[ cd pushd popd export local declare typeset readonly set unset shift read return
  exit break continue let getopts shopt umask wait ulimit alias unalias hash type command sleep date dirname basename
  pwd seq expr uname which id whoami hostname tput clear realpath
`);

/** What the reader of scripts needs. */
type ScriptDeps = Pick<ReaderDeps, "shell" | "files" | "root" | "home">;

/** What a line runs, with what was read for it. */
interface FilesOfLine {
  /** For what the files were looked at last. */
  call: object | undefined;
  readonly reads: ReadonlyMap<string, ReturnType<FileReader["read"]>>;
  readonly commands: readonly ShellCommand[];
}

/** Lists what the files do that a command line runs. */
export class ScriptReader {
  readonly #deps: ScriptDeps;
  readonly #kept = new Map<string, readonly ShellCommand[]>();
  #keptText = 0;
  readonly #walks = new WeakMap<ShellReading, FilesOfLine>();

  constructor(deps: ScriptDeps) {
    this.#deps = deps;
  }

  /**
   * The commands of a line, each followed by those of the files that it runs.
   * @param mentions in lower case; with it, only those commands of files are listed that mention one of these texts, or
   *   whose effects do
   * @param call for which files are looked at once
   */
  expand(reading: ShellReading, mentions?: readonly string[], call?: object): ShellReading {
    const commands = this.#commandsOf(reading, call);
    if (!mentions) return { ...reading, commands };
    const listed = commands.filter(({ file, argv, redirects, effects = [] }) => {
      if (file === undefined) return true;
      const told = [...redirects, ...effects].map(({ target }) => target);
      const text = [...argv, ...told].join(" ").toLowerCase();
      return mentions.some((each) => text.includes(each));
    });
    return { ...reading, commands: listed };
  }

  /** The same again, as long as the files that were read for it have not changed: several hooks ask about a line. */
  #commandsOf(reading: ShellReading, call: object | undefined): readonly ShellCommand[] {
    const { files } = this.#deps;
    const known = this.#walks.get(reading);
    const isSame = call !== undefined && known?.call === call;
    if (known && (isSame || [...known.reads].every((each) => files.read(each[0]) === each[1]))) {
      known.call = call;
      return known.commands;
    }
    const reads = new Map<string, ReturnType<FileReader["read"]>>();
    const read: FileReader["read"] = (path) => {
      if (path.includes("\0")) return undefined;
      const content = files.read(path);
      reads.set(path, content);
      return content;
    };
    const commands = new Walk({ ...this.#deps, files: { read } }, this).line(reading.commands);
    if (reads.size <= MOST_READS) this.#walks.set(reading, { reads, commands, call });
    return commands;
  }

  /**
   * The commands of a script with their lines, from 1.
   * @param isSourced whether its functions may be called from outside
   */
  commandsOf(text: string, cwd: string | undefined, isSourced: boolean): readonly ShellCommand[] {
    const key = `${isSourced}${cwd ?? "\0"}\0${text}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const wanted = { lines: true, stdin: true };
    const reading = this.#deps.shell.read(text, cwd ?? UNKNOWN_FOLDER, wanted);
    // A function that nothing in its file calls does not run.
    const called = reading.commands.filter(({ via }) => isSourced || !via.includes("uncalled"));
    const { commands } = withEffects({ ...reading, commands: called }, text, this.#deps.home);
    const placed =
      cwd === undefined
        ? commands.map((command) =>
            command.cwd?.startsWith(UNKNOWN_FOLDER) ? { ...command, cwd: undefined } : command,
          )
        : commands;
    this.#keptText += key.length;
    if (this.#keptText > KEPT_TEXT) {
      this.#kept.clear();
      this.#keptText = key.length;
    }
    this.#kept.set(key, placed);
    return placed;
  }
}

/** How the files are read that are run. */
const PIECES: Readonly<
  Record<
    Format,
    (text: string, run: FileRun, files: FileReader, makefiles: Makefiles) => readonly Piece[]
  >
> = {
  shell: shellPieces,
  code: codePieces,
  makefile: makePieces,
  justfile: justPieces,
  taskfile: taskPieces,
  package: packagePieces,
  dockerfile: dockerPieces,
  tox: toxPieces,
  "pre-commit": hookPieces,
  crontab: cronPieces,
  any: () => [],
};

/** Programs that the system has installed: some are scripts, as `psql` is on Debian, but not the agent's. */
const OF_THE_SYSTEM = /^\/(?:usr\/)?s?bin\/[^/]+$/;

/** Goes through the files that one line runs. */
class Walk {
  readonly #deps: ScriptDeps;
  readonly #reader: ScriptReader;
  readonly #written: WrittenFiles;
  readonly #origins = new Origins();
  readonly #functions = new SourcedFunctions();
  /** All commands until now, and those of them that are listed. */
  readonly #before: ShellCommand[] = [];
  readonly #listed: ShellCommand[] = [];
  readonly #seen = new Set<string>();
  /** Lines of recipes: what several goals of a Makefile need is made once. */
  readonly #made = new Set<string>();
  readonly #makefiles: Makefiles = new Map();
  #text = 0;

  constructor(deps: ScriptDeps, reader: ScriptReader) {
    this.#deps = deps;
    this.#reader = reader;
    this.#written = new WrittenFiles(deps.shell, deps.files, deps.root);
  }

  line(commands: readonly ShellCommand[]): readonly ShellCommand[] {
    this.#commands(commands, 0);
    return this.#listed;
  }

  #commands(commands: readonly ShellCommand[], depth: number): void {
    // What it reads may be jobs, which are commands.
    const hasJobs = commands.some(({ program }) => program === "crontab");
    for (const read of commands) {
      const command = this.#origins.follow(read);
      const isKept = hasJobs && /^(?:echo|printf)$/.test(command.program);
      if (depth === 0 || isKept || !isInert(command)) this.#listed.push(command);
      if (!command.via.some((program) => ELSEWHERE.has(program))) this.#runs(command, depth);
      this.#before.push(command);
    }
  }

  #runs(command: ShellCommand, depth: number): void {
    const cwd =
      command.cwd === undefined ? UNKNOWN_FOLDER : resolvePath(this.#deps.root, command.cwd);
    const before = this.#before;
    const files = {
      read: (path: string) => this.#written.content(path, before),
    };
    for (const run of runsOf({ command, before, cwd, files })) this.#file(run, command, depth + 1);
    if (command.program === "git" && command.cwd !== undefined)
      this.#alias(command, cwd, depth + 1);
    const called = depth < MOST_DEPTH ? this.#functions.called(command) : undefined;
    if (!called) return;
    const { path, text } = called;
    const run: FileRun = { path, format: "shell", program: command.program, cwd: command.cwd };
    this.#pieces([{ line: 1, text }], run, command, depth + 1);
  }

  #alias(command: ShellCommand, cwd: string, depth: number): void {
    const { subcommand, folder, rest } = gitWords(command, cwd);
    if (subcommand === undefined || depth > MOST_DEPTH) return;
    const found = gitAlias(subcommand, rest, folder, this.#deps.home(), this.#deps.files);
    if (!found || this.#isSeen(`${found.file} ${subcommand}`)) return;
    const run: FileRun = { path: found.file, format: "shell", program: "git", cwd: folder };
    this.#pieces([found.piece], run, command, depth);
  }

  #file(run: FileRun, command: ShellCommand, depth: number): void {
    const { path, format, goals = [], args = [] } = run;
    if (this.#isSeen([path, format, run.cwd, ...goals, "\0", ...args].join(" "))) return;
    const content: WrittenContent | UnreadFile | undefined =
      run.text === undefined
        ? this.#written.content(path, this.#before)
        : { text: run.text, identity: "", writtenFrom: 1 };
    if (content === undefined) return;
    if (typeof content === "string") return this.#unread(run, command, content);
    if (content.text.includes("\0")) return;
    if (format === "any" && OF_THE_SYSTEM.test(path) && content.writtenFrom === undefined) return;
    if (depth > MOST_DEPTH) return this.#unread(run, command, "depth");
    if (this.#seen.size > MOST_FILES) return this.#unread(run, command, "count");
    this.#text += content.text.length;
    if (this.#text > MOST_TEXT) return this.#unread(run, command, "size");
    if (run.program === "source") this.#functions.add(path, content.text);
    this.#pieces(this.#piecesOf(content, run), run, command, depth, content.writtenFrom);
  }

  #isSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #piecesOf({ text, writtenFrom }: WrittenContent, run: FileRun): readonly Piece[] {
    const { format, program } = known(run, text);
    const as = { ...run, program, isAny: run.isAny === true && writtenFrom !== undefined };
    return PIECES[format](text, as, this.#deps.files, this.#makefiles);
  }

  /** @param writtenFrom first line that the command line itself writes */
  #pieces(
    pieces: readonly Piece[],
    run: FileRun,
    by: ShellCommand,
    depth: number,
    writtenFrom = Number.POSITIVE_INFINITY,
  ): void {
    const via = [...by.via, by.program === "" ? run.program : by.program];
    const isElsewhere = run.format === "dockerfile";
    const starters = [...new Set(via)].join(" ");
    for (const { file = run.path, line, text, argv } of pieces) {
      const made = [starters, run.cwd, file, line, text].join("\0");
      if (this.#made.has(made)) continue;
      if (run.format === "makefile") this.#made.add(made);
      const isSourced = run.program === "source" && line >= writtenFrom;
      const read = this.#reader.commandsOf(text ?? quoteWords(argv ?? []), run.cwd, isSourced);
      const placed: ShellCommand[] = [];
      for (const command of read) {
        const at = { file, line: line - 1 + (command.line ?? 1) };
        const effects: Effect[] = [];
        for (const effect of isElsewhere ? [] : (command.effects ?? []))
          if (!run.isInLine || !isAmong(effect, by.effects)) effects.push({ ...effect, ...at });
        const isWritten = at.line >= writtenFrom && file === run.path;
        const from = { via: [...via, ...command.via], effects };
        placed.push({ ...command, ...at, ...from, ...(isWritten && { written: true }) });
      }
      this.#commands(placed, depth);
    }
  }

  #unread({ path, program }: FileRun, { via, cwd }: ShellCommand, unread: UnreadFile): void {
    const command: ShellCommand = {
      argv: [path],
      unknown: [],
      program: "",
      redirects: [],
      via: [...via, program],
      from: [],
      cwd,
      dynamic: true,
      opaque: true,
      file: path,
      unread,
    };
    this.#listed.push(command);
  }
}

/** Interpreters of files without a first line that names one. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  py: "python",
  js: "node",
  mjs: "node",
  rb: "ruby",
  pl: "perl",
};

/** How a file is read whose first line says it. */
function known(
  { path, format, program }: FileRun,
  text: string,
): { format: Format; program: string } {
  if (format !== "any") return { format, program };
  const interpreter =
    shebang(text)?.replace(/^zx$/, "node").replace(/^uv$/, "python") ??
    EXTENSIONS[/\.(\w+)$/.exec(path)?.[1] ?? ""];
  if (interpreter === undefined || isShell(interpreter)) return { format: "shell", program };
  return isInterpreter(interpreter)
    ? { format: "code", program: interpreter }
    : { format, program };
}

/** Whether something is done already to the same. */
function isAmong({ kind, target }: Effect, effects: readonly Effect[] = []): boolean {
  return effects.some((each) => each.kind === kind && each.target === target);
}

function isInert({ program, redirects, opaque, via }: ShellCommand): boolean {
  const isFunction = via.at(-1) === "recursion";
  return INERT.has(program) && !isFunction && redirects.length === 0 && !opaque;
}
