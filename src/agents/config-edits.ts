import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import { fileText, followedPath, realIfThere } from "../machine/index.ts";
import { codeOf, equalJson, getOwn, HOST_NAMES, isPlainObject } from "../core/index.ts";
import type { HostName, Json } from "../core/index.ts";
import { keepsConfiguration, ownConfiguration, tomlOf } from "../engine/index.ts";
import { ALL_SETTINGS, HOSTS, SWITCHES } from "../formats/index.ts";
import { valueAt, withCommonKeys } from "./import/agent-settings.ts";
import type { OrcsEntry } from "./install/hooks-section.ts";
import { mayHaveEntries, readHooksSection, valueOf } from "./install/hooks-section.ts";
import { readRecord, recordsFolder } from "./install/install-record.ts";
import { otherNames, placeHere, SCOPES, settingsFolder } from "./install/settings-places.ts";

type Args = Readonly<Record<string, Json>>;

/** A file, and its text before and after a call. */
interface Change {
  /** Links resolved. */
  readonly path: string;
  /** Undefined if there is none. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * The file that a tool call changes, if it is the user's own configuration or the settings of a coding agent, and the
 * new text parses and keeps the entries of orcs. Undefined for any other call, and when in doubt.
 */
export function safeEditPath(tool: string, args: Args, cwd: string): string | undefined {
  try {
    const change = changeOf(tool, args, cwd);
    if (!change || change.after.includes("\0")) return undefined;
    return keepsOrcs(change) ? change.path : undefined;
  } catch {
    // It does not parse, or is not a readable file.
    return undefined;
  }
}

function keepsOrcs(change: Change): boolean {
  const own = ownConfiguration();
  if (change.path === own || change.path === realIfThere(own))
    return keepsConfiguration(change.before, change.after);
  const host = hostOf(change.path);
  if (host === undefined) return false;
  return change.path.endsWith(".toml") ? keepsToml(host, change) : keepsSettings(host, change);
}

/** The agent whose settings a file is: by the name of its folder, or by the folder in a variable. */
function hostOf(path: string): HostName | undefined {
  const place = placeHere();
  return HOST_NAMES.find((host) => {
    const { folder, file, inProject } = HOSTS[host];
    const own = realIfThere(settingsFolder(host, "user", place));
    return SCOPES.some((scope) =>
      [file, ...otherNames(host, scope)].some((name) => {
        const within = scope === "project" ? (inProject?.folder ?? folder) : folder;
        return path.endsWith(join(sep, within, name)) || path === join(own, name);
      }),
    );
  });
}

/** Keys that turn off an agent's hooks or run something: if they change, the user is asked. */
const PROTECTED_KEYS: readonly (readonly string[])[] = [
  ...SWITCHES.map(({ path }) => path),
  ...ALL_SETTINGS.flatMap(({ decisive = [] }) => decisive).map((key) => [key]),
  ...Object.values(HOSTS)
    .flatMap(({ top }) => Object.keys(top))
    .map((key) => [key]),
];
/** Variables that do not affect which programs run or what they load. */
const HARMLESS_VARIABLES = [
  /^(?:LANG|LC_\w+|TZ|CI|DEBUG|LOG_LEVEL|NO_COLOR|FORCE_COLOR|NODE_ENV)$/,
  ...ALL_SETTINGS.flatMap(({ harmlessVariables }) => harmlessVariables ?? []),
];
/** The types of keys for which an agent may reject a whole file. */
const EXPECTED_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  ALL_SETTINGS.flatMap(({ types = {} }) =>
    Object.entries(types).flatMap(([type, keys]) => keys.split(" ").map((key) => [key, type])),
  ),
);

