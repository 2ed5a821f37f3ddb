import {
  COMMON_VARIABLES,
  HOST_NAMES,
  PLUGIN_AGENT_NAMES,
  TRACE_VARIABLES,
} from "../core/index.ts";
import type { AgentName, HostName, JsonObject } from "../core/index.ts";
import type { HostProtocol } from "./host-protocol.ts";
import { PLUGIN_AGENTS } from "./plugin-agents.ts";

/**
 * What orcs knows of a coding agent, except for the form of its events, which `load` returns. Everything about one
 * agent is in its entry of `HOSTS`; only tables of probe events, imported matchers and handlers are elsewhere, each a
 * type error when an agent is missing. Source: protocols.md §1 to §4.
 */
export interface HostSpec {
  /** Its name in texts. */
  readonly label: string;
  /** The program on the PATH. It is never started to examine it: some programs write files when started. */
  readonly program: string;
  /** The folder of its package, which the script of its process is below. */
  readonly packageFolder?: string;
  /** Arguments with which it asks its user in any case: in its terminal, or through the editor that runs it. */
  readonly attended?: readonly string[];
  /**
   * Arguments with which it asks nobody. Source: their `--help`; of Gemini CLI its code (0.61: `interactive` in
   * config.ts), but for `CI=true` in a terminal.
   */
  readonly headless: readonly string[];
  /** The protocol of its events. Loaded on demand: a hook's process communicates with one agent, and briefly. */
  readonly load: () => Promise<HostProtocol>;

  /**
   * Variables that it sets only for processes started by its tools: a process with one of them is not run by a person
   * at a terminal.
   */
  readonly agentVariables: readonly string[];
  /** Variable with the project it works in; undefined if it starts its hooks there. */
  readonly projectVariable?: string;
  /** Variable with another settings folder than the one in the home directory. */
  readonly settingsVariable?: string;
  /** Variables that its own commands may use, which orcs sets for imported commands. */
  readonly commandVariables: readonly string[];
  /** Other variables that it sets for its hooks. */
  readonly hookVariables?: readonly string[];
  /** The shell for the command line of a hook. @param own the user's shell */
  shell(own: string): readonly [file: string, ...args: string[]];

  /** Name of its settings folder, in the home directory and in projects. */
  readonly folder: string;
  /**
   * When it reads its settings: `running` means that a removed entry counts within seconds, and that an event says so if
   * it has one; `start` means with the next session. Measured with `npm run live`, where it is not unknown.
   */
  readonly settingsReload: {
    readonly when: "running" | "start" | "unknown";
    readonly event?: string;
  };
  /** The file in it in which hooks are installed. */
  readonly file: string;
  /** Other files in it that may contain hooks; `import` reads them. */
  readonly others: readonly string[];
  /** The folder and the other files of a project, if they have other names than a user's, and when they are read. */
  readonly inProject?: {
    readonly folder: string;
    readonly others: readonly string[];
    readonly when: string;
  };
  /** Whether it reads every `.json` file beside `file`. */
  readonly readsFolder?: true;
  /** The folder in it with the plugins that its user has installed; undefined if plugins cannot have hooks. */
  readonly plugins?: string;
  /** Its settings for all users of a machine; undefined if it has none in which hooks cannot be removed by users. */
  readonly machine?: MachineSettings;
  /** Whether a comment makes it ignore its whole settings file. */
  readonly isStrictJson: boolean;
  /** Required top-level keys of its settings. */
  readonly top: JsonObject;
  /** Whether a project's settings only apply when it is started in that folder, not below it. */
  readonly onlyThere: boolean;
  /** What its user must do after an installation. */
  readonly next?: string;

  /** Whether `hooks.EVENT` lists groups `{ matcher, hooks: [entry] }`, or the entries themselves. */
  readonly isGrouped: boolean;
  /** The number of `timeout` units in a second. */
  readonly perSecond: 1 | 1000;
  /** Keys of each entry besides its command and its timeout. */
  readonly entry: JsonObject;
  /** Its event for notices: it gets an entry as well if no other entry can show its user one. */
  readonly noticeEvent: string;
  /** Its user sees a notice for certain nowhere: at `noticeEvent`, tool calls are denied while guards are inactive. */
  readonly noticeDenies?: true;
  /** Keys of an entry that make a failure deny; undefined if there are none. */
  readonly failClosed?: JsonObject;
  /** Events before a tool call that exit code 2 of a command does not deny, or denies without its reason. */
  readonly notDeniedByExit: readonly string[];
  /** How it can send events over HTTP; undefined if it cannot. */
  readonly http?: HttpWay;

