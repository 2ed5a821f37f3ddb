import type { HostName } from "../core/hosts.ts";
import { HOST_NAMES } from "../core/hosts.ts";
import type { JsonObject } from "../core/json.ts";
import type { HostProtocol } from "./host-protocol.ts";

/**
 * What orcs knows of a coding agent besides the form of its events, which `load` gives. Everything about one agent
 * stands in its entry of `HOSTS`; only tables of probe events, imported matchers and handlers stand elsewhere, each a
 * type error when an agent is missing. Source: protocols.md §1 to §4.
 */
export interface HostSpec {
  /** Its name in texts. */
  readonly label: string;
  /** The program on the PATH. It is never started to look at it: some write files then. */
  readonly program: string;
  /** How its events are read and answered. Loaded one by one: a hook's process speaks with one agent, and briefly. */
  readonly load: () => Promise<HostProtocol>;

  /**
   * Variables that it sets for the processes that its tools start, and for no others: what has one of them is not run
   * by a person at a terminal.
   */
  readonly agentVariables: readonly string[];
  /** Variable that says which project it works in; undefined where it starts its hooks there. */
  readonly projectVariable?: string;
  /** Variable that names another folder of settings than the one in the home directory. */
  readonly settingsVariable?: string;
  /** Variables that a command of its own may use, which orcs sets for imported commands. */
  readonly commandVariables: readonly string[];
  /** Variables that its hooks get, for a probe. */
  probeVariables(project: string): Readonly<Record<string, string>>;
  /** What it hands the line of a hook to. @param own the user's shell */
  shell(own: string): readonly [file: string, ...args: string[]];

  /** Folder of its settings, in the home directory and in projects. */
  readonly folder: string;
  /** File in it in which hooks are installed. */
  readonly file: string;
  /** Other files in it that may have hooks; `import` reads them. */
  readonly others: readonly string[];
  /** Whether a comment in its settings makes it read none at all. */
  readonly isStrictJson: boolean;
  /** What settings must say at the top. */
  readonly top: JsonObject;
  /** Whether a project's settings count in the folder alone in which it is started, not below it. */
  readonly onlyThere: boolean;
  /** What its user has to do after an installation. */
  readonly next?: string;

  /** Whether `hooks.EVENT` lists groups `{ matcher, hooks: [entry] }`, or the entries themselves. */
  readonly isGrouped: boolean;
  /** What a second is in the unit of `timeout`. */
  readonly perSecond: 1 | 1000;
  /** What each entry of ours says besides its command and its timeout. */
  readonly entry: JsonObject;
  /** What an entry says so that a failure denies; undefined where there is no such key. */
  readonly failClosed?: JsonObject;
  /** Events that gate a tool call, and that exit code 2 of a command does not deny. */
  readonly notDeniedByExit: readonly string[];
  /** How it can send events over HTTP; undefined where it cannot. */
  readonly http?: HttpWay;

  /** Whether it says that an event is one of a child, which the FQL of a hook may name. */
  readonly hasChildren: boolean;
  /** How its own hooks are imported. */
  readonly importing: {
    /** Whether an entry without a type is a command. */
    readonly typeIsOptional: boolean;
    /** Whether hooks of events that orcs is not installed for are imported, too. */
    readonly takesUninstalled: boolean;
    /** Whether a user's own commands run in the folder of the settings. */
    readonly runsInSettings: boolean;
  };
}

/** How a coding agent sends events over HTTP. */
export interface HttpWay {
  /** The first version that denies when nobody listens. */
  readonly minVersion: string;
  /** Those that it may send so; at others it starts a command. */
  readonly events: readonly string[];
  /** Commands in any case: at these a session is registered, and the service is started. */
  readonly begins: readonly string[];
  /** A command, too: when settings change, their addresses are compared with the installed ones. */
  readonly changes: string;
  /** The event of a session's end, which closes what was registered. */
  readonly ends: string;
  /** The key of the settings that holds variables, which the agent sets for itself. */
  readonly variables: string;
}

const sh = () => ["/bin/sh", "-c"] as const;
const ELSEWHERE = { typeIsOptional: false, takesUninstalled: false, runsInSettings: false };

/**
 * The coding agents. `agentVariables` were recorded from the real programs with a tool that runs `env`: Claude Code
 * 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0. Cursor's is from its documentation; `CURSOR_TRACE_ID` is not among them,
 * for Cursor sets it in its user's own terminals, too. `CODEX_SANDBOX*` is set where Codex has a sandbox.
 */
