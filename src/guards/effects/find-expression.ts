import type { NamedFiles } from "./effect-list.ts";

/** Files that pass a part of an expression: those of a name and a path, or all of them. */
interface Branch {
  readonly name?: string;
  readonly path?: string;
  /** Whether nothing else chooses among them. */
  readonly isSure: boolean;
  readonly isEmpty?: boolean;
}

/** What find does with the files that it visits. */
export type FindAction = "delete" | "exec" | "print";

const VALUES = new RegExp(
  "^-(?:[acB]?newer\\w*|[acB]?time|[acB]?min|context|fstype|[gu]id|group|i?lname|inum|i?regex|regextype|links|max" +
    "depth|mindepth|perm|printf|samefile|size|x?type|used|user|fls|fprintf?|fprint0|flags|files0-from)$",
);
/** Tests with which find chooses files by something else than their names. */
const CHOOSES = new RegExp(
  "^-(?:empty|[acm]time|[acm]min|[ac]?newer\\w*|size|i?regex|user|group|perm|inum|links|samefile|xtype|executable" +
    "|nouser)$",
);
const OR: ReadonlySet<string> = new Set(["-o", "-or", ","]);
const EVERYTHING: readonly Branch[] = [{ isSure: true }];
/** No real command has more of them. */
const MOST_BRANCHES = 64;
const DEEPEST = 100;

/** Reads an expression as find evaluates it: what each action gets. */
class Expression {
  readonly got: Record<FindAction, Branch[]> = { delete: [], exec: [], print: [] };
  readonly #argv: readonly string[];
  #at: number;
  #depth = 0;

  constructor(argv: readonly string[], at: number) {
    this.#argv = argv;
    this.#at = at;
    while (this.#at < argv.length) {
      const passed = this.#any(EVERYTHING);
      const isSilent = /^-(?:delete|(?:exec|ok)(?:dir)?|f?print\w*|f?ls)$/;
      if (!argv.some((word) => isSilent.test(word))) this.got.print.push(...passed);
      // A surplus closing parenthesis.
      this.#at++;
    }
  }

  #any(before: readonly Branch[]): readonly Branch[] {
    const passed = [...this.#all(before)];
    while (OR.has(this.#argv[this.#at] ?? "")) {
      this.#at++;
      passed.push(...this.#all(before));
    }
    return passed.length > MOST_BRANCHES ? EVERYTHING : passed;
  }

  #all(before: readonly Branch[]): readonly Branch[] {
    let passed = before;
    for (;;) {
      const word = this.#argv[this.#at];
      if (word === undefined || word === ")" || OR.has(word)) return passed;
      this.#at++;
      if (word !== "-a" && word !== "-and") passed = this.#term(word, passed);
    }
  }

  #term(word: string, before: readonly Branch[]): readonly Branch[] {
    if (word === "!" || word === "-not") {
      const next = this.#argv[this.#at++];
      const passed = next === undefined ? before : this.#term(next, before);
      // `! -type l` leaves almost all of them.
      return passed === before ? before : before.map((branch) => ({ ...branch, isSure: false }));
    }
    if (word === "(") {
      if (++this.#depth > DEEPEST) {
        this.#at = this.#argv.length;
        for (const branches of Object.values(this.got)) branches.push(...EVERYTHING);
        return EVERYTHING;
      }
      const passed = this.#any(before);
      this.#depth--;
      this.#at++;
      return passed;
    }
    if (/^-(?:exec|ok)(?:dir)?$/.test(word)) {
      this.got.exec.push(...before);
      while (this.#at < this.#argv.length && !/^[;+]$/.test(this.#argv[this.#at++] ?? ""));
      return before.map((branch) => ({ ...branch, isSure: false }));
    }
    if (word === "-false") return [];
    if (word === "-delete") this.got.delete.push(...before);
    if (/^-f?print|^-f?ls$/.test(word)) this.got.print.push(...before);
    const isName = /^-i?name$/.test(word);
    const isPath = /^-(?:i?path|i?wholename)$/.test(word);
    const value = isName || isPath || VALUES.test(word) ? this.#argv[this.#at++] : undefined;
    if (word === "-fprintf") this.#at++;
    if ((isName || isPath) && value !== undefined && !/^\*+$/.test(value))
      return before.map((branch) => ({
        ...branch,
        isSure: false,
        ...(isPath ? { path: value } : { name: branch.name ?? value }),
      }));
    if (!CHOOSES.test(word)) return before;
    const isEmpty = word === "-empty" && { isEmpty: true };
    return before.map((branch) => ({ ...branch, ...isEmpty, isSure: false }));
  }
}

/** The folders that find starts in, and where its expression begins. */
export function startsOf(argv: readonly string[]): readonly [starts: string[], at: number] {
  let at = 1;
  for (; /^-(?:[DHLPO]|O\d)$/.test(argv[at] ?? ""); at++) if (/^-[DO]$/.test(argv[at] ?? "")) at++;
  const starts: string[] = [];
  for (; at < argv.length && !/^[-(!,]/.test(argv[at] ?? ""); at++) starts.push(argv[at] ?? "");
  return [starts.length > 0 ? starts : ["."], at];
}

/** What find deletes, or gives another program: globs below the folders that it starts in. */
export function sought(argv: readonly string[], action: FindAction): readonly NamedFiles[] {
  const [starts, at] = startsOf(argv);
  const branches = at < argv.length ? new Expression(argv, at).got[action] : EVERYTHING;
  const files: NamedFiles[] = [];
  for (const start of starts) {
    for (const branch of branches) {
      const empty = branch.isEmpty && { empty: true as const };
      const { name, path, isSure } = branch;
      if (isSure && name === undefined && path === undefined)
        files.push({ glob: start, recursive: true, ...empty });
      else files.push({ glob: globOf(start, branch), sure: false, ...empty });
    }
  }
  return files;
}

function globOf(start: string, { name, path }: Branch): string {
  if (path === undefined || (name !== undefined && !/\/\*+$/.test(path)))
    return `${start}/**/${name ?? "*"}`;
  // The argument of -path is matched against a path that begins with the start folder, and `*` goes beyond a slash.
  const below = /^[^*].*\//.test(path) ? path : `${start}/**/${path.replace(/^\*+\//, "")}`;
  return name === undefined ? below : `${below.replace(/\*+$/, "")}**/${name}`;
}
