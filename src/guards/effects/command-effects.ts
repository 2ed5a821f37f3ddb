import type { ShellCommand, ShellReading } from "../../core/index.ts";
import type { Part } from "../programs/arguments.ts";
import type { DescribedCommand, Dictionary } from "../programs/dictionary.ts";
import { EffectList } from "./effect-list.ts";
import { FUNCTIONS } from "./functions.ts";
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
  readonly byRole: (parts: readonly Part[]) => void;
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
  if (command.via.some((program) => ELSEWHERE.has(program)))
    return { effects: [], described: true };
  const found = new EffectList(command, namesGiven(reading, position, dictionary));
  for (const { op, target, dynamic } of command.redirects) {
    const file = { text: target, at: -1, known: !dynamic };
    if (op === "<" || op === "<>") found.file("read", file);
    if (WRITES.has(op)) found.file("write", file);
  }
  // What it runs comes from outside: it may do anything.
  if (command.opaque) found.add("run", { text: command.argv.join(" "), at: 0, known: false });
  if (command.program === "") return { effects: found.list, described: !command.opaque };
  found.add("run", { text: command.program, at: 0, known: true });
  const described = dictionary.describe(command.program, command.argv, new Set(command.unknown));
  if (!described) return { effects: found.list, described: false };
  const byRole = (parts: readonly Part[]): void => {
    for (const part of parts) addByRole(part, described, found);
  };
  for (const { parts } of [...described.outer, described.args])
    for (const part of parts) if (part.role === "cd") found.enter(part);
  const { fn } = described.row;
  const special = fn === undefined ? undefined : FUNCTIONS[fn];
  if (special) special({ command, described, reading, position, found, byRole });
  else byRole(described.args.parts);
  return { effects: found.list, described: true };
}
