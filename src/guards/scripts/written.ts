import type {
  Effect,
  FileContent,
  FileReader,
  ShellCommand,
  ShellReader,
  UnreadFile,
} from "../../core/index.ts";
import { quoteWords, wordSet } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import { UNKNOWN_FOLDER } from "./piece.ts";
import { newlines } from "./shell-text.ts";

/** Programs that write what they print, so that their text is that of the file. */
const PRINTS = wordSet("echo printf");
const COPIES = wordSet("cp mv ln install gcp gmv");
/** They change no content. */
const KEEPS = wordSet("touch chmod mkdir chown");
/** A copy of a copy of a copy. */
const MOST_COPIES = 4;

/** What a file has in it behind some commands. */
export interface WrittenContent extends FileContent {
  /** The first line of it that the commands themselves write, from 1; undefined for none. */
  readonly writtenFrom?: number;
}

type Content = WrittenContent | UnreadFile | undefined;

/** The content of files, as commands leave them. */
export class WrittenFiles {
  readonly #shell: ShellReader;
  readonly #files: FileReader;
  readonly #root: string;
  /** Positions of the commands that write to a file. */
  readonly #writers = new Map<string, number[]>();
  #indexed = 0;

  constructor(shell: ShellReader, files: FileReader, root: string) {
    this.#shell = shell;
    this.#files = files;
    this.#root = root;
  }

  /** The content of a file behind some commands: what they write to it, never what was in it before. */
  content(path: string, before: readonly ShellCommand[], copies = 0): Content {
    this.#index(before);
    for (const at of this.#writers.get(path)?.toReversed() ?? []) {
      const command = before[at];
      // One that stands behind those that are asked about.
      if (!command) continue;
      const earlier = (file: string): Content =>
        copies >= MOST_COPIES
          ? "made"
          : this.content(this.#path(command, file), before.slice(0, at), copies + 1);
      const copied = COPIES.has(command.program) && copiedBy(command, earlier);
      // What it copies is not there, so that it fails.
      if (copied === undefined) continue;
      if (typeof copied === "object") return copied;
      const isPrinted = this.#isPrinted(command, path);
      const isText = copied === false && isPrinted;
      const text = isText ? this.#textOf(command, before.slice(at + 1), earlier) : undefined;
      if (text === null) continue;
      // Files that a file writes are not asked about.
      if (text === undefined) return command.file === undefined && isPrinted ? "written" : "made";
      const old = this.#appends(command, path)
        ? this.content(path, before.slice(0, at), copies)
        : undefined;
      if (typeof old === "string") return old;
      const writtenFrom = old?.writtenFrom ?? newlines(old?.text ?? "") + 1;
      return { text: `${old?.text ?? ""}${text}`, identity: "", writtenFrom };
    }
    return this.#files.read(path);
  }

  /** Note which commands write to which files: the commands of a line are added to, and never change. */
  #index(before: readonly ShellCommand[]): void {
    for (; this.#indexed < before.length; this.#indexed++) {
      const { program = "", effects = [] } = before[this.#indexed] ?? {};
      for (const effect of KEEPS.has(program) ? [] : effects) {
        const path = effect.kind === "write" && effect.sure ? this.#target(effect) : undefined;
        if (path === undefined) continue;
        const writers = this.#writers.get(path);
        if (!writers) this.#writers.set(path, [this.#indexed]);
        else if (writers.at(-1) !== this.#indexed) writers.push(this.#indexed);
      }
    }
  }

  #textOf(
    command: ShellCommand,
    behind: readonly ShellCommand[],
    earlier: (file: string) => Content,
  ): string | null | undefined {
    const { program, argv, unknown, stdin } = command;
    if (program === "tee") return stdin?.text ?? inputOf(command, earlier);
    if (program === "") return this.#textOfGroup(behind);
    // The jobs that there are: what is added to them is read.
    if (program === "crontab" && argv[1] === "-l") return "";
    if (program !== "cat") return this.#printed(command);
    if (unknown.length > 0) return undefined;
    const files = argv.slice(1).filter((word) => !word.startsWith("-"));
    if (files.length === 0) return stdin?.text ?? inputOf(command, earlier);
    const texts = files.map(earlier);
    return texts.every((each) => typeof each === "object")
      ? texts.map((each) => each.text).join("")
      : undefined;
  }

  /** `{ echo a; echo b; } > FILE` */
  #textOfGroup(commands: readonly ShellCommand[]): string | undefined {
    let text = "";
    for (const command of commands) {
      if (!PRINTS.has(command.program) && command.program !== "cat") break;
      const part = command.program === "cat" ? command.stdin?.text : this.#printed(command);
      if (part === undefined) return undefined;
      text += part;
    }
    return text === "" ? undefined : text;
  }

  /** What a command prints, if its words and its input determine it; undefined if a whole word is unknown. */
  #printed({ program, argv, unknown, stdin }: ShellCommand): string | undefined {
    if (unknown.some((at) => /^["']?[$`][^]*$/.test(argv[at] ?? "") && !/\s/.test(argv[at] ?? "")))
      return undefined;
    const input = stdin?.known === true ? `${quoteWords(["printf", "%s", stdin.text])} | ` : "";
    const line = `${input}${quoteWords([program, ...argv.slice(1)])} | cat`;
    const printed = this.#shell.read(line, undefined, { stdin: true }).commands.at(-1)?.stdin?.text;
    if (printed !== undefined || program !== "echo") return printed;
    // In some shells, echo prints a line break for `\n`.
    const text = argv.slice(1).join(" ");
    return `${text}\n${text.replaceAll("\\n", "\n")}\n`;
  }

  #isPrinted(command: ShellCommand, path: string): boolean {
    return (
      command.program === "tee" ||
      command.redirects.some(({ op, target }) => op !== "<" && this.#path(command, target) === path)
    );
  }

  #appends(command: ShellCommand, path: string): boolean {
    if (command.program === "tee")
      return command.argv.some((word) => word === "-a" || word === "--append");
    return command.redirects.some(
      ({ op, target }) => op.endsWith(">>") && this.#path(command, target) === path,
    );
  }

  /** A path that can be compared: without the variables within it, in a folder that may be unknown. */
  #path({ cwd }: Pick<ShellCommand, "cwd">, word: string): string {
    const folder = cwd === undefined ? UNKNOWN_FOLDER : resolvePath(this.#root, cwd);
    return resolvePath(folder, word.replaceAll(/(?<=.)\$(?:\w+|\{\w+\})/g, ""));
  }

  #target({ target, word = "", cwd }: Effect): string | undefined {
    return target ?? (/^[$`]/.test(word) ? undefined : this.#path({ cwd }, word));
  }
}

/** The content of the file that a command copies. */
function copiedBy({ argv }: ShellCommand, earlier: (file: string) => Content): Content {
  const from = argv.slice(1, -1).findLast((word) => !word.startsWith("-"));
  return from === undefined ? "made" : earlier(from);
}

/** The content of the file that a command reads as its input; null if it is not there. */
function inputOf(
  { redirects }: ShellCommand,
  earlier: (file: string) => Content,
): string | null | undefined {
  const file = redirects.find(({ op, dynamic }) => op === "<" && !dynamic);
  const content = file ? earlier(file.target) : "made";
  return content === undefined ? null : typeof content === "object" ? content.text : undefined;
}
