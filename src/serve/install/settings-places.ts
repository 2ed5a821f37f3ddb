import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import type { JsonObject } from "../../core/json.ts";

/** Whose settings: those of one person everywhere, or of whoever works in a project. */
export type Scope = "user" | "project";

export const SCOPES: readonly Scope[] = ["user", "project"];

/** How a host's settings name hooks. Source: protocols.md §1 to §4. */
export interface HostSettings {
  /** In the home directory and in projects. */
  readonly folder: string;
  /** Variable that names another folder than the one in the home directory. */
  readonly variable?: string;
  /** Where hooks are installed. */
  readonly file: string;
  /** Where else a folder may have hooks; `import` reads it. */
  readonly others: readonly string[];
  /** Whether `hooks.EVENT` lists groups `{ matcher, hooks: [entry] }`, or the entries themselves. */
  readonly isGrouped: boolean;
  /** What a second is in the unit of `timeout`. */
  readonly perSecond: 1 | 1000;
  /** What each entry of ours says besides its command and its timeout. */
  readonly entry: JsonObject;
  /** What an entry says so that the host refuses when it fails; undefined where it has no word for it. */
  readonly failClosed?: JsonObject;
  /** How it can send events over HTTP; undefined where it cannot. */
  readonly http?: HttpWay;
  /** What settings must say at the top. */
  readonly top: JsonObject;
  /** What its user has to do besides. */
  readonly next?: string;
  /** Whether a project's settings count in the folder alone in which the host is started, not below it. */
  readonly onlyThere: boolean;
}

/** How a host sends events over HTTP. */
export interface HttpWay {
  /** Those that it may send so; at others it starts a command. */
  readonly events: readonly string[];
  /** Commands in any case: at these a session is noted, and the service started that it then asks. */
  readonly begins: readonly string[];
  /** A command, too: at a change of settings it is looked whether they would send events elsewhere. */
  readonly changes: string;
  /** The event of a session's end, which closes what was noted. */
  readonly ends: string;
  /** The key of the settings that holds variables, which the host sets for itself. */
  readonly variables: string;
}

/** The variable in which a host finds the token of the HTTP side. */
export const TOKEN_VARIABLE = "ORCS_HTTP_TOKEN";

export const HOST_SETTINGS: Readonly<Record<HostName, HostSettings>> = {
  "claude-code": {
    folder: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    file: "settings.json",
    others: ["settings.local.json"],
    isGrouped: true,
    perSecond: 1,
    entry: { type: "command" },
    failClosed: { onFailure: "block" },
    // It sends no SessionStart so, and refuses at every failure where an entry says `onFailure` (2.1.330: nobody
    // listens, any status but 2xx, no JSON, an answer cut off, too late).
    http: {
      events: [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PermissionRequest",
        "PermissionDenied",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
      ],
      begins: ["SessionStart", "UserPromptSubmit"],
      changes: "ConfigChange",
      ends: "SessionEnd",
      variables: "env",
    },
    top: {},
    onlyThere: true,
  },
  codex: {
    folder: ".codex",
    variable: "CODEX_HOME",
    file: "hooks.json",
    others: ["config.toml"],
    isGrouped: true,
    perSecond: 1,
    entry: { type: "command" },
    top: {},
    next: "Codex runs new and changed hooks once you have trusted them: see /hooks there",
    // It reads each .codex from the root of the repository down to where it is started.
    onlyThere: false,
  },
  gemini: {
    folder: ".gemini",
    file: "settings.json",
    others: [],
    isGrouped: true,
    perSecond: 1000,
    entry: { name: "orcs", type: "command" },
    top: {},
    onlyThere: true,
  },
  cursor: {
    folder: ".cursor",
    file: "hooks.json",
    others: [],
    isGrouped: false,
    perSecond: 1,
    entry: {},
    failClosed: { failClosed: true },
    top: { version: 1 },
    onlyThere: true,
  },
};

/** Where settings are looked for. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project, absolute. */
  readonly project: string;
}

/** Where the settings of this process's user are, and of the project that it was started in. */
export function placeHere(): SettingsPlace {
  return { env: process.env, home: homedir(), project: process.cwd() };
}

/** The folder of a host's settings, absolute; it need not be there. */
export function settingsFolder(host: HostName, scope: Scope, place: SettingsPlace): string {
  const { folder, variable } = HOST_SETTINGS[host];
  if (scope === "project") return join(place.project, folder);
  const named = variable === undefined ? undefined : place.env[variable];
  return named === undefined || named === ""
    ? join(place.home, folder)
    : resolve(place.project, named);
}

/** The file that hooks are installed in, absolute; it need not be there. */
export function settingsPath(host: HostName, scope: Scope, place: SettingsPlace): string {
  return join(settingsFolder(host, scope, place), HOST_SETTINGS[host].file);
}
