import { textRows, wordSet } from "../../core/index.ts";

/**
 * The notation of the dictionary of programs. A row is a line:
 *
 *     cp gcp | -t,--target-directory=into -S,--suffix= -r,-R,--recursive:recursive | reads... into
 *
 * - Names, the first one being the usual one. A subcommand has a row of its own: `git/clone`, `docker/compose/cp`.
 *   The row of a program with subcommands has the options that may stand in front of these, and the operand
 *   `subcommand`.
 * - Options. `-o,--output=writes`: the value is a file that is written; `-m,--mode=`: a value that says nothing about
 *   effects; `-i,--in-place=?`: a value only if joined; `-r:recursive`: a flag with a meaning, which the operands and
 *   the functions beside the rows refer to. Long names may be abbreviated, unless `%exact` stands among the options;
 *   with `%single`, long names have one dash and letters are not combined; with `%leading`, options end at the first
 *   operand; with `%bundled`, the first word is letters of options without a dash: `tar xf a.tar`; with `%plus`,
 *   letters may follow `+` as well; with `%globs`, it expands quoted globs itself. `==` stands for two values.
 * - Roles of the operands (see `ROLES`): `role` for one, `role?` for one that may be missing, `role...` for any
 *   number, `.role` for the current folder, which is not written. `CONDITION: roles ; roles`: those of the first
 *   alternative whose condition is met. A condition: a meaning of an option that is given, `!MEANING` of one that is
 *   not, `N` for N operands or fewer; `a+!b+2` for all of these. `program...` is a command that is listed by itself.
 * - `fn=NAME`: a function that says what the row cannot; `lang=NAME`: the language of what has the role `code`, or of
 *   the standard input if nothing has this role or `script`; `tree`: changes anything in the folder that `cd` names;
 *   `remote`: `host:path` is a file elsewhere; `given`: its code may change the files that find or xargs gives it;
 *   `waits`: other things may happen before it ends, or what it runs goes on behind the line.
 * - `%windows`: a command of PowerShell or cmd. Parameters are in any case and may be abbreviated, switches begin
 *   with `/`, and operands are named by the parameters whose values they are: `-path -destination`.
 * - Of a program that runs a command among its words: where that begins is the operand `program`, or it is in the
 *   values of options with the roles `line` and `entry`. Meanings of options: `idle`, it runs nothing; `shell`,
 *   without a command it reads a script from its input; `joined`, the words are a line for a shell; `split`, its
 *   value is words in front of the others; `unset`, its value is a variable; `clean`, it gets no variables. Notes:
 *   see `NOTES`. A program with rows of subcommands runs what these say.
 *
 * A line that begins with blanks continues the row before it, and `#` begins a comment.
 */

/** What an operand or the value of an option is. */
export const ROLES = {
  reads: "a file or folder whose content it takes in",
  scans: "a file or folder of which it shows a part: lines that match, a digest",
  packs: "a file or folder that it puts into an archive",
  uses: "a file that it reads and does not show: a key, a configuration",
  mounts: "a folder, and where it is in a container",
  omits: "a glob of names that it leaves out",
  only: "a glob of the names that it looks at",
  pattern: "what it searches for",
  guess: "a text that may be a file",
  writes: "a file that it creates or overwrites",
  edits: "a file that it changes in place",
  removes: "a file or folder that it removes",
  moves: "a file or folder that it moves away",
  into: "the target of a copy: a file, or a folder for the files in front of it",
  below: "a folder below which it writes files of any name",
  makes: "a folder that it creates",
  attributes: "a file whose attributes it changes",
  links: "what a link leads to",
  names: "a file of which it only looks at the name and the attributes",
  list: "a file with the names of files that it reads",
  data: "data that it sends: `@x` or `name=@x` sends the file x",
  exports: "the file that it writes, or `type=t,dest=x` for the file x",
  cd: "the folder that relative names are relative to",
  code: "code in the language of the program",
  script: "a file with code that it runs",
  program: "a program that it starts, with the words behind it",
  line: "a line for a shell, whose commands are listed by themselves",
  entry: "a program that it starts with its operands, which is listed by itself",
  host: "a host that it connects to",
  url: "an address that it connects to",
  remote: "a repository elsewhere: its address, or a name that is configured",
  sends: "a file that it sends to a host",
  signal: "processes that it ends or signals",
  package: "a package that it installs or removes",
  system: "a part of the system that it changes",
  text: "a text without an effect",
  subcommand: "a subcommand, which has a row of its own",
} as const satisfies Readonly<Record<string, string>>;

