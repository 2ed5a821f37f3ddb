import { posix } from "node:path";
import { wordSet } from "../../core/index.ts";
import type {
  ShellCommand,
  ShellDialect,
  ShellReader,
  ShellReading,
  ShellRedirect,
} from "../../core/index.ts";
import type { DescribedCommand, Part } from "../../matching/index.ts";
import { programs, quoteWords } from "../../matching/index.ts";
import {
  CommandNames,
  isCmdlet,
  isDevice,
  KEYWORDS,
  posixPath,
  posixWord,
  unknownWord,
  WINDOWS_EXTENSION,
  WINDOWS_SHELLS,
} from "./names.ts";
import { below, narrowing, spread } from "./effects.ts";
import type { SplitCommand, Word } from "./split-line.ts";
import { splitLine, wordOf } from "./split-line.ts";

/** A command of PowerShell or cmd, as its effects are told from it. */
export interface WindowsCommand extends ShellCommand {
  readonly dialect: ShellDialect;
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
/** Most programs that are listed as those whose output is read. */
const MAX_FROM = 8;
/** Most names that a variable stands for, and the most characters that it holds. */
const MAX_NAMES = 32;
const MAX_HELD = 1_024;
const MAX_PATH = 4_096;
/** Most words that `for` runs its command for, all loops of a line together. */
const MAX_ROUNDS = 64;

/** Commands whose output is a list of what they are told to list, so that `$_` behind them is one of these. */
const LISTS = wordSet("get-childitem get-item");
const LISTS_PROCESSES = wordSet("get-process");
/** Commands behind a listing that pass on some of it. */
const SELECTS = wordSet("where-object select-string");

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

/** Where the input of a command comes from, and its output goes to. */
type Streams = Pick<ShellCommand, "from" | "redirects">;

/** Reads lines for PowerShell and cmd. Expressions are not evaluated: what a line computes is unknown. */
export class WindowsReader {
  /** Reads the programs that have nothing to do with these shells. */
  readonly #plain: ShellReader;
  readonly #home: string | undefined;
  readonly #commands: ShellCommand[] = [];
  readonly #names = new CommandNames();
  readonly #programs = new Map<SplitCommand, string>();
  readonly #listings = new Map<SplitCommand, readonly string[] | undefined>();
  /** What variables hold: a text, or what a command lists. */
  readonly #held = new Map<string, string | readonly string[]>();
  readonly #folders: (string | undefined)[] = [];
  #cwd: string | undefined;
  #dialect: ShellDialect;
  #via: readonly string[] = [];
  #depth = 0;
  #rounds = 0;
  #list: readonly SplitCommand[] = [];
  #unread: string | undefined;

  constructor(
    plain: ShellReader,
    home: string | undefined,
    dialect: ShellDialect,
    cwd: string | undefined,
  ) {
    this.#plain = plain;
    this.#home = home;
    this.#dialect = dialect;
    this.#cwd = cwd;
  }

  /** Read a line, or a command of a POSIX line. */
  read(of: string | ShellCommand): ShellReading {
    if (typeof of === "string") this.#line(of);
    else this.#ofPosix(of);
    return { commands: this.#commands, unread: this.#unread };
  }

  #ofPosix({ argv, program, unknown, via, ...streams }: ShellCommand): void {
    const positions = new Set(unknown);
    const words = argv.map((text, at) => wordOf(text, !positions.has(at)));
    // POSIX shells have other ways to write a name: `=cmd`.
    if (WINDOWS_SHELLS.has(program.toLowerCase())) words[0] = wordOf(program);
    this.#within(via, () => this.#start(words, streams));
  }

  #giveUp(why: string): void {
    this.#unread ??= why;
  }

