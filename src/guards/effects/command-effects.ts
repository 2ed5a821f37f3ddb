import type { ShellCommand, ShellReading } from "../../core/index.ts";
import type { Part } from "../programs/arguments.ts";
import type { DescribedCommand, Dictionary } from "../programs/dictionary.ts";
import type { EffectDetails } from "./effect-list.ts";
import { EffectList } from "./effect-list.ts";
import { FUNCTIONS } from "./functions.ts";
import { addGuesses } from "./guesses.ts";
import { namesGiven } from "./names-given.ts";
import { addByRole } from "./roles.ts";

/** A command with what functions beside the rows need to know of it. */
export interface EffectCall {
  readonly command: ShellCommand;
  readonly described: DescribedCommand;
  /** All commands of the line, and the position of this one. */
  readonly reading: ShellReading;
  readonly position: number;
  readonly found: EffectList;
  /** Lists what the roles of these parts say. */
  readonly byRole: (parts: readonly Part[], details?: EffectDetails) => void;
}

/** Operators of redirections that write. */
const WRITES: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);
/** Programs that run a command on another machine or in a container: its files are not those of this one. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  "ssh mosh docker podman nerdctl kubectl oc docker-compose vagrant lxc incus".split(" "),
);

/** The commands of a line with what each of them does. */
export function withEffects(reading: ShellReading, dictionary: Dictionary): ShellReading {
  const commands = reading.commands.map((command, position) => ({
    ...command,
    ...effectsOf(reading, position, command, dictionary),
  }));
  return { ...reading, commands };
}

type Effects = Required<Pick<ShellCommand, "effects" | "described">>;

function effectsOf(
  reading: ShellReading,
  position: number,
  command: ShellCommand,
  dictionary: Dictionary,
): Effects {
  const isElsewhere = command.via.some((program) => ELSEWHERE.has(program));
  const found = new EffectList(command, namesGiven(reading, position), isElsewhere);
  for (const { op, target, dynamic } of command.redirects) {
    const file = { text: target, at: -1, known: !dynamic };
    if (op === "<" || op === "<>")
      found.file("read", file, command.program === "wc" ? { shows: "nothing" } : {});
    if (WRITES.has(op)) found.file("write", file);
  }
  if (command.program === "") return { effects: found.list, described: !command.opaque };
  found.add("run", { text: command.program, at: 0, known: true });
  const own = ownWords(reading, position);
  const argv = own > 0 && own < command.argv.length ? command.argv.slice(0, own) : command.argv;
  const described = dictionary.describe(command.program, argv, new Set(command.unknown));
  if (!described) {
    const runsScript = own < 0;
    if (!runsScript) addGuesses({ ...command, argv }, found);
    return { effects: found.list, described: false };
  }
  const byRole: EffectCall["byRole"] = (parts, details) => {
    for (const part of parts) addByRole(part, described, found, details);
  };
  for (const { parts } of [...described.outer, described.args])
    for (const part of parts) if (part.role === "cd") found.enter(part);
  const { fn } = described.row;
  const special = fn === undefined ? undefined : FUNCTIONS[fn];
  if (special) special({ command, described, reading, position, found, byRole });
  else {
    for (const { parts } of described.outer) byRole(parts);
    byRole(described.args.parts);
  }
  return { effects: found.list, described: true };
}

/** The command that a program runs is at most this many places after it in the list. */
const SOON = 8;
/** Programs whose words all belong to the script or the command that they run. */
const TAKES_SCRIPT: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ash eval su ssh xargs parallel find fish".split(" "),
);

/** How many words of a command are its own, and not part of a command that it runs; -1 if all of them are a script. */
function ownWords({ commands }: ShellReading, position: number): number {
  const { program = "", argv = [] } = commands[position] ?? {};
  for (const inner of commands.slice(position + 1, position + 1 + SOON)) {
    if (!inner.via.includes(program) || program === "") continue;
    if (TAKES_SCRIPT.has(program)) return -1;
    const begin = argv.length - inner.argv.length;
    if (begin > 0 && inner.argv.every((word, at) => word === argv[begin + at])) return begin;
  }
  return argv.length;
}