export const HOSTS: Readonly<Record<HostName, HostSpec>> = {
  "claude-code": {
    label: "Claude Code",
    program: "claude",
    load: async () => (await import("./claude-code/host.ts")).claudeCodeHost,
    agentVariables: ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"],
    projectVariable: "CLAUDE_PROJECT_DIR",
    settingsVariable: "CLAUDE_CONFIG_DIR",
    commandVariables: ["CLAUDE_PROJECT_DIR"],
    probeVariables: (project) => ({ CLAUDE_PROJECT_DIR: project }),
    shell: sh,
    folder: ".claude",
    file: "settings.json",
    others: ["settings.local.json"],
    isStrictJson: true,
    top: {},
    onlyThere: true,
    isGrouped: true,
    perSecond: 1,
    entry: { type: "command" },
    failClosed: { onFailure: "block" },
    notDeniedByExit: ["PermissionRequest"],
    // It sends no SessionStart so, and denies at every failure where an entry says `onFailure` (2.1.330: nobody
    // listens, any status but 2xx, no JSON, a response cut off, too late).
    http: {
      minVersion: "2.1.295",
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
    hasChildren: true,
    importing: ELSEWHERE,
  },
  codex: {
    label: "Codex",
    program: "codex",
    load: async () => (await import("./codex/host.ts")).codexHost,
    agentVariables: [
      "CODEX_THREAD_ID",
      "CODEX_TOOL_CALL_ID",
      "CODEX_CI",
      "CODEX_SANDBOX",
      "CODEX_SANDBOX_NETWORK_DISABLED",
    ],
    settingsVariable: "CODEX_HOME",
    commandVariables: [],
    probeVariables: () => ({}),
    shell: (own) => [own, "-lc"],
    folder: ".codex",
    file: "hooks.json",
    others: ["config.toml"],
    isStrictJson: true,
    top: {},
    // It reads each .codex from the root of the repository down to where it is started.
    onlyThere: false,
    next: "Codex runs new and changed hooks once you have trusted them: see /hooks there",
    isGrouped: true,
    perSecond: 1,
    entry: { type: "command" },
    notDeniedByExit: [],
    hasChildren: true,
    importing: ELSEWHERE,
  },
  gemini: {
    label: "Gemini CLI",
    program: "gemini",
    load: async () => (await import("./gemini/host.ts")).geminiHost,
    agentVariables: ["GEMINI_CLI"],
    projectVariable: "GEMINI_PROJECT_DIR",
    commandVariables: [
      "GEMINI_PROJECT_DIR",
      "GEMINI_SESSION_ID",
      "GEMINI_CWD",
      "CLAUDE_PROJECT_DIR",
    ],
    probeVariables: (project) => ({
      GEMINI_PROJECT_DIR: project,
      GEMINI_CWD: project,
      GEMINI_SESSION_ID: "orcs-doctor",
      CLAUDE_PROJECT_DIR: project,
    }),
    shell: () => ["bash", "-c"],
    folder: ".gemini",
    file: "settings.json",
    others: [],
    isStrictJson: false,
    top: {},
    onlyThere: true,
    isGrouped: true,
    perSecond: 1000,
    entry: { name: "orcs", type: "command" },
    notDeniedByExit: [],
    hasChildren: false,
    importing: ELSEWHERE,
  },
  cursor: {
    label: "Cursor",
    program: "cursor-agent",
    load: async () => (await import("./cursor/host.ts")).cursorHost,
    agentVariables: ["CURSOR_AGENT"],
    projectVariable: "CURSOR_PROJECT_DIR",
    commandVariables: [
      "CURSOR_PROJECT_DIR",
      "CURSOR_VERSION",
      "CURSOR_USER_EMAIL",
      "CURSOR_TRANSCRIPT_PATH",
      "CLAUDE_PROJECT_DIR",
    ],
    probeVariables: (project) => ({ CURSOR_PROJECT_DIR: project, CURSOR_VERSION: "" }),
    shell: sh,
    folder: ".cursor",
    file: "hooks.json",
    others: [],
    isStrictJson: true,
    top: { version: 1 },
    onlyThere: true,
    isGrouped: false,
    perSecond: 1,
    entry: {},
    failClosed: { failClosed: true },
    notDeniedByExit: [],
    hasChildren: true,
    importing: { typeIsOptional: true, takesUninstalled: true, runsInSettings: true },
  },
};

/** Variables by which any of the agents names its project. */
export const PROJECT_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].projectVariable ?? [],
);

/** Variables by which any of the agents names its folder of settings. */
export const SETTINGS_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].settingsVariable ?? [],
);

/** The coding agent whose tool has started a process with this environment, and the variable that says so. */
export function agentAround(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly agent: HostName; readonly variable: string } | undefined {
  for (const agent of HOST_NAMES) {
    const variable = HOSTS[agent].agentVariables.find((name) => (environment[name] ?? "") !== "");
    if (variable !== undefined) return { agent, variable };
  }
  return undefined;
}
