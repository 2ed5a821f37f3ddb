import type { Arguments, Flag, Operand, Word } from "./command-arguments.ts";
import { ANYTHING, isAnything, leadingFlags, readArguments } from "./command-arguments.ts";
import type { Part, RunsPattern } from "./command-pattern.ts";
import type { FlagSet } from "./flags.ts";

/** Maximum number of readings of the words before Git's subcommand; beyond it, the subcommand can be anything. */
const MAX_READINGS = 8;

/** Whether arguments match a pattern, or may match it. Linear time. */
export function matchesCommand(pattern: RunsPattern, words: readonly Word[]): boolean {
  return readings(pattern, words).some(
    ({ leading, rest }) =>
      (!leading || !pattern.leading || fitsPart(pattern.leading, leading)) &&
      fitsPart(pattern.rest, rest),
  );
}

/** Whether any required part of a pattern is certainly present. */
export function hasAnyOf(pattern: RunsPattern, words: readonly Word[]): boolean {
  return readings(pattern, words).some(
    ({ leading, rest }) =>
      (leading && pattern.leading && isThere(pattern.leading, leading)) ||
      isThere(pattern.rest, rest),
  );
}

interface Reading {
  readonly leading: Arguments | undefined;
  readonly rest: Arguments;
}

/**
 * The possible readings of arguments; for Git, with those before the subcommand separated. An unknown value may expand
 * to nothing, and then the next word is the value instead of the subcommand: `git -C $X push log`.
 */
function readings(pattern: RunsPattern, words: readonly Word[]): Reading[] {
  const { leading: first, rest } = pattern;
  if (!first) return [{ leading: undefined, rest: read(words, rest) }];
  const found: Reading[] = [];
  for (let left = words; ;) {
    const at = leadingFlags(left, first.known);
    const before = left.slice(0, at);
    const next = left[at];
    const leading = read(next && isAnything(next) ? [...before, next] : before, first);
    const unknown = before.filter(isAnything).length;
    const isHidden =
      found.length === MAX_READINGS ||
      unknown > 1 ||
      leading.hasAnything ||
      leading.flags.some((flag) => setsAlias(flag, next?.text ?? ""));
    found.push({ leading, rest: read(isHidden ? [ANYTHING] : left.slice(at), rest) });
    const value = before.at(-1);
    if (isHidden || !value || !isAnything(value)) return found;
    left = left.toSpliced(at - 1, 1);
  }
}

/** The arguments, with the flags that operands stand for. */
function read(words: readonly Word[], { known }: Part): Arguments {
  const isName = ({ text, open }: Word): boolean => open && /^[A-Za-z_]\w*$/.test(text);
  const found = readArguments(
    // The `=` may be in the unknown part.
    known.namedOperands ? words.map((word) => (isName(word) ? ANYTHING : word)) : words,
    known,
  );
  if (known.operands.size === 0) return found;
  const matches = [...found.operands, ...(found.after ?? [])].flatMap(({ word }) => {
    const name = word.text === "" ? undefined : known.operands.get(word.text.charAt(0));
    return name === undefined ? [] : [{ name, ...IMPLIED }];
  });
  return { ...found, flags: [...found.flags, ...matches] };
}

const IMPLIED = { long: true, open: false, value: undefined, hasValue: false } as const;

/** Whether it is, or may be, `-c alias.NAME=…`: then the subcommand can do anything. */
function setsAlias({ name, value }: Flag, subcommand: string): boolean {
  if ((name !== "c" && name !== "config-env") || !value) return false;
  const written = value.text.toLowerCase();
  const alias = `alias.${subcommand.toLowerCase()}`;
  return written.startsWith(`${alias}=`) || (value.open && alias.startsWith(written));
}

function fitsPart(part: Part, found: Arguments): boolean {
  const isHidden = found.hasAnything || hidesFlags(part, found);
  const isThereOrHidden = (need: FlagRequirement): boolean =>
    isHidden || found.flags.some((flag) => provides(flag, need, part.known));
  if (!part.needs.every(isThereOrHidden)) return false;
  const all = [...found.operands, ...(found.after ?? [])];
  if (!part.after) return inOrder(part, part.operands, found, all);
  if (!found.after) return found.hasAnything && inOrder(part, part.operands, found, found.operands);
  return (
    inOrder(part, part.operands, found, found.operands) &&
    (found.hasAnything || inOrder(part, part.after, found, found.after))
  );
}

