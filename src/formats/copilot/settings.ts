import { AGENT_TOOLS, singleQuoted } from "../../core/index.ts";
import { asRegex, matchNames, type SettingsSpec } from "../settings-spec.ts";

type Entry = Readonly<Record<string, unknown>>;

/** Copilot CLI's own names of the events. Under these it sends no name, and other keys. */
export const COPILOT_NAMES: Readonly<Record<string, string>> = {
  sessionStart: "SessionStart",
  userPromptSubmitted: "UserPromptSubmit",
  preToolUse: "PreToolUse",
  permissionRequest: "PermissionRequest",
  postToolUse: "PostToolUse",
  postToolUseFailure: "PostToolUseFailure",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
  agentStop: "Stop",
  preCompact: "PreCompact",
  notification: "Notification",
  errorOccurred: "ErrorOccurred",
  sessionEnd: "SessionEnd",
};

/**
 * An entry of Copilot CLI's settings with the keys that other agents have: `command`, `args`, `timeout`. Its own ones
 * are for a shell each, for a program without a shell, and for a working directory relative to the repository.
 */
function commonEntry(entry: Entry): Record<string, unknown> {
  const { bash, exec, timeoutSec, cwd, ...rest } = entry;
  const command = bash ?? exec ?? rest["command"];
  const timeout = timeoutSec ?? rest["timeout"];
  return {
    ...rest,
    ...(command !== undefined && {
      command: typeof cwd === "string" ? inFolder(cwd, entry) : command,
    }),
    ...(timeout !== undefined && { timeout }),
    ...(typeof cwd === "string" && { args: undefined }),
  };
}

/** The command in its working directory. */
function inFolder(cwd: string, { bash, exec, args, command }: Entry): unknown {
  const line = bash ?? command;
  const words = [exec, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  const call =
    typeof exec === "string" ? words.map((word) => singleQuoted(String(word))).join(" ") : line;
  return typeof call === "string" ? `cd ${singleQuoted(cwd)} && ${call}` : call;
}

/** How its settings are read. */
export const COPILOT_SETTINGS: SettingsSpec = {
  switches: [{ path: ["disableAllHooks"], otherwise: false, off: true }],
  types: { number: "version" },
  eventNames: COPILOT_NAMES,
  commonEntry,
  matchers: {
    // It compares the whole name, also with names that events have here only under another one.
    translate(pattern) {
      const whole = asRegex(`^(?:${pattern})$`);
      if (!whole) return { reason: "its matcher is no regular expression, so it never runs" };
      const known = Object.entries(AGENT_TOOLS.copilot).flatMap(([name, { tool }]) =>
        whole.test(name) ? tool : [],
      );
      if (/^[\w|]*$/.test(pattern)) return matchNames([...pattern.split("|"), ...known]);
      const also = known.length === 0 ? "" : `|^(?:${[...new Set(known)].join("|")})$`;
      return { match: { tool_regex: `^(?:${pattern})$${also}` } };
    },
  },
};
