import { Argument, Command, Option } from "commander";
import { commandsOf, type Verb, type VerbName, VERBS } from "../core/index.ts";

/** What an option has besides its name and its meaning. */
interface OptionMore {
  /** One letter, for `-y`. */
  readonly short?: string;
  /** Keys of options with which it makes no sense. */
  readonly conflicts?: readonly string[];
  readonly choices?: readonly string[];
  readonly parse?: (text: string) => unknown;
  readonly default?: unknown;
  readonly isRequired?: boolean;
  readonly implies?: Readonly<Record<string, unknown>>;
  /** Its value when it is given without one. */
  readonly preset?: string;
  readonly isHidden?: boolean;
}

/** An option of a command. Its key is its name: `dryRun` is `--dry-run`. */
export interface OptionRow<T = unknown> extends OptionMore {
  readonly does: string;
  /** Its value as help has it: `<file>`. */
  readonly takes?: string;
  /** Only a type: of its value. */
  readonly type?: T;
}

type OptionRows = Readonly<Record<string, OptionRow>>;

type TypeOf<O> = O extends OptionRow<infer T> ? T : never;

/** Keys of options that always have a value. */
type Given<R> = { [K in keyof R]: undefined extends TypeOf<R[K]> ? never : K }[keyof R];

/** What a command gets of its options. */
export type OptionsOf<R> = { readonly [K in Given<R>]: TypeOf<R[K]> } & {
  readonly [K in Exclude<keyof R, Given<R>>]?: Exclude<TypeOf<R[K]>, undefined>;
};

type ValueOf<Takes extends string, M> = M extends { readonly parse: (text: string) => infer T }
  ? T
  : M extends { readonly choices: readonly (infer C)[] }
    ? C
    : Takes extends `${string}...>`
      ? readonly string[]
      : string;

type Missing<M> = M extends { readonly default: unknown } | { readonly isRequired: true }
  ? never
  : undefined;

/** An option without a value. */
export function flag(does: string, more: OptionMore = {}): OptionRow<boolean | undefined> {
  return { does, ...more };
}

/** An option with a value, which is a text unless its choices or its parser say otherwise. */
export function value<const Takes extends string, const M extends OptionMore = OptionMore>(
  takes: Takes,
  does: string,
  more?: M,
): OptionRow<ValueOf<Takes, M> | Missing<M>> {
  return { takes, does, ...more };
}

/** What is particular to a command. */
interface CommandSpec<R extends OptionRows> {
  readonly does: string;
  /** Its arguments and what they are. */
  readonly takes?: Readonly<Record<string, string>>;
  readonly options?: R;
  /** What help says behind the options. */
  readonly help?: string;
  /** How help says that it is called, if not as its options and arguments say. */
  readonly usage?: string;
  /** Adds what the table of verbs does not say of an argument: choices, a default. */
  readonly refine?: (argument: Argument) => Argument;
  /** Its action, with its arguments; help alone has none. */
  readonly run?: (options: OptionsOf<R>, ...args: never[]) => unknown;
}

/** Makes the command of a verb: what the table of verbs says of it and its arguments, with its options. */
export function verbCommand<R extends OptionRows>(
  name: VerbName,
  spec: Omit<CommandSpec<R>, "does" | "takes">,
): () => Command {
  return () => {
    const [verb = "", word = verb] = name.split(" ");
    const command = subcommand(isWay(word) ? verb : word, {
      ...(VERBS[name] satisfies Verb),
      ...spec,
    });
    if (isWay(word)) return command.addOption(new Option(word).hideHelp());
    for (const [way, other] of commandsOf(verb).filter(() => word === verb)) {
      if (isWay(way)) command.option(way, `${VERBS[other].does}: orcs ${other} --help`);
    }
    return command;
  };
}

/** Whether a word of a command is an option that selects it. */
export function isWay(word: string): boolean {
  return word.startsWith("--");
}

/** A verb that has only commands below it. */
export function groupCommand(name: VerbName, below: readonly Command[]): Command {
  const group = verbCommand(name, {})();
  for (const command of below) {
    group.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  }
  return group;
}

/** A command below a verb. */
export function subcommand<R extends OptionRows>(
  name: string,
  { does, takes = {}, options, help, usage, refine, run }: CommandSpec<R>,
): Command {
  const command = new Command(name).description(does);
  for (const [word, what] of Object.entries(takes)) {
    const argument = new Argument(word, what);
    command.addArgument(refine?.(argument) ?? argument);
  }
  for (const [key, row] of Object.entries(options ?? {})) command.addOption(optionOf(key, row));
  if (help !== undefined) command.addHelpText("after", `\n${help}`);
  if (usage !== undefined) command.usage(usage);
  // Behind the arguments, an action gets the options and the command.
  const act = run as ((...all: unknown[]) => unknown) | undefined;
  if (act)
    command.action(async (...all: unknown[]) => void (await act(all.at(-2), ...all.slice(0, -2))));
  return command;
}

function optionOf(key: string, row: OptionRow): Option {
  const { does, takes, short, conflicts, choices, parse, implies, preset, isHidden } = row;
  const long = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const names = short === undefined ? long : `-${short}, ${long}`;
  const option = new Option(takes === undefined ? names : `${names} ${takes}`, does);
  if (conflicts) option.conflicts([...conflicts]);
  if (choices) option.choices(choices);
  if (parse) option.argParser(parse);
  if (implies) option.implies(implies);
  if (preset !== undefined) option.preset(preset);
  if (row.default !== undefined) option.default(row.default);
  return option.makeOptionMandatory(row.isRequired === true).hideHelp(isHidden === true);
}

/** A verb in the list of verbs, without an action. */
export function listedCommand(name: VerbName): Command {
  const { hasSubcommands }: Verb = VERBS[name];
  return verbCommand(name, hasSubcommands ? {} : { options: { any: flag("") } })();
}