/** Whether a word begins as one of the pattern: without quotes, the unknown rest of it may be several words. */
function hidesFlags({ operands }: Part, found: Arguments): boolean {
  return found.operands.some(
    ({ word: { text, open } }) =>
      open && text !== "" && operands.some(({ word }) => word.text.startsWith(text)),
  );
}

function isThere({ needs, operands: [first], known }: Part, found: Arguments): boolean {
  return (
    needs.some((need) => found.flags.some((flag) => provides(flag, need, known))) ||
    (first !== undefined &&
      found.operands.some(({ word }) => !isAnything(word) && isSame(word, first.word)))
  );
}

/**
 * Whether the operands begin with those of the pattern. A word after a flag that may take a value is skipped where that
 * helps, and an operand of the pattern may be the value of a flag: all possibilities are followed at once.
 */
function inOrder(
  { known }: Part,
  wanted: Part["operands"],
  { flags, hasAnything }: Arguments,
  operands: readonly Operand[],
): boolean {
  const isValue = wanted.map(({ asValue }) =>
    asValue.some((need) => hasAnything || flags.some((flag) => provides(flag, need, known))),
  );
  const withValues = (counts: Set<number>): Set<number> => {
    // Iterating over a Set includes elements that are added meanwhile.
    for (const count of counts) if (isValue[count] === true) counts.add(count + 1);
    return counts;
  };
  let counts = withValues(new Set([0]));
  for (const { word, behind } of operands) {
    if (counts.has(wanted.length)) return true;
    if (counts.size === 0) return false;
    if (isAnything(word)) return true;
    const next = new Set(behind ? counts : []);
    for (const count of counts) {
      const meant = wanted[count];
      if (meant && isSame(word, meant.word)) next.add(count + 1);
    }
    counts = withValues(next);
  }
  return counts.has(wanted.length);
}

/** A flag that a pattern requires, in every known spelling. */
export interface FlagRequirement {
  readonly longs: readonly string[];
  readonly letters: readonly string[];
  /** A long name that begins with one of `longs` is sufficient. */
  readonly open: boolean;
  /** Undefined: any value. */
  readonly value: Word | undefined;
}

/** The flags that a flag of a pattern requires: several if a letter stands for several. */
export function flagRequirements(flag: Flag, known: FlagSet): FlagRequirement[] {
  const value = flag.hasValue ? flag.value : undefined;
  if (flag.long) return [longNeed(flag.name, flag.open, value, known)];
  const means = known.letters.get(flag.name)?.means ?? [];
  if (means.length === 0) return [{ longs: [], letters: [flag.name], open: false, value }];
  return means.map((name) => longNeed(name, false, value, known));
}

/** Whether a present flag is the required one. */
function provides(flag: Flag, need: FlagRequirement, known: FlagSet): boolean {
  const isIt = flag.long
    ? need.longs.some((name) => isLong(flag.name, name, need.open, known))
    : need.letters.includes(flag.name);
  if (!isIt || need.value === undefined) return isIt;
  return flag.value !== undefined && isSame(flag.value, need.value);
}

/** Whether a word of a command equals, or may equal, a word of a pattern. */
function isSame(word: Word, meant: Word): boolean {
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
 * Whether a long flag is the required one, or an abbreviation of it as accepted by Git and GNU programs. A known flag
 * is not an abbreviation; nor is one that ends before a hyphen, which is most often a flag of its own (`--save`,
 * `--save-dev`).
 */
function isLong(written: string, meant: string, open: boolean, known: FlagSet): boolean {
  if (written === meant || (open && written.startsWith(meant))) return true;
  if (known.oneDash || known.longs.has(written) || written === "") return false;
  return meant.startsWith(written) && meant.charAt(written.length) !== "-";
}
