import type { Command } from "commander";
import { isVerb, VERBS } from "../core/index.ts";
import type { VerbName } from "../core/index.ts";
import type { ShellName } from "./completion/scripts.ts";
import { SHELLS } from "./completion/scripts.ts";
import { completedCommands } from "./completion/words.ts";
import { verbCommand } from "./verb-command.ts";

/**
 * `orcs completion`: print a script with which a shell completes verbs, options and their values.
 * @param load the command of a verb
 */
export function completionCommand(load: (verb: VerbName) => Promise<Command>): Command {
  return verbCommand("completion", {
    refine: (shell) => shell.choices(Object.keys(SHELLS)),
    help: HELP,
    run: async (_options, name: ShellName) => {
      const verbs = await Promise.all(Object.keys(VERBS).filter(isVerb).map(load));
      process.stdout.write(SHELLS[name](verbs.flatMap((verb) => completedCommands(verb))));
    },
  });
}

const HELP = `Write the script into a file, once, and again after an update of orcs:
  orcs completion bash > ~/.local/share/bash-completion/completions/orcs
  orcs completion zsh > "\${fpath[1]}/_orcs"
  orcs completion fish > ~/.config/fish/completions/orcs.fish`;
