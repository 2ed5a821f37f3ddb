import { asRegex, matchNames, USUAL, type HostSpec } from "../agent-spec.ts";
import { COPILOT_NAMES } from "./names.ts";

/** GitHub Copilot CLI. `agentVariables` were recorded with a tool that runs `env`: 1.0.102. */
export const COPILOT_AGENT: HostSpec = {
  ...USUAL,
  label: "GitHub Copilot CLI",
  program: "copilot",
  source: { read: "its hooks reference", protocol: "its own", tried: "1.0.102" },
  load: async () => (await import("./host.ts")).copilotHost,
  agentVariables: ["COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"],
  projectVariable: "COPILOT_PROJECT_DIR",
  settingsVariable: "COPILOT_HOME",
  commandVariables: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  shell: () => ["bash", "-c"],
  folder: ".copilot",
  file: "hooks/orcs.json",
  others: ["settings.json"],
  plugins: { folder: "installed-plugins", hooks: "hooks.json" },
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
  // A tool call is denied when the command fails, and not when it is late, whatever the settings say. Of a code, its
  // user is shown only the number.
  notDeniedByExit: ["PreToolUse", "PermissionRequest"],
  importing: { ...USUAL.importing, typeIsOptional: true },
  settings: {
    switches: [{ path: ["disableAllHooks"], otherwise: false, off: true }],
    types: { number: "version" },
    eventNames: COPILOT_NAMES,
    commonEntry,
    matchers: {
      // It compares the whole name, also with names that events have here only under another one.
      translate(pattern, tools) {
        const whole = asRegex(`^(?:${pattern})$`);
        if (!whole) return { reason: "its matcher is no regular expression, so it never runs" };
        const known = Object.entries(tools).flatMap(([name, { tool }]) =>
          whole.test(name) ? tool : [],
        );
        if (/^[\w|]*$/.test(pattern)) return matchNames([...pattern.split("|"), ...known]);
        const also = known.length === 0 ? "" : `|^(?:${[...new Set(known)].join("|")})$`;
        return { match: { tool_regex: `^(?:${pattern})$${also}` } };
      },
    },
  },
};

type Entry = Readonly<Record<string, unknown>>;

/**
 * An entry of Copilot CLI's settings with the keys that other agents have: `command`, `args`, `timeout`. Its own ones
 * are for a shell each, for a program without a shell, and for a working directory relative to the repository.
 */
function commonEntry(entry: Entry, quoted: (word: string) => string): Record<string, unknown> {
  const { bash, exec, timeoutSec, cwd, ...rest } = entry;
  // What is written for VS Code can have a command for each system.
  const there = rest[process.platform === "darwin" ? "osx" : "linux"];
  const command = bash ?? exec ?? rest["command"] ?? there;
  const timeout = timeoutSec ?? rest["timeout"];
  return {
    ...rest,
    ...(command !== undefined && {
      command: typeof cwd === "string" ? inFolder(cwd, command, entry, quoted) : command,
    }),
    ...(timeout !== undefined && { timeout }),
    ...(typeof cwd === "string" && { args: undefined }),
  };
}

/** The command in its working directory. */
function inFolder(
  cwd: string,
  line: unknown,
  { exec, args }: Entry,
  quoted: (word: string) => string,
): unknown {
  const argv = [exec, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  const call = typeof exec === "string" ? argv.map((word) => quoted(String(word))).join(" ") : line;
  return typeof call === "string" ? `cd ${quoted(cwd)} && ${call}` : call;
}
