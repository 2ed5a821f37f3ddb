import { HOST_NAMES } from "../core/index.ts";
import { RECORD } from "./options.ts";
import { flag, value, verbCommand } from "./verb-command.ts";

/** `orcs hook`, for its help only: `bin/orcs.cjs` runs it without loading the command line. */
export const hookCommand = verbCommand("hook", {
  options: {
    host: value("<name>", `the coding agent: ${HOST_NAMES.join(", ")}`, { isRequired: true }),
    config: value(
      "<file>",
      "read only this orcs.toml, relative to the project; default: the discovered configuration",
    ),
    timeout: value("<seconds>", "how long the agent waits for a response", { default: "30" }),
    spent: value("<seconds>", "how much of that time passed before this process was started", {
      default: "0",
    }),
    lost: value("<how>", "deny, because a service may have run the hooks: gone or late"),
    strict: flag("deny tool calls in projects whose configuration was never trusted"),
    configDir: value("<folder>", "folder of your own orcs.toml; overrides HOME"),
    stateDir: value("<folder>", "folder of trust, state and audit log; overrides HOME"),
    http: flag(
      "register the session for events that the agent sends over HTTP, and start the HTTP server",
    ),
    id: value("<id>", "id of the installation that wrote the entry"),
    ...RECORD,
  },
  help:
    "Coding agents run this command; orcs install adds it to their settings. It passes the event to a running\n" +
    "orcs serve. If there is none, or with --record, it runs the hooks itself.\n\nExample:\n" +
    '  echo \'{"session_id":"s","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash",' +
    '"tool_input":{"command":"git push --force"},"tool_use_id":"1"}\' | orcs hook --host claude-code',
});
