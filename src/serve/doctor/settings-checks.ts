import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import { HOST_NAMES } from "../../core/hosts.ts";
import { isPlainObject } from "../../core/json.ts";
import { HOSTS } from "../../protocols/hosts.ts";
import type { HttpEndpoint } from "../http-endpoint.ts";
import type { AgentHook } from "../import/agent-settings.ts";
import { readHooks } from "../import/agent-settings.ts";
import type { OrcsCommand } from "../install/entry-command.ts";
import { readOrcsCommand } from "../install/entry-command.ts";
import { isOrcsUrl, mayHaveEntries, readHooksSection, valueOf } from "../install/hooks-section.ts";
import type { InstallRecord } from "../install/install-record.ts";
import { readRecord } from "../install/install-record.ts";
import { readSettingsFile, settingsText } from "../install/settings-file.ts";
import type { Scope, SettingsPlace } from "../install/settings-places.ts";
import {
  SCOPES,
  settingsFolder,
  settingsPath,
  TOKEN_VARIABLE,
} from "../install/settings-places.ts";
import type { Finding } from "./report.ts";
import { note, problem } from "./report.ts";

/** An entry of orcs as it stands in settings. */
export interface FoundEntry extends AgentHook, OrcsCommand {
  /** What is started, or the URL that events are sent to. */
  readonly command: string;
  /** Whether it is sent over HTTP; then a command beside it says which hooks are asked. */
  readonly isRequest: boolean;
}

/** A settings file as it is. */
export interface FoundSettings {
  readonly host: HostName;
  readonly path: string;
  readonly scope: Scope;
  readonly exists: boolean;
  readonly entries: readonly FoundEntry[];
  /** How many hooks are not of orcs. */
  readonly others: number;
  readonly record: InstallRecord | undefined;
  /** The token of the HTTP side, where the settings hold one. */
  readonly token: string | undefined;
  /** What in it turns off the hooks of every file of its host. */
  readonly switch: string | undefined;
  readonly findings: readonly Finding[];
}

/** What settings are looked at with. */
export interface SettingsContext {
  readonly place: SettingsPlace;
  /** Where records of installations are kept. */
  readonly records: string;
  /** What starts orcs besides what is called so. */
  readonly programs: readonly string[];
  /** Where the HTTP side of the user listens, where it was installed. */
  readonly http?: HttpEndpoint | undefined;
}

/** All settings of a host that may hold hooks: where orcs is installed, and what else is there. */
export function checkSettings(host: HostName, around: SettingsContext): FoundSettings[] {
  const { file, others } = HOSTS[host];
  const seen: FoundSettings[] = [];
  for (const scope of SCOPES) {
    const folder = settingsFolder(host, scope, around.place);
    for (const name of [file, ...others]) {
      const path = join(folder, name);
      // In the home directory both scopes are the same file.
      if (seen.some((each) => each.path === path)) continue;
      if (name === file || existsSync(path)) seen.push(readSettingsOf(host, scope, path, around));
    }
  }
  return seen;
}

/** Whether a host, or somebody who works with it, has left anything here. */
export function hasFolder(host: HostName, { place }: SettingsContext): boolean {
  return SCOPES.some((scope) => existsSync(settingsFolder(host, scope, place)));
}

/** Settings with entries of orcs in folders above the project, where the host does not read them when started here. */
export function settingsAbove(host: HostName, { place }: SettingsContext): string[] {
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
  try {
    return readSettingsFile(path).bytes;
  } catch {
    // Whoever starts the host there is told.
    return undefined;
  }
}

/** The hosts that settings or programs are there of. */
export function hostsAmong(isThere: (host: HostName) => boolean): HostName[] {
  return HOST_NAMES.filter(isThere);
}

function readSettingsOf(
  host: HostName,
  scope: Scope,
  path: string,
  { records, programs }: SettingsContext,
): FoundSettings {
  const record = readRecord(records, path);
  const off = { switch: undefined, token: undefined };
  const nothing = { host, scope, path, entries: [], others: 0, record, ...off };
  let bytes: Buffer | undefined;
  try {
    bytes = readSettingsFile(path).bytes;
    if (bytes === undefined)
      return { ...nothing, exists: false, findings: missingFileFindings(host, record) };
    if (path.endsWith(".toml")) return { ...nothing, exists: true, findings: tomlFindings(bytes) };
    const { text } = settingsText(bytes);
    const known = [...programs, ...(record ? [record.program] : [])];
    const { root } = readHooksSection(text, host, known).doc;
    const settings = root ? valueOf(root) : {};
    const hooks = readHooks(settings, host);
    const entries = foundEntries(hooks, host, known);
    return {
      ...nothing,
      exists: true,
      entries,
      others: hooks.length - entries.length,
      switch: switchOf(settings),
      token: tokenIn(settings, host),
      findings: [],
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
  // What is sent over HTTP is answered as the command would that noted the session.
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

function missingFileFindings(host: HostName, record: InstallRecord | undefined): Finding[] {
  if (record === undefined) return [];
  const hint = `orcs install --host ${host}`;
  return [problem("orcs was installed in this file, which is gone", hint)];
}

function tomlFindings(bytes: Buffer): Finding[] {
  return mayHaveEntries(bytes)
    ? [note("it may contain entries of orcs, which are not checked", "keep them in hooks.json")]
    : [];
}

/** The switch of a host that turns off every hook. */
function switchOf(settings: unknown): string | undefined {
  if (!isPlainObject(settings)) return undefined;
  if (settings["disableAllHooks"] === true) return "disableAllHooks is true";
  const { hooksConfig: config } = settings;
  return isPlainObject(config) && config["enabled"] === false
    ? "hooksConfig.enabled is false"
    : undefined;
}