function keepsSettings(host: HostName, { path, before, after }: Change): boolean {
  const record = readRecord(recordsFolder(placeHere()), path);
  const programs = record ? [record.program] : [];
  if (HOSTS[host].isStrictJson) JSON.parse(withoutMark(after));
  const then = readHooksSection(withoutMark(after), host, programs);
  const all = then.doc.root ? valueOf(then.doc.root) : {};
  const now = before === undefined ? undefined : readSectionOrEmpty(before, host, programs);
  const had = now?.doc.root ? valueOf(now.doc.root) : {};
  if (before !== undefined && !now) return false;
  const held = then.entries.map(entryText);
  return (
    isWellTyped(host, had, all) &&
    PROTECTED_KEYS.every((switched) => equalJson(valueAt(had, switched), valueAt(all, switched))) &&
    equalJson(decisiveVariables(had), decisiveVariables(all)) &&
    (now?.entries ?? []).every((entry) => held.includes(entryText(entry))) &&
    staysFirst(
      had,
      all,
      new Set((now?.entries ?? []).map(({ element }) => asText(valueOf(element)))),
    )
  );
}

/** Whether new values have the types that the agent expects: one wrong value may invalidate the whole file. */
export function isWellTyped(host: HostName, had: unknown, all: unknown): boolean {
  if (!isPlainObject(all)) return false;
  const isTyped = Object.entries(all).every(([key, value]) => {
    const type = getOwn(EXPECTED_TYPES, key);
    if (type === undefined || equalJson(value, valueAt(had, [key]))) return true;
    return type === "object" ? isPlainObject(value) : typeof value === type;
  });
  const hooks = all["hooks"];
  if (!isTyped || !isPlainObject(hooks)) return isTyped;
  return Object.entries(hooks).every(([event, list]) => {
    if (NON_EVENT_KEYS.has(event) || equalJson(list, valueAt(had, ["hooks", event]))) return true;
    return Array.isArray(list) && list.every((each) => isEntry(host, each));
  });
}

const NON_EVENT_KEYS: ReadonlySet<string> = new Set(["disabled", "enabled"]);

function isEntry(host: HostName, entry: unknown): boolean {
  if (!isPlainObject(entry)) return false;
  const { matcher, hooks } = entry;
  if (matcher !== undefined && typeof matcher !== "string") return false;
  if (!HOSTS[host].isGrouped && hooks === undefined) {
    return typeof withCommonKeys(host, entry)["command"] === "string";
  }
  return Array.isArray(hooks) && hooks.every((hook) => isPlainObject(hook) && "type" in hook);
}

/** Whether no hook of somebody else was placed before one of orcs. */
function staysFirst(had: unknown, all: unknown, own: ReadonlySet<string>): boolean {
  const [before, after] = [valueAt(had, ["hooks"]), valueAt(all, ["hooks"])];
  if (!isPlainObject(after)) return true;
  return Object.entries(after).every(([event, list]) => {
    const then = Array.isArray(list) ? list.map(asText) : [];
    const last = then.findLastIndex((text) => own.has(text));
    const known = valueAt(before, [event]);
    const old = new Set(Array.isArray(known) ? known.map(asText) : []);
    return then.slice(0, Math.max(last, 0)).every((text) => old.has(text));
  });
}

function asText(value: unknown): string {
  return JSON.stringify(value);
}

/** Settings that do not parse have no hooks, unless they look as if they did. */
function readSectionOrEmpty(text: string, host: HostName, programs: readonly string[]) {
  try {
    return readHooksSection(withoutMark(text), host, programs);
  } catch {
    if (mayHaveEntries(Buffer.from(text))) return undefined;
    return readHooksSection("{}", host, programs);
  }
}

/** An entry with everything that decides when it is called: its event and its group. */
function entryText({ event, element }: OrcsEntry): string {
  return asText([event, valueOf(element)]);
}

function decisiveVariables(settings: unknown): unknown {
  const env = valueAt(settings, ["env"]);
  if (!isPlainObject(env)) return env ?? {};
  const isHarmless = (name: string): boolean => HARMLESS_VARIABLES.some((each) => each.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isHarmless(name)));
}

function keepsToml(host: HostName, { before, after }: Change): boolean {
  const now = tomlOf(before ?? "");
  const then = tomlOf(after);
  const { decisive } = HOSTS[host].settings.toml ?? {};
  return decisive?.every((key) => equalJson(now[key], then[key])) === true;
}

const WRITE_TOOLS = /(?:^|_)(?:write|write_file|create_file|save_file)$/i;
const EDIT_TOOLS = /(?:^|_)(?:edit|edit_file|replace|str_replace)$/i;

