import type { Command } from "commander";
import { commandsOf, isVerb, type VerbName, VERBS } from "../core/index.ts";
import { type ShellName, SHELLS } from "./completion/scripts.ts";
import { type CompletedCommand, completedCommands } from "./completion/words.ts";
import { isWay, verbCommand } from "./verb-command.ts";

type Load = (verb: VerbName, words?: readonly string[]) => Promise<Command>;

/**
 * `orcs completion`: print a script with which a shell completes verbs, options and their values.
 * @param load the command of a verb
 */
export function completionCommand(load: Load): Command {
  return verbCommand("completion", {
    refine: (shell) => shell.choices(Object.keys(SHELLS)),
    help: HELP,
    run: async (_options, name: ShellName) => {
      const names = Object.keys(VERBS).filter(isVerb);
      const verbs = await Promise.all(names.map((verb) => withWays(verb, load)));
      process.stdout.write(SHELLS[name](verbs.flat()));
    },
  })();
}

/** A verb, with the options of the commands that its options select. */
async function withWays(verb: VerbName, load: Load): Promise<readonly CompletedCommand[]> {
  const ways = commandsOf(verb).filter(([word]) => isWay(word));
  const [first, ...below] = completedCommands(await load(verb));
  const others = await Promise.all(ways.map(([word]) => load(verb, [word])));
  const options = [first, ...others.flatMap((each) => completedCommands(each))].flatMap(
    (each) => each?.options ?? [],
  );
  const all = new Map(options.map((option) => [option.flags.join(), option]));
  return first ? [{ ...first, options: [...all.values()] }, ...below] : [];
}

const HELP = `Write the script into a file, once, and again after an update of orcs:
  orcs completion bash > ~/.local/share/bash-completion/completions/orcs
  orcs completion zsh > "\${fpath[1]}/_orcs"
  orcs completion fish > ~/.config/fish/completions/orcs.fish`;
