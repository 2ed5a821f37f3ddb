import { wordSet } from "../../core/index.ts";
import type { ShellCommand, ShellReading } from "../../core/index.ts";
import { byName } from "../../matching/index.ts";
import type { NamedFiles } from "./effect-list.ts";
import { base } from "./copies.ts";
import { startsOf } from "./find-expression.ts";
import { fdWords } from "./names-given.ts";

type Lister = (argv: readonly string[]) => readonly NamedFiles[];

const HANDS_OVER = wordSet("xargs parallel");
/** Programs that print the names of files, and which ones. */
const LISTERS = byName<Lister>({
  "find gfind": found,
  "fd fdfind": matched,
  ls: listed,
  rg: searched,
  git: tracked,
  "echo printf locate": printed,
});
const INTERPRETERS = /^(?:python[\d.]*|node|perl|ruby|php)$/;

/**
 * The files whose names other commands give the command at a position: find and fd, which start it, or what comes from
 * a pipe, an xargs or a substitution.
 */
export function namesShown({ commands }: ShellReading, position: number): readonly NamedFiles[] {
  const command = commands[position];
  if (!command) return [];
  const given: NamedFiles[] = [];
  for (let at = 0; at < position; at++) {
    const lister = commands[at];
    const program = lister?.program ?? "";
    const names = INTERPRETERS.test(program) ? coded : LISTERS.get(program);
    if (!lister || !names) continue;
    const between = commands.slice(Math.max(at, position - 2), position);
    if (!reaches(lister, command, between)) continue;
    const folder = lister.cwd === command.cwd ? undefined : lister.cwd;
    for (const files of names(lister.argv))
      given.push(folder === undefined ? files : { ...files, folder });
  }
  return given;
}

/** Whether what a command prints becomes words of another one. */
function reaches(
  lister: ShellCommand,
  command: ShellCommand,
  between: readonly ShellCommand[],
): boolean {
  const { program, via } = lister;
  if (via.some((by) => by === "$()" || by === "<()")) return true;
  if (command.from.includes(program) || command.via.includes(program)) return true;
  return (
    command.via.some((by) => HANDS_OVER.has(by)) &&
    between.some(({ from }) => from.includes(program))
  );
}

/** Tests of find that choose files by something else than their names. */
const CHOOSES =
  /^-(?:i?regex|[acm]?time|[acm]?min|(?:a|c)?newer\w*|perm|samefile|inum|empty|links|user|group|lname)$/;
const BY_NAME = /^-(?:i?name|i?path|i?wholename)$/;

function found(argv: readonly string[]): readonly NamedFiles[] {
  const [starts, begin] = startsOf(argv);
  const names: string[] = [];
  const except: string[] = [];
  let sure = true;
  for (let at = begin; at < argv.length && !/^-(?:exec|ok)/.test(argv[at] ?? ""); at++) {
    const test = argv[at] ?? "";
    const value = argv[at + 1] ?? "";
    const isLeftOut =
      argv[at - 1] === "!" ||
      argv[at - 1] === "-not" ||
      (argv[at + 2] === "-prune" && /^-or?$/.test(argv[at + 3] ?? ""));
    if (test === "-delete" || (test === "-type" && value !== "f" && !isLeftOut)) return [];
    if (BY_NAME.test(test)) (isLeftOut ? except : names).push(value);
    else if (CHOOSES.test(test) && !isLeftOut) {
      sure = false;
      const name = test.endsWith("regex") && /[\w.-]+$/.exec(value.replaceAll("\\", ""))?.[0];
      if (name) names.push(name);
    }
  }
  return starts.flatMap((start) => below(start, names, { except, sure }));
}

/** What is below a folder: files with certain names, or all of them. */
function below(
  start: string,
  names: readonly string[],
  { except, sure }: { readonly except: readonly string[]; readonly sure: boolean },
): readonly NamedFiles[] {
  const leaves = except.length > 0 ? { except } : {};
  const isAll = names.length === 0 || names.some((name) => /^\*+$/.test(name));
  if (isAll) return [{ glob: start, recursive: true, sure, ...leaves }];
  return names.map((name) => ({
    glob: name.includes("/") && /^[*/]/.test(name) ? name : `${start}/**/${base(name)}`,
    ...leaves,
    sure,
  }));
}

