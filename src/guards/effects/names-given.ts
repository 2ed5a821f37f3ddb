import type { ShellCommand, ShellReading } from "../../core/index.ts";
import type { NamedFiles } from "./effect-list.ts";

const HANDS_OVER: ReadonlySet<string> = new Set(["xargs", "parallel"]);
/** How far before a command what starts it, and what names files for it, is looked for. */
const SOON = 8;
const FAR = 256;
type Lister = (argv: readonly string[], isHanded: boolean) => readonly NamedFiles[];
/** Programs that print names of files, which xargs hands to another one, and which ones. */
const LISTERS: Readonly<Record<string, Lister>> = {
  find: (argv, isHanded) => sought(argv, isHanded),
  gfind: (argv, isHanded) => sought(argv, isHanded),
  fd: matched,
  fdfind: matched,
  ls: printed,
  echo: printed,
  printf: printed,
};

/** The files whose names find, fd, ls and the like give the command at a position, as far as they are known. */
export function namesGiven({ commands }: ShellReading, position: number): readonly NamedFiles[] {
  const command = commands[position];
  const via = command?.via.at(-1);
  if (!command || via === undefined) return [];
  const isHanded = command.via.some((by) => HANDS_OVER.has(by));
  let lister: ShellCommand | undefined;
  for (let at = position - 1; at >= Math.max(0, position - FAR) && !lister; at--) {
    const { program = "" } = commands[at] ?? {};
    const isLister = Object.hasOwn(LISTERS, program);
    if (isLister && (isHanded || program === via)) lister = commands[at];
  }
  if (!lister) return [];
  const { cwd: folder } = lister;
  const names = LISTERS[lister.program]?.(lister.argv, isHanded) ?? [];
  if (folder === undefined) return names;
  return names.map(({ glob, sure = true }) => ({ glob, sure, folder }));
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

/** Tests with which find matches only some of the files, whatever their names. */
const CHOOSES =
  /^-(?:empty|[acm]time|[acm]min|(?:a|c)?newer\w*|size|i?regex|user|group|perm|inum|links|samefile|xtype|executable|nouser)$/;
const BY_NAME = /^-(?:i?name|i?path|i?wholename)$/;
const OR: ReadonlySet<string> = new Set(["-o", "-or", ","]);

/** What find visits: globs below the folders that it starts in. Not sure if it may leave some of them out. */
export function sought(argv: readonly string[], isHanded = false): readonly NamedFiles[] {
  let at = 1;
  while (/^-(?:[HLP]|O\d)$/.test(argv[at] ?? "")) at++;
  const starts: string[] = [];
  for (; at < argv.length && !/^[-(!]/.test(argv[at] ?? ""); at++) starts.push(argv[at] ?? "");
  if (starts.length === 0) starts.push(".");
  const names: string[] = [];
  let branches = 1;
  let chooses = isHanded;
  for (; at < argv.length; at++) {
    const test = argv[at] ?? "";
    if (OR.has(test)) branches++;
    if (BY_NAME.test(test) && !/^\*+$/.test(argv[at + 1] ?? "")) {
      chooses = true;
      if (argv[at - 1] !== "!" && argv[at - 1] !== "-not") names.push(argv[at + 1] ?? "");
    } else if (CHOOSES.test(test)) chooses = true;
  }
  if (!chooses) return starts.map((glob) => ({ glob }));
  // A branch without a name finds all names.
  if (names.length < branches) names.push("*");
  return starts.flatMap((start) =>
    names.map((name) => ({
      // The argument of -path is matched against a path that begins with the start folder.
      glob: /^[^*].*\//.test(name) ? name : `${start}/**/${name.replace(/^\*+\//, "")}`,
      sure: false,
    })),
  );
}

/** What fd finds: `fd PATTERN FOLDER -x rm`. */
function matched(argv: readonly string[]): readonly NamedFiles[] {
  const operands: string[] = [];
  let extension: string | undefined;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (/^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?)$/.test(word)) break;
    if (/^-(?:e|-extension)$/.test(word)) extension = argv[++at];
    else if (/^-[EdtScjo]$|^--(?:exclude|max-depth|type|size|color|threads|owner)$/.test(word))
      at++;
    else if (!word.startsWith("-")) operands.push(word);
  }
  const [pattern = "", ...starts] = operands;
  const isName = /^[\w.-]+$/.test(pattern);
  const name =
    extension !== undefined ? `*.${extension}` : isName ? `*${pattern.replaceAll(".", "?")}*` : "*";
  return (starts.length > 0 ? starts : ["."]).map((start) => ({
    glob: `${start}/**/${name}`,
    sure: false,
  }));
}

function printed(argv: readonly string[]): readonly NamedFiles[] {
  return argv
    .slice(1)
    .filter((word) => !word.startsWith("-"))
    .flatMap((word) => word.replaceAll(/\\[nt0]/g, " ").split(/\s+/))
    .filter((word) => word !== "" && !/[%$`]/.test(word))
    .map((glob) => ({ glob, sure: false }));
}
