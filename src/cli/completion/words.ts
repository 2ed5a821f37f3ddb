import type { Command, Option } from "commander";
import { pointSet, type VerbName } from "../../core/index.ts";

/** What a shell can complete after a command. */
export interface CompletedCommand {
  /** The words that lead to it: `["audit", "report"]`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** The words that its first argument can be; undefined if it may be any, or a file. */
  readonly words: readonly string[] | undefined;
}

/** An option that a shell can complete. */
export interface CompletedOption {
  /** With their dashes: `["-f", "--follow"]`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The values that it can have; undefined if it may be any, or a file. */
  readonly words: readonly string[] | undefined;
}

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