  /** Whether its events name subagents, which the FQL of a hook can name. */
  readonly hasChildren: boolean;
  /** How its own hooks are imported. */
  readonly importing: {
    /** Whether an entry without a type is a command. */
    readonly typeIsOptional: boolean;
    /** Whether hooks of events that orcs is not installed for are imported as well. */
    readonly takesUninstalled: boolean;
    /** Whether a user's own commands run in the settings folder. */
    readonly runsInSettings: boolean;
  };
}

/** Settings for all users of a machine, which only its administrator can write. */
export interface MachineSettings {
  /** Their folder. */
  readonly folder: Readonly<Record<"linux" | "darwin", string>>;
  /** The file in it in which hooks are installed: one of orcs alone, where the agent reads several. */
  readonly file: string;
  /** Other files in it that may contain hooks. */
  readonly others: readonly string[];
  /** Whether they run although a user has turned off hooks, with a switch that orcs knows. */
  readonly ignoresSwitches: boolean;
  /** Further top-level keys. */
  readonly top?: JsonObject;
  /** Keys of the command and the timeout of an entry, if they are others than in a user's settings. */
  readonly keys?: EntryKeys;
}

/** The keys of an entry's command line and of its timeout. */
export interface EntryKeys {
  readonly command: string;
  readonly timeout: string;
}

export const ENTRY_KEYS: EntryKeys = { command: "command", timeout: "timeout" };

/** How a coding agent sends events over HTTP. */
export interface HttpWay {
  /** The first version that denies when nobody listens. */
  readonly minVersion: string;
  /** Events that it may send over HTTP; for others it starts a command. */
  readonly events: readonly string[];
  /** Events that always start a command, which registers the session and starts the service. */
  readonly begins: readonly string[];
  /** The event of changed settings, also a command, which compares their addresses with the installed ones. */
  readonly changes: string;
  /** The event of a session's end, which closes the registered session. */
  readonly ends: string;
  /** The settings key for variables, which the agent sets for itself. */
  readonly variables: string;
}

/** Of Gemini CLI, and of what comes from it. */
const INTERACTIVE = ["-i", "--prompt-interactive", "--acp", "--experimental-acp"];

/** Names, between blanks. */
function words(names: string): readonly string[] {
  return names.split(" ");
}

/** What most agents have in common; their entries name what is different. */
const USUAL = {
  shell: () => ["/bin/sh", "-c"],
  settingsReload: { when: "unknown" },
  others: [],
  isStrictJson: true,
  top: {},
  onlyThere: true,
  isGrouped: true,
  perSecond: 1,
  entry: { type: "command" },
  noticeEvent: "SessionStart",
  notDeniedByExit: [],
  hasChildren: true,
  headless: ["-p", "--prompt"],
  importing: { typeIsOptional: false, takesUninstalled: false, runsInSettings: false },
} as const satisfies Partial<HostSpec>;

/**
 * The coding agents. `agentVariables` were recorded from the real programs with a tool that runs `env`: Claude Code
 * 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102, Qwen Code 0.24.4. Cursor's is from its documentation;
 * `CURSOR_TRACE_ID` is not listed, because Cursor also sets it in its user's own terminals. `CODEX_SANDBOX*` is set
 * where Codex has a sandbox.
 */