  #within(via: readonly string[], read: () => void): void {
    const outer = this.#via;
    this.#via = [...outer, ...via];
    read();
    this.#via = outer;
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
  #text(text: string, via: string, dialect: ShellDialect): void {
    if (text === "" || this.#depth >= MAX_DEPTH)
      return this.#giveUp(`it is unknown what ${via} runs`);
    const outer = [this.#dialect, this.#cwd] as const;
    this.#dialect = dialect;
    this.#depth++;
    this.#within([via], () => this.#line(text));
    this.#depth--;
    [this.#dialect, this.#cwd] = outer;
  }

  /** Leave out what may precede a program, `$x =`, `if`, `.`, and note what variables hold. */
  #trimmed(split: SplitCommand): Call {
    const words = [...split.words];
    let { isCalled } = split;
    let first = 0;
    for (; first < words.length; first++) {
      const { text, block } = words[first] ?? NO_WORD;
      const next = words[first + 1];
      const small = text.toLowerCase();
      const [, name, value = ""] = /^(\$[\w:]+)\+?=(.*)$/s.exec(text) ?? [];
      if (next && !next.isQuoted && /^[-+*/]?=$/.test(next.text)) {
        this.#hold(text, words.slice(first + 2));
        first++;
      } else if (name !== undefined && !isCalled) {
        const isText = words.length === first + 1;
        const held = wordOf(value, !value.includes("$"), { isQuoted: isText });
        this.#hold(name, value === "" ? words.slice(first + 1) : isText ? [held] : []);
        if (value === "") continue;
        words[first] = held;
        break;
      } else if (small.startsWith("$") && next?.text.toLowerCase() === "in") {
        const listing = { words: words.slice(first + 2), split, isCalled };
        this.#hold(text, [], this.#listing(listing, LISTS));
        first++;
      } else if (small === "for" && /^[/%]/.test(next?.text ?? "")) break;
      else if (KEYWORDS.has(small) && !(small === "foreach" && split.source)) {
        if (small === "function" || small === "filter") first++;
      } else if (small === "." && next) isCalled = true;
      else if (!block) break;
    }
    return { words: words.slice(first), split, isCalled };
  }

  #hold(word: string, [value, more]: readonly Word[], names?: readonly string[]): void {
    const name = /^\$\{?(\w+)/.exec(word)?.[1]?.toLowerCase();
    if (name === undefined) return;
    const isText = value?.isQuoted === true && value.known && value.text.length <= MAX_HELD;
    const held = names ?? (isText && !more ? value.text : undefined);
    if (held === undefined) this.#held.delete(name);
    else this.#held.set(name, held);
  }

  /** A command that another one starts. */
  #start(words: readonly Word[], streams: Streams = NO_STREAMS): void {
    this.#look({ words, split: NO_PIPE, isCalled: true }, streams);
  }

  #look(call: Call, streams: Streams = this.#streams(call)): void {
    const { words, split, isCalled } = call;
    const [first, second] = words;
    if (first && isMethod(first.text) && this.#method(call, streams)) return;
    if (!first?.known || isExpression(first, second, isCalled)) {
      if (first && isCalled && !first.known) this.#add(words, "", { ...streams, opaque: true });
      else if (streams.redirects.length > 0) this.#add([OUTPUT], "write-output", streams);
      return;
    }
    // cmd does not show a command behind `@`.
    const shown = wordOf(first.text.replace(/^@(?=[A-Za-z])/, ""));
    const program = this.#names.of(shown.text, second?.text);
    this.#programs.set(split, program);
    if (program === "for" && /^[/%]/.test(second?.text ?? "")) return this.#for(words);
    const fields = [shown, ...this.#fields(words.slice(1), split)];
    if (WINDOWS_SHELLS.has(program)) return this.#shell(program, fields, streams);
    const described = this.#describe(program, fields);
    if (described?.row.style !== "windows") {
      if (!/^[A-Z]/.test(shown.text) || !isCmdlet(shown.text))
        return this.#program(fields, streams);
      this.#add(fields, program, streams);
      return this.#giveUp(`it is unknown what ${program} does`);
    }
    if (program === "invoke-expression") return this.#expression(call, fields, streams);
    const isFed = described.args.operands.length === 0;
    const listers = program === "stop-process" ? LISTS_PROCESSES : LISTS;
    const given = isFed ? this.#listed(split, listers) : undefined;
    this.#add(fields, program, { ...streams, given });
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
        // POSIX shells have a program that does the same.
        if (path && /^env:[\\/]?\*?$/i.test(path.text) && !this.#isNarrowed(split))
          this.#within([program], () => this.#posix("env"));
        return;
      case "new-item": {
        const [kind] = of("-itemtype");
        const target = this.#quoted(of("-target")[0] ?? of("-value")[0]);
        if (path && /(?:link|junction)$/i.test(kind?.text ?? ""))
          this.#within([program], () => this.#posix(`ln -s ${target} ${this.#quoted(path)}`));
        return;
      }
      case "start-process": {
        const [file] = of("-filepath");
        const started = [...(file ? [file] : []), ...of("-argumentlist")];
        const words = started.flatMap(({ text, known }) =>
          text.split(/\s+/).map((word) => wordOf(word, known)),
        );
        if (file) this.#within([program], () => this.#start(words));
        return;
      }
      case "forfiles":
        return this.#forFiles(fields);
      case "invoke-webrequest":
        // An alias is a program where PowerShell does not have it: `curl -o x`.
        if (operands.length > 1) this.#program(fields);
    }
  }

  #enter({ text, known }: Part): void {
    const path = known && !/[*?[]/.test(text) ? posixPath(text, this.#home) : undefined;
    this.#cwd = path === undefined ? undefined : this.#from(path);
  }

  /** A folder relative to the present one. */
  #from(folder: string | undefined): string | undefined {
    if (folder === undefined || folder.startsWith("/")) return folder;
    const path = this.#cwd === undefined ? undefined : posix.join(this.#cwd, folder);
    return path !== undefined && path.length > MAX_PATH ? undefined : path;
  }

  /** The words that a command gets: variables are replaced, so that one may become several. */
  #fields(words: readonly Word[], split: SplitCommand): Word[] {
    return words.flatMap((word) => {
      const found = word.known ? undefined : /^\$\{?(\w+)\}?(.*)$/s.exec(word.text);
      const [, name = "", rest = ""] = found ?? [];
      const held = name === "_" ? this.#listed(split, LISTS) : this.#held.get(name.toLowerCase());
      if (typeof held === "string" && /^(?:[\\/.]|$)/.test(rest))
        return wordOf(held + rest, true, { isListed: word.isListed });
      if (typeof held !== "object" || !/^(?:\.[A-Za-z]+)?$/.test(rest)) return word;
      return held.map((text, at) => wordOf(text, true, { isListed: word.isListed || at > 0 }));
    });
  }

