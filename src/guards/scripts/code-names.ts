import { HOME, oneOf } from "../languages/home-folder.ts";

/** Most names that are followed, and the longest text that one stands for. */
const MOST_NAMES = 200;
const LONGEST_VALUE = 300;
/** Modules whose functions are read by their full names. */
const MODULE = String.raw`(?:node:)?(os|shutil|subprocess|fs|fs\/promises|child_process|path)`;
const LISTED = String.raw`\{([^{}]{1,400})\}`;
/** Functions that are imported: `from os import remove as r`, `import { rm } from "fs"`. */
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
const SETS = /^(?:(?:const|let|var|my|our|local)\s+)?\$?([A-Za-z_]\w*)\s*=\s*([^=>\s][^]*)$/;

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/.source;
/** Of what expressions consist that stand for a path or for words. */
const PLAIN_PARTS = new RegExp(
  oneOf(String.raw`
    [furb]?(?:${STRING.replaceAll(" ", "\\x20")}) ${HOME} \b(?:os\.path|path|File)\.join\b \bjoin\b
    \b(?:pathlib\.)?Path\b \bstr\b os\.path\.expanduser File\.expand_path
  `),
  "g",
);
/** Calls that list a folder: the names in it, or their paths. */
const LISTS =
  /(os\.listdir|readdir(?:Sync)?|Dir\.(?:children|entries|each_child)|os\.scandir|os\.walk)\s*\(/g;
const LOOPS_BEFORE =
  /\bfor\s*(?:await\s*)?\(?\s*(?:const\s|let\s|var\s|my\s)?\s*\$?(\w+)(?:\s*,\s*(\w+)\s*,\s*(\w+))?\s*(?:\s(?:in|of)\s|\()\s*(?:await\s+)?(?:sorted\(|list\()?\s*(?:[\w.]+\.)?$/;
const LOOPS_BEHIND =
  /^\s*(?:\.\w+\(\)\s*)?(?:\.(?:forEach|map|each)\s*)?[({]?\s*(?:do\s*)?(?:\|\s*(\w+)\s*\||(?:async\s*)?\(?\s*(\w+)[^=\n]{0,20}\)?\s*=>)/;
/** Paths of a folder, in Python: `for p in Path.home().iterdir()`. */
const PATHS = /\bfor\s+(\w+)\s+in\s+(?:sorted\(|list\()?([^\n:]{1,150}?)\.(?:iterdir|r?glob)\s*\(/g;

/** Code in which a module of Node stands by its name: `fs.rm` for `require("fs").promises.rm`. */
export function withModules(code: string): string {
  return code.replaceAll(REQUIRED, "$1");
}

const WITHIN_TEXT = new RegExp(String.raw`[$#]?\{(?:${HOME})\}|(?<=["][^"\n]*)\$ENV\{HOME\}`, "g");
const ALONE = new RegExp(HOME, "g");

/** Code with its expressions for the home folder as a shell writes them: `"rm -rf " + "$HOME"`. */
export function withShellHome(code: string): string {
  return code.replaceAll(WITHIN_TEXT, "$$HOME").replaceAll(ALONE, '"$$HOME"');
}

/** What names in a program stand for, as far as it is an expression of literals and the home folder. */
export class CodeNames {
  readonly #values = new Map<string, string>();

  /** @param statements of the program, in order */
  constructor(text: string, statements: readonly string[]) {
    this.#imported(text);
    const imported = new Set(this.#values.keys());
    const again = new Set<string>();
    for (const statement of statements) {
      const [, name = "", written = ""] = SETS.exec(statement.trim()) ?? [];
      if (name === "" || imported.has(name) || written.length > LONGEST_VALUE) continue;
      const value = this.filled(written.replace(/[;\s]+$/, ""));
      if (this.#values.get(name) === value) continue;
      if (this.#values.has(name) || !isPlain(value)) again.add(name);
      else this.#set(name, value);
    }
    for (const name of again) this.#values.delete(name);
    this.#looped(withModules(text));
  }

  /** Code with its names replaced by what they stand for. */
  filled(code: string): string {
    if (this.#values.size === 0 && !code.includes("{")) return code;
    return code
      .replaceAll(/\$?\b[A-Za-z_]\w*\b/g, (word, at: number) => {
        const value = this.#values.get(word.replace("$", ""));
        if (value === undefined || /[.\w]/.test(code.charAt(at - 1))) return word;
        // A name that is set, or the one of an option.
        if (/^\s{0,20}=(?!=)/.test(code.slice(at + word.length, at + word.length + 24)))
          return word;
        return value;
      })
      .replaceAll(/[$#]?\{["']([^"'{}\n]*)["']\}/g, "$1");
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
    const add = (name: string | undefined, value: string): void => {
      if (name !== undefined && !this.#values.has(name) && isPlain(value)) this.#set(name, value);
    };
    for (const match of text.matchAll(LISTS)) {
      const at = match.index + match[0].length;
      const end = closing(text, at);
      const folder = this.filled(firstArgument(text.slice(at, end)));
      const before = LOOPS_BEFORE.exec(text.slice(Math.max(0, match.index - 100), match.index));
      const behind = before ? undefined : LOOPS_BEHIND.exec(text.slice(end + 1, end + 101));
      const name = before?.[1] ?? behind?.[1] ?? behind?.[2];
      if (match[1] === "os.walk") {
        add(name, folder);
        for (const list of [before?.[2], before?.[3]])
          for (const [, each] of list === undefined
            ? []
            : text.matchAll(new RegExp(String.raw`\bfor\s+(\w+)\s+in\s+${list}\b`, "g")))
            if (isPlain(folder)) add(each, '"*"');
      } else if (isPlain(folder))
        add(name, match[1] === "os.scandir" ? `join(${folder}, "*")` : '"*"');
    }
    for (const [, name, folder = ""] of text.matchAll(PATHS))
      add(name, `join(${this.filled(folder)}, "*")`);
  }
}

/** What is imported, and the module that it is of. */
function* imports(text: string, patterns: readonly RegExp[]): Generator<[string, string]> {
  for (const pattern of patterns)
    for (const [, one = "", other = ""] of text.matchAll(pattern)) {
      const [names, module] = IS_MODULE.test(one) ? [other, one] : [one, other];
      yield [names, module.replace(/^node:|\/promises$/g, "")];
    }
}

function isPlain(value: string): boolean {
  return value !== "" && /^[\s()[\],+/.;]*$/.test(value.replaceAll(PLAIN_PARTS, ""));
}

/** Where a bracket closes that is open at a position. */
function closing(text: string, from: number): number {
  let depth = 1;
  const most = Math.min(text.length, from + LONGEST_VALUE);
  for (let at = from; at < most; at++) {
    const sign = text.charAt(at);
    if (sign === "(") depth++;
    else if (sign === ")" && --depth === 0) return at;
  }
  return most;
}

function firstArgument(args: string): string {
  let depth = 0;
  for (let at = 0; at < args.length; at++) {
    const sign = args.charAt(at);
    if (sign === "(" || sign === "[") depth++;
    else if (sign === ")" || sign === "]") depth--;
    else if (sign === "," && depth === 0) return args.slice(0, at);
  }
  return args;
}
