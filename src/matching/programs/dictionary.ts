import { lazyConstant } from "../../core/index.ts";
import type { ShellCommand } from "../../core/index.ts";
import { readArguments } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { readWindowsArguments } from "./windows-arguments.ts";
import { parseRow, rowsOf } from "./notation.ts";
import type { ProgramRow } from "./notation.ts";
import { APPLICATION_PROGRAMS } from "./rows/applications.ts";
import { BUILD_PROGRAMS } from "./rows/build.ts";
import { FILE_PROGRAMS } from "./rows/files.ts";
import { GIT_PROGRAMS } from "./rows/git.ts";
import { NAME_PROGRAMS } from "./rows/names.ts";
import { NETWORK_PROGRAMS } from "./rows/network.ts";
import { RUNNERS } from "./rows/runners.ts";
import { SYSTEM_PROGRAMS } from "./rows/system.ts";
import { TEXT_PROGRAMS } from "./rows/text.ts";
import { WINDOWS_PROGRAMS } from "./rows/windows.ts";

/**
 * The rows of all programs: those of `RUNNERS` do not say what the program itself does. A text is split when the first
 * program is looked up, and a row is read when it is needed.
 */
export const ALL_TEXTS: readonly string[] = [
  WINDOWS_PROGRAMS,
  FILE_PROGRAMS,
  NETWORK_PROGRAMS,
  GIT_PROGRAMS,
  BUILD_PROGRAMS,
  APPLICATION_PROGRAMS,
  NAME_PROGRAMS,
  SYSTEM_PROGRAMS,
  TEXT_PROGRAMS,
  RUNNERS,
];

/** A command with the row that describes it. */
export interface DescribedCommand {
  /** Its name and its subcommands, as in the dictionary: `git/clone`. */
  readonly name: string;
  /** The same as it is written in the command: a row may be of several subcommands. */
  readonly path: string;
  readonly row: ProgramRow;
  readonly args: Arguments;
  /** Position of the last subcommand in `argv`; 0 without one. */
  readonly at: number;
  /** The values of options in front of a subcommand, from the outermost. */
  readonly outer: readonly Arguments[];
}

type Described = Pick<ShellCommand, "program" | "argv" | "unknown">;

/** The one dictionary: rows by name. */
export const programs = lazyConstant(() => {
  const texts = lazyConstant(() => rowTexts(ALL_TEXTS));
  const undescribed = lazyConstant(() => rowTexts([RUNNERS]));
  const parsed = new Map<string, ProgramRow>();
  /** The row of a program or a subcommand, which may only say where its options and its command are. */
  const rowOf = (name: string): ProgramRow | undefined => {
    const text = texts().get(name);
    if (text === undefined) return undefined;
    const known = parsed.get(text) ?? parseRow(text);
    parsed.set(text, known);
    return known;
  };
  const row = (name: string): ProgramRow | undefined =>
    undescribed().has(name) ? undefined : rowOf(name);
  /** A row of its own, for a name that means something else elsewhere, or that of all cmdlets with a verb. */
  const windowsRow = (name: string): ProgramRow | undefined =>
    row(`windows/${name}`) ?? row(name) ?? row(name.replace(/^([a-z]+-)[a-z\d]+$/, "$1*"));
  /**
   * The innermost row that describes a command.
   * @param listed of a command for PowerShell or cmd: see `readWindowsArguments`
   */
  const describe = (
    command: Described,
    listed?: readonly number[],
  ): DescribedCommand | undefined => {
    const { argv } = command;
    const unknown = new Set(command.unknown);
    let plain = plainName(command.program);
    // GNU tools have a prefix on systems with other versions: `gcp`.
    if (!listed && !row(plain) && plain.startsWith("g")) plain = plain.slice(1);
    let found = listed ? windowsRow(plain) : row(plain);
    if (!found) return undefined;
    const common = found.style === "windows" ? row("windows-parameters") : undefined;
    if (common) {
      const args = readWindowsArguments(found, common, argv, unknown, new Set(listed));
      return { name: plain, path: plain, row: found, args, at: 0, outer: [] };
    }
    let [name = plain] = found.names;
    // `git-push` is `git push`, and `hub` is `git`.
    let path = name.includes("/") || found.hasSubcommands ? name : plain;
    let args = readArguments(found, argv, unknown);
    const outer: Arguments[] = [];
    let at = 0;
    for (;;) {
      const sub = args.parts.find(({ role }) => role === "subcommand");
      // Some file systems do not tell `git-push` and `git-PUSH` apart.
      // One row may be of several groups of subcommands that do not have the same ones: `docker image save`.
      const ofGroup = (each: string): ProgramRow | undefined =>
        row(`${path}/${each}`) ?? row(`${name}/${each}`);
      const text = [sub?.text ?? "", sub?.text.toLowerCase() ?? ""].find(ofGroup);
      const inner = text === undefined ? undefined : ofGroup(text);
      if (!sub || !inner) return { name, path, row: found, args, at, outer };
      [name = ""] = inner.names;
      path += `/${text}`;
      outer.push({ ...args, parts: args.parts.filter(({ at }) => at < sub.at) });
      found = inner;
      at = sub.at;
      args = readArguments(inner, argv, unknown, sub.at + 1);
    }
  };
  /** The same of a shell, of which a row only says where its script is. */
  const describeShell = ({ program, argv, unknown }: Described): DescribedCommand | undefined => {
    const name = plainName(program);
    const found = rowOf(name);
    const args = found && readArguments(found, argv, new Set(unknown));
    return args && { name, path: name, row: found, args, at: 0, outer: [] };
  };
  return {
    /** Of what is described, of subcommands as well. */
    names: (): readonly string[] => [...texts().keys()].filter((name) => !undescribed().has(name)),
    row: rowOf,
    describe,
    describeShell,
  };
});

function rowTexts(texts: readonly string[]): Map<string, string> {
  return new Map(texts.flatMap(rowsOf).flatMap(([names, row]) => names.map((name) => [name, row])));
}

/** `CP.exe` is `cp`. */
function plainName(program: string): string {
  return program.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}