export type Role = keyof typeof ROLES;

export interface OptionRow {
  /** The first of its names, with dashes. */
  readonly name: string;
  readonly names: readonly string[];
  /** Whether it takes a value: `joined` if only in the same word, `pair` if two of them. */
  readonly takes: "value" | "joined" | "pair" | undefined;
  /** Of its value. */
  readonly role: Role;
  /** Of the option itself. */
  readonly meaning: string | undefined;
}

export interface OperandRow {
  readonly role: Role;
  /** `none`: the current folder, without an operand. */
  readonly count: "one" | "maybe" | "any" | "none";
  /** The parameter whose value it is, if that is not given by name. */
  readonly option?: string;
}

/** The operands under a condition. */
export interface Shape {
  /** Meanings that have to be among the options, or not. */
  readonly when: readonly { readonly meaning: string; readonly isSet: boolean }[];
  /** The most operands. */
  readonly most: number;
  readonly operands: readonly OperandRow[];
}

export interface ProgramRow {
  readonly names: readonly string[];
  /** By each of their names. */
  readonly options: ReadonlyMap<string, OptionRow>;
  readonly style: "mixed" | "single" | "windows";
  readonly isExact: boolean;
  readonly isLeading: boolean;
  readonly isBundled: boolean;
  readonly hasPlus: boolean;
  readonly expandsGlobs: boolean;
  readonly shapes: readonly Shape[];
  /** The number of operands in front of the command that it runs; undefined if none is among them. */
  readonly begins: number | undefined;
  readonly hasSubcommands: boolean;
  /** How it runs a command, with the value of a note that has one: see `NOTES`. */
  readonly notes: ReadonlyMap<string, string>;
  /** Whether it runs, or a subcommand of it may run, a command among its words. */
  readonly runsOthers: boolean;
  /** The function beside the rows. */
  readonly fn: string | undefined;
  readonly lang: string | undefined;
  readonly changesTree: boolean;
  readonly isRemote: boolean;
  readonly mayChangeGiven: boolean;
  readonly waits: boolean;
}

/** Notes of a program that runs a command. */
const NOTES = {
  after: "the command follows one of these words, if present",
  also: "its words may also be those of this program",
  as: "the program that gets the words as its arguments: `capsh -- -c SCRIPT` starts `bash -c SCRIPT`",
  assignments: "`NAME=value` can precede the command",
  each: "each word is a line for a shell",
  elsewhere:
    "it runs in another place: with another working directory, without the variables of the line",
  except: "first words of another program of the same name, which runs nothing",
  fresh: "it does not get all variables of the line",
  functions: "the name can be that of a function",
  "in-place": "the shell itself runs it, so that its changes persist",
  joined: "the words are a line for a shell",
  mixed: "`NAME=value` can precede the command, and be among the options",
  shell: "without a command, it reads a script from its input",
} as const satisfies Readonly<Record<string, string>>;

/** The rows of a text, each as written, with its names. */
export function rowsOf(
  text: string,
): readonly (readonly [names: readonly string[], row: string])[] {
  return textRows(text).map((row) => [namesOf(row), row]);
}

/** A table of names that are separated by blanks, by each of these. */
export function byName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(table).flatMap(([names, value]) =>
      names.split(" ").map((name): [string, T] => [name, value]),
    ),
  );
}

function namesOf(row: string): readonly string[] {
  const [names = ""] = row.split("|", 1);
  return names.trim().split(/\s+/);
}

const MARKS = wordSet("%exact %single %leading %bundled %plus %globs %windows");

