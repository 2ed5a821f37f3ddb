import { Argument, Command } from "commander";
import { VERBS } from "../core/index.ts";
import type { Verb, VerbName } from "../core/index.ts";

/**
 * The command of a verb with its arguments, without its options.
 * @param refine adds what the table does not say of an argument: choices, a default
 */
export function verbCommand(name: VerbName, refine?: (argument: Argument) => Argument): Command {
  const { does, takes = {} }: Verb = VERBS[name];
  const command = new Command(name).description(does);
  for (const [word, what] of Object.entries(takes)) {
    const argument = new Argument(word, what);
    command.addArgument(refine?.(argument) ?? argument);
  }
  return command;
}

/** A verb in the list of verbs, without an action. */
export function listedCommand(name: VerbName): Command {
  const { hasSubcommands }: Verb = VERBS[name];
  const command = verbCommand(name);
  return hasSubcommands ? command : command.option("--any");
}
