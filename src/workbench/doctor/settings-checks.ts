import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPlainObject, messageOf, objectIn, orUndefined } from "../../core/index.ts";
import type { HostName, JsonObject } from "../../core/index.ts";
import { HOSTS } from "../../formats/index.ts";
import { namesIn } from "../../machine/index.ts";
import {
  type AgentHook,
  filesOfProgram,
  type InstallContext,
  type InstallRecord,
  isOpenToOthers,
  isOrcsUrl,
  machineRecordsFolder,
  mayHaveEntries,
  type OrcsCommand,
  readHooks,
  readHooksSection,
  readOrcsCommand,
  readRecord,
  readSettingsFile,
  repair,
  type Scope,
  SCOPES,
  settingsFolder,
  settingsPath,
  settingsPaths,
  settingsText,
  switchOf,
  TOKEN_VARIABLE,
  valueOf,
  weakProgram,
  weakSettings,
} from "../../agents/index.ts";
import { type Finding, note, problem } from "./report.ts";

/** An entry of orcs in settings. */
export interface FoundEntry extends AgentHook, OrcsCommand {
  /** The command, or the URL that events are sent to. */
  readonly command: string;
  /** Whether it is sent over HTTP; then a command beside it determines the hooks. */
  readonly isRequest: boolean;
}

/** A settings file. */
export interface FoundSettings {
  readonly host: HostName;
  readonly path: string;
  readonly scope: Scope;
  readonly exists: boolean;
  readonly entries: readonly FoundEntry[];
  /** Whether it belongs to orcs as a plugin of the agent, which sends every event. */
  readonly isPlugin?: true;
  /** Number of hooks of other programs. */
  readonly others: number;
  readonly record: InstallRecord | undefined;
  /** The token of the HTTP side, if the settings contain it. */
  readonly token: string | undefined;
  /** The switch in it that turns off the hooks of all files of its agent. */
  readonly switch: string | undefined;
  readonly findings: readonly Finding[];
}

/** All settings of an agent that may contain hooks: where orcs is installed, and all other existing ones. */
export function checkSettings(host: HostName, around: InstallContext): FoundSettings[] {
  const seen: FoundSettings[] = [];
  for (const scope of SCOPES) {
    const [own, ...others] = settingsPaths(host, scope, around.place);
    for (const path of [own, ...others.filter((each) => existsSync(each))]) {
      // In the home directory both scopes are the same file.
      if (path === undefined || seen.some((each) => each.path === path)) continue;
      seen.push(readSettingsOf(host, scope, path, around));
    }
  }
  const ofMachine = settingsPaths(host, "machine", around.place).filter((each) => existsSync(each));
  return [
    ...seen,
    ...ofMachine.map((path) => machineSettingsOf(host, path, around)),
    ...pluginSettings(host, around),
  ];
}

/** The program in the entries of a plugin. */
const PLUGIN_PROGRAM = "orcs-hook";

/** Orcs as a plugin that the user has installed in the agent. */
function pluginSettings(host: HostName, around: InstallContext): FoundSettings[] {
  const { plugins } = HOSTS[host];
  if (plugins === undefined) return [];
  const folder = join(settingsFolder(host, "user", around.place), plugins.folder);
  const list = plugins.list && objectIn(bytesOf(join(folder, plugins.list))?.toString() ?? "");
  const folders = list ? installPaths(list) : foldersBelow(folder, 2);
  const programs = [...around.programs, PLUGIN_PROGRAM];
  return folders
    .map((each) => join(each, plugins.hooks))
    .filter((path) => existsSync(path))
    .map((path) => readSettingsOf(host, "user", path, { ...around, programs }))
    .filter(({ entries }) => entries.length > 0)
    .map((file) => Object.assign(file, { isPlugin: true as const }));
}

function installPaths(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === "installPath" && typeof inner === "string" ? inner : installPaths(inner),
  );
}

function foldersBelow(folder: string, levels: number): string[] {
  if (levels === 0) return [];
  const below = namesIn(folder).map((name) => join(folder, name));
  return below.concat(below.flatMap((each) => foldersBelow(each, levels - 1)));
}

function machineSettingsOf(host: HostName, path: string, around: InstallContext): FoundSettings {
  const { place } = around;
  const records = machineRecordsFolder(place);
  const found = readSettingsOf(host, "machine", path, { ...around, records });
  if (found.entries.length === 0) return found;
  const programs = new Set(found.entries.flatMap(({ program }) => filesOfProgram(program)));
  const weak = [weakSettings(path, place), weakProgram(programs, place)];
  const findings = weak.flatMap((each) =>
    each ? [problem(`${each.path}: ${each.why}`, repair(each))] : [],
  );
  return { ...found, findings: [...found.findings, ...findings] };
}

