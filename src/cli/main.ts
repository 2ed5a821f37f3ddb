#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { OrcsError } from "../core/errors.ts";
import { checkCommand } from "./check.ts";
import { evalCommand } from "./eval.ts";
import { explainCommand } from "./explain.ts";
import { listCommand } from "./list.ts";
import { runCommand } from "./run.ts";
import { EXIT } from "./exit.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

const program = new Command("orcs")
  .description("One hook engine for AI agents: hooks in Lua, in order, in a sandbox.")
  .version(version)
  .addCommand(evalCommand())
  .addCommand(explainCommand())
  .addCommand(listCommand())
  .addCommand(checkCommand())
  .addCommand(runCommand())
  .exitOverride();
for (const command of program.commands) command.exitOverride().showHelpAfterError("(see --help)");

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? EXIT.fine : EXIT.mistake;
  } else {
    // A mistake of the user's is told without a stack; anything else is ours to mend.
    const told = thrown instanceof OrcsError ? thrown.message : thrown;
    process.stderr.write(
      `orcs: ${told instanceof Error ? (told.stack ?? told.message) : String(told)}\n`,
    );
    process.exitCode = EXIT.mistake;
  }
}
