import type { AgentTools, JsonObject, MatchSpec } from "../core/index.ts";
import type { HostProtocol } from "./host-protocol.ts";

/** What orcs knows of any coding agent. */
interface AgentSpec {
  /** Its name in texts. */
  readonly label: string;
  /** The program on the PATH. It is never started to examine it: some programs write files when started. */
  readonly program: string;
  /** What was read about it, and with which version orcs was run; for the docs. */
  readonly source: {
    /** A document with its version or date, in Markdown. */
    readonly read: string;
    readonly protocol: string;
    /** The version of the program with which orcs was run; undefined if it was not. `npm run live` runs it. */
    readonly tried?: string;
  };
  /**
   * Variables that it sets only for processes started by its tools: a process with one of them is not run by a person
   * at a terminal.
   */
  readonly agentVariables: readonly string[];
}

/**
 * What orcs knows of a coding agent, except for the form of its events, which `load` returns, and the names of its
 * tools, which are in `AGENT_TOOLS`. Source: protocols.md §1 to §4.
 */
export interface HostSpec extends AgentSpec {
  /** The folder of its package, which the script of its process is below. */
  readonly packageFolder?: string;
  /** Arguments with which it asks its user in any case: in its terminal, or through the editor that runs it. */
  readonly attended?: readonly string[];
  /**
   * Arguments with which it asks nobody. Source: their `--help`; of Gemini CLI its code (0.61: `interactive` in
   * config.ts), but for `CI=true` in a terminal.
   */
  readonly headless: readonly string[];
  /** Options with which it runs without hooks, or with other settings. Source: their `--help`. */
  readonly unhooked?: readonly string[];
  /** The protocol of its events. Loaded on demand: a hook's process communicates with one agent, and briefly. */
  readonly load: () => Promise<HostProtocol>;

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
   * When it reads its settings: `running` means that a removed entry counts within seconds, and that an event says so
   * if it has one; `start` means with the next session. Measured with `npm run live`, where it is not unknown.
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
  /** The plugins that its user has installed; undefined if plugins cannot have hooks. */
  readonly plugins?: {
    readonly folder: string;
    /** The file in it that lists the installed ones; undefined if every folder below it may be one. */
    readonly list?: string;
    /** The file in a plugin with its hooks. */
    readonly hooks: string;
  };
  /**
   * Its settings for all users of a machine, which only its administrator can write; undefined if it has none in which
   * hooks cannot be removed by users.
   */
  readonly machine?: {
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
  };
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
  readonly http?: {
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
  };

  /** How its settings are read. */
  readonly settings: SettingsSpec;

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
    /** Variables in whose place it writes the project, as a quoted word, into a command. */
    readonly insertsProject?: RegExp;
  };
}

/** The keys of an entry's command line and of its timeout. */
export interface EntryKeys {
  readonly command: string;
  readonly timeout: string;
}

export const ENTRY_KEYS: EntryKeys = { command: "command", timeout: "timeout" };

/**
 * What orcs knows of a coding agent that loads it as a plugin: a file of code in one of the agent's folders, which runs
 * in the agent's own process.
 */
export interface PluginAgentSpec extends AgentSpec {
  /** Its folder below the user's configuration folder (`XDG_CONFIG_HOME`). */
  readonly userFolder: string;
  /** Its folder in a project. */
  readonly projectFolder: string;
  /** The file of the plugin in these folders. */
  readonly file: string;
  /** The adapter that the file loads, in `dist` of the package. */
  readonly adapter: string;
  /** Variables with which its user turns plugins off. */
  readonly switches: readonly string[];
  /** Code: a plugin's functions that deny because of `why`, and a call of those of `hooks`. */
  readonly denying: string;
  readonly trial: string;
}

/** How the settings of an agent are read: keys, their types, and matchers. */
export interface SettingsSpec {
  /** Keys of its settings that decide whether hooks run. */
  readonly switches?: readonly {
    readonly path: readonly string[];
    /** What it is where it is missing. */
    readonly otherwise?: boolean;
    /** The value with which no hook runs. */
    readonly off?: boolean;
  }[];
  /** The paths of lists of names and commands of hooks that it does not run. */
  readonly offByName?: readonly (readonly string[])[];
  /** Keys of `hooks` that are no events. */
  readonly besideEvents?: readonly string[];
  /** Other top-level keys that decide what runs. */
  readonly decisive?: readonly string[];
  /** Keys by their types: with another type, it may reject the whole file. */
  readonly types?: Readonly<Partial<Record<"object" | "string" | "number" | "boolean", string>>>;
  /** Variables in its settings that affect neither which programs run nor what they load. */
  readonly harmlessVariables?: RegExp;
  /** Its settings in TOML. */
  readonly toml?: TomlSettings;
  /** Other names of events in its settings. */
  readonly eventNames?: Readonly<Record<string, string>>;
  /**
   * An entry with the keys that other agents have, if it has others: `command`, `args`, `timeout`.
   * @param quoted a word for a shell
   */
  commonEntry?(
    entry: Readonly<Record<string, unknown>>,
    quoted: (word: string) => string,
  ): Record<string, unknown>;
  /** How the matcher of a hook is read. */
  readonly matchers: {
    /** Events at which it is ignored. */
    readonly ignoredAt?: readonly string[];
    /** Events about a part of the calls of a hook point. */
    readonly parts?: Readonly<
      Record<
        string,
        { tool?: string; matches?: "command"; reason?: string; differs?: string } | undefined
      >
    >;
    /** Translate one that names tools into conditions. */
    translate(pattern: string, tools: AgentTools): TranslatedMatcher;
  };
}

/** Settings in TOML, as trees. */
export interface TomlSettings {
  /** Top-level keys that decide whether hooks run, and which configuration counts. */
  readonly decisive: readonly string[];
  /** Whether hooks apply less after a change. */
  isWeakened(
    was: Readonly<Record<string, unknown>>,
    now: Readonly<Record<string, unknown>>,
  ): boolean;
  /** A text without the lines that switch hooks off; comments and all other lines stay. */
  withoutSwitches(text: string): string;
}

/** The conditions for a matcher, or the reason why there are none. */
export type TranslatedMatcher =
  | { readonly match: Pick<MatchSpec, "tool" | "tool_regex" | "command" | "source"> }
  | { readonly reason: string };

/** The condition for names of tools. */
export function matchNames(listed: readonly string[]): TranslatedMatcher {
  const all = [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
  return all.length > 0
    ? { match: { tool: all.join("|") } }
    : { reason: "its matcher names no tool" };
}

/** A pattern as a regular expression; undefined if it is none. */
export function asRegex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

/** Names, between blanks. */
export function words(names: string): readonly string[] {
  return names.split(" ");
}

/** Of Gemini CLI, and of what comes from it. */
export const INTERACTIVE = ["-i", "--prompt-interactive", "--acp", "--experimental-acp"];

/** What most agents have in common; their entries name what is different. */
export const USUAL = {
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
