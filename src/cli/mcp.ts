import { onEndingSignals } from "./signals.ts";
import { InvalidArgumentError } from "commander";
import { expectRecord, stderrLogger } from "../engine/index.ts";
import { isServerName, runMcp, serverName } from "../daemon/index.ts";
import { CONFIG, RECORD, recordFrom } from "./options.ts";
import { value, verbCommand } from "./verb-command.ts";

/** How long a server has to end when a signal ends the proxy: clients kill it after two seconds. */
const SIGNAL_GRACE_MS = 1_500;

/** `orcs mcp`: run a proxy between an MCP client and a server, with hooks around its tools. */
export const mcpCommand = verbCommand("mcp", {
  options: {
    config: CONFIG,
    ...RECORD,
    name: value(
      "<name>",
      "name of the server, used in mcp::<name>; default: taken from the command",
      { parse: named },
    ),
  },
  usage: "[options] -- <command...>",
  help: "Example:\n  orcs mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .",
  run: async (options, words: string[]) => {
    const record = recordFrom(options);
    if (record !== undefined) expectRecord(record);
    const code = await runMcp({
      command: words,
      name: options.name ?? serverName(words),
      config: options.config,
      record,
      input: process.stdin,
      output: process.stdout,
      log: stderrLogger("info"),
      // The server is in a process group of its own, which signals for ours do not reach.
      stopped: new Promise((resolve) => onEndingSignals(() => resolve(SIGNAL_GRACE_MS), "on")),
    });
    process.exitCode = code;
  },
});

function named(name: string): string {
  if (isServerName(name)) return name;
  throw new InvalidArgumentError("Use letters, digits, dots, hyphens and underscores.");
}
