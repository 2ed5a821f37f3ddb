import { posix } from "node:path";
import type { ShellCommand, ShellReader, ShellReading, ShellRedirect } from "../../core/index.ts";
import { quoteWords } from "../../matching/index.ts";
import type { Part } from "../programs/arguments.ts";
import type { DescribedCommand, Dictionary } from "../programs/dictionary.ts";
import { CommandNames, isCmdlet, KEYWORDS, WINDOWS_EXTENSION, WINDOWS_SHELLS } from "./names.ts";
import { below, narrowing, spread } from "./effects.ts";
import { isDevice, posixPath, posixWord, unknownWord } from "./paths.ts";
import type { SplitCommand, Word } from "./split-line.ts";
import { splitLine } from "./split-line.ts";

type Dialect = NonNullable<ShellCommand["dialect"]>;

/** A command of PowerShell or cmd, as its effects are told from it. */
export interface WindowsCommand extends ShellCommand {
  readonly dialect: Dialect;
  /** Positions of words that belong to the same value as the word before: `a, b`. */
  readonly listed: readonly number[];
  /** What a pipe hands over as its first parameter, if it has no operands: globs. */
  readonly given: readonly string[] | undefined;
  readonly home: string | undefined;
}

const MAX_LINE = 65_536;
/** Deepest nesting of shells in shells. */
const MAX_DEPTH = 4;
const MAX_COMMANDS = 2_000;
/** Most programs that are listed as those whose output is read, and most names that a variable stands for. */
const MAX_FROM = 8;
const MAX_NAMES = 32;

/** Commands whose output is a list of what they are told to list, so that `$_` behind them is one of these. */
const LISTS: ReadonlySet<string> = new Set(["get-childitem", "get-item"]);
const LISTS_PROCESSES: ReadonlySet<string> = new Set(["get-process"]);
/** Commands behind a listing that pass on some of it. */
const SELECTS: ReadonlySet<string> = new Set(["where-object", "select-string"]);

/** Methods of .NET, by their beginnings, as commands with a number of operands. */
const FILE_CALLS: readonly (readonly [method: RegExp, command: string, operands: number])[] = [
  [/^(?:read|openread|opentext)/, "get-content", 1],
  [/^(?:write|append|openwrite|create)/, "set-content", 1],
  [/^delete/, "remove-item", 1],
  [/^(?:move|replace)/, "move-item", 2],
  [/^copy/, "copy-item", 2],
];

const DOWNLOADS = /\.download(?:string|data|file)(?:async|taskasync)?$/i;

/** A command without what may precede its program. */
interface Call {
  readonly words: readonly Word[];
  readonly split: SplitCommand;
  readonly isCalled: boolean;
}

/** Reads lines for PowerShell and cmd. Expressions are not evaluated: what a line computes is unknown. */
export class WindowsReader {
  readonly #plain: ShellReader;
  readonly #dictionary: Dictionary;
  readonly #home: string | undefined;
  readonly #commands: ShellCommand[] = [];
  readonly #names = new CommandNames();
  readonly #programs = new Map<SplitCommand, string>();
  /** What variables hold: a text, or what a command lists. */
  readonly #held = new Map<string, string | readonly string[]>();
  readonly #folders: (string | undefined)[] = [];
  #cwd: string | undefined;
  #dialect: Dialect;
  #via: readonly string[] = [];
  #depth = 0;
  #list: readonly SplitCommand[] = [];
  #unread: string | undefined;

  /** @param plain reads the programs that have nothing to do with these shells */
  constructor(
    plain: ShellReader,
    dictionary: Dictionary,
    dialect: Dialect,
    cwd: string | undefined,
  ) {
    this.#plain = plain;
    this.#dictionary = dictionary;
    this.#dialect = dialect;
    this.#cwd = cwd;
    const home = plain.read("echo ~").commands[0]?.argv[1];
    if (home?.startsWith("/")) this.#home = home;
  }

