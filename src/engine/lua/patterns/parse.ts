import { findSetEnd, type ByteSet, type ByteSets } from "./byte-sets.ts";

/** How often an item can match: once, or as its suffix says. */
type Repeat = "once" | "?" | "*" | "+" | "-";

/**
 * One item of a pattern.
 * Lua reads a pattern while it matches, so an error is only reported when matching gets there: `find("", "a%")` is nil,
 * `find("a", "a%")` an error. Therefore an error is an item of its own, and always the last one. Patterns have no
 * alternatives, so the open captures at an item are known here, and a wrong `)` or `%1` is such an error as well.
 */
export type Item =
  /** `byte` is the only member of the set, or -1. */
  | { kind: "single"; set: ByteSet; byte: number; repeat: Repeat }
  | { kind: "open" | "close" | "position" | "back_reference"; capture: number }
  | { kind: "balance"; open: number; close: number }
  | { kind: "frontier"; set: ByteSet }
  | { kind: "end" }
  | { kind: "never" }
  | { kind: "mistake"; message: string };

/** The state of a capture at the end of matching. */
export type CaptureKind = "unfinished" | "range" | "position";

/** The items of a pattern, and its captures in the order in which they open. */
interface ParsedPattern {
  items: Item[];
  captures: CaptureKind[];
}

/** Lua's LUA_MAXCAPTURES. */
export const MAX_CAPTURES = 32;

const ESCAPE = 37;
const REPEATS: Readonly<Record<number, Repeat>> = { 42: "*", 43: "+", 45: "-", 63: "?" };

/**
 * Reads a pattern from `from` on (1 after an anchor), as `match` of lstrlib.c does. `tick` is called once per item, so
 * that long patterns can be interrupted.
 */
export function parsePattern(
  pattern: Uint8Array,
  from: number,
  sets: ByteSets,
  tick: () => void,
): ParsedPattern {
  const items: Item[] = [];
  const captures: CaptureKind[] = [];
  const end = pattern.length;
  let at = from;

  const mistake = (message: string): void => {
    items.push({ kind: "mistake", message });
    at = end;
  };

  const readSingle = (): void => {
    const next = itemEnd(pattern, at);
    if (typeof next === "string") return mistake(next);
    const set = singleSet(sets, pattern, at, next);
    const last = pattern[next - 1]!;
    const byte = set === sets.one(last) ? last : -1;
    const repeat = next < end ? REPEATS[pattern[next]!] : undefined;
    items.push({ kind: "single", set, byte, repeat: repeat ?? "once" });
    at = repeat === undefined ? next : next + 1;
  };

  const readEscape = (): void => {
    const letter = pattern[at + 1];
    if (letter === 98) {
      if (at + 3 >= end) return mistake("malformed pattern (missing arguments to '%b')");
      items.push({ kind: "balance", open: pattern[at + 2]!, close: pattern[at + 3]! });
      at += 4;
    } else if (letter === 102) {
      if (pattern[at + 2] !== 91) return mistake("missing '[' after '%f' in pattern");
      const next = findSetEnd(pattern, at + 2);
      if (next < 0) return mistake("malformed pattern (missing ']')");
      items.push({ kind: "frontier", set: sets.bracket(pattern, at + 2, next - 1) });
      at = next;
    } else if (letter !== undefined && letter >= 48 && letter <= 57) {
      const capture = letter - 49;
      const kind = captures[capture];
      if (kind === undefined || kind === "unfinished") {
        return mistake(`invalid capture index %${capture + 1}`);
      }
      // A position capture has no text, and Lua's length for it is larger than any subject.
      items.push(kind === "range" ? { kind: "back_reference", capture } : { kind: "never" });
      at += 2;
    } else {
      readSingle();
    }
  };

  while (at < end) {
    tick();
    switch (pattern[at]!) {
      case 40: // (
        if (captures.length >= MAX_CAPTURES) {
          mistake("too many captures");
        } else if (pattern[at + 1] === 41) {
          items.push({ kind: "position", capture: captures.push("position") - 1 });
          at += 2;
        } else {
          items.push({ kind: "open", capture: captures.push("unfinished") - 1 });
          at++;
        }
        break;
      case 41: {
        const capture = captures.lastIndexOf("unfinished");
        if (capture < 0) {
          mistake("invalid pattern capture");
        } else {
          captures[capture] = "range";
          items.push({ kind: "close", capture });
          at++;
        }
        break;
      }
      case 36: // $ is special only at the very end
        if (at + 1 === end) {
          items.push({ kind: "end" });
          at++;
        } else {
          readSingle();
        }
        break;
      case ESCAPE:
        readEscape();
        break;
      default:
        readSingle();
    }
  }
  return { items, captures };
}

/** The index after the single item at `at` (before its suffix), or its error. */
function itemEnd(pattern: Uint8Array, at: number): number | string {
  if (pattern[at] === ESCAPE) {
    return at + 1 < pattern.length ? at + 2 : "malformed pattern (ends with '%')";
  }
  if (pattern[at] !== 91) return at + 1;
  const end = findSetEnd(pattern, at);
  return end < 0 ? "malformed pattern (missing ']')" : end;
}

function singleSet(sets: ByteSets, pattern: Uint8Array, at: number, end: number): ByteSet {
  switch (pattern[at]!) {
    case 46:
      return sets.anyByte;
    case ESCAPE:
      return sets.escaped(pattern[at + 1]!);
    case 91:
      return sets.bracket(pattern, at, end - 1);
    default:
      return sets.one(pattern[at]!);
  }
}
