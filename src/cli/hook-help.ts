import { Command } from "commander";
import { HOST_NAMES } from "../core/index.ts";
import { recordOption, recordWholeOption } from "./options.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs hook`, for its help only: `bin/orcs.cjs` runs it without loading the command line. */
export function hookCommand(): Command {
  return verbCommand("hook")
    .requiredOption("--host <name>", `the coding agent: ${HOST_NAMES.join(", ")}`)
    .option(
      "--config <file>",
      "read only this orcs.toml, relative to the project; default: the discovered configuration",
    )
    .option("--timeout <seconds>", "how long the agent waits for a response", "30")
    .option(
      "--spent <seconds>",
      "how much of that time passed before this process was started",
      "0",
    )
    .option("--lost <how>", "deny, because a service may have run the hooks: gone or late")
    .option("--strict", "deny tool calls in projects whose configuration was never trusted")
    .option("--config-dir <folder>", "folder of your own orcs.toml; overrides HOME")
    .option("--state-dir <folder>", "folder of trust, state and audit log; overrides HOME")
    .option(
      "--http",
      "register the session for events that the agent sends over HTTP, and start the HTTP server",
    )
    .option("--id <id>", "id of the installation that wrote the entry")
    .addOption(recordOption())
    .addOption(recordWholeOption())
    .addHelpText(
      "after",
      "\nCoding agents run this command; orcs install adds it to their settings. It passes the event to a running\n" +
        "orcs serve. If there is none, or with --record, it runs the hooks itself.\n\nExample:\n" +
        '  echo \'{"session_id":"s","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash",' +
        '"tool_input":{"command":"git push --force"},"tool_use_id":"1"}\' | orcs hook --host claude-code',
    );
}