  read(line: string): ShellReading {
    this.#line(line);
    return { commands: this.#commands, unread: this.#unread };
  }

  /** Read a command of a POSIX line that starts one of these shells. */
  readCommand(command: ShellCommand): ShellReading {
    this.#words(command);
    return { commands: this.#commands, unread: this.#unread };
  }

  #words({ argv, unknown, via, from, redirects }: ShellCommand): void {
    const words = argv.map((text, at) => ({ ...PLAIN, text, known: !unknown.includes(at) }));
    const outer = this.#via;
    this.#via = [...outer, ...via];
    this.#look({ words, split: NO_PIPE, isCalled: true }, from, redirects);
    this.#via = outer;
  }

  #giveUp(why: string): void {
    this.#unread ??= why;
  }

  #line(text: string): void {
    const isLong = text.length > MAX_LINE;
    const list = isLong ? TOO_LONG : splitLine(text, this.#dialect === "cmd");
    if (typeof list === "string") return this.#giveUp(list);
    const outer = this.#list;
    this.#list = list;
    for (const split of list) {
      if (this.#commands.length > MAX_COMMANDS) {
        this.#giveUp(`it has more than ${MAX_COMMANDS} commands`);
        break;
      }
      if (!split.isData) this.#look(this.#trimmed(split));
    }
    this.#list = outer;
  }

  /** A text that this shell or another one runs. */
  #text(text: string, via: string, dialect: Dialect): void {
    if (text === "" || this.#depth >= MAX_DEPTH)
      return this.#giveUp(`it is unknown what ${via} runs`);
    const outer = [this.#via, this.#dialect, this.#cwd] as const;
    this.#via = [...this.#via, via];
    this.#dialect = dialect;
    this.#depth++;
    this.#line(text);
    this.#depth--;
    [this.#via, this.#dialect, this.#cwd] = outer;
  }

  /** Leave out what may precede a program, `$x =`, `if`, `.`, and note what variables hold. */
  #trimmed(split: SplitCommand): Call {
    const words = [...split.words];
    let { isCalled } = split;
    let first = 0;
    for (; first < words.length; first++) {
      const word = words[first] ?? PLAIN;
      const next = words[first + 1];
      const small = word.text.toLowerCase();
      const [, name, value = ""] = /^(\$[\w:]+)\+?=(.*)$/s.exec(word.text) ?? [];
      if (next && !next.isQuoted && /^[-+*/]?=$/.test(next.text)) {
        this.#hold(word.text, words.slice(first + 2));
        first++;
      } else if (name !== undefined && !isCalled) {
        const isText = words.length === first + 1;
        const held = { ...PLAIN, text: value, known: !value.includes("$"), isQuoted: isText };
        this.#hold(name, value === "" ? words.slice(first + 1) : isText ? [held] : []);
        if (value === "") continue;
        words[first] = held;
        break;
      } else if (small.startsWith("$") && next?.text.toLowerCase() === "in") {
        const names = this.#listing({ words: words.slice(first + 2), split, isCalled });
        this.#hold(word.text, [], names);
        first++;
      } else if (small === "for" && /^[/%]/.test(next?.text ?? "")) break;
      else if (KEYWORDS.has(small) && !(small === "foreach" && split.source)) {
        if (small === "function" || small === "filter") first++;
      } else if (small === "." && next) isCalled = true;
      else if (!word.block) break;
    }
    return { words: words.slice(first), split, isCalled };
  }

  #hold(word: string, [value, more]: readonly Word[], names?: readonly string[]): void {
    const name = /^\$\{?(\w+)/.exec(word)?.[1]?.toLowerCase();
    if (name === undefined) return;
    const held = names ?? (value?.isQuoted && value.known && !more ? value.text : undefined);
    if (held === undefined) this.#held.delete(name);
    else this.#held.set(name, held);
  }

  #look(call: Call, from = this.#sources(call), redirects = this.#redirects(call)): void {
    const { words, split, isCalled } = call;
    const [first, second] = words;
    if (first && isMethod(first.text) && this.#method(call, from, redirects)) return;
    if (!first?.known || isExpression(first, second, isCalled)) {
      if (first && isCalled && !first.known)
        this.#add(words, "", { from, redirects, opaque: true });
      else if (redirects.length > 0) this.#add([OUTPUT], "write-output", { from, redirects });
      return;
    }
    // cmd does not show a command behind `@`.
    const shown = { ...first, text: first.text.replace(/^@(?=[A-Za-z])/, "") };
    const program = this.#names.of(shown.text, second?.text);
    this.#programs.set(split, program);
    if (program === "for" && /^[/%]/.test(second?.text ?? "")) return this.#for(words);
    const fields = [shown, ...this.#fields(words.slice(1), split)];
    if (WINDOWS_SHELLS.has(program)) return this.#shell(program, fields, from, redirects);
    const more = { from, redirects };
    const described = this.#describe(program, fields);
    if (described?.row.style !== "windows") {
      if (!/^[A-Z]/.test(shown.text) || !isCmdlet(shown.text)) return this.#program(fields, more);
      this.#add(fields, program, more);
      return this.#giveUp(`it is unknown what ${program} does`);
    }
    if (program === "invoke-expression") return this.#expression(call, fields, more);
    const listers = program === "stop-process" ? LISTS_PROCESSES : LISTS;
    const isFed = described.args.operands.length === 0;
    this.#add(fields, program, {
      ...more,
      given: isFed ? this.#listed(split, listers) : undefined,
    });
    this.#follow(program, fields, described, split);
  }

