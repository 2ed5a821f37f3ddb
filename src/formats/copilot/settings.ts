import { singleQuoted } from "../../core/index.ts";

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
 * An entry of Copilot CLI's settings with the keys that other agents have: `command`, `args`, `timeout`. Its own ones are
 * for a shell each, for a program without a shell, and for a working directory relative to the repository.
 */
export function commonEntry(entry: Entry): Record<string, unknown> {
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