/** The result of a call: a whole text, replacements of texts, or a patch. */
function changeOf(tool: string, args: Args, cwd: string): Change | undefined {
  const { patch } = args;
  if (typeof patch === "string") return applyPatch(patch, cwd);
  const named = args["path"] ?? args["file_path"];
  if (typeof named !== "string" || named === "") return undefined;
  const path = pathOf(named, cwd);
  const before = textOf(path);
  const content = args["content"] ?? args["file_text"];
  if (WRITE_TOOLS.test(tool) && typeof content === "string") {
    return writesWholeFile(args) ? { path, before, after: content } : undefined;
  }
  if (!EDIT_TOOLS.test(tool)) return undefined;
  const edits = Array.isArray(args["edits"]) ? args["edits"] : [args];
  let after = before;
  for (const edit of edits) after = applyEdit(after, edit);
  return after === undefined ? undefined : { path, before, after };
}

/**
 * Whether a tool writes the whole file: a tool that appends, or writes from a position on, has an argument for that.
 */
function writesWholeFile(args: Args): boolean {
  const others = Object.keys(args).filter((key) => !PLAIN_ARGUMENTS.has(key));
  return others.every((key) => args[key] === null || args[key] === false);
}

const PLAIN_ARGUMENTS: ReadonlySet<string> = new Set(
  "path file_path content file_text description".split(" "),
);

function applyEdit(text: string | undefined, edit: Json): string | undefined {
  if (!isPlainObject(edit)) return undefined;
  const old = edit["old_string"] ?? edit["oldText"] ?? edit["old_text"];
  const next = edit["new_string"] ?? edit["newText"] ?? edit["new_text"];
  if (typeof old !== "string" || typeof next !== "string") return undefined;
  // Some tools interpret the new text as a replacement pattern.
  if (/\$[&$`'<\d]/.test(next)) return undefined;
  if (old === "") return text === undefined || text === "" ? next : undefined;
  const parts = (text ?? "").split(old);
  const isOne = parts.length === 2 || (parts.length > 2 && edit["replace_all"] === true);
  return isOne ? parts.join(next) : undefined;
}

const PATCH_HEADER = /^\*\*\* (Add|Update) File: (.+)$/;

/** A patch of one file, as `apply_patch` reads it: each piece must occur exactly once. */
function applyPatch(patch: string, cwd: string): Change | undefined {
  const lines = patch.replaceAll("\r\n", "\n").split("\n");
  const headers = lines.filter(
    (line) => line.startsWith("*** ") && !PATCH_MARKERS.includes(line.trim()),
  );
  const [, verb, name] = PATCH_HEADER.exec(headers[0] ?? "") ?? [];
  if (headers.length !== 1 || name === undefined) return undefined;
  const path = pathOf(name.trim(), cwd);
  const before = textOf(path);
  const body = lines.slice(lines.indexOf(headers[0] ?? "") + 1);
  const end = body.findIndex((line) => line.startsWith("*** End Patch"));
  const pieces = body.slice(0, end < 0 ? undefined : end);
  if (verb === "Add") {
    if (!pieces.every((line) => line.startsWith("+"))) return undefined;
    return { path, before, after: pieces.map((line) => `${line.slice(1)}\n`).join("") };
  }
  let after = before;
  for (const hunk of hunksOf(pieces)) {
    const sides = (sign: string): string =>
      hunk
        .filter((line) => line === "" || line.startsWith(" ") || line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    after = applyEdit(after?.endsWith("\n") ? after : `${after ?? ""}\n`, {
      old_string: sides("-"),
      new_string: sides("+"),
    });
  }
  return after === undefined ? undefined : { path, before, after };
}

const PATCH_MARKERS = ["*** Begin Patch", "*** End Patch", "*** End of File"];

function hunksOf(lines: readonly string[]): string[][] {
  const hunks: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push([]);
    else if (!line.startsWith("*** ")) hunks.at(-1)?.push(line);
  }
  return hunks.filter((hunk) => hunk.length > 0);
}

function pathOf(named: string, cwd: string): string {
  const path = named === "~" || named.startsWith("~/") ? homedir() + named.slice(1) : named;
  return followedPath(isAbsolute(path) ? path : resolve(cwd, path), cwd, cwd);
}

function textOf(path: string): string | undefined {
  try {
    return fileText(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