  /** What follows from a command for others, and what it starts. */
  #follow(
    program: string,
    fields: readonly Word[],
    { args: { parts, operands } }: DescribedCommand,
    split: SplitCommand,
  ): void {
    const of = (option: string): Part[] => parts.filter((part) => part.option === option);
    const [path] = of("-path");
    switch (program) {
      case "set-alias":
      case "new-alias": {
        const [alias, name] = operands;
        if (alias && name) this.#names.add(alias.text, name.text);
        return;
      }
      case "push-location":
        this.#folders.push(this.#cwd);
        return path && this.#enter(path);
      case "set-location":
        return path && this.#enter(path);
      case "pop-location":
        this.#cwd = this.#folders.pop() ?? this.#cwd;
        return;
      case "get-childitem":
        if (path && /^env:[\\/]?\*?$/i.test(path.text) && !this.#isNarrowed(split))
          this.#alike(["env"], program);
        return;
      case "new-item": {
        const kind = of("-itemtype")[0]?.text ?? "";
        const target = of("-target")[0] ?? of("-value")[0];
        if (path && /(?:link|junction)$/i.test(kind))
          this.#alike(
            ["ln", "-s", ...[target, path].map((word) => this.#shellWord(word))],
            program,
          );
        return;
      }
      case "start-process": {
        const started = [...of("-filepath"), ...of("-argumentlist")].flatMap(({ text, known }) =>
          text.split(/\s+/).map((word) => ({ ...PLAIN, text: word, known })),
        );
        if (of("-filepath")[0])
          this.#start({ words: started, split: NO_PIPE, isCalled: true }, program);
        return;
      }
      case "forfiles":
        return this.#forFiles(fields);
      case "invoke-webrequest":
        // An alias is a program where PowerShell does not have it: `curl -o x`.
        if (operands.length > 1) this.#program(fields, { from: [], redirects: [] });
    }
  }

  #start(call: Call, via: string): void {
    const outer = this.#via;
    this.#via = [...outer, via];
    this.#look(call, [], []);
    this.#via = outer;
  }

  #enter({ text, known }: Part): void {
    const path = known && !/[*?[]/.test(text) ? posixPath(text, this.#home) : undefined;
    this.#cwd = path === undefined ? undefined : this.#from(path);
  }

  /** A folder relative to the present one. */
  #from(folder: string | undefined): string | undefined {
    if (folder === undefined || folder.startsWith("/")) return folder;
    return this.#cwd === undefined ? undefined : posix.join(this.#cwd, folder);
  }

  /** The words that a command gets: variables are replaced, so that one may become several. */
  #fields(words: readonly Word[], split: SplitCommand): Word[] {
    return words.flatMap((word) => {
      const [, name = "", rest = ""] = word.known
        ? []
        : (/^\$\{?(\w+)\}?(.*)$/s.exec(word.text) ?? []);
      if (name === "") return word;
      const held = name === "_" ? this.#listed(split) : this.#held.get(name.toLowerCase());
      if (typeof held === "string" && /^(?:[\\/.]|$)/.test(rest))
        return { ...word, text: held + rest, known: true };
      if (typeof held !== "object" || !/^(?:\.[A-Za-z]+)?$/.test(rest)) return word;
      return held.map((text, at) => ({
        ...word,
        text,
        known: true,
        isListed: word.isListed || at > 0,
      }));
    });
  }

  /** What a pipe hands over: what its first command lists; empty if it is some of that; undefined if it is unknown. */
  #listed(split: SplitCommand, listers = LISTS): readonly string[] | undefined {
    let { source } = split;
    let isSelected = false;
    for (let steps = 0; source?.source && steps < MAX_NAMES; steps++) {
      isSelected ||= this.#programs.get(source) === "where-object";
      ({ source } = source);
    }
    const names =
      source && !source.source ? this.#listing(this.#trimmed(source), listers) : undefined;
    return names && isSelected ? [] : names;
  }

  /** What a command lists, as globs; undefined if it is no listing. */
  #listing({ words, split }: Call, listers = LISTS): readonly string[] | undefined {
    const program = this.#names.of(words[0]?.text ?? "");
    if (!words[0]?.known || !listers.has(program)) return undefined;
    const fields = split.source ? words : [words[0], ...this.#fields(words.slice(1), split)];
    const { args } = this.#describe(program, fields) ?? {};
    if (!args || args.parts.some(({ known }) => !known)) return undefined;
    const given = args.parts.filter(({ option }) => option === "-path" || option === "-name");
    if (listers === LISTS_PROCESSES)
      return given.length > 0 ? given.map(({ text }) => text) : ["*"];
    const patterns = narrowing(args);
    const isRecursive = args.meanings.has("recursive");
    const folders = given.map(({ text }) => text);
    const names = (folders.length > 0 ? folders : ["."]).flatMap((folder) => {
      if (patterns.length > 0) return patterns.map((name) => below(folder, name, isRecursive));
      if (folders.length === 0) return below(folder, "*", isRecursive);
      return isRecursive || /(?:^|[\\/])\.{1,2}$|[~:\\/]$/.test(folder)
        ? spread(folder, isRecursive)
        : folder;
    });
    return names.length > MAX_NAMES ? undefined : names;
  }

  /** Whether a later command of the pipeline selects some of what a command returns. */
  #isNarrowed({ reader }: SplitCommand): boolean {
    for (let steps = 0; reader && steps < MAX_FROM; steps++) {
      if (SELECTS.has(this.#names.of(reader.words[0]?.text ?? ""))) return true;
      ({ reader } = reader);
    }
    return false;
  }

  #sources({ words, split }: Call): readonly string[] {
    const found = new Set<string>();
    // `iex (New-Object Net.WebClient).DownloadString('u')`
    if (words.some(({ text }) => DOWNLOADS.test(text))) found.add("invoke-webrequest");
    for (
      let { source } = split, steps = 0;
      source && steps < MAX_FROM;
      { source } = source, steps++
    )
      found.add(this.#programs.get(source) ?? "");
    for (const { block: [from, to] = [0, 0] } of words)
      for (const inner of this.#list.slice(Math.max(from, to - MAX_FROM), to))
        found.add(this.#programs.get(inner) ?? "");
    found.delete("");
    return [...found];
  }

  #redirects({ split }: Call): readonly ShellRedirect[] {
    return this.#fields(split.targets, split).flatMap((word) => {
      const target =
        word.known || isDevice(word.text)
          ? posixPath(word.text, this.#home)
          : unknownWord(word.text);
      const op = word.isListed ? ">>" : ">";
      return target === undefined
        ? []
        : { op, target, dynamic: !word.known && target !== "/dev/null" };
    });
  }

  #describe(program: string, fields: readonly Word[]): DescribedCommand | undefined {
    const { argv, unknown, listed } = argvOf(fields);
    return this.#dictionary.describe(program, argv, new Set(unknown), new Set(listed));
  }

  /** @param fields its words, the first being its name */
  #add(
    fields: readonly Word[],
    program: string,
    more: Pick<ShellCommand, "from" | "redirects"> & {
      readonly opaque?: boolean;
      readonly given?: readonly string[] | undefined;
    },
  ): void {
    const { opaque = false, given, from, redirects } = more;
    const { argv, unknown, listed } = argvOf(fields);
    const command: WindowsCommand = {
      argv,
      unknown,
      program,
      redirects,
      via: this.#via,
      from,
      cwd: this.#cwd,
      dynamic: opaque || unknown.length > 0 || redirects.some(({ dynamic }) => dynamic),
      opaque,
      dialect: this.#dialect,
      listed,
      given: given?.length ? given : undefined,
      home: this.#home,
    };
    this.#commands.push(command);
    if (opaque && program !== "") this.#giveUp(`it is unknown what ${program} runs`);
  }

  /** A command of POSIX shells that does the same. */
  #alike(words: readonly string[], via: string): void {
    const outer = this.#via;
    this.#via = [...outer, via];
    this.#posix(words.join(" "), { from: [], redirects: [] });
    this.#via = outer;
  }

  /** A program that has nothing to do with these shells. */
  #program(fields: readonly Word[], more: Pick<ShellCommand, "from" | "redirects">): void {
    const [name = PLAIN, ...rest] = fields;
    const path = posixPath(name.text, this.#home) ?? name.text;
    const program = quoteWords([path.replace(WINDOWS_EXTENSION, "")]);
    this.#posix([program, ...rest.map((word) => this.#shellWord(word))].join(" "), more);
  }

  #shellWord(word: Pick<Word, "text" | "known"> | undefined): string {
    if (!word?.known) return `"${unknownWord(word?.text ?? "")}"`;
    return quoteWords([posixWord(word.text, this.#home)]);
  }

  #posix(line: string, { from, redirects }: Pick<ShellCommand, "from" | "redirects">): void {
    const { commands, unread } = this.#plain.read(line, undefined, { stdin: true });
    if (unread !== undefined) this.#giveUp(unread);
    for (const [at, command] of commands.entries()) {
      const inner = {
        ...command,
        from: command.from.length > 0 ? command.from : from,
        redirects: at === 0 ? [...command.redirects, ...redirects] : command.redirects,
      };
      if (WINDOWS_SHELLS.has(command.program.toLowerCase())) this.#words(inner);
      else
        this.#commands.push({
          ...inner,
          via: [...this.#via, ...command.via],
          cwd: command.cwd === undefined ? undefined : this.#from(command.cwd),
        });
    }
  }

  /** PowerShell or cmd with the text that it runs. */
  #shell(
    program: string,
    fields: readonly Word[],
    from: readonly string[],
    redirects: readonly ShellRedirect[],
  ): void {
    const dialect = program === "cmd" ? "cmd" : "powershell";
    const found = scriptOf(program, fields);
    const isInput = found === undefined && (from.length > 0 || fields[1]?.text === "-");
    const opaque = isInput || found?.known === false;
    this.#add(fields, program, { from, redirects, opaque });
    if (found && found.text !== "") this.#text(found.text, program, dialect);
  }

  /** Invoke-Expression: what it runs is known only if it is written in the line. */
  #expression(
    { split }: Call,
    fields: readonly Word[],
    more: Pick<ShellCommand, "from" | "redirects">,
  ): void {
    const first = /^-c/i.test(fields[1]?.text ?? "") ? 2 : 1;
    const given = fields.slice(first);
    const source = split.source?.words.length === 1 ? split.source.words : [];
    const words = given.length > 0 ? given : source;
    const opaque = words.length === 0 || words.some(({ known }) => !known);
    this.#add(fields, "invoke-expression", { ...more, opaque });
    if (!opaque)
      this.#text(words.map(({ text }) => text).join(" "), "invoke-expression", this.#dialect);
  }

  /** `for` of cmd, with what it runs for each word in the parentheses: `for /d %i in (C:\*) do rd /s %i`. */
  #for(words: readonly Word[]): void {
    const at = words.findIndex(({ text }) => text.toLowerCase() === "do");
    const folderAt = words.findIndex(({ text }) => text.toLowerCase() === "/r") + 1;
    const folder = folderAt > 0 ? words[folderAt]?.text : undefined;
    const [from, to] = words.slice(0, at).findLast(({ block }) => block)?.block ?? [0, 0];
    const values =
      folder !== undefined && !folder.startsWith("%")
        ? [`${folder}\\*`]
        : this.#list.slice(from, to).flatMap((list) => list.words.map(({ text }) => text));
    for (const value of at < 0 ? [] : values.slice(0, MAX_NAMES)) {
      const inner = words.slice(at + 1).map((word) => ({
        ...word,
        text: word.text.replaceAll(/%+~?[A-Za-z]*[A-Za-z]/g, () => value),
      }));
      if (folder !== undefined && this.#names.of(inner[0]?.text ?? "") === "remove-item")
        inner.push({ ...PLAIN, text: "/s" });
      this.#look({ words: inner, split: NO_PIPE, isCalled: false });
    }
  }

  /** What forfiles runs for each file: `forfiles /p C:\ /s /c "cmd /c del @path"`. */
  #forFiles(fields: readonly Word[]): void {
    const valueOf = (name: string): string | undefined =>
      fields[fields.findIndex(({ text }) => text.toLowerCase() === name) + 1 || fields.length]
        ?.text;
    const folder = (valueOf("/p") ?? ".").replace(/[\\/]+$/, "");
    const text = valueOf("/c");
    if (text !== undefined)
      this.#text(
        text.replaceAll(/@\w+/g, () => `${folder}\\*`),
        "forfiles",
        "cmd",
      );
  }

  /** A call of .NET. */
  #method(
    { words, split }: Call,
    from: readonly string[],
    redirects: readonly ShellRedirect[],
  ): boolean {
    const [name = PLAIN, block] = words;
    const method = /(\w+)$/.exec(name.text)?.[1]?.toLowerCase() ?? "";
    const values = this.#argumentsOf(block);
    const call = (program: string, operands: readonly Word[]): boolean => {
      this.#programs.set(split, program);
      this.#add([{ ...name, known: true }, ...operands], program, { from, redirects });
      return true;
    };
    if (name.text.startsWith("[")) {
      const isFile = /(?:^\[|\.)(?:file|directory)\]::\w+$/i.test(name.text);
      const known = isFile ? FILE_CALLS.find(([pattern]) => pattern.test(method)) : undefined;
      if (!known) return call("", values);
      const operands = Array.from({ length: known[2] }, (_, at) => values[at] ?? UNKNOWN);
      const isTree = known[1] === "remove-item" && /directory\]/i.test(name.text);
      return call(known[1], isTree ? [...operands, { ...PLAIN, text: "-Recurse" }] : operands);
    }
    if (!block?.block) return false;
    if (method === "delete") {
      const item =
        name.text === "$_.Delete" ? this.#fields([{ ...UNKNOWN, text: "$_" }], split) : [UNKNOWN];
      return call("remove-item", item);
    }
    if (!DOWNLOADS.test(name.text)) return false;
    const [url = UNKNOWN, file] = values;
    return call("invoke-webrequest", file ? [url, { ...PLAIN, text: "-OutFile" }, file] : [url]);
  }

  /** The arguments of a call: texts in quotes, and others that are unknown. */
  #argumentsOf(block: Word | undefined): Word[] {
    const [from, to] = block?.block ?? [0, 0];
    const words = to > from ? (this.#list[to - 1]?.words ?? []) : [];
    return words.flatMap((word, at) => {
      if (at > 0 && !word.isListed) return [];
      const isWhole = word.isQuoted && word.known && words[at + 1]?.isListed !== false;
      return { ...word, known: isWhole, isListed: false };
    });
  }
}

