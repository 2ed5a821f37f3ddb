import type { Flag, Word } from "./command-arguments.ts";
import type { FlagSet } from "./flags.ts";

/** A flag that a pattern asks for, in every spelling that is known. */
export interface FlagRequirement {
  readonly longs: readonly string[];
  readonly letters: readonly string[];
  /** A long name that begins like one of `longs` will do. */
  readonly open: boolean;
  /** Undefined: whatever its value. */
  readonly value: Word | undefined;
}

/** What a flag of a pattern asks for: several flags, where a letter stands for several. */
export function flagRequirements(flag: Flag, known: FlagSet): FlagRequirement[] {
  const value = flag.hasValue ? flag.value : undefined;
  if (flag.long) return [longNeed(flag.name, flag.open, value, known)];
  const means = known.letters.get(flag.name)?.means ?? [];
  if (means.length === 0) return [{ longs: [], letters: [flag.name], open: false, value }];
  return means.map((name) => longNeed(name, false, value, known));
}

/** Whether a flag that is there is the one that is asked for. */
export function provides(flag: Flag, need: FlagRequirement, known: FlagSet): boolean {
  const isIt = flag.long
    ? need.longs.some((name) => isLong(flag.name, name, need.open, known))
    : need.letters.includes(flag.name);
  return isIt && hasValue(flag, need.value);
}

/** Whether a flag has a value that a word of a pattern means. */
export function hasValue({ value }: Flag, meant: Word | undefined): boolean {
  return meant === undefined || (value !== undefined && isSame(value, meant));
}

/** Whether a word of a command is, or may be, what a word of a pattern means. */
export function isSame(word: Word, meant: Word): boolean {
  return (
    (word.open ? meant.text.startsWith(word.text) : word.text === meant.text) ||
    (meant.open && word.text.startsWith(meant.text))
  );
}

function longNeed(
  name: string,
  open: boolean,
  value: Word | undefined,
  known: FlagSet,
): FlagRequirement {
  const first = known.longs.get(name)?.first ?? name;
  const means = (each: string): boolean => each === first || (open && each.startsWith(name));
  const longs = [...known.longs].flatMap(([each, flag]) => (flag.first === first ? [each] : []));
  const letters = [...known.letters].flatMap(([letter, flag]) =>
    flag.means.some(means) ? [letter] : [],
  );
  return { longs: longs.includes(name) ? longs : [...longs, name], letters, open, value };
}

/**
 * Whether a long flag is the one meant, or short for it as Git and GNU programs take it. One that is known is short for
 * nothing; nor is one that ends where a hyphen follows, which most often is a flag of its own (`--save`,
 * `--save-dev`).
 */
function isLong(written: string, meant: string, open: boolean, known: FlagSet): boolean {
  if (written === meant || (open && written.startsWith(meant))) return true;
  if (known.oneDash || known.longs.has(written) || written === "") return false;
  return meant.startsWith(written) && meant.charAt(written.length) !== "-";
}