/** What fd finds: `fd -H PATTERN FOLDER -x cat`. */
function matched(argv: readonly string[]): readonly NamedFiles[] {
  const begins = /^(?:-[xX]|--exec(?:-batch)?)$/;
  const { operands, except, extension, showsHidden } = fdWords(argv, begins);
  if (extension !== undefined) return [];
  const [pattern = "", start = "."] = operands;
  const part = pattern.replace(/^\^|\$$/g, "").replaceAll("\\", "");
  const isAny = /^[.*+]*$/.test(part);
  if (isAny && !showsHidden) return [];
  const files = below(start, isAny ? [] : [`*${part}*`], { except, sure: true });
  return start === "." ? files : [...files, { glob: start, sure: false }];
}

function listed(argv: readonly string[]): readonly NamedFiles[] {
  const except: string[] = [];
  const operands: string[] = [];
  let letters = "";
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const ignored = /^--(?:ignore|hide)=(.*)$/s.exec(word)?.[1];
    if (ignored !== undefined) except.push(ignored);
    else if (word === "-I" || word === "--ignore") except.push(argv[++at] ?? "");
    else if (word === "--directory") letters += "d";
    else if (word === "--all" || word === "--almost-all") letters += "A";
    else if (/^-[A-Za-z1]+$/.test(word)) letters += word;
    else if (!word.startsWith("-")) operands.push(word);
  }
  if (/[ld]/.test(letters) && operands.every((word) => /^[./~]*$/.test(word))) return [];
  if (operands.length > 0 && !operands.every((word) => /^[./~]*$/.test(word)))
    return operands.map((glob) => ({ glob, ...(except.length > 0 && { except }) }));
  if (!/[aA]/.test(letters)) except.push(".*");
  const folders = operands.length > 0 ? operands : ["."];
  return folders.flatMap((start) => below(start, [], { except, sure: true }));
}

function searched(argv: readonly string[]): readonly NamedFiles[] {
  const isNarrow = argv.some((word) => /^(?:-g|--i?glob|-t|--type)/.test(word));
  if (!argv.includes("--files")) return printed(argv);
  const folders = argv.slice(1).filter((word) => !word.startsWith("-"));
  if (folders.length > 0 || isNarrow) return folders.map((glob) => ({ glob, sure: false }));
  const isHidden = argv.some((word) => /^(?:--hidden|-\.|--unrestricted|-uuu?)$/.test(word));
  return [{ glob: ".", recursive: true, ...(!isHidden && { except: [".*"] }) }];
}

/** Files that git knows, or does not know. */
function tracked(argv: readonly string[]): readonly NamedFiles[] {
  const at = argv.indexOf("ls-files");
  if (at < 0) return [];
  const operands = argv.slice(at + 1).filter((word) => !word.startsWith("-"));
  if (operands.length > 0) return operands.map((glob) => ({ glob }));
  const isOthers = argv.includes("-o") || argv.includes("--others");
  return isOthers && !argv.includes("--exclude-standard") ? [{ glob: ".", recursive: true }] : [];
}

/** Names in the strings of code. */
function coded(argv: readonly string[]): readonly NamedFiles[] {
  return [...argv.join("\n").matchAll(/'([^'\n]+)'|"([^"\n]+)"/g)].map(([, one, two]) => ({
    glob: one ?? two ?? "",
    sure: false,
  }));
}

/** Names that a command prints, or looks for. */
function printed(argv: readonly string[]): readonly NamedFiles[] {
  return argv
    .slice(1)
    .flatMap((word) => word.replace(/\\[nt0]/g, "\n").split(/[\n\s]+/))
    .filter((word) => word !== "" && !word.startsWith("-") && !/[$`]/.test(word))
    .map((glob) => ({ glob, sure: false }));
}
