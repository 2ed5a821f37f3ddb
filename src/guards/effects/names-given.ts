import { wordSet } from "../../core/index.ts";
import type { ShellCommand, ShellReading } from "../../core/index.ts";
import { byName, programs } from "../../matching/index.ts";
import type { DescribedCommand } from "../../matching/index.ts";
import type { GivenNames, NamedFiles } from "./effect-list.ts";
import { sought } from "./find-expression.ts";
import type { LineNotes } from "./line-notes.ts";
import { isAnyLine } from "./searches.ts";

const HANDS_OVER = wordSet("xargs gxargs parallel");
const SUBSTITUTES = wordSet("$() <()");
/** How far before a command what starts it, and what names files for it, is looked for. */
const SOON = 8;
const FAR = 256;
interface Listing {
  readonly argv: readonly string[];
  /** Undefined if the dictionary does not describe it. */
  readonly described: DescribedCommand | undefined;
  /** Whether it starts the command that it gives the names, and hands them to it itself. */
  readonly starts: boolean;
}
/** Undefined if it lists nothing. */
type Lister = (listing: Listing) => readonly NamedFiles[] | undefined;
const found: Lister = ({ argv, starts }) => sought(argv, starts ? "exec" : "print");
/** Programs that find files, and print their names or start another program with them. */
const FINDERS = byName<Lister>({ "find gfind bfs": found, "fd fdfind": matched });
/** Other programs that print names, of files or processes: all of them, unless something chooses among these. */
const LISTERS = byName<Lister>({
  git: tracked,
  "grep egrep rg ag": searched,
  tree: walked,
  "ps pgrep": processes,
});
/** Programs whose words are the names. */
const PRINTERS = wordSet("ls echo printf");