export const HOSTS: Readonly<Record<HostName, HostSpec>> = {
  "claude-code": {
    ...USUAL,
    label: "Claude Code",
    program: "claude",
    packageFolder: "claude-code",
    headless: ["-p", "--print"],
    load: async () => (await import("./claude-code/host.ts")).claudeCodeHost,
    agentVariables: ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"],
    projectVariable: "CLAUDE_PROJECT_DIR",
    settingsVariable: "CLAUDE_CONFIG_DIR",
    commandVariables: ["CLAUDE_PROJECT_DIR"],
    hookVariables: [
      ...words("CLAUDE_ENV_FILE CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_CODE_REMOTE"),
      ...words("CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID"),
    ],
    settingsReload: { when: "running", event: "ConfigChange" },
    folder: ".claude",
    file: "settings.json",
    others: ["settings.local.json"],
    plugins: "plugins",
    // Read in its program, 2.1.197: files in the drop-in folder are merged, and hooks in them survive disableAllHooks.
    machine: {
      folder: { linux: "/etc/claude-code", darwin: "/Library/Application Support/ClaudeCode" },
      file: "managed-settings.d/orcs.json",
      others: ["managed-settings.json"],
      ignoresSwitches: true,
    },
    failClosed: { onFailure: "block" },
    notDeniedByExit: ["PermissionRequest"],
    // It does not send SessionStart over HTTP, and denies at every failure if an entry has `onFailure` (2.1.330: nobody
    // listens, any status but 2xx, no JSON, an incomplete response, a timeout).
    http: {
      minVersion: "2.1.295",
      events: [
        ...words("PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest"),
        ...words("PermissionDenied SubagentStart SubagentStop Stop SessionEnd"),
      ],
      begins: ["SessionStart", "UserPromptSubmit"],
      changes: "ConfigChange",
      ends: "SessionEnd",
      variables: "env",
    },
  },
  codex: {
    ...USUAL,
    label: "Codex",
    program: "codex",
    headless: ["exec", "e"],
    load: async () => (await import("./codex/host.ts")).codexHost,
    agentVariables: words(
      "CODEX_THREAD_ID CODEX_TOOL_CALL_ID CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED",
    ),
    settingsVariable: "CODEX_HOME",
    commandVariables: [],
    hookVariables: ["PLUGIN_ROOT", "PLUGIN_DATA"],
    shell: (own) => [own, "-lc"],
    settingsReload: { when: "start" },
    folder: ".codex",
    file: "hooks.json",
    others: ["config.toml"],
    // Read in its source (codex-rs/hooks/src/engine/discovery.rs): hooks of this folder are managed, and trusted.
    machine: {
      folder: { linux: "/etc/codex", darwin: "/etc/codex" },
      file: "hooks.json",
      others: ["config.toml"],
      ignoresSwitches: false,
    },
    // It reads every .codex from the root of the repository down to where it is started.
    onlyThere: false,
    next: "Codex runs new and changed hooks once you have trusted them: see /hooks there",
  },
  gemini: {
    ...USUAL,
    label: "Gemini CLI",
    program: "gemini",
    packageFolder: "gemini-cli",
    attended: INTERACTIVE,
    load: async () => (await import("./gemini/host.ts")).geminiHost,
    agentVariables: ["GEMINI_CLI"],
    projectVariable: "GEMINI_PROJECT_DIR",
    commandVariables: words("GEMINI_PROJECT_DIR GEMINI_SESSION_ID GEMINI_CWD CLAUDE_PROJECT_DIR"),
    shell: () => ["bash", "-c"],
    settingsReload: { when: "start" },
    folder: ".gemini",
    file: "settings.json",
    plugins: "extensions",
    // Read in its source: the lists of each event are joined.
    machine: {
      folder: { linux: "/etc/gemini-cli", darwin: "/Library/Application Support/GeminiCli" },
      file: "settings.json",
      others: ["system-defaults.json"],
      // Names in `hooksConfig.disabled` of a user still count.
      ignoresSwitches: false,
      top: { hooksConfig: { enabled: true } },
    },
    isStrictJson: false,
    perSecond: 1000,
    entry: { name: "orcs", type: "command" },
    hasChildren: false,
  },
  cursor: {
    ...USUAL,
    label: "Cursor",
    program: "cursor-agent",
    headless: ["-p", "--print"],
    load: async () => (await import("./cursor/host.ts")).cursorHost,
    agentVariables: ["CURSOR_AGENT"],
    projectVariable: "CURSOR_PROJECT_DIR",
    commandVariables: words(
      "CURSOR_PROJECT_DIR CURSOR_VERSION CURSOR_USER_EMAIL CURSOR_TRANSCRIPT_PATH CLAUDE_PROJECT_DIR",
    ),
    folder: ".cursor",
    file: "hooks.json",
    // From its documentation.
    machine: {
      folder: { linux: "/etc/cursor", darwin: "/Library/Application Support/Cursor" },
      file: "hooks.json",
      others: [],
      ignoresSwitches: true,
    },
    top: { version: 1 },
    isGrouped: false,
    entry: {},
    // Not all versions show a `user_message` without a denial.
    noticeEvent: "preToolUse",
    noticeDenies: true,
    failClosed: { failClosed: true },
    importing: { typeIsOptional: true, takesUninstalled: true, runsInSettings: true },
  },
  copilot: {
    ...USUAL,
    label: "GitHub Copilot CLI",
    program: "copilot",
    load: async () => (await import("./copilot/host.ts")).copilotHost,
    agentVariables: ["COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"],
    projectVariable: "COPILOT_PROJECT_DIR",
    settingsVariable: "COPILOT_HOME",
    commandVariables: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    shell: () => ["bash", "-c"],
    folder: ".copilot",
    file: "hooks/orcs.json",
    others: ["settings.json"],
    plugins: "installed-plugins",
    // From its hooks reference: policy hooks, also for macOS. There an entry under a shared name of an event has to have
    // these keys: with `command`, 1.0.102 denies every call ("hook errored").
    machine: {
      folder: { linux: "/etc/github-copilot", darwin: "/etc/github-copilot" },
      file: "policy.d/orcs.json",
      others: [],
      ignoresSwitches: true,
      keys: { command: "bash", timeout: "timeoutSec" },
    },
    inProject: {
      folder: ".github",
      others: ["copilot/settings.json", "copilot/settings.local.json"],
      when: "in folders that you trust in Copilot CLI",
    },
    readsFolder: true,
    top: { version: 1 },
    // It reads the folder of the repository, wherever in it it is started.
    onlyThere: false,
    isGrouped: false,
    // A tool call is denied when the command fails, and not when it is late, whatever the settings say. Of a code, its user
    // is shown only the number.
    notDeniedByExit: ["PreToolUse", "PermissionRequest"],
    importing: { ...USUAL.importing, typeIsOptional: true },
  },
  qwen: {
    ...USUAL,
    label: "Qwen Code",
    program: "qwen",
    packageFolder: "qwen-code",
    attended: INTERACTIVE,
    load: async () => (await import("./claude-dialect/host.ts")).qwenHost,
    agentVariables: ["QWEN_CODE"],
    projectVariable: "QWEN_PROJECT_DIR",
    settingsVariable: "QWEN_HOME",
    commandVariables: ["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"],
    shell: () => ["bash", "-c"],
    folder: ".qwen",
    file: "settings.json",
    isStrictJson: false,
    entry: { name: "orcs", type: "command" },
    noticeEvent: "Stop",
    // The approval of another hook wins over the code.
    notDeniedByExit: ["PreToolUse", "PermissionRequest"],
  },
};

