/** A word of a line for PowerShell or cmd. */
export interface Word {
  /** Without quotes; variables with a known value are replaced. */
  readonly text: string;
  readonly known: boolean;
  /** Whether all of it stands in quotes. */
  readonly isQuoted: boolean;
  /**
   * Whether a comma precedes it, so that it belongs to the same value as the word before; of the target of a
   * redirection, whether the output is appended.
   */
  readonly isListed: boolean;
  /** For a block or parentheses: the positions of its commands in the list, from the first to behind the last. */
  readonly block?: readonly [from: number, to: number];
}

/** A word without quotes, if nothing else is said. */
export function wordOf(text: string, known = true, more: Partial<Word> = {}): Word {
  return { text, known, isQuoted: false, isListed: false, ...more };
}

/** A command, with blocks as unknown words. Its blocks' commands precede it in the list. */
export interface SplitCommand {
  words: Word[];
  /** The files that its output is redirected to. */
  readonly targets: Word[];
  /** Whether `&` precedes it, so that a variable or a text is a program. */
  isCalled: boolean;
  /** The command whose output it reads; in a block, the one in front of the pipe in front of the block. */
  readonly source: SplitCommand | undefined;
  /** The next command of its pipeline. */
  reader?: SplitCommand;
  /** Whether it is a list of words, not a command: the parentheses of `for %i in (a b)`. */
  isData: boolean;
}

/** Deepest nesting of blocks that is read. */
const MAX_NESTED = 50;

/** Variables with a known value. */
const VALUES: Readonly<Record<string, string>> = {
  home: "~",
  profile: "~/.config/powershell/profile.ps1",
  pwd: ".",
  cd: ".",
  psscriptroot: ".",
  "env:home": "~",
  "env:userprofile": "~",
  "env:homepath": "~",
  "env:systemdrive": "C:",
  "env:systemroot": "C:/Windows",
  "env:windir": "C:/Windows",
  "env:programfiles": "C:/Program Files",
  "env:temp": "/tmp",
  "env:tmp": "/tmp",
};

const VARIABLE = /\$\{[\w:]+\}|\$[A-Za-z_]\w*:?\w*/g;

/** Replace known variables; false as well if others are left. */
function expanded(text: string): readonly [text: string, known: boolean] {
  if (!/[$%]/.test(text)) return [text, true];
  let known = true;
  const valueOf = (name: string): string | undefined => {
    const value = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
    if (value === undefined) known = false;
    return value;
  };
  const replaced = text
    .replaceAll(VARIABLE, (found) => valueOf(found.toLowerCase().replaceAll(/[${}]/g, "")) ?? found)
    .replaceAll(/%(\w+)%(\w?)/g, (found, name: string, behind: string) => {
      const small = name.toLowerCase();
      const value = valueOf(small === "cd" ? small : `env:${small}`);
      if (value === undefined) return found;
      // A POSIX shell that has read the line took the backslash away: `%temp%\x`.
      return behind === "" ? value : `${value}/${behind}`;
    });
  return [replaced, known && !replaced.includes("$")];
}

/** Thrown at what cannot be read. */
class Unreadable extends Error {}

/**
 * Split a line for PowerShell or cmd into its commands. Expressions are not evaluated.
 * @param isCmd `^` is an escape character
 * @returns a text that says why the line cannot be read
 */
export function splitLine(line: string, isCmd: boolean): readonly SplitCommand[] | string {
  try {
    return new Splitter(line, isCmd).split();
  } catch (thrown) {
    if (thrown instanceof Unreadable) return thrown.message;
    throw thrown;
  }
}

interface Opened {
  readonly command: SplitCommand;
  readonly outer: SplitCommand | undefined;
  readonly from: number;
}

class Splitter {
  readonly #line: string;
  readonly #isCmd: boolean;
  readonly #list: SplitCommand[] = [];
  readonly #stack: Opened[] = [];
  #at = 0;
  #command: SplitCommand = begun(undefined);
  /** The last one with words. */
  #last: SplitCommand | undefined;
  /** In a block, the source of its commands. */
  #outer: SplitCommand | undefined;
  #isTarget = false;
  #isListed = false;

  constructor(line: string, isCmd: boolean) {
    this.#line = line;
    this.#isCmd = isCmd;
  }

