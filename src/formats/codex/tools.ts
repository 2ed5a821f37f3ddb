import { getOwn, type Json, type JsonObject } from "../../core/index.ts";
import { type Rewritten, rewrittenText } from "../agent-tools.ts";

/** A tool call, in Codex's names or in ours. */
interface Call {
  readonly name: string;
  readonly args: JsonObject;
}

const SHELL = { ours: "exec", codex: "Bash" } as const;
const PATCH = { ours: "edit", codex: "apply_patch" } as const;

/**
 * A call of Codex in our names: `Bash` is `exec`; `apply_patch` is `edit` with the text as `patch` and the touched
 * files as `path`. Other tools keep Codex's name.
 */
export function fromCodexCall(name: string, input: JsonObject): Call {
  const command = getOwn(input, "command");
  if (name === SHELL.codex) return { name: SHELL.ours, args: input };
  if (name !== PATCH.codex || typeof command !== "string") return { name, args: input };
  return { name: PATCH.ours, args: patchArgs(command) };
}

/** A call of ours in Codex's names. */
export function toCodexCall(tool: string, args: JsonObject): Call {
  if (tool === SHELL.ours) return { name: SHELL.codex, args };
  const patch = tool === PATCH.ours ? getOwn(args, "patch") : undefined;
  return typeof patch === "string"
    ? { name: PATCH.codex, args: { command: patch } }
    : { name: tool, args };
}

/**
 * Changed arguments as input for Codex. Of a command or a patch it accepts only the text.
 * @param host Codex's name of the tool
 * @param input as Codex sent it
 * @param before the arguments that the hooks got
 * @param after the arguments as they left them
 */
export function toCodexInput(
  host: string,
  input: JsonObject,
  before: JsonObject,
  after: JsonObject,
): Rewritten<JsonObject> {
  if (host !== SHELL.codex && host !== PATCH.codex) {
    const wasText = typeof getOwn(input, "command") === "string";
    return wasText && typeof getOwn(after, "command") !== "string"
      ? { ok: false, why: "command, which is no longer a string" }
      : { ok: true, input: after };
  }
  const key = host === SHELL.codex ? "command" : "patch";
  const patched = (text: string): JsonObject =>
    key === "patch" ? { ...before, ...patchArgs(text) } : { ...before, command: text };
  const what = `${host}, for which Codex accepts only the text`;
  const read = rewrittenText(key, before, after, patched, what);
  return read.ok ? { ok: true, input: { ...input, command: read.input } } : read;
}

/** Input from a Codex hook, as arguments of ours; undefined where Codex would not accept it. */
export function fromCodexInput(
  tool: string,
  args: JsonObject,
  input: JsonObject,
): JsonObject | undefined {
  const { name } = toCodexCall(tool, args);
  if (name !== SHELL.codex && name !== PATCH.codex) return input;
  const command = getOwn(input, "command");
  if (typeof command !== "string") return undefined;
  return name === SHELL.codex ? { ...args, command } : { ...args, ...patchArgs(command) };
}

function patchArgs(patch: string): { path: Json; patch: string } {
  return { path: patchPaths(patch), patch };
}

/** The start of a header line; the rest is the file's name. */
const HEADER = /^[\s\u0085]*\*\*\*\s*(?:add file|delete file|update file|move to)\s*:/i;

/**
 * Every file that a patch adds, deletes, changes or moves to, in order, without duplicates, as written. More lenient
 * than Codex: a line that only looks like a header counts as well, because a guard should rather see one file too many.
 */
export function patchPaths(patch: string): string[] {
  const paths = new Set<string>();
  mapPatchPaths(patch, (path) => {
    paths.add(path);
    return path;
  });
  return [...paths];
}

/** The patch with other paths in its headers. */
export function mapPatchPaths(patch: string, change: (path: string) => string): string {
  return patch
    .split("\n")
    .map((line) => {
      const header = HEADER.exec(line)?.[0];
      if (header === undefined) return line;
      const path = trimmed(line.slice(header.length));
      const changed = change(path);
      return changed === path ? line : `${header} ${changed}`;
    })
    .join("\n");
}

/** Trims white space like Codex, including U+0085. Without a regular expression, because names may be long. */
function trimmed(text: string): string {
  let name = text.trim();
  while (name.startsWith("\u0085") || name.endsWith("\u0085")) {
    name = name.slice(name.startsWith("\u0085") ? 1 : 0, name.endsWith("\u0085") ? -1 : undefined);
    name = name.trim();
  }
  return name;
}
