import type {
  FileContent,
  FileReader,
  ShellCommand,
  ShellReader,
  UnreadFile,
} from "../../core/index.ts";
import { quoteWords } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";

/** Programs that write what they print, so that their text is that of the file. */
const PRINTS: ReadonlySet<string> = new Set(["echo", "printf"]);
const COPIES: ReadonlySet<string> = new Set(["cp", "mv", "ln", "install", "gcp", "gmv"]);
/** They change no content. */
const KEEPS: ReadonlySet<string> = new Set(["touch", "chmod", "mkdir", "chown"]);
/** A copy of a copy of a copy. */
const MOST_COPIES = 4;

/** The content of files, as commands leave them. */
export class WrittenFiles {
  readonly #shell: ShellReader;
  readonly #files: FileReader;
  readonly #root: string;

  constructor(shell: ShellReader, files: FileReader, root: string) {
    this.#shell = shell;
    this.#files = files;
    this.#root = root;
  }

  /** The content of a file behind some commands: what they write to it, never what was in it before. */
  content(
    path: string,
    before: readonly ShellCommand[],
    copies = 0,
  ): FileContent | UnreadFile | undefined {
    for (let at = before.length - 1; at >= 0; at--) {
      const command = before[at];
      if (!command || KEEPS.has(command.program)) continue;
      const effect = command.effects?.find(
        (each) => each.kind === "write" && each.sure && each.target === path,
      );
      if (!effect) continue;
      const text = this.#textOf(command, path, before, at, copies);
      // What it reads is not there, so that it fails.
      if (text === null) continue;
      // Files that a file writes are not asked about.
      if (text === undefined)
        return command.file === undefined && this.#isPrinted(command, path) ? "written" : "made";
      if (!this.#appends(command, path)) return { text, identity: "" };
      const old = this.content(path, before.slice(0, at), copies);
      if (typeof old === "string") return old;
      return { text: `${old?.text ?? ""}${text}`, identity: "" };
    }
    return this.#files.read(path);
  }

  #textOf(
    command: ShellCommand,
    path: string,
    before: readonly ShellCommand[],
    at: number,
    copies: number,
  ): string | null | undefined {
    const { program, argv, unknown, stdin } = command;
    if (COPIES.has(program)) {
      const from = argv.findLast(
        (word, index) => index > 0 && index < argv.length - 1 && !word.startsWith("-"),
      );
      if (from === undefined || copies >= MOST_COPIES) return undefined;
      const content = this.content(this.#path(command, from), before.slice(0, at), copies + 1);
      return content === undefined ? null : typeof content === "object" ? content.text : undefined;
    }
    if (program === "tee") return stdin?.text ?? this.#input(command, before, at, copies);
    if (!this.#isPrinted(command, path)) return undefined;
    if (program === "") return this.#textOfGroup(before, at);
    // The jobs that there are: what is added to them is read.
    if (program === "crontab" && argv[1] === "-l") return "";
    if (program !== "cat") return this.#printed(command);
    if (unknown.length > 0) return undefined;
    const files = argv.slice(1).filter((word) => word !== "-" && !word.startsWith("-"));
    if (files.length === 0) return stdin?.text ?? this.#input(command, before, at, copies);
    const texts = files.map((file) =>
      this.content(this.#path(command, file), before.slice(0, at), copies + 1),
    );
    return copies < MOST_COPIES && texts.every((each) => typeof each === "object")
      ? texts.map((each) => each.text).join("")
      : undefined;
  }

  /** `{ echo a; echo b; } > FILE` */
  #textOfGroup(before: readonly ShellCommand[], at: number): string | undefined {
    let text = "";
    for (let index = at + 1; index < before.length; index++) {
      const command = before[index];
      if (!command || !(PRINTS.has(command.program) || command.program === "cat")) break;
      const part = command.program === "cat" ? command.stdin?.text : this.#printed(command);
      if (part === undefined) return undefined;
      text += part;
    }
    return text === "" ? undefined : text;
  }

  /** The content of the file that a command reads as its input. */
  #input(
    command: ShellCommand,
    before: readonly ShellCommand[],
    at: number,
    copies: number,
  ): string | null | undefined {
    const file = command.redirects.find(({ op, dynamic }) => op === "<" && !dynamic);
    if (!file || copies >= MOST_COPIES) return undefined;
    const path = this.#path(command, file.target);
    const content = this.content(path, before.slice(0, at), copies + 1);
    return content === undefined ? null : typeof content === "object" ? content.text : undefined;
  }

  /** What a command prints, if its words and its input determine it; undefined if a whole word is unknown. */
  #printed({ program, argv, unknown, stdin }: ShellCommand): string | undefined {
    if (unknown.some((at) => /^["']?[$`][^]*$/.test(argv[at] ?? "") && !/\s/.test(argv[at] ?? "")))
      return undefined;
    const input = stdin?.known === true ? `${quoteWords(["printf", "%s", stdin.text])} | ` : "";
    const line = `${input}${quoteWords([program, ...argv.slice(1)])} | cat`;
    return this.#shell.read(line, undefined, { stdin: true }).commands.at(-1)?.stdin?.text;
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

  #path({ cwd = "/" }: ShellCommand, word: string): string {
    return resolvePath(resolvePath(this.#root, cwd), word);
  }
}