  split(): readonly SplitCommand[] {
    while (this.#at < this.#line.length) if (!this.#found(/[ \t]+/y)) this.#step();
    this.#finish();
    if (this.#stack.length > 0) throw new Unreadable("syntax error: unterminated block");
    return this.#list;
  }

  /** Skip what a pattern matches here; undefined if it does not. */
  #found(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #step(): void {
    const mark = this.#line.charAt(this.#at);
    if (this.#found(/[\r\n;]|&&|\|\|/y)) return this.#finish();
    if (this.#found(/`\r?\n/y)) return;
    const here = this.#found(/@(["'])\s*\n/y);
    if (here) return this.#hereString(here[1] ?? "");
    if (mark === "#") return this.#skipTo("\n");
    if (this.#found(/<#/y)) {
      if (!this.#line.includes("#>", this.#at)) throw new Unreadable("syntax error: open comment");
      this.#skipTo("#>");
      this.#at += "#>".length;
    } else if (this.#found(/\|/y)) this.#finish(true);
    else if (this.#found(/&/y)) {
      // The call operator of PowerShell, or what separates the commands of cmd.
      if (this.#command.words.length > 0) this.#finish();
      this.#command.isCalled = true;
    } else if (this.#found(/(?!\$\{[\w:]+\})[$@]?[({]/y)) this.#open();
    else if (this.#found(/[)}]/y)) this.#close();
    else if (mark === "," || mark === "<") {
      this.#isListed ||= mark === ",";
      this.#at++;
    } else {
      const redirect = this.#found(/[\d*]?>(>?)(&\d)?/y);
      if (!redirect) return this.#bare();
      this.#isTarget = redirect[2] === undefined;
      this.#isListed = redirect[1] === ">";
    }
  }

  #skipTo(text: string): void {
    const end = this.#line.indexOf(text, this.#at);
    this.#at = end < 0 ? this.#line.length : end;
  }

  /** @param isPiped whether the next command reads the output of this one */
  #finish(isPiped = false): void {
    const command = this.#command;
    const hasWords = command.words.length > 0;
    if (hasWords || command.targets.length > 0) this.#list.push(command);
    if (hasWords) this.#last = command;
    this.#command = begun(isPiped ? this.#last : this.#outer);
    if (isPiped && this.#last) this.#last.reader = this.#command;
  }

  #open(): void {
    if (this.#stack.length >= MAX_NESTED) throw new Unreadable("it is nested too deeply");
    if (this.#isTarget) this.#word("(…)", false);
    this.#stack.push({
      command: this.#command,
      outer: this.#outer,
      from: this.#list.length,
    });
    this.#outer = this.#command.source;
    this.#command = begun(this.#outer);
  }

  #close(): void {
    this.#finish();
    const opened = this.#stack.pop();
    if (!opened) throw new Unreadable("syntax error: a bracket too many");
    this.#command = opened.command;
    this.#outer = opened.outer;
    const { words } = opened.command;
    const block = [opened.from, this.#list.length] as const;
    if (words[0]?.text.toLowerCase() === "for" && words.at(-1)?.text.toLowerCase() === "in")
      for (const command of this.#list.slice(...block)) command.isData = true;
    if (words.length > 0) this.#word("(…)", false, { block });
  }

  #word(text: string, known: boolean, more: Partial<Word> = {}): void {
    const word = wordOf(text, known, { isListed: this.#isListed, ...more });
    (this.#isTarget ? this.#command.targets : this.#command.words).push(word);
    this.#isListed = false;
    this.#isTarget = false;
  }

  #hereString(quote: string): void {
    const end = this.#line.indexOf(`\n${quote}@`, this.#at - 1);
    if (end < 0) throw new Unreadable("syntax error: unterminated here-string");
    this.#word(this.#line.slice(this.#at, end), quote === "'", { isQuoted: true });
    this.#at = end + 3;
  }

  /** A word, parts of which may stand in quotes. */
  #bare(): void {
    const begin = this.#at;
    const parts: string[] = [];
    let known = true;
    let isQuoted = false;
    const run = this.#isCmd
      ? /\$\{[\w:]+\}|[^\s;|&(){}'"`,<>^]+/y
      : /\$\{[\w:]+\}|[^\s;|&(){}'"`,<>]+/y;
    for (;;) {
      const mark = this.#line.charAt(this.#at);
      if (mark === "`" || (mark === "^" && this.#isCmd)) {
        parts.push(this.#line.charAt(this.#at + 1));
        this.#at += 2;
      } else if (mark === '"' || mark === "'") {
        isQuoted = this.#at === begin;
        const [text, isKnown] = this.#quoted(mark);
        parts.push(text);
        known &&= isKnown;
        continue;
      } else {
        const found = this.#found(run);
        if (!found) break;
        const [text, isKnown] = expanded(found[0]);
        parts.push(text);
        known &&= isKnown;
      }
      isQuoted = false;
    }
    if (this.#at === begin) throw new Unreadable(`syntax error: ${this.#line.charAt(begin)}`);
    this.#word(parts.join(""), known, { isQuoted });
  }

  #quoted(quote: string): readonly [text: string, known: boolean] {
    const parts: string[] = [];
    this.#at++;
    for (;;) {
      const found = this.#found(quote === "'" ? /([^']*)('')?/y : /([^`"]*)(""|`[^])?/y);
      parts.push(found?.[1] ?? "");
      if (found?.[2] === undefined) break;
      parts.push(found[2].charAt(1));
    }
    if (this.#line.charAt(this.#at) !== quote)
      throw new Unreadable("syntax error: unterminated quote");
    this.#at++;
    return quote === '"' ? expanded(parts.join("")) : [parts.join(""), true];
  }
}

function begun(source: SplitCommand | undefined): SplitCommand {
  return { words: [], targets: [], isCalled: false, source, isData: false };
}