/** Variables of its hooks, for a probe. */
export function probeVariables(host: HostName, project: string): Readonly<Record<string, string>> {
  const valueOf = (name: string): string => {
    if (/_(?:PROJECT_DIR|CWD)$/.test(name)) return project;
    return name.endsWith("_SESSION_ID") ? "orcs-doctor" : "";
  };
  return Object.fromEntries(HOSTS[host].commandVariables.map((name) => [name, valueOf(name)]));
}

/** Variables with which any of the agents names its project. */
export const PROJECT_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].projectVariable ?? [],
);

/** Variables with which any of the agents names its settings folder. */
export const SETTINGS_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].settingsVariable ?? [],
);

/** The variables that every event carries, if they are set. */
export const CARRIED_VARIABLES: readonly string[] = [
  ...new Set([
    ...COMMON_VARIABLES,
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    ...PROJECT_VARIABLES,
    ...SETTINGS_VARIABLES,
    ...HOST_NAMES.flatMap((host) => {
      const { agentVariables, commandVariables, hookVariables = [] } = HOSTS[host];
      return [...agentVariables, ...commandVariables, ...hookVariables];
    }),
    ...Object.values(TRACE_VARIABLES),
  ]),
];

/** Those of them that mean the same at each event of a session; the others are set for one event. */
export const SESSION_VARIABLES: readonly string[] = CARRIED_VARIABLES.filter(
  (name) => !["CLAUDE_ENV_FILE", ...Object.values<string>(TRACE_VARIABLES)].includes(name),
);

/** The coding agent whose tool has started a process with this environment, and the variable that reveals it. */
export function agentAround(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly agent: AgentName; readonly variable: string } | undefined {
  for (const agent of [...HOST_NAMES, ...PLUGIN_AGENT_NAMES]) {
    const { agentVariables } = agent === "opencode" ? PLUGIN_AGENTS[agent] : HOSTS[agent];
    const variable = agentVariables.find((name) => (environment[name] ?? "") !== "");
    if (variable !== undefined) return { agent, variable };
  }
  return undefined;
}

/** An environment without the variables that reveal an agent's tool. */
export function withoutAgents(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(HOST_NAMES.flatMap((host) => HOSTS[host].agentVariables));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}
