import { NAMED_OPERANDS, ONE_DASH, RUNS_FLAGS, RUNS_OPERANDS, RUNS_SAME } from "./flag-table.ts";

/** What is known of the flags of a command. */
export interface FlagSet {
  readonly letters: ReadonlyMap<string, LetterFlag>;
  /** By every name. */
  readonly longs: ReadonlyMap<string, LongFlag>;
  /** First characters of operands that say what a flag says → that flag. */
  readonly operands: ReadonlyMap<string, string>;
  /** Long flags have one dash, and letters do not stand together. */
  readonly oneDash: boolean;
  /** `name=value` is read as a flag wherever it stands. */
  readonly namedOperands: boolean;
}

interface LetterFlag {
  /** The first names of the flags that it stands for. */
  readonly means: readonly string[];
  readonly takesValue: boolean;
}

interface LongFlag {
  /** The first of its names. */
  readonly first: string;
  readonly takesValue: boolean;
}

/** @param subcommand the first operand, where there is one */
export function flagsOf(program: string, subcommand?: string): FlagSet {
  const name = known(RUNS_SAME, program) ?? program;
  const whole = `${name} ${subcommand ?? ""}`;
  const letters = new Map<string, LetterFlag>();
  const longs = new Map<string, LongFlag>();
  for (const entry of (known(RUNS_FLAGS, whole) ?? fallback(name, subcommand)).split(" ")) {
    const [, letter = "", sign, names = ""] = /^(\w?)([=:])(.*)$/.exec(entry) ?? [];
    const takesValue = sign === ":";
    const means = names.split(",").map((each) => each.split("|"));
    for (const [first = "", ...others] of means) {
      if (first === "" || (means.length > 1 && longs.has(first))) continue;
      for (const each of [first, ...others]) longs.set(each, { first, takesValue });
    }
    if (letter === "") continue;
    letters.set(letter, { means: means.flatMap(([first]) => first || []), takesValue });
  }
  return {
    letters,
    longs,
    operands: new Map(Object.entries(known(RUNS_OPERANDS, whole) ?? {})),
    oneDash: ONE_DASH.includes(program),
    namedOperands: NAMED_OPERANDS.includes(program),
  };
}

/** Git's own flags stand before the subcommand and mean nothing behind it. */
function fallback(program: string, subcommand: string | undefined): string {
  if (program === "git" && subcommand !== undefined) return "";
  return known(RUNS_FLAGS, program) ?? "";
}

function known<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
