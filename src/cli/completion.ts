import type { Command, Option } from "commander";
import { VERBS, type VerbName, commandsOf, isVerb, pointSet } from "../core/index.ts";
import { type ShellName, SHELLS } from "./completion/scripts.ts";
import type { CompletedCommand, CompletedOption } from "./completion/scripts.ts";
import { isWay, verbCommand } from "./verb-command.ts";

type Load = (verb: VerbName, words?: readonly string[]) => Promise<Command>;

/**
 * `orcs completion`: print a script with which a shell completes verbs, options and their values.
 * @param load the command of a verb
 */
export function completionCommand(load: Load): Command {
  return verbCommand("completion", {
    refine: (shell) => shell.choices(Object.keys(SHELLS)),
    help: USAGE,
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

const USAGE = `Write the script into a file, once, and again after an update of orcs:
  orcs completion bash > ~/.local/share/bash-completion/completions/orcs
  orcs completion zsh > "\${fpath[1]}/_orcs"
  orcs completion fish > ~/.config/fish/completions/orcs.fish`;

/** Verbs whose first argument is a hook point. */
const TAKE_POINT: ReadonlySet<string> = new Set<VerbName>(["eval"]);

/** A command and its subcommands, each before those below it. */
export function completedCommands(
  command: Command,
  above: readonly string[] = [],
): CompletedCommand[] {
  const path = [...above, command.name()];
  const [argument] = command.registeredArguments;
  const below = command.commands.map((each) => each.name());
  const words = below.length > 0 ? below : argument?.argChoices;
  return [
    {
      path,
      description: command.description(),
      options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), HELP],
      words: TAKE_POINT.has(path.join(" ")) ? pointSet().all.map(({ name }) => name) : words,
    },
    ...command.commands.flatMap((each) => completedCommands(each, path)),
  ];
}

const HELP: CompletedOption = {
  flags: ["-h", "--help"],
  description: "display help for command",
  takesValue: false,
  words: undefined,
};

function optionOf({ short, long, description, required, optional, argChoices }: Option) {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    words: argChoices,
  };
}
