import { posix } from "node:path";
import { getOwn, isJsonObject, isPlainObject, stated } from "../../core/index.ts";
import type { JsonObject, ShellCommand, ShellReader } from "../../core/index.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { decodeEvent } from "../decode-event.ts";
import { CODEX } from "./events.ts";
import { mapPatchPaths, patchPaths } from "./tools.ts";

type Read = ShellReader["read"];

/** A patch that a command line applies. */
interface LinePatch {
  /** Its files are relative to the directory in which the line starts. */
  readonly patch: string;
  /** Files that it may change as well. */
  readonly others?: readonly string[];
  /** Why it may change any file. */
  readonly unread?: string | undefined;
}

/**
 * The patches that the command line of a `Bash` call applies, as events of `apply_patch`: Codex applies some of them
 * itself, and it puts a program of that name into the `PATH` of its commands. Source: codex-rs/apply-patch.
 */
export function editsWithin(
  { payload: sent, point }: DecodedEvent,
  { tool_name: tool, args }: Readonly<Record<string, unknown>>,
  read: Read,
): readonly DecodedEvent[] {
  const command: unknown = isPlainObject(args) ? getOwn(args, "command") : undefined;
  const host = getOwn(sent, "host");
  if (tool !== "exec" || typeof command !== "string" || !isJsonObject(host)) return [];
  return patchesIn(command, read).map((found) => eventOf(host, point, found));
}

function eventOf(
  host: JsonObject,
  point: DecodedEvent["point"],
  { patch, others = [], unread }: LinePatch,
): DecodedEvent {
  const event = { ...host, tool_name: "apply_patch", tool_input: { command: patch } };
  const decoded = decodeEvent(CODEX, event);
  const path = [...new Set([...patchPaths(patch), ...others])];
  return {
    ...decoded,
    point,
    payload: { ...decoded.payload, args: { path, patch }, ...stated({ unread }) },
  };
}

function patchesIn(line: string, read: Read): LinePatch[] {
  const { commands, unread } = read(line);
  // Most lines apply none. A reading with more in it is not kept for the hooks.
  if (unread === undefined && !commands.some(mayApply)) return [];
  const applying = read(line, undefined, { stdin: true }).commands.filter(mayApply);
  // A directory may not exist: then what follows `;` runs in the one before.
  const isCertain = applying.length === 1 && CERTAIN.test(line);
  const found = applying
    .map((command) => patchOf(command, line, isCertain))
    .filter((patch) => patch !== undefined);
  // The part that cannot be read may apply it.
  if (unread !== undefined && /patch/i.test(line.replaceAll(/["'\\]|\s/g, ""))) {
    found.push({ patch: line, unread });
  }
  return found;
}

const PROGRAMS: ReadonlySet<string> = new Set(["apply_patch", "applypatch"]);
/** With it as the first argument, the program of Codex is `apply_patch`. */
const AS_PROGRAM = "--codex-run-as-apply-patch";

/** Some file systems do not distinguish `Apply_Patch`, and Windows has `apply_patch.bat`. */
function isApply({ program, argv }: ShellCommand): boolean {
  const name = program.toLowerCase().replace(/\.(?:bat|cmd|exe)$/, "");
  return PROGRAMS.has(name) || argv[1] === AS_PROGRAM;
}

function mayApply(command: ShellCommand): boolean {
  return isApply(command) || command.opaque;
}

/** The patch that a command applies: its argument or its standard input, of which Codex may read either. */
function patchOf(command: ShellCommand, line: string, isCertain: boolean): LinePatch | undefined {
  const { argv, unknown, stdin, cwd } = command;
  const texts = argv.slice(1);
  if (stdin) texts.push(stdin.text);
  // A shell takes the last of several here-documents, Codex another one.
  if (/<<[^]*<</.test(line)) texts.push(line);
  const patch = texts.join("\n");
  const paths = patchPaths(patch);
  if (!isApply(command) && paths.length === 0) return undefined;
  const isGiven = argv.length > 1 || stdin !== undefined;
  const isKnown = unknown.every((at) => at === 0) && stdin?.known !== false;
  const unread = isGiven ? (isKnown ? undefined : PARTS) : ELSEWHERE;
  // Codex takes the word after `cd` as it is written.
  const isUnsure = cwd !== "." && /\bcd\s[^&;|\n]*[$`\\~*?[{]/.test(line);
  if (isUnsure || cwd === undefined) return { patch, unread: unread ?? DIRECTORY };
  // For example `apply_patch --help`.
  if (paths.length === 0 && unread === undefined) return undefined;
  return {
    patch: mapPatchPaths(patch, (path) => below(cwd, path)),
    others: isCertain ? [] : paths,
    unread,
  };
}

const ELSEWHERE = "the patch is not in the line";
const PARTS =
  "parts of the patch are known only to the shell; write it into a here-document with <<'EOF'";
const DIRECTORY = "its directory is known only to the shell";

/** Nothing before the program but commands that have to succeed. */
const CERTAIN = /^(?:[^;|\n(){}!`&<*]*&&)*\s*(?:[\w./]*\/)?apply_?patch\s*(?:<<|["'])/i;

function below(directory: string, path: string): string {
  return directory === "." || path === ""
    ? path
    : posix.join(posix.isAbsolute(path) ? "/" : directory, path);
}
