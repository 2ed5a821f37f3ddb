import { onEndingSignals } from "./signals.ts";
import { Command, InvalidArgumentError } from "commander";
import { expectRecord, stderrLogger } from "../engine/index.ts";
import { isServerName, runMcp, serverName } from "../daemon/index.ts";
import type { RecordFlags } from "./options.ts";
import { configOption, recordFrom, recordOption, recordWholeOption } from "./options.ts";
import { verbCommand } from "./verb-command.ts";

/** How long a server has to end when a signal ends the proxy: clients kill it after two seconds. */
const SIGNAL_GRACE_MS = 1_500;

interface McpFlags extends RecordFlags {
  config?: string;
  name?: string;
}

/** `orcs mcp`: run a proxy between an MCP client and a server, with hooks around its tools. */
export function mcpCommand(): Command {
  return verbCommand("mcp")
    .usage("[options] -- <command...>")
    .addOption(configOption())
    .addOption(recordOption())
    .addOption(recordWholeOption())
    .option(
      "--name <name>",
      "name of the server, used in mcp::<name>; default: taken from the command",
      named,
    )
    .addHelpText(
      "after",
      "\nExample:\n  orcs mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .",
    )
    .action(async (command: string[], options: McpFlags) => {
      const record = recordFrom(options);
      if (record !== undefined) expectRecord(record);
      const code = await runMcp({
        command,
        name: options.name ?? serverName(command),
        config: options.config,
        record,
        input: process.stdin,
        output: process.stdout,
        log: stderrLogger("info"),
        stopped: stopSignals(),
      });
      process.exitCode = code;
    });
}

/** The server is in a process group of its own, which signals for ours do not reach. */
function stopSignals(): Promise<number> {
  return new Promise((resolve) => {
    onEndingSignals(() => resolve(SIGNAL_GRACE_MS), "on");
  });
}

function named(name: string): string {
  if (isServerName(name)) return name;
  throw new InvalidArgumentError("Use letters, digits, dots, hyphens and underscores.");
}
