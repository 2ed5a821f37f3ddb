import type { FlagSet } from "./flags.ts";

/** A word of a command or of a pattern. */
export interface Word {
  readonly text: string;
  /** An unknown or arbitrary part follows the text. */
  readonly open: boolean;
  /** It is certainly not a flag. */
  readonly noFlag?: boolean;
}

/** A flag of a command or pattern. */
export interface Flag {
  /** The letter, or the long name without its dashes. */
  readonly name: string;
  readonly long: boolean;
  /** The name may continue. */
  readonly open: boolean;
  /** Its value, or a possible one. */
  readonly value: Word | undefined;
  /** Whether `value` is certainly its value. */
  readonly hasValue: boolean;
}

/** A word that is not a flag. */
export interface Operand {
  readonly word: Word;
  /** The preceding flag, whose value it may be instead. */
  readonly behind?: Flag | undefined;
}

/** The arguments of a command, parsed with what is known of its flags. */
export interface Arguments {
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
  /** The operands after `--`; undefined without `--`. */
  readonly after: readonly Operand[] | undefined;
  /** Before `--` there is a word that can be anything: a flag, an operand, several of them, nothing. */
  readonly hasAnything: boolean;
}

/** A word that can be anything, or several words. */
export const ANYTHING: Word = { text: "", open: true };

/** An unknown word that is certainly not a flag. */
export const ANY_OPERAND: Word = { text: "", open: true, noFlag: true };

export function isAnything({ text, open, noFlag }: Word): boolean {
  return open && text === "" && noFlag !== true;
}

/** Parse the words after the program. */
export function readArguments(words: readonly Word[], known: FlagSet): Arguments {
  const flags: Flag[] = [];
  const operands: Operand[] = [];
  let hasAnything = false;
  /** The flag that may take the next word as its value. */
  let behind: Flag | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ANYTHING;
    if (isEnd(word)) {
      const after = words.slice(at + 1).map((each) => ({ word: each }));
      return { flags, operands, after, hasAnything };
    }
    const read = readFlags(word, known, words[at + 1]);
    if (!read) {
      operands.push({ word, behind });
      hasAnything ||= isAnything(word);
      behind = undefined;
      continue;
    }
    for (const flag of read.flags) flags.push(flag);
    const last = read.flags.at(-1);
    behind = read.next === "perhaps" ? last : undefined;
    if (read.isOpen === true) {
      // The rest of it may contain more flags, or words.
      operands.push({ word: ANYTHING });
      hasAnything = true;
    } else if (read.next === "value") {
      const value = words[++at];
      // An unknown word may expand to nothing: then the next word is the value.
      if (value && isAnything(value)) behind = last;
    }
  }
  return { flags, operands, after: undefined, hasAnything };
}

/** Number of words before the first operand. */
export function leadingFlags(words: readonly Word[], known: FlagSet): number {
  let at = 0;
  for (let word = words[at]; word && !isEnd(word); word = words[at]) {
    const read = readFlags(word, known, words[at + 1]);
    if (!read) break;
    at += read.next === "value" ? 2 : 1;
  }
  return Math.min(at, words.length);
}

interface FlagWord {
  readonly flags: readonly Flag[];
  /** How the next word relates to the last of them. */
  readonly next: Follows;
  /** The word continues, and may contain more flags. */
  readonly isOpen?: boolean;
}

type Follows = "value" | "perhaps" | "other";

/** The flags in a word; undefined for an operand. */
function readFlags(word: Word, known: FlagSet, next: Word | undefined): FlagWord | undefined {
  const { text, open } = word;
  if (isNamed(word, known)) {
    const at = text.indexOf("=") + 1;
    return { flags: [valued(text.slice(0, at), { text: text.slice(at), open })], next: "other" };
  }
  if (!looksLikeFlag(word)) return undefined;
  const isLong = text.startsWith("--");
  if (!isLong && !known.oneDash) return readLetters(text.slice(1), open, known, next);
  const written = text.slice(isLong ? 2 : 1);
  const at = written.indexOf("=");
  if (at >= 0) {
    const value = { text: written.slice(at + 1), open };
    return { flags: [valued(written.slice(0, at), value)], next: "other" };
  }
  const follows = followsOf(known.longs.get(written));
  const value = follows === "other" ? undefined : next;
  const flag = { name: written, long: true, open, value, hasValue: follows === "value" };
  return { flags: [flag], next: follows, isOpen: open };
}

function readLetters(
  letters: string,
  open: boolean,
  known: FlagSet,
  next: Word | undefined,
): FlagWord {
  const flags: Flag[] = [];
  let follows: Follows = "other";
  for (let at = 0; at < letters.length; at++) {
    const name = letters.charAt(at);
    const isLast = at === letters.length - 1;
    const isAssigned = letters[at + 1] === "=";
    follows = followsOf(known.letters.get(name));
    const behind = isLast ? next : { text: letters.slice(at + (isAssigned ? 2 : 1)), open };
    const value = follows === "other" ? undefined : behind;
    flags.push({ name, long: false, open: false, value, hasValue: follows === "value" });
    // An unknown rest may be empty: then this is no value yet.
    if (follows === "value" && !(isLast && open))
      return { flags, next: isLast ? "value" : "other" };
    if (isAssigned) return { flags, next: "other" };
  }
  return { flags, next: follows, isOpen: open };
}

/** An unknown flag may take a value or not. */
function followsOf(flag: { readonly takesValue: boolean } | undefined): Follows {
  if (!flag) return "perhaps";
  return flag.takesValue ? "value" : "other";
}

function valued(name: string, value: Word): Flag {
  return { name, long: true, open: false, value, hasValue: true };
}

/** A lone `-` is an operand, `--` ends the flags. */
function looksLikeFlag(word: Word): boolean {
  const { text, open } = word;
  return text.startsWith("-") && (text.length > 1 || open) && !isEnd(word);
}

function isNamed({ text }: Word, known: FlagSet): boolean {
  return known.namedOperands && /^[A-Za-z_]\w*=/.test(text);
}

function isEnd({ text, open }: Word): boolean {
  return text === "--" && !open;
}
