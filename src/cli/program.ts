import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { OrcsError } from "../core/errors.ts";
import { oneLine } from "../core/one-line.ts";
import type { VerbName } from "../core/verbs.ts";
import { EXIT } from "./exit.ts";
import { guardLoosening } from "./loosening.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** The verbs. Each is loaded when it is asked for: what one needs must not slow down another. */
const COMMANDS: Readonly<Record<VerbName, () => Promise<Command>>> = {
  eval: async () => (await import("./eval.ts")).evalCommand(),
  explain: async () => (await import("./explain.ts")).explainCommand(),
  list: async () => (await import("./list.ts")).listCommand(),
  check: async () => (await import("./check.ts")).checkCommand(),
  run: async () => (await import("./run.ts")).runCommand(),
  test: async () => (await import("./test.ts")).testCommand(),
  bench: async () => (await import("./bench.ts")).benchCommand(),
  types: async () => (await import("./types.ts")).typesCommand(),
  init: async () => (await import("./init.ts")).initCommand(),
  hook: async () => (await import("./hook.ts")).hookCommand(),
  serve: async () => (await import("./serve.ts")).serveCommand(),
  mcp: async () => (await import("./mcp.ts")).mcpCommand(),
  install: async () => (await import("./install.ts")).installCommand(),
  uninstall: async () => (await import("./uninstall.ts")).uninstallCommand(),
  import: async () => (await import("./import.ts")).importCommand(),
  replay: async () => (await import("./replay.ts")).replayCommand(),
  audit: async () => (await import("./audit.ts")).auditCommand(),
  trust: async () => (await import("./trust.ts")).trustCommand(),
  doctor: async () => (await import("./doctor.ts")).doctorCommand(version),
};

// Whoever reads the answers may go before the last of them, as `head` does: the end is then that of a terminal
// that was closed.
process.stdout.once("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.stdout.on("error", () => undefined);
  if (!process.emit("SIGHUP")) process.exit();
});

const program = new Command("orcs")
  .description("One hook engine for AI agents: hooks in Lua, in order, in a sandbox.")
  .version(version)
  .exitOverride();
guardLoosening(program);
const [verb = ""] = process.argv.slice(2);
const names = Object.keys(COMMANDS) as VerbName[];
const wanted = names.includes(verb as VerbName) ? [verb as VerbName] : names;
for (const name of wanted) {
  const command = await COMMANDS[name]();
  program.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
}

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? EXIT.fine : EXIT.mistake;
  } else {
    // A mistake of the user's is told without a stack; anything else is ours to mend.
    const told = thrown instanceof OrcsError ? thrown.message : thrown;
    const text = told instanceof Error ? (told.stack ?? told.message) : String(told);
    // It may show lines of a file that somebody else wrote.
    process.stderr.write(`orcs: ${text.split("\n").map(oneLine).join("\n")}\n`);
    process.exitCode = EXIT.mistake;
  }
}