/** The names that find, git, ls and the like give the command at a position, as far as they are known. */
export function namesGiven(
  { commands }: ShellReading,
  position: number,
  notes: LineNotes,
): GivenNames | undefined {
  const command = commands[position];
  if (!command || [command.unknown, command.via, command.from].every((list) => list.length === 0))
    return undefined;
  const isHanded = command.via.some((by) => HANDS_OVER.has(by));
  const feeder = (): ShellCommand | undefined =>
    commands.slice(0, position).findLast(({ program }) => HANDS_OVER.has(program));
  const from = isHanded ? feeder()?.from : command.from;
  for (let at = position - 1; at >= Math.max(0, position - FAR); at--) {
    const lister = commands[at];
    if (!lister) continue;
    const { program, argv, cwd: folder } = lister;
    const own = FINDERS.get(program);
    const names = own ?? LISTERS.get(program);
    const prints = isHanded && PRINTERS.has(program);
    const starts = own !== undefined && command.via.includes(program);
    const pipes = from?.includes(program) === true;
    const isInside = lister.via.some((by) => SUBSTITUTES.has(by));
    if ((!names && !prints) || !(starts || pipes || isInside || prints)) continue;
    const fits = (word: string): boolean =>
      ((starts || pipes || prints) && /\{\}|…|^["']?\$/.test(word)) ||
      (isInside && notes.isFilledBy(program, word));
    const listing = { argv, described: programs().describe(lister), starts };
    let list = names ? names(listing) : printed(argv);
    if (!list) continue;
    const between = commands
      .slice(at + 1, position)
      .filter(({ from, program: by }) => from.includes(program) && !HANDS_OVER.has(by));
    for (const filter of starts ? [] : between) {
      const passed = own && plainNames(filter);
      if (passed) list = list.flatMap((files) => narrowed(files, passed));
      else if (selects(filter))
        list = own ? list.flatMap((all) => (all.recursive ? narrowed(all, ["*"]) : [all])) : [];
    }
    // It may print anything.
    if (!names && list.length === 0) list = [{ glob: "…" }];
    return { fits, names: list, folder, by: argv.join(" ") };
  }
  return undefined;
}

/** The names that grep passes, if it looks for plain ones: `grep -E '__pycache__|\.pyc$'`. */
function plainNames({ program, argv }: ShellCommand): readonly string[] | undefined {
  if (!/^(?:e?grep|rg)$/.test(program)) return undefined;
  const [pattern, ...more] = argv.slice(1).filter((word) => !word.startsWith("-"));
  const isInverted = argv.some((word) => /^-(?:\w*v|-invert-match$)/.test(word));
  if (pattern === undefined || more.length > 0 || isInverted) return undefined;
  const names = pattern
    .replaceAll("\\|", "|")
    .replace(/\\?[()]/g, "")
    .split("|")
    .map((part) => part.replaceAll("\\.", ".").replace(/^\/|\/?\$?$/g, ""));
  if (names.some((name) => !/^[\w.-]+$/.test(name))) return undefined;
  return names.map((name) => (name.startsWith(".") ? `*${name}` : name));
}

function narrowed(files: NamedFiles, names: readonly string[]): readonly NamedFiles[] {
  const { recursive: _, ...all } = files;
  const start = files.glob.replace(/\/\*\*\/.*$/s, "");
  return names.map((name) => ({ ...all, glob: `${start}/**/${name}`, sure: false }));
}

/** Programs that hand on all that they read, in another order or form. */
const PASSES_ON = /^(?:sort|uniq|tr|cat|tee|tail|rev|nl|[gmn]?awk|g?sed|cut)$/;

/** Whether a program selects some of the lines that it reads. To leave out a heading selects nothing. */
function selects({ program, argv }: ShellCommand): boolean {
  const text = argv
    .slice(1)
    .join(" ")
    .replace(/NR\s*(?:>=?|!=)\s*[12](?!\d)|\b1d\b/g, "");
  // What git says of the state of a file.
  if (/^e?grep$/.test(program)) return !/^\^[\s?MADURC\\[\].|]+$/.test(text);
  if (program === "tail") return !/\+2(?!\d)/.test(text);
  if (program.endsWith("awk")) return /[/~<>]|==|NR/.test(text);
  if (program.endsWith("sed")) return /-n|d(?!\w)/.test(text);
  return !PASSES_ON.test(program) && program !== "read";
}

/** A command with `{}` in place of what `xargs -I X` replaces. */
export function withBraces(
  command: ShellCommand,
  { commands }: ShellReading,
  position: number,
): ShellCommand {
  if (command.via.length === 0 || !command.via.includes("xargs")) return command;
  const from = Math.max(0, position - SOON);
  const xargs = commands.slice(from, position).findLast(({ program }) => program === "xargs");
  const at = xargs?.argv.findIndex((word) => /^-I|^--replace=/.test(word)) ?? -1;
  const word = xargs?.argv[at] ?? "";
  const mark = word === "-I" ? xargs?.argv[at + 1] : word.replace(/^-I|^--replace=/, "");
  if (mark === undefined || mark === "" || mark === "{}") return command;
  const { unknown, argv } = command;
  return {
    ...command,
    argv: argv.map((text, i) => (unknown.includes(i) ? text.replaceAll(mark, "{}") : text)),
  };
}

/** What fd finds: `fd PATTERN FOLDER -x rm`. */
function matched({ argv }: Listing): readonly NamedFiles[] {
  const { operands, extension } = fdWords(argv, /^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?)$/);
  const [pattern = "", ...starts] = operands;
  const plain = pattern.replace(/^\^|\$$/g, "").replaceAll(/\\(.)/g, "$1");
  const isName = /^[\w.-]+$/.test(plain);
  const part = /\\|^\^.*\$$/.test(pattern) ? plain : `*${plain.replaceAll(".", "?")}*`;
  const name = extension !== undefined ? `*.${extension}` : isName ? part : "*";
  return (starts.length > 0 ? starts : ["."]).map((start) => ({
    glob: `${start}/**/${name}`,
    sure: false,
  }));
}

/** The words of fd up to the command that it runs: its operands, and what they are limited to. */
export function fdWords(
  argv: readonly string[],
  begins: RegExp,
): {
  readonly operands: readonly string[];
  readonly except: readonly string[];
  readonly extension: string | undefined;
  readonly showsHidden: boolean;
} {
  const operands: string[] = [];
  const except: string[] = [];
  let extension: string | undefined;
  let showsHidden = false;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (begins.test(word)) break;
    if (/^(?:-E|--exclude)$/.test(word)) except.push(argv[++at] ?? "");
    else if (/^-(?:e|-extension)$/.test(word)) extension = argv[++at];
    else if (/^-[dtScjo]$|^--(?:max-depth|type|size|color|threads|owner)$/.test(word)) at++;
    else if (/^-[A-Za-z]*[Hu]|^--(?:hidden|unrestricted)$/.test(word)) showsHidden = true;
    else if (!word.startsWith("-")) operands.push(word);
  }
  return { operands, except, extension, showsHidden };
}