  /** What a pipe hands over: what its first command lists; empty if it is some of that; undefined if it is unknown. */
  #listed({ source }: SplitCommand, listers: ReadonlySet<string>): readonly string[] | undefined {
    let first = source;
    let isSelected = false;
    for (let steps = 0; first?.source && steps < MAX_NAMES; steps++) {
      isSelected ||= this.#programs.get(first) === "where-object";
      first = first.source;
    }
    if (!first || first.source) return undefined;
    if (!this.#listings.has(first))
      this.#listings.set(first, this.#listing(this.#trimmed(first), listers));
    const names = this.#listings.get(first);
    return names && isSelected ? [] : names;
  }

  /** What a command lists, as globs; undefined if it is no listing. */
  #listing({ words, split }: Call, listers: ReadonlySet<string>): readonly string[] | undefined {
    const program = this.#names.of(words[0]?.text ?? "");
    if (!words[0]?.known || !listers.has(program)) return undefined;
    const fields = split.source ? words : [words[0], ...this.#fields(words.slice(1), split)];
    const { args } = this.#describe(program, fields) ?? {};
    if (!args || args.parts.some(({ known }) => !known)) return undefined;
    const given = args.parts.filter(({ option }) => option === "-path" || option === "-name");
    const texts = given.map(({ text }) => text);
    if (program === "get-process") return texts.length > 0 ? texts : ["*"];
    const patterns = narrowing(args);
    const isRecursive = args.meanings.has("recursive");
    const names = (texts.length > 0 ? texts : ["./"]).flatMap((folder) => {
      if (patterns.length > 0) return patterns.map((name) => below(folder, name, isRecursive));
      const isFolder = /(?:^|[\\/])\.{1,2}$|[~:\\/]$/.test(folder);
      return isRecursive || isFolder ? spread(folder, isRecursive) : folder;
    });
    return names.length > MAX_NAMES || names.join("").length > MAX_HELD ? undefined : names;
  }