const PLAIN: Word = { text: "", known: true, isQuoted: false, isListed: false };
const UNKNOWN: Word = { ...PLAIN, text: "$unknown", known: false };
/** What writes the value of an expression. */
const OUTPUT: Word = { ...PLAIN, text: "Write-Output" };
const NO_PIPE: SplitCommand = {
  words: [],
  targets: [],
  isCalled: false,
  source: undefined,
  isData: false,
};
const TOO_LONG = `it is longer than ${MAX_LINE} characters`;

/** `[IO.File]::Delete`, `$x.Delete`, `.Delete` behind parentheses. */
function isMethod(text: string): boolean {
  return /^(?:\[[^\]]*\]::|(?:\$[\w:]*)?(?:\.\w+)*\.)\w+$/.test(text);
}

/** Whether a command is none, but an expression. */
function isExpression(first: Word, second: Word | undefined, isCalled: boolean): boolean {
  if (/^[[\d]/.test(first.text)) return true;
  if (!first.isQuoted || isCalled) return false;
  return !second || second.isListed || /^[-+*/%.=!]/.test(second.text);
}

function argvOf(fields: readonly Word[]): Pick<WindowsCommand, "argv" | "unknown" | "listed"> {
  const positions = (holds: (word: Word) => boolean): number[] =>
    fields.flatMap((word, at) => (holds(word) ? at : []));
  return {
    argv: fields.map(({ text }) => text),
    unknown: positions(({ known }) => !known),
    listed: positions(({ isListed }) => isListed),
  };
}

/** The text that a shell runs, whose words may be unknown; undefined if it is not in its words. */
function scriptOf(
  program: string,
  fields: readonly Word[],
): { text: string; known: boolean } | undefined {
  const from = (at: number): { text: string; known: boolean } => {
    const words = fields.slice(at);
    const known = words.every((word) => word.known) && words[0]?.text !== "-";
    return { text: words.map(({ text }) => text).join(" "), known };
  };
  for (const [at, { text, known }] of fields.entries()) {
    if (at === 0) continue;
    const small = text.toLowerCase().replace(/^\//, "-");
    if (program === "cmd") {
      if (/^-[ckr]$/.test(small)) return from(at + 1);
    } else if (small.length > 1 && "-command".startsWith(small)) return from(at + 1);
    else if (/^-e(?:[nc]|$)/.test(small)) return known ? decoded(fields[at + 1]) : from(at);
    else if (small.startsWith("-f") || (at === 1 && small.endsWith(".ps1")))
      return { text: "", known: true };
    else if (at === 1 && !small.startsWith("-")) return from(at);
  }
  return undefined;
}

/** The text of `-EncodedCommand`. */
function decoded(word: Word | undefined): { text: string; known: boolean } {
  const isText = word?.known === true && /^[A-Za-z\d+/]{4,}={0,2}$/.test(word.text);
  if (!isText) return { text: "", known: false };
  return { text: Buffer.from(word.text, "base64").toString("utf16le"), known: true };
}
