import { Command } from "commander";
import { HOST_NAMES } from "../core/hosts.ts";
import { recordOption, recordWholeOption } from "./options.ts";
import { verbCommand } from "./verb-texts.ts";

/** `orcs hook`, for its help alone: `main.ts` runs it without loading the command line. */
export function hookCommand(): Command {
  return verbCommand("hook")
    .requiredOption("--host <name>", `who asks: ${HOST_NAMES.join(", ")}`)
    .option(
      "--config <file>",
      "read this orcs.toml alone, relative to the project; default: what is found from there",
    )
    .option("--timeout <seconds>", "when the host goes on without an answer", "30")
    .option("--spent <seconds>", "how much of that was gone before this process was started", "0")
    .option("--strict", "deny calls of tools where the configuration was never trusted")
    .option("--config-dir <folder>", "your own orcs.toml is in this folder, whatever HOME says")
    .option("--state-dir <folder>", "trust, state and audit log are in this folder, likewise")
    .option("--http", "note the session for what its host sends over HTTP, and have that heard")
    .option("--id <id>", "the installation that the entry belongs to")
    .addOption(recordOption())
    .addOption(recordWholeOption())
    .addHelpText(
      "after",
      "\nHosts call it; orcs install writes it into their settings. It asks a running orcs serve, and answers by itself\n" +
        "when there is none, or to record.\n\nExample:\n" +
        '  echo \'{"session_id":"s","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash",' +
        '"tool_input":{"command":"git push --force"},"tool_use_id":"1"}\' | orcs hook --host claude-code',
    );
}