  /** Whether a later command of the pipeline selects some of what a command returns. */
  #isNarrowed({ reader }: SplitCommand): boolean {
    for (let steps = 0; reader && steps < MAX_FROM; steps++) {
      if (SELECTS.has(this.#names.of(reader.words[0]?.text ?? ""))) return true;
      ({ reader } = reader);
    }
    return false;
  }

  #streams({ words, split }: Call): Streams {
    const from = new Set<string>();
    // `iex (New-Object Net.WebClient).DownloadString('u')`
    if (words.some(({ text }) => DOWNLOADS.test(text))) from.add("invoke-webrequest");
    let { source } = split;
    for (let steps = 0; source && steps < MAX_FROM; steps++) {
      from.add(this.#programs.get(source) ?? "");
      ({ source } = source);
    }
    for (const { block: [begin, end] = [0, 0] } of words)
      for (const inner of this.#list.slice(Math.max(begin, end - MAX_FROM), end))
        from.add(this.#programs.get(inner) ?? "");
    from.delete("");
    const redirects = this.#fields(split.targets, split).flatMap(
      ({ text, known, isListed }): ShellRedirect[] => {
        const isKnown = known || isDevice(text);
        const target = isKnown ? posixPath(text, this.#home) : unknownWord(text);
        const op = isListed ? ">>" : ">";
        return target === undefined ? [] : [{ op, target, dynamic: !isKnown }];
      },
    );
    return { from: [...from], redirects };
  }

  #describe(program: string, fields: readonly Word[]): DescribedCommand | undefined {
    const words = argvOf(fields);
    return programs().describe({ ...words, program }, words.listed);
  }

  /** @param fields its words, the first being its name */
  #add(
    fields: readonly Word[],
    program: string,
    more: Streams & { opaque?: boolean; given?: readonly string[] | undefined },
  ): void {
    const { opaque = false, given, from, redirects } = more;
    const words = argvOf(fields);
    const isDynamic = words.unknown.length > 0 || redirects.some(({ dynamic }) => dynamic);
    const command: WindowsCommand = {
      ...words,
      program,
      redirects,
      via: this.#via,
      from,
      cwd: this.#cwd,
      dynamic: opaque || isDynamic,
      opaque,
      dialect: this.#dialect,
      given,
      home: this.#home,
    };
    this.#commands.push(command);
    if (opaque && program !== "") this.#giveUp(`it is unknown what ${program} runs`);
  }

  /** A program that has nothing to do with these shells. */
  #program([name = NO_WORD, ...rest]: readonly Word[], streams?: Streams): void {
    const path = posixPath(name.text, this.#home) ?? name.text;
    const program = quoteWords([path.replace(WINDOWS_EXTENSION, "")]);
    this.#posix([program, ...rest.map((word) => this.#quoted(word))].join(" "), streams);
  }

  /** A word for a POSIX shell. */
  #quoted(word: Pick<Word, "text" | "known"> | undefined): string {
    if (!word?.known) return `"${unknownWord(word?.text ?? "")}"`;
    return quoteWords([posixWord(word.text, this.#home)]);
  }

  #posix(line: string, { from, redirects }: Streams = NO_STREAMS): void {
    const { commands, unread } = this.#plain.read(line, undefined, { stdin: true });
    if (unread !== undefined) this.#giveUp(unread);
    for (const [at, command] of commands.entries()) {
      const inner = {
        ...command,
        from: command.from.length > 0 ? command.from : from,
        redirects: at === 0 ? [...command.redirects, ...redirects] : command.redirects,
      };
      if (WINDOWS_SHELLS.has(command.program.toLowerCase())) this.#ofPosix(inner);
      else
        this.#commands.push({
          ...inner,
          via: [...this.#via, ...command.via],
          cwd: this.#from(command.cwd),
        });
    }
  }

  /** PowerShell or cmd with the text that it runs. */
  #shell(program: string, fields: readonly Word[], streams: Streams): void {
    const found = scriptOf(program, fields);
    const isInput = !found && (streams.from.length > 0 || fields[1]?.text === "-");
    this.#add(fields, program, { ...streams, opaque: isInput || found?.known === false });
    if (found && found.text !== "")
      this.#text(found.text, program, program === "cmd" ? "cmd" : "powershell");
  }

