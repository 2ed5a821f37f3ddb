import { shownUnder } from "../../core/index.ts";
import type { DeclaredEffect, FileReader, ShellDialect, ShellReader } from "../../core/index.ts";
import {
  commandLine,
  foreignToolName,
  isRecord,
  ownToolName,
  quoteWords,
  resolvePath,
} from "../../matching/index.ts";
import type { Payload } from "../../matching/index.ts";
import { dialectOf } from "../windows/dialect.ts";
import { givenPath } from "./effect-list.ts";
import type { NamedArgument, ToolWord, ToolWords } from "./tool-words.ts";

/** What calls, and the scripts that they run, are read with. */
export interface ReaderDeps {
  readonly shell: ShellReader;
  /** Where a call starts that names no folder. */
  readonly root: string;
  /** The home folder that the reader of command lines knows. */
  readonly home: () => string | undefined;
  /** What the program says that a tool of its own does. */
  readonly declared?: ((tool: string) => readonly DeclaredEffect[] | undefined) | undefined;
  /** Reads the files that calls run. */
  readonly files: FileReader;
  /** A path in a folder with its links resolved. */
  readonly realPath: (path: string, cwd: string) => string;
}

/** A text among the arguments of a call. */
export interface CallText extends NamedArgument {
  /** The name of the outermost argument that contains it, in lower case and without `_` and `-`. */
  readonly top: string;
  readonly text: string;
}

/** The arguments of a call, by what their names say. */
export interface CallReading {
  readonly texts: readonly CallText[];
  /** Command lines. */
  readonly lines: readonly string[];
  /** Texts that the tool runs: as a command line, or as code in some language. */
  readonly scripts: readonly string[];
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Where command lines begin. */
  readonly lineCwd: string;
  /** What assigns the variables that they are given: `A='1'; `. */
  readonly variables: string;
  /** What the words of the tool's name mean. */
  readonly words: ReadonlySet<ToolWord>;
  /** The language of its lines, if that is not the one of POSIX shells. */
  readonly dialect: ShellDialect | undefined;
  /** Why not all arguments could be read. */
  readonly malformed: string | undefined;
}

const MOST_TEXTS = 20_000;
const DEEPEST = 16;
/** Command lines are looked for this deep. */
const DEEPEST_LINE = 4;

/** Read the arguments of a call, whatever the names that a coding agent gives to its tools. */
export function readCall(
  payload: Payload,
  tables: ToolWords,
  root: string,
  home: string | undefined,
): CallReading {
  const args = argumentsOf(payload);
  const words = tables.ofName(nameIn(payload) ?? "");
  const { texts, malformed } = textsIn(args, tables);
  const cwd = [payload["cwd"], payload["sandbox_root"]].find(
    (folder): folder is string => typeof folder === "string" && folder.startsWith("/"),
  );
  const from = resolvePath("/", cwd ?? root);
  const folder = texts.find(({ key }) => tables.is(key, "folder"));
  const runs = words.has("runs") && !words.has("delegates");
  return {
    texts,
    lines: [...new Set(linesIn(args, tables))],
    scripts: runs
      ? texts.filter(({ key }) => tables.is(key, "script")).map(({ text }) => text)
      : [],
    cwd: from,
    variables: assignments(args["env"]),
    lineCwd: folder ? resolvePath(from, givenPath(folder.text, home)) : from,
    words,
    dialect: dialectOf(nameIn(payload)) ?? dialectOf(foreignToolName(payload)),
    malformed,
  };
}

/** What assigns variables of the environment in front of a command line. */
function assignments(env: unknown): string {
  if (!isRecord(env)) return "";
  const given = Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  return given
    .flatMap(([name, value]) =>
      typeof value === "string" ? [`${name}=${quoteWords([value])}; `] : [],
    )
    .join("");
}

/** The name of the tool that a payload is about. */
export function nameIn(payload: Payload): string | undefined {
  const name = ownToolName(payload);
  return typeof name === "string" ? name : undefined;
}

/** The arguments of a call, and the command of a point about one. */
function argumentsOf(payload: Payload): Payload {
  const { args, command } = payload;
  return isRecord(args) ? args : command === undefined ? {} : { command };
}

function textsIn(args: Payload, tables: ToolWords): Pick<CallReading, "texts" | "malformed"> {
  const texts: CallText[] = [];
  let malformed: string | undefined;
  const collect = (value: unknown, name: NamedArgument, top: string, depth: number): void => {
    if (malformed !== undefined || value === undefined || value === null) return;
    if (typeof value === "string") {
      if (texts.length === MOST_TEXTS) malformed = `a call with more than ${MOST_TEXTS} texts`;
      else texts.push({ ...name, top, text: value });
    } else if (isRecord(value)) {
      if (depth === DEEPEST) malformed = `a call that is nested more than ${DEEPEST} levels deep`;
      else
        for (const key of Object.keys(value)) {
          const own = Array.isArray(value) ? name : tables.argument(key);
          collect(shownUnder(value, key), own, depth === 0 ? own.key : top, depth + 1);
        }
    } else if (tables.is(name.key, "strict")) {
      malformed = `${name.name} is a ${typeof value}, which is not a string`;
    }
  };
  collect(args, { name: "", key: "", isPath: false }, "", 0);
  return { texts, malformed };
}

/** The command lines in arguments: texts, or lists of words. */
function linesIn(args: Payload, tables: ToolWords, depth = 0): string[] {
  const found: string[] = [];
  const rest = args["args"] ?? args["arguments"] ?? args["argv"];
  for (const name of Object.keys(args)) {
    const value = args[name];
    const { key } = tables.argument(name);
    const isProgram = tables.is(key, "executable") && typeof value === "string" && isWords(rest);
    if (tables.is(key, "command") || isProgram) {
      found.push(...linesOf(value, key, rest, tables, depth));
    } else if (isRecord(value) && depth < DEEPEST_LINE) {
      found.push(...linesIn(value, tables, depth + 1));
    }
  }
  return found;
}

function linesOf(
  value: unknown,
  key: string,
  rest: unknown,
  tables: ToolWords,
  depth: number,
): string[] {
  if (typeof value === "string") {
    if (isWords(rest)) return [commandLine([value, ...rest])];
    if (typeof rest === "string") return [value, `${value} ${rest}`];
    return [value];
  }
  if (isWords(value)) {
    // Some coding agents pass a whole line as a list with one word.
    const lines = key === "commands" || value.length === 1 ? value : [];
    return [commandLine(value), ...lines];
  }
  if (!isRecord(value) || depth >= DEEPEST_LINE) return [];
  return Object.values(value).flatMap((item) => {
    if (typeof item === "string") return [item];
    if (isWords(item)) return [commandLine(item)];
    return isRecord(item) ? linesIn(item, tables, depth + 1) : [];
  });
}

function isWords(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")
  );
}
