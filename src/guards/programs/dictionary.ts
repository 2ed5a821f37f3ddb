import { readArguments } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { parseRow, rowsOf } from "./notation.ts";
import type { ProgramRow } from "./notation.ts";
import { ARCHIVE_PROGRAMS } from "./rows/archives.ts";
import { BUILD_PROGRAMS } from "./rows/build.ts";
import { DATABASE_PROGRAMS } from "./rows/databases.ts";
import { EDITOR_PROGRAMS } from "./rows/editors.ts";
import { FILE_PROGRAMS } from "./rows/files.ts";
import { GIT_PROGRAMS } from "./rows/git.ts";
import { INTERPRETER_PROGRAMS } from "./rows/interpreters.ts";
import { MEDIA_PROGRAMS } from "./rows/media.ts";
import { NAME_PROGRAMS } from "./rows/names.ts";
import { NETWORK_PROGRAMS } from "./rows/network.ts";
import { SYSTEM_PROGRAMS } from "./rows/system.ts";
import { TEXT_PROGRAMS } from "./rows/text.ts";

/** All rows. A text is split when the first program is looked up, and a row is read when it is needed. */
const TEXTS: readonly string[] = [
  FILE_PROGRAMS,
  ARCHIVE_PROGRAMS,
  NETWORK_PROGRAMS,
  GIT_PROGRAMS,
  BUILD_PROGRAMS,
  DATABASE_PROGRAMS,
  EDITOR_PROGRAMS,
  MEDIA_PROGRAMS,
  INTERPRETER_PROGRAMS,
  NAME_PROGRAMS,
  SYSTEM_PROGRAMS,
  TEXT_PROGRAMS,
];

/** A command with the row that describes it. */
export interface DescribedCommand {
  /** Its name and its subcommands, as in the dictionary: `git/clone`. */
  readonly name: string;
  readonly row: ProgramRow;
  readonly args: Arguments;
  /** The values of options in front of a subcommand, from the outermost. */
  readonly outer: readonly Arguments[];
}

/** Rows by name. */
export interface Dictionary {
  /** Every name, of subcommands as well. */
  readonly names: () => readonly string[];
  readonly row: (name: string) => ProgramRow | undefined;
  /**
   * The innermost row that describes a command.
   * @param unknown positions of words that are not completely known
   */
  readonly describe: (
    program: string,
    argv: readonly string[],
    unknown: ReadonlySet<number>,
  ) => DescribedCommand | undefined;
}

export function createDictionary(texts: readonly string[] = TEXTS): Dictionary {
  let written: Map<string, string> | undefined;
  const parsed = new Map<string, ProgramRow>();
  const all = (): Map<string, string> => {
    written ??= new Map(
      texts.flatMap(rowsOf).flatMap(([names, row]) => names.map((name) => [name, row])),
    );
    return written;
  };
  const row = (name: string): ProgramRow | undefined => {
    const text = all().get(name);
    if (text === undefined) return undefined;
    const known = parsed.get(text) ?? parseRow(text);
    parsed.set(text, known);
    return known;
  };
  const describe: Dictionary["describe"] = (program, argv, unknown) => {
    let found = row(plainName(program));
    if (!found) return undefined;
    let [name = ""] = found.names;
    let written = plainName(program);
    let args = readArguments(found, argv, unknown);
    const outer: Arguments[] = [];
    for (;;) {
      const sub = args.parts.find(({ role }) => role === "subcommand");
      written += `/${sub?.text ?? ""}`;
      const inner = sub && (row(written) ?? row(`${name}/${sub.text}`));
      if (!sub || !inner) return { name, row: found, args, outer };
      [name = ""] = inner.names;
      outer.push({ ...args, parts: args.parts.filter(({ at }) => at < sub.at) });
      found = inner;
      args = readArguments(inner, argv, unknown, sub.at + 1);
    }
  };
  return { names: () => [...all().keys()], row, describe };
}

/** `CP.exe` is `cp`, and so is `gcp`, unless it has a row of its own. */
function plainName(program: string): string {
  return program.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}