/** Whether an agent, or a person who works with it, has left anything here. */
export function hasFolder(host: HostName, { place }: InstallContext): boolean {
  // A project's folder may have other purposes.
  const inProject = dirname(settingsPath(host, "project", place));
  return [settingsFolder(host, "user", place), inProject].some((folder) => existsSync(folder));
}

/** Settings with entries of orcs in folders above the project, which the agent does not read when started here. */
export function settingsAbove(host: HostName, { place }: InstallContext): string[] {
  if (!HOSTS[host].onlyThere) return [];
  const own = settingsPath(host, "user", place);
  const found: string[] = [];
  for (let at = place.project; at !== dirname(at); at = dirname(at)) {
    const path = settingsPath(host, "project", { ...place, project: dirname(at) });
    if (path !== own && mayHaveEntries(bytesOf(path))) found.push(path);
  }
  return found;
}

function bytesOf(path: string): Buffer | undefined {
  // What cannot be read is reported when the agent is started there.
  return orUndefined(() => readSettingsFile(path).bytes);
}

function readSettingsOf(
  host: HostName,
  scope: Scope,
  path: string,
  { records, programs }: InstallContext,
): FoundSettings {
  const record = readRecord(records, path);
  const off = { switch: undefined, token: undefined };
  const nothing = { host, scope, path, entries: [], others: 0, record, ...off };
  let bytes: Buffer | undefined;
  try {
    bytes = readSettingsFile(path).bytes;
    if (bytes === undefined) {
      const gone = problem(
        "orcs was installed in this file, which is gone",
        `orcs install --host ${host}`,
      );
      return { ...nothing, exists: false, findings: record ? [gone] : [] };
    }
    if (path.endsWith(".toml")) {
      const what = "it may contain entries of orcs, which are not checked";
      const findings = mayHaveEntries(bytes) ? [note(what, "keep them in hooks.json")] : [];
      return { ...nothing, exists: true, findings };
    }
    const { text } = settingsText(bytes);
    const known = [...programs, ...(record ? [record.program] : [])];
    const { root } = readHooksSection(text, host, known).doc;
    const settings = root ? valueOf(root) : {};
    const hooks = readHooks(settings, host);
    const entries = foundEntries(hooks, host, known);
    const token = tokenIn(settings, host);
    return {
      ...nothing,
      exists: true,
      entries,
      others: hooks.length - entries.length,
      switch:
        isSibling(host, path) || !isPlainObject(settings)
          ? undefined
          : switchOf(settings as JsonObject),
      token,
      findings:
        token !== undefined && isOpenToOthers(path)
          ? [problem("other users can read the token for HTTP in it", `chmod 600 '${path}'`)]
          : [],
    };
  } catch (thrown) {
    const why = messageOf(thrown).replace(/; nothing was changed$/, "");
    const text = `${basename(path)} cannot be used: ${why}`;
    const hint = "fix it: an agent that cannot read its settings runs no hooks";
    return { ...nothing, exists: true, findings: [problem(text, hint)] };
  }
}

function foundEntries(
  hooks: readonly AgentHook[],
  host: HostName,
  programs: readonly string[],
): FoundEntry[] {
  const commands = hooks.flatMap((hook) => {
    const { command } = hook.entry;
    if (typeof command !== "string") return [];
    const read = readOrcsCommand(command, host, programs);
    return read ? [{ ...hook, ...read, command, isRequest: false }] : [];
  });
  // Events over HTTP are answered like the command that registered the session.
  const notes = commands.find(({ http }) => http === true);
  const asked = notes ?? { program: "", config: undefined, http: true };
  const requests = hooks.flatMap((hook) => {
    const { url } = hook.entry;
    if (typeof url !== "string" || !isOrcsUrl(url, host)) return [];
    return [{ ...asked, ...hook, command: url, isRequest: true }];
  });
  return hooks.flatMap((hook) =>
    [...commands, ...requests].filter(({ entry }) => entry === hook.entry),
  );
}

function tokenIn(settings: unknown, host: HostName): string | undefined {
  const key = HOSTS[host].http?.variables;
  const variables = isPlainObject(settings) && key !== undefined ? settings[key] : undefined;
  const token = isPlainObject(variables) ? variables[TOKEN_VARIABLE] : undefined;
  return typeof token === "string" ? token : undefined;
}

/** Whether a file is one of several that an agent reads: a switch in it concerns only its own hooks. */
function isSibling(host: HostName, path: string): boolean {
  const { readsFolder, file } = HOSTS[host];
  const beside = basename(dirname(path)) === basename(dirname(file));
  return readsFolder === true && beside && basename(path) !== basename(file);
}