  /** Invoke-Expression: what it runs is known only if it is written in the line. */
  #expression({ split: { source } }: Call, fields: readonly Word[], streams: Streams): void {
    const given = fields.slice(/^-c/i.test(fields[1]?.text ?? "") ? 2 : 1);
    const words = given.length > 0 || source?.words.length !== 1 ? given : source.words;
    const opaque = words.length === 0 || words.some(({ known }) => !known);
    this.#add(fields, "invoke-expression", { ...streams, opaque });
    const text = words.map((word) => word.text).join(" ");
    if (!opaque) this.#text(text, "invoke-expression", this.#dialect);
  }

  /** `for` of cmd, with what it runs for each word in the parentheses: `for /d %i in (C:\*) do rd /s %i`. */
  #for(words: readonly Word[]): void {
    const texts = words.map(({ text }) => text.toLowerCase());
    const at = texts.indexOf("do");
    const folder = texts.includes("/r") ? words[texts.indexOf("/r") + 1]?.text : undefined;
    const isBelow = folder !== undefined && !folder.startsWith("%");
    const [from, to] = words.slice(0, at).findLast(({ block }) => block)?.block ?? [0, 0];
    const listed = this.#list.slice(from, to).flatMap((list) => list.words);
    const values = isBelow ? [`${folder}\\*`] : listed.map(({ text }) => text);
    for (const value of at < 0 ? [] : values) {
      if (this.#rounds++ > MAX_ROUNDS || value.length > MAX_HELD)
        return this.#giveUp("its loops run for too many words");
      const inner = words.slice(at + 1).map(({ text, known }) =>
        wordOf(
          text.replaceAll(/%+~?[A-Za-z]*[A-Za-z]/g, () => value),
          known,
        ),
      );
      if (isBelow && this.#names.of(inner[0]?.text ?? "") === "remove-item")
        inner.push(wordOf("/s"));
      this.#look({ words: inner, split: NO_PIPE, isCalled: false });
    }
  }

  /** What forfiles runs for each file: `forfiles /p C:\ /s /c "cmd /c del @path"`. */
  #forFiles(fields: readonly Word[]): void {
    const texts = fields.map(({ text }) => text.toLowerCase());
    const valueOf = (name: string): string | undefined =>
      texts.includes(name) ? fields[texts.indexOf(name) + 1]?.text : undefined;
    const value = `${(valueOf("/p") ?? ".").slice(0, MAX_HELD).replace(/[\\/]$/, "")}\\*`;
    const text = valueOf("/c");
    const line = text?.replaceAll(/@\w+/g, () => value);
    if (line !== undefined) this.#text(line, "forfiles", "cmd");
  }

  /** A call of .NET. */
  #method({ words, split }: Call, streams: Streams): boolean {
    const [name = NO_WORD, block] = words;
    const method = /\w*$/.exec(name.text)?.[0].toLowerCase() ?? "";
    const values = this.#argumentsOf(block);
    const call = (program: string, operands: readonly Word[]): boolean => {
      this.#programs.set(split, program);
      this.#add([wordOf(name.text), ...operands], program, streams);
      return true;
    };
    if (name.text.startsWith("[")) {
      const [, kind] = /(?:^\[|\.)(file|directory)\]::\w+$/i.exec(name.text) ?? [];
      const known = FILE_CALLS.find(([begins]) => begins.test(method));
      if (kind === undefined || !known) return call("", values);
      const [, program, count] = known;
      const operands = Array.from({ length: count }, (_, at) => values[at] ?? UNKNOWN);
      const isTree = program === "remove-item" && kind.toLowerCase() === "directory";
      return call(program, isTree ? [...operands, wordOf("-Recurse")] : operands);
    }
    if (!block?.block) return false;
    if (method === "delete") {
      const isItem = name.text === "$_.Delete";
      return call("remove-item", isItem ? this.#fields([wordOf("$_", false)], split) : [UNKNOWN]);
    }
    if (!DOWNLOADS.test(name.text)) return false;
    const [url = UNKNOWN, file] = values;
    return call("invoke-webrequest", file ? [url, wordOf("-OutFile"), file] : [url]);
  }

  /** The arguments of a call: texts in quotes, and others that are unknown. */
  #argumentsOf(block: Word | undefined): Word[] {
    const [from, to] = block?.block ?? [0, 0];
    const words = to > from ? (this.#list[to - 1]?.words ?? []) : [];
    return words.flatMap(({ text, known, isQuoted, isListed }, at) => {
      if (at > 0 && !isListed) return [];
      return wordOf(text, isQuoted && known && words[at + 1]?.isListed !== false);
    });
  }
}

const NO_WORD = wordOf("");
const UNKNOWN = wordOf("$unknown", false);
/** What writes the value of an expression. */
const OUTPUT = wordOf("Write-Output");
const NO_STREAMS: Streams = { from: [], redirects: [] };
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