/** @throws Error for a row that is not written as above: the rows are part of the package, and a test reads them all */
export function parseRow(row: string): ProgramRow {
  const [, options = "", operands = "", ...more] = row.split("|").map((part) => part.trim());
  const known = new Map<string, OptionRow>();
  const marks = new Set<string>();
  for (const word of options.split(/\s+/).filter(Boolean)) {
    if (word.startsWith("%")) marks.add(word);
    else for (const [name, option] of optionOf(word)) known.set(name, option);
  }
  const notes = more.join(" ").split(/\s+/).filter(Boolean);
  const note = (name: string): string | undefined =>
    notes.find((each) => each.startsWith(name))?.slice(name.length);
  const shapes =
    operands === "" ? [] : operands.split(";").map((shape) => shapeOf(shape.trim(), known));
  const begins = shapes[0]?.operands.findIndex(({ role }) => role === "program") ?? -1;
  const hasSubcommands = shapes.some(({ operands: [first] }) => first?.role === "subcommand");
  const noted = notes
    .map((each): [string, string] => [each.replace(/=.*/, ""), each.replace(/^[^=]*=?/, "")])
    .filter(([name]) => Object.hasOwn(NOTES, name));
  const others = notes.filter((each) => !noted.some(([name]) => name === each.replace(/=.*/, "")));
  if (!others.every((each) => /^(?:fn=|lang=|tree$|remote$|given$|waits$)/.test(each)))
    throw new Error(`${row}: ${others.join(" ")}`);
  for (const mark of marks) {
    if (!MARKS.has(mark)) throw new Error(`${row}: ${mark}`);
  }
  return {
    names: namesOf(row),
    options: known,
    style: marks.has("%windows") ? "windows" : marks.has("%single") ? "single" : "mixed",
    isExact: marks.has("%exact"),
    isLeading: marks.has("%leading"),
    isBundled: marks.has("%bundled"),
    hasPlus: marks.has("%plus"),
    expandsGlobs: marks.has("%globs"),
    shapes,
    begins: begins < 0 ? undefined : begins,
    hasSubcommands,
    notes: new Map(noted),
    runsOthers:
      begins >= 0 ||
      hasSubcommands ||
      noted.length > 0 ||
      [...known.values()].some(({ role }) => role === "line" || role === "entry"),
    fn: note("fn="),
    lang: note("lang="),
    changesTree: notes.includes("tree"),
    isRemote: notes.includes("remote"),
    mayChangeGiven: notes.includes("given"),
    waits: notes.includes("waits"),
  };
}

function optionOf(word: string): [string, OptionRow][] {
  const found =
    /^(?<names>[-/][^=:]*)(?:=(?<kind>[=?])?(?<role>[a-z]*))?(?::(?<meaning>\w+))?$/.exec(word);
  const { names = "", kind, role, meaning } = found?.groups ?? {};
  if (!found) throw new Error(`not an option: ${word}`);
  const all = names.split(",");
  const takes =
    role === undefined ? undefined : kind === "?" ? "joined" : kind === "=" ? "pair" : "value";
  const option: OptionRow = {
    name: all[0] ?? "",
    names: all,
    takes,
    role: role === undefined || role === "" ? "text" : roleOf(role),
    meaning,
  };
  return all.map((name) => [name, option]);
}

function shapeOf(text: string, options: ReadonlyMap<string, OptionRow>): Shape {
  const [, condition = "", roles = ""] =
    /^(?:(?<condition>[\w!+]+):\s*)?(?<roles>.*)$/.exec(text) ?? [];
  const parts = condition.split("+").filter(Boolean);
  const most = parts.find((part) => /^\d+$/.test(part));
  return {
    when: parts
      .filter((part) => part !== most)
      .map((part) => ({ meaning: part.replace("!", ""), isSet: !part.startsWith("!") })),
    most: most === undefined ? Infinity : Number(most),
    operands: roles
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => operandOf(word, options)),
  };
}

function operandOf(word: string, options: ReadonlyMap<string, OptionRow>): OperandRow {
  const name = word.replace(/^\.|\.\.\.$|\?$/g, "");
  if (word.startsWith(".")) return { role: roleOf(name), count: "none" };
  const count = word.endsWith("...") ? "any" : word.endsWith("?") ? "maybe" : "one";
  const option = options.get(name);
  return option ? { role: option.role, count, option: option.name } : { role: roleOf(name), count };
}

function roleOf(name: string): Role {
  if (!Object.hasOwn(ROLES, name)) throw new Error(`not a role: ${name}`);
  return name as Role;
}
