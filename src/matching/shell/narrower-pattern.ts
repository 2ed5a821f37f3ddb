import type { Word } from "./command-arguments.ts";
import type { Part } from "./command-pattern.ts";
import { readPattern, UNKNOWN_PATTERN } from "./command-pattern.ts";
import type { FlagRequirement } from "./match-arguments.ts";

/**
 * Whether each command that one pattern matches is matched by another one: `git push --force` and `git push`. Only what
 * the texts show.
 */
export function isNarrowerPattern(narrow: string, wide: string): boolean {
  if (narrow === wide) return true;
  if (narrow === UNKNOWN_PATTERN || wide === UNKNOWN_PATTERN) return false;
  const [own, other] = [readPattern(narrow), readPattern(wide)];
  if (!includes(other.program, own.program)) return false;
  if (other.leading && !(own.leading && requires(own.leading, other.leading))) return false;
  return requires(own.rest, other.rest);
}

/** Whether a part of a pattern requires all that another one requires. */
function requires(own: Part, other: Part): boolean {
  if (!other.needs.every((need) => own.needs.some((one) => isSameFlag(one, need)))) return false;
  const operands = other.operands.every(({ word, asValue }, i) => {
    const mine = own.operands[i];
    // An operand that may be the value of a flag stands for another place of the command.
    return mine && asValue.length === 0 && mine.asValue.length === 0 && includes(word, mine.word);
  });
  if (!operands || !other.after) return operands;
  return other.after.every(({ word }, i) => {
    const mine = own.after?.[i];
    return mine !== undefined && includes(word, mine.word);
  });
}

function includes(wide: Word, narrow: Word): boolean {
  return wide.open ? narrow.text.startsWith(wide.text) : !narrow.open && narrow.text === wide.text;
}

function isSameFlag(own: FlagRequirement, other: FlagRequirement): boolean {
  const value = other.value === undefined ? undefined : own.value;
  return JSON.stringify({ ...own, value }) === JSON.stringify(other);
}
