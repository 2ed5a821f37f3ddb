import type { Arguments, Flag, Operand, Word } from "./command-arguments.ts";
import { ANYTHING, isAnything, leadingFlags, readArguments } from "./command-arguments.ts";
import type { Part, RunsPattern } from "./command-pattern.ts";
import type { FlagRequirement } from "./flag-requirements.ts";
import { isSame, provides } from "./flag-requirements.ts";

/** Ways to read what stands in front of Git's subcommand; with more, anything may be the subcommand. */
const MAX_READINGS = 8;

/** Whether arguments are, or may be, what a pattern asks for. Time is linear in them. */
export function matchesCommand(pattern: RunsPattern, words: readonly Word[]): boolean {
  return readings(pattern, words).some(
    ({ leading, rest }) =>
      (!leading || !pattern.leading || fitsPart(pattern.leading, leading)) &&
      fitsPart(pattern.rest, rest),
  );
}

/** Whether any of what a pattern asks for is known to be there. */
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
 * The arguments; of Git, those before the subcommand apart. A value that is not known may be nothing, and then the
 * next word is the value and not the subcommand: `git -C $X push log`.
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
    // The `=` may be in what is not known.
    known.namedOperands ? words.map((word) => (isName(word) ? ANYTHING : word)) : words,
    known,
  );
  if (known.operands.size === 0) return found;
  const said = [...found.operands, ...(found.after ?? [])].flatMap(({ word }) => {
    const name = word.text === "" ? undefined : known.operands.get(word.text.charAt(0));
    return name === undefined ? [] : [{ name, ...IMPLIED }];
  });
  return { ...found, flags: [...found.flags, ...said] };
}

const IMPLIED = { long: true, open: false, value: undefined, hasValue: false } as const;

/** Whether it is `-c alias.NAME=…`, or may be: then the subcommand may do anything. */
function setsAlias({ name, value }: Flag, subcommand: string): boolean {
  if ((name !== "c" && name !== "config-env") || !value) return false;
  const written = value.text.toLowerCase();
  const alias = `alias.${subcommand.toLowerCase()}`;
  return written.startsWith(`${alias}=`) || (value.open && alias.startsWith(written));
}

function fitsPart(part: Part, found: Arguments): boolean {
  const isThereOrHidden = (need: FlagRequirement): boolean =>
    found.hasAnything || found.flags.some((flag) => provides(flag, need, part.known));
  if (!part.needs.every(isThereOrHidden)) return false;
  if (!part.after) return inOrder(part, part.operands, found, allOperands(found));
  if (!found.after) return found.hasAnything && inOrder(part, part.operands, found, found.operands);
  return (
    inOrder(part, part.operands, found, found.operands) &&
    (found.hasAnything || inOrder(part, part.after, found, found.after))
  );
}

function isThere({ needs, operands: [first], known }: Part, found: Arguments): boolean {
  return (
    needs.some((need) => found.flags.some((flag) => provides(flag, need, known))) ||
    (first !== undefined &&
      found.operands.some(({ word }) => !isAnything(word) && isSame(word, first.word)))
  );
}

function allOperands({ operands, after }: Arguments): readonly Operand[] {
  return after ? [...operands, ...after] : operands;
}

/**
 * Whether the operands begin with those of the pattern. A word behind a flag that may take it as its value is passed over
 * where that helps, and one of the pattern's may be the value of a flag: all ways are followed at once.
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
    // A set goes on over what is added meanwhile.
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
