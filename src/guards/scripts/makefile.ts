import type { FileReader } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { FileRun, Piece } from "./piece.ts";
import { closing, folderOf } from "./piece.ts";

interface Rule {
  readonly needs: string[];
  readonly recipe: Piece[];
}

/** What stands around the `%` of a target, and its rule. */
type Pattern = readonly [begin: string, end: string, rule: Rule];

/** The most rules that are read, and the longest value of a variable. */
const MOST_RULES = 4_000;
const MOST_FILES = 50;
const MOST_OPEN = 4;
const LONGEST_VALUE = 2_000;
/** How often variables in the values of others are filled in. */
const MOST_ROUNDS = 6;
/** How often a line of a recipe is read for targets that are plain names in the project: it does the same to each. */
const MOST_ALIKE = 4;
const PLAIN = /^(?!.*(?:\.\.|\/\.))\w[\w+./-]*$/;
/** How many calls of functions that nothing closes are looked for in a text, and how far. */
const MOST_UNCLOSED = 20;
const LONGEST_CALL = 16_000;
const CALLS = /\$\$|\$\([a-z-]{1,20}\s/g;
const DIRECTIVE =
  /^(?:ifeq|ifneq|ifdef|ifndef|else|endif|export|unexport|override|undefine|vpath|private)\b/;
const ASSIGNS = /^(?:(?:export|override|private)\s+)*([\w.-]+)\s*(\?=|\+=|::?:?=|=|!=)\s*(.*)$/;

/** Variables that make itself sets. */
const DEFAULTS: Readonly<Record<string, string>> = {
  AR: "ar",
  AS: "as",
  CC: "cc",
  CPP: "cc -E",
  CXX: "c++",
  LD: "ld",
  RM: "rm -f",
};

/** Makefiles that have been read for a line, with their texts: several goals are made of one. */
export type Makefiles = Map<string, { readonly text: string; readonly makefile: Makefile }>;

/** The recipes that are reached from some targets, and what runs when the file is read. */
export function makePieces(
  text: string,
  run: FileRun,
  files: FileReader,
  makefiles: Makefiles = new Map(),
): readonly Piece[] {
  const { path, cwd, program, variables } = run;
  const key = JSON.stringify([path, cwd, program, variables]);
  const known = makefiles.get(key);
  const read = known?.text === text ? known : { text, makefile: new Makefile(text, run, files) };
  makefiles.set(key, read);
  return read.makefile.pieces(run);
}

class Makefile {
  readonly #files: FileReader;
  /** The files that are being read, and the number of those that have been. */
  readonly #open: string[] = [];
  #count = 0;
  readonly #rules = new Map<string, Rule>();
  readonly #patterns: Pattern[] = [];
  readonly #values = new Map<string, string>();
  readonly #fixed = new Set<string>();
  readonly #atOnce: Piece[] = [];
  readonly #run: FileRun;
  #first: string | undefined;

  constructor(text: string, run: FileRun, files: FileReader) {
    this.#run = run;
    this.#files = files;
    for (const [name, value] of Object.entries(DEFAULTS)) this.#values.set(name, value);
    this.#values.set("CURDIR", run.cwd ?? folderOf(run.path));
    for (const [name, value] of run.variables ?? []) {
      this.#values.set(name, value);
      this.#fixed.add(name);
    }
    this.#read(text, run.path);
  }

  /** Recipes are read in the order in which their targets are reached. */
  pieces({ goals = [], isAny, isDry }: FileRun): readonly Piece[] {
    // Of each target. What it needs is made before it.
    const found: Piece[][] = [];
    const queue = isAny
      ? [...this.#rules.keys()]
      : goals.length > 0
        ? [...goals]
        : this.#names(this.#values.get(".DEFAULT_GOAL") ?? this.#first ?? "").filter(Boolean);
    // A goal without a rule may be that of one whose name is a variable of the environment; so may the first one,
    // beside its own rule.
    const isAlso = queue.every((name) => this.#rules.has(name) || this.#pattern(name))
      ? (name: string): boolean => goals.length === 0 && /^\$(?:\w|\(\w+\)|\{\w+\})$/.test(name)
      : (name: string): boolean => name.includes("$");
    queue.push(...[...this.#rules.keys()].filter(isAlso));
    const seen = new Set(queue);
    const alike = new Map<string, number>();
    for (let at = 0; at < queue.length; at++) {
      const name = queue[at] ?? "";
      const rule = this.#rules.get(name) ?? this.#pattern(name);
      if (!rule) continue;
      const need = this.#known(rule.needs[0] ?? name).replaceAll(/%|\$(?:\w|\(\w+\))/g, "x");
      const isPlain = PLAIN.test(name) && PLAIN.test(need);
      const own: Piece[] = [];
      found.push(own);
      for (const piece of rule.recipe) {
        const place = `${piece.line} ${piece.file}`;
        const count = isPlain ? (alike.get(place) ?? 0) : 0;
        if (count >= MOST_ALIKE) continue;
        if (isPlain) alike.set(place, count + 1);
        const [, signs = "", text = ""] = /^([@+-]*)\s*(.*)$/s.exec(piece.text ?? "") ?? [];
        if (isDry && !signs.includes("+")) continue;
        // Signs may stand in a variable: `QUIET_CC = @printf …;`.
        const script = this.#shell(text, name, rule).replace(/^[@+-]+\s*/, "");
        own.push({ ...piece, text: script });
      }
      for (const need of rule.needs.flatMap((word) => this.#names(word))) {
        if (need === "" || seen.has(need) || seen.size > MOST_RULES) continue;
        seen.add(need);
        queue.push(need);
      }
    }
    return [...this.#atOnce, ...found.reverse().flat()];
  }

  #pattern(name: string): Rule | undefined {
    const fits = ([begin, end]: Pattern): boolean => name.startsWith(begin) && name.endsWith(end);
    return this.#patterns.find(fits)?.[2];
  }

  #read(text: string, file: string): void {
    if (this.#open.includes(file) || this.#open.length >= MOST_OPEN || ++this.#count > MOST_FILES)
      return;
    this.#open.push(file);
    let current: Rule[] = [];
    let defined: string | undefined;
    for (const { text: line, line: number } of joined(text)) {
      if (defined !== undefined) {
        const value = this.#values.get(defined);
        if (/^\s*endef\b/.test(line)) defined = undefined;
        else if (line.length + (value?.length ?? 0) < LONGEST_VALUE)
          this.#values.set(defined, value === undefined ? line : `${value}\n${line}`);
        continue;
      }
      if (line.startsWith("\t") && current.length > 0) {
        for (const rule of current) rule.recipe.push({ file, line: number, text: line.trim() });
        continue;
      }
      const plain = line.replace(/(?:^|\s)#.*$/, "").trim();
      if (plain === "") continue;
      const define = /^(?:override\s+)?define\s+([\w.-]+)/.exec(plain);
      if (define) {
        defined = define[1] ?? "";
        this.#values.delete(defined);
        continue;
      }
      const include = /^-?s?include\s+(.+)$/.exec(plain);
      const assigned = ASSIGNS.exec(plain);
      for (const script of shellCalls(plain))
        this.#atOnce.push({ file, line: number, text: this.#shell(script) });
      if (include) this.#include(include[1] ?? "");
      else if (assigned) this.#assign(assigned, number, file);
      else if (!DIRECTIVE.test(plain))
        current = this.#rule(line.replace(/^\s+/, ""), number, file) ?? current;
    }
    this.#open.pop();
  }

  #include(names: string): void {
    const folder = this.#run.cwd ?? folderOf(this.#run.path);
    for (const name of this.#known(names).split(/\s+/)) {
      if (name === "" || /[$*?]/.test(name)) continue;
      const path = resolvePath(folder, name);
      const content = this.#files.read(path);
      if (typeof content === "object") this.#read(content.text, path);
    }
  }

  #assign(
    [, name = "", operator = "", value = ""]: RegExpExecArray,
    line: number,
    file: string,
  ): void {
    if (operator === "!=") {
      this.#atOnce.push({ file, line, text: this.#shell(value) });
      this.#values.delete(name);
      return;
    }
    if (this.#fixed.has(name)) return;
    const before = this.#values.get(name);
    if (operator === "?=" && before !== undefined) return;
    const next = operator === "+=" && before !== undefined ? `${before} ${value}` : value;
    if (next.length <= LONGEST_VALUE)
      this.#values.set(name, operator === ":=" ? this.#known(next) : next);
    else this.#values.delete(name);
  }

  #rule(line: string, number: number, file: string): Rule[] | undefined {
    const found = /^([^:=]+?)\s*::?(?!=)([^=;]*(?:=[^;]*)?)(?:;(.*))?$/.exec(line);
    if (!found || this.#rules.size > MOST_RULES) return undefined;
    const [, names = "", needs = "", recipe] = found;
    // `target: VAR = value`
    if (/^\s*[\w.-]+\s*[:?+]?=/.test(needs)) return [];
    return this.#names(names)
      .filter(Boolean)
      .map((name) => {
        if (!name.startsWith(".") && !name.includes("%")) this.#first ??= name;
        const rule = this.#rules.get(name) ?? { needs: [], recipe: [] };
        const [begin = "", end] = name.split(/%(.*)/s);
        if (end !== undefined && !this.#rules.has(name)) this.#patterns.push([begin, end, rule]);
        this.#rules.set(name, rule);
        rule.needs.push(...withoutCalls(needs).replaceAll("|", " ").split(/\s+/).filter(Boolean));
        if (recipe !== undefined) rule.recipe.push({ file, line: number, text: recipe.trim() });
        return rule;
      });
  }

  /** The words of a text with the variables filled in; what functions of make give is one unknown name. */
  #names(text: string): readonly string[] {
    return withoutCalls(this.#known(text)).split(/\s+/);
  }

  /** A text with the variables filled in that are known. */
  #known(text: string, own?: (name: string) => string | undefined): string {
    let filled = text;
    for (let round = 0; round < MOST_ROUNDS && filled.includes("$"); round++) {
      let isChanged = false;
      filled = filled.replaceAll(
        /\$\$|\$\(([\w.-]+|[@<^?*%+])\)|\$\{([\w.-]+|[@<^?*%+])\}|\$([@<^?*%+\w])/g,
        (found, a?: string, b?: string, c?: string) => {
          if (found === "$$") return found;
          const name = a ?? b ?? c ?? "";
          const value = own?.(name) ?? this.#values.get(name);
          if (value === undefined) return found;
          isChanged = true;
          return value;
        },
      );
      if (!isChanged || filled.length > LONGEST_VALUE * 4) break;
    }
    return filled;
  }

  /** A recipe as the shell gets it; what is not known is a variable without a value. */
  #shell(text: string, target?: string, rule?: Rule): string {
    const own = (name: string): string | undefined => {
      if (name === "@") return target;
      if (name === "<") return rule?.needs[0];
      if (name === "MAKE") return this.#run.program;
      return undefined;
    };
    return withoutCalls(this.#known(withoutCalls(text), own))
      .replaceAll(
        /\$\$|\$\(([\w.-]+)\)|\$\{([\w.-]+)\}|\$\([^()]*\)|\$\([@<^?*%+][DF]?\)|\$[@<^?*%+](?![\w])/g,
        (found, a?: string, b?: string) => {
          if (found === "$$") return "\0";
          const name = a ?? b;
          return name !== undefined && /^[A-Za-z_]\w*$/.test(name) ? `\${${name}}` : "${_unknown_}";
        },
      )
      .replaceAll("\0", "$");
  }
}

/** What functions of make give is not known: `$(call …)`, `$(shell …)`. */
function withoutCalls(text: string): string {
  let out = "";
  let begin = 0;
  let unclosed = 0;
  const calls = new RegExp(CALLS);
  for (let call = calls.exec(text); call && unclosed < MOST_UNCLOSED; call = calls.exec(text)) {
    if (call[0] === "$$") continue;
    const end = closing(text, call.index + 2, LONGEST_CALL);
    if (end < 0) unclosed++;
    else {
      out += `${text.slice(begin, call.index)}\${_unknown_}`;
      begin = calls.lastIndex = end + 1;
    }
  }
  return out + text.slice(begin);
}

/** The scripts in `$(shell …)`. */
function* shellCalls(text: string): Generator<string> {
  for (let at = text.indexOf("$(shell "); at >= 0; at = text.indexOf("$(shell ", at + 1)) {
    const end = closing(text, at + 2);
    if (end > at) yield text.slice(at + "$(shell ".length, end);
  }
}

/** Lines, with those joined that end with a backslash. */
function* joined(text: string): Generator<{ readonly text: string; readonly line: number }> {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let whole = lines[at] ?? "";
    while (whole.endsWith("\\") && at + 1 < lines.length && whole.length < 16_000) {
      const next = lines[++at] ?? "";
      // In a recipe, the shell joins them; a tab in front of the next line is not part of it.
      whole = `${whole.slice(0, -1)}${whole.startsWith("\t") ? " " : ""}${next.replace(/^\s+/, " ")}`;
    }
    yield { text: whole, line };
  }
}