function printed(argv: readonly string[]): readonly NamedFiles[] {
  return argv
    .slice(1)
    .filter((word) => !word.startsWith("-"))
    .flatMap((word) => word.replaceAll(/\\[nt0]/g, " ").split(/\s+/))
    .filter((word) => word !== "" && !/[%$`]/.test(word))
    .map((glob) => ({ glob, sure: false }));
}

const ALL = new Set([".", "./", ":/", "*", "**"]);

/** What git lists: all files that it has, or those that it does not have. */
function tracked({ described }: Listing): readonly NamedFiles[] {
  if (!described) return [];
  const { name, args } = described;
  const on = new Map(args.options.map(({ name, value }) => [name, value?.text]));
  const words = args.operands.map(({ text }) => text);
  const isTree = name === "git/ls-tree" && (on.has("-r") || on.has("--full-tree"));
  const isStatus = name === "git/status" && (on.has("-s") || on.has("--porcelain"));
  const isDiff = name === "git/diff" && on.has("--name-only") && on.get("--diff-filter") !== "D";
  if (isDiff) return words.every((word) => word === "HEAD") ? [{ glob: ".", recursive: true }] : [];
  const isFiles = name === "git/ls-files" && !on.has("-d");
  if (!isTree && !isStatus && !isFiles) return [];
  const paths = (isTree ? words.slice(1) : words).filter((word) => !ALL.has(word));
  if (isStatus && words.length > 0) return [];
  // They are as good as named in the line.
  if (paths.length > 0) return paths.map((glob) => ({ glob, sure: false, isNamed: true }));
  return [{ glob: ".", recursive: true }];
}

/** The files of which grep and the like print the names. */
function searched({ described }: Listing): readonly NamedFiles[] | undefined {
  const { operands = [], options = [], parts = [], meanings } = described?.args ?? {};
  const isAll = options.some(({ name }) => name === "--files");
  if (!isAll && !options.some(({ name }) => /^-(?:l|L|-files-with.*)$/.test(name)))
    return undefined;
  const isChosen = meanings?.has("chosen") === true || parts.some(({ role }) => role === "only");
  const isWide = parts.some(({ role, text }) => role === "pattern" && isAnyLine(text));
  const folders = isAll ? operands : parts.filter(({ role }) => role === "scans");
  const names = folders.length > 0 ? folders.map(({ text }) => text) : ["."];
  return names.map((glob) =>
    !isChosen && (isAll || isWide)
      ? { glob, recursive: true }
      : { glob: `${glob}/**/*`, sure: false },
  );
}

function walked({ argv, described }: Listing): readonly NamedFiles[] {
  const isChosen = described?.args.options.some(({ name }) => name === "-P") === true;
  if (isChosen || !argv.some((word) => /^-\w*f/.test(word))) return [];
  const { operands = [] } = described?.args ?? {};
  const names = operands.map(({ text }) => text);
  return (names.length > 0 ? names : ["."]).map((glob) => ({ glob, recursive: true }));
}

/** What ps and pgrep list: `*` for all processes, or all of a user. */
function processes({ argv }: Listing): readonly NamedFiles[] {
  const [program, ...words] = argv;
  const chooses = /^-(?:C|p|q|t|g|G|s|-p?pid.*|-tty.*)$|^\d+$/;
  const narrow = /^-[uUGgPst]$/.test(words.at(-2) ?? "") ? undefined : words.at(-1);
  const isAll =
    program === "ps"
      ? words.length > 0 && !words.some((word) => chooses.test(word))
      : narrow === undefined
        ? words.length > 0
        : /^\^?\.?[*+]?\$?$/.test(narrow);
  return isAll ? [{ glob: "*" }] : [];
}
