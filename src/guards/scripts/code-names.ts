import { lastUpTo, lineStarts } from "../../core/index.ts";
import { HOME, oneOf } from "../languages/home-folder.ts";
import { closing } from "./piece.ts";

/** Most names that are followed, and the longest text that one stands for. */
const MOST_NAMES = 200;
const LONGEST_VALUE = 300;
/** Code with a longer line was made by a program: its names are short and stand for much. */
const LONGEST_LINE = 1_000;
/** Modules whose functions are read by their full names. */
const MODULE = String.raw`(?:node:)?(os|shutil|subprocess|fs|fs\/promises|child_process|path)`;
const LISTED = String.raw`\{([^{}]{1,400})\}`;
/** Functions that are imported: `from os import remove as r`, `{ rm }` of `fs`. */
const IMPORTED: readonly RegExp[] = [
  new RegExp(String.raw`^[ \t]*from[ \t]+${MODULE}[ \t]+import[ \t]+\(?([^()\n;]{1,400})`, "gm"),
  new RegExp(String.raw`\bimport\s+${LISTED}\s*from\s*["']${MODULE}["']`, "g"),
  new RegExp(String.raw`${LISTED}\s*=\s*(?:await\s+import|require)\s*\(\s*["']${MODULE}["']`, "g"),
];
/** Modules under other names: `import subprocess as sp`, `const cp = require("child_process")`. */
const MODULES: readonly RegExp[] = [
  new RegExp(String.raw`^[ \t]*import[ \t]+${MODULE}[ \t]+as[ \t]+(\w+)`, "gm"),
  new RegExp(String.raw`\bimport\s+(?:\*\s*as\s+)?(\w+)\s+from\s*["']${MODULE}["']`, "g"),
  new RegExp(
    String.raw`\b(\w+)\s*=\s*(?:await\s+import|require)\s*\(\s*["']${MODULE}["']\s*\)(?:\.promises)?\s*(?=[,;\n]|$)`,
    "g",
  ),
];
const IS_MODULE = new RegExp(`^${MODULE}$`);
/** Modules of Node where they are used. */
const REQUIRED =
  /require\(\s*["'](?:node:)?(fs|os|path|child_process|https?|net)(?:\/promises)?["']\s*\)(?:\.promises)?/g;
/** A function in another form: `const sh = promisify(exec)`. */
const WRAPPED = /\b(\w+)\s*=\s*(?:util\.)?promisify\(\s*([\w.]{1,80})\s*\)/g;
/** Sets a name. */
const SETS =
  /^(?:(?:const|let|var|my|our|local)\s+)?[$@]?([A-Za-z_]\w*)(?:,\s*(?:err|_))?(?:\s{0,4}:\s{0,4}[A-Za-z][\w<>[\]|. ]{0,60}?)?\s*:?=\s*([^=>\s][^]*)$/;

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/.source;
/** Of what expressions consist that stand for a path or for words. */
const PLAIN_PARTS = new RegExp(
  oneOf(String.raw`
    [furb]?(?:${STRING.replaceAll(" ", "\\x20")}) ${HOME} \b(?:os\.path|path|File)\.join\b \bjoin\b
    \bfilepath\.Join\b \b(?:pathlib\.)?Path\b \bstr\b os\.path\.expanduser File\.expand_path
  `),
  "g",
);
/** Calls that list a folder: the names in it, or their paths. */
const LISTS =
  /(os\.listdir|readdir(?:Sync)?|Dir\.(?:children|entries|each_child|glob)|os\.scandir|os\.walk|glob\.i?glob)\s*\(/g;
const LOOPS_BEFORE =
  /\bfor\s*(?:await\s*)?\(?\s*(?:const\s|let\s|var\s|my\s)?\s*\$?(\w+)(?:\s*,\s*(\w+)\s*,\s*(\w+))?\s*(?:\s(?:in|of)\s|\()\s*(?:await\s+)?(?:sorted\(|list\()?\s*(?:[\w.]+\.)?$/;
const LOOPS_BEHIND =
  /^\s*(?:\.\w+\(\)\s*)?(?:\.(?:forEach|map|each)\s*)?[({]?\s*(?:do\s*)?(?:\|\s*(\w+)\s*\||(?:async\s*)?\(?\s*(\w+)[^=\n]{0,20}\)?\s*=>)/;
/** What is done for each item of a list that stands there, or that a name stands for. */
const ITEMS = [
  /\bfor\s*\(?\s*(?:const\s|let\s|var\s|my\s)?\s*\$?(\w+)\s+(?:in|of)\s+(\[[^[\]]{1,1000}\]|\w+)/g,
  /\bfor(?:each)?\s+(?:my\s+)?\$(\w+)\s*(\([^()]{1,1000}\))/g,
  /(\[[^[\]]{1,1000}\]|\b\w+)\.(?:forEach|each|map)\s*[({]\s*(?:\|\s*(\w+)\s*\||\(?\s*(\w+)\s*\)?\s*=>)/g,
];
/** Functions with their parameters. */
const FUNCTIONS =
  /\b(?:def|function)\s+(\w+)\s*\(([^()\n]{1,200})\)|\b(\w+)\s*=\s*(?:async\s*)?\(?\s*((?:\.\.\.)?\w[\w\s,:=.[\]]{0,100})\)?\s*=>/g;
/** The head of a function, without its body. */
const IS_HEAD = /^\s*(?:async\s+)?(?:def\b.*:\s*$|function\b[^{]*\{?\s*$)/;
const CALLED = /(?<![\w.$])(\w+)\s*\(|^[ \t]*(\w+)[ \t]+(?=["'])/gm;
/** Most values that are computed of one statement. */
const MOST_COMPUTED = 8;
/** Most values of a name that has several. */
const MOST_VALUES = 40;
/** Paths of a folder, in Python: `for p in Path.home().iterdir()`. */
const PATHS = /\bfor\s+(\w+)\s+in\s+(?:sorted\(|list\()?([^\n:]{1,150}?)\.(?:iterdir|r?glob)\s*\(/g;

/** Code in which a module of Node stands by its name: `fs.rm`, however it was required. */
export function withModules(code: string): string {
  return code.replaceAll(REQUIRED, "$1");
}

/** A statement of a program, and the line that it begins on. */
export interface Statement {
  readonly line: number;
  readonly statement: string;
}

/** What a name stands for in some lines. */
interface LocalValue {
  readonly value: string;
  readonly from: number;
  readonly to: number;
}

/** What names in a program stand for, as far as it is an expression of literals and the home folder. */
export class CodeNames {
  readonly #values = new Map<string, string>();
  /** Names that stand for something in some lines: items of lists, files of folders, parameters. */
  readonly #local = new Map<string, LocalValue[]>();
  readonly #lines: readonly string[];
  /** Where lines begin. */
  #starts: readonly number[] = [];

  /** @param statements of the program, in order, with their lines */
  constructor(text: string, statements: readonly Statement[]) {
    this.#lines = text.split("\n");
    this.#imported(text);
    const imported = new Set(this.#values.keys());
    const again = new Set<string>();
    for (const { statement } of statements) {
      const [, name = "", written = ""] = SETS.exec(statement.trim()) ?? [];
      if (name === "" || imported.has(name) || written.length > LONGEST_VALUE) continue;
      const value = this.filled(written.replace(/[;\s]+$/, ""));
      if (this.#values.get(name) === value) continue;
      if (this.#values.has(name) || !isPlain(value)) again.add(name);
      else this.#set(name, value);
    }
    for (const name of again) this.#values.delete(name);
    if (this.#lines.some((line) => line.length > LONGEST_LINE)) return;
    const code = withModules(text);
    this.#starts = lineStarts(code);
    this.#looped(code);
    this.#items(code);
    this.#parameters(code);
    if (this.#local.size > 0) for (const each of statements) this.#computed(each);
  }

  /** What is made of the items of a list in each round: `p = join("/srv", name)`. */
  #computed({ statement, line }: Statement): void {
    const [, name = "", written = ""] = SETS.exec(statement.trim()) ?? [];
    if (name === "" || this.#values.has(name) || written.length > LONGEST_VALUE) return;
    for (const value of this.versions(written.replace(/[;\s]+$/, ""), line, MOST_COMPUTED)) {
      const values = this.#local.get(name) ?? [];
      if (!isPlain(value) || values.length >= MOST_VALUES) continue;
      const indent = indentOf(this.#lines[line - 1] ?? "");
      let to = line;
      while (to < this.#lines.length && indentOf(this.#lines[to] ?? "") >= indent) to++;
      values.push({ value, from: line, to });
      this.#local.set(name, values);
    }
  }

  /**
   * A statement with its names replaced by what they stand for: once, and once for each value of a name that has some
   * there.
   * @param line from 1
   */
  *versions(statement: string, line: number, most = MOST_VALUES): Generator<string> {
    const filled = this.filled(statement);
    yield filled;
    if (this.#local.size === 0 || most < 2 || IS_HEAD.test(statement)) return;
    for (const word of filled.match(/\b[A-Za-z_]\w*\b/g) ?? []) {
      const values =
        this.#local.get(word)?.filter(({ from, to }) => from <= line && line <= to) ?? [];
      if (values.length === 0) continue;
      const named = new RegExp(
        `(?:\\.\\.\\.|\\*|(?<![\\w.]))\\$?${word}(?!\\w|\\s{0,20}=[^=])`,
        "g",
      );
      for (const { value } of values.slice(0, most))
        yield* this.versions(
          filled.replaceAll(named, () => value),
          line,
          most >> 3,
        );
      return;
    }
  }

  /** Code with its names replaced by what they stand for. */
  filled(code: string): string {
    if (this.#values.size === 0) return withTexts(code);
    const text = code.replaceAll(/\$?\b[A-Za-z_]\w*\b/g, (word, at: number) => {
      const value = this.#values.get(word.replace("$", ""));
      if (value === undefined || /[.\w]/.test(code.charAt(at - 1))) return word;
      // A name that is set, or the one of an option.
      if (/^\s{0,20}=(?!=)/.test(code.slice(at + word.length, at + word.length + 24))) return word;
      return value;
    });
    return withTexts(text);
  }

  #set(name: string, value: string): void {
    if (this.#values.size < MOST_NAMES && value.length <= LONGEST_VALUE)
      this.#values.set(name, value);
  }

  #imported(text: string): void {
    for (const [names, module] of imports(text, MODULES))
      if (names !== module) this.#set(names, module);
    for (const [names, module] of imports(text, IMPORTED))
      for (const each of names.split(",")) {
        const [, name, as] = /^\s*(\w+)(?:\s*(?:as\s|:)\s*(\w+))?\s*$/.exec(each) ?? [];
        if (name !== undefined) this.#set(as ?? name, `${module}.${name}`);
      }
    for (const [, name = "", of = ""] of withModules(text).matchAll(WRAPPED))
      this.#set(name, this.filled(of));
  }

  #looped(text: string): void {
    for (const match of text.matchAll(LISTS)) {
      const at = match.index + match[0].length;
      const end = argumentsEnd(text, at);
      const folder = this.filled([...parts(text.slice(at, end), ",")][0] ?? "");
      const before = LOOPS_BEFORE.exec(text.slice(Math.max(0, match.index - 100), match.index));
      const behind = before ? undefined : LOOPS_BEHIND.exec(text.slice(end + 1, end + 101));
      const name = before?.[1] ?? behind?.[1] ?? behind?.[2];
      if (match[1] === "os.walk") {
        this.#add(name, folder, at);
        for (const list of isPlain(folder) ? [before?.[2], before?.[3]] : []) {
          const loops = new RegExp(String.raw`\bfor\s+(\w+)\s+in\s+${list}\b`, "g");
          for (const each of list === undefined ? [] : text.matchAll(loops))
            this.#add(each[1], '"*"', each.index);
        }
      } else if (isPlain(folder))
        this.#add(
          name,
          match[1]?.includes("glob")
            ? folder
            : match[1] === "os.scandir"
              ? `join(${folder}, "*")`
              : '"*"',
          at,
        );
    }
    for (const { 1: name, 2: folder = "", index } of text.matchAll(PATHS))
      this.#add(name, `join(${this.filled(folder)}, "*")`, index);
  }

  #items(text: string): void {
    for (const pattern of ITEMS)
      for (const match of text.matchAll(pattern)) {
        const [, one = "", ...others] = match;
        const other = others.find((each) => each !== undefined) ?? "";
        const [name, written] = pattern === ITEMS.at(-1) ? [other, one] : [one, other];
        const list = this.filled(written).replace(/^\(\s*@(?=\()|^\((?=\s*@?\()/, "");
        for (const item of /^[[(]/.test(list) ? parts(list.slice(1, -1), ",") : [])
          this.#add(name, item, match.index);
      }
  }

  #parameters(text: string): void {
    const functions = new Map<
      string,
      { readonly params: readonly string[]; readonly at: number }
    >();
    for (const { 1: name, 2: list, 3: arrow = "", 4: arrowList = "", index } of text.matchAll(
      FUNCTIONS,
    )) {
      const params = (list ?? arrowList)
        .split(",")
        .map((each) => /(?:\*|\.\.\.)?\w+/.exec(each)?.[0] ?? "");
      if (functions.size < MOST_NAMES) functions.set(name ?? arrow, { params, at: index });
    }
    if (functions.size === 0) return;
    for (const { 0: all, 1: with_, 2: without, index } of text.matchAll(CALLED)) {
      const called = functions.get(with_ ?? without ?? "");
      if (!called) continue;
      const begin = index + all.length;
      const end = without === undefined ? argumentsEnd(text, begin) : text.indexOf("\n", begin);
      const args = [...parts(text.slice(begin, end), ",")];
      for (const [at, argument] of args.entries()) {
        const param = called.params[at] ?? "";
        // `*args` and `...args` are all that is left.
        const isRest = /^\W/.test(param);
        const value = isRest ? args.slice(at).join(",") : argument;
        this.#add(param.replace(/^\W+/, ""), this.filled(value), called.at);
        if (isRest) break;
      }
    }
  }

  /** A value of a name in the line of a position and in what is indented below it. */
  #add(name: string | undefined, written: string, at: number): void {
    const value = written.trim();
    if (name === undefined || name === "" || this.#values.has(name)) return;
    if (value.length > LONGEST_VALUE || !isPlain(value)) return;
    const values = this.#local.get(name) ?? [];
    if (values.length >= MOST_VALUES) return;
    const from = lastUpTo(this.#starts, at) + 1;
    const indent = indentOf(this.#lines[from - 1] ?? "");
    let to = from;
    while (to < this.#lines.length && indentOf(this.#lines[to] ?? "") > indent) to++;
    values.push({ value, from, to });
    this.#local.set(name, values);
  }
}

/** Of an empty line, it does not count. */
function indentOf(line: string): number {
  const indent = line.search(/\S/);
  return indent < 0 ? Infinity : indent;
}

/** Code in whose texts other texts stand as such: `git push ${"--force"}`. */
function withTexts(code: string): string {
  return code.includes("{") ? code.replaceAll(/[$#]?\{["']([^"'{}\n]*)["']\}/g, "$1") : code;
}

/** What is imported, and the module that it is of. */
function* imports(text: string, patterns: readonly RegExp[]): Generator<[string, string]> {
  for (const pattern of patterns)
    for (const [, one = "", other = ""] of text.matchAll(pattern)) {
      const [names, module] = IS_MODULE.test(one) ? [other, one] : [one, other];
      yield [names, module.replace(/^node:|\/promises$/g, "")];
    }
}

function argumentsEnd(text: string, from: number): number {
  const end = closing(text, from, LONGEST_VALUE);
  return end < 0 ? Math.min(text.length, from + LONGEST_VALUE) : end;
}

function isPlain(value: string): boolean {
  return value !== "" && /^[\s()[\],+/.;]*$/.test(value.replaceAll(PLAIN_PARTS, ""));
}

/** Texts, brackets and separators. */
const SIGNS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[()[\]{},;]/g;

/**
 * What is between separators in code that stand in no text and in no brackets: the arguments of a call, the statements
 * of a line. Statements are within braces as well.
 */
export function* parts(code: string, separator: "," | ";"): Generator<string> {
  if (!code.includes(separator)) return yield code;
  const [opens, closes] = separator === "," ? ["([{", ")]}"] : ["([", ")]"];
  let begin = 0;
  let depth = 0;
  for (const { 0: sign, index } of code.matchAll(SIGNS)) {
    if (opens.includes(sign)) depth++;
    else if (closes.includes(sign)) depth--;
    else if (sign === separator && depth <= 0) {
      yield code.slice(begin, index);
      begin = index + 1;
    }
  }
  yield code.slice(begin);
}
