import { quoteWord } from "../../core/index.ts";
import type { Random } from "./random.ts";

/** A word of a command. */
export interface Word {
  /** What the program gets. */
  readonly text: string;
  /** How the line spells it; default: as plainly as possible. It may also be no word, such as a redirection. */
  readonly shown?: string;
}

/** A command under construction: still words, to which more can be added, or already a script. */
export type Draft = WordsDraft | { readonly kind: "script"; readonly text: string };

export interface WordsDraft {
  readonly kind: "words";
  /** Statements before the command that its words need, such as assignments; each ends with `; ` or a line break. */
  readonly before: string;
  readonly words: readonly Word[];
}

/** One way to write a command otherwise. All that is random is drawn from `random`. */
export interface Rule {
  readonly name: string;
  /**
   * What it changes: the arguments of the command itself (`vary`), the spelling of words (`spell`), the program that
   * starts it (`wrap`), the script around it (`around`), or a program that is given the script (`nest`).
   */
  readonly kind: "vary" | "spell" | "wrap" | "around" | "nest";
  /** @returns undefined if it does not apply to this draft */
  readonly apply: (draft: Draft, random: Random) => Draft | undefined;
}

/** A command that is not changed yet. */
export function plainDraft(argv: readonly string[]): WordsDraft {
  return { kind: "words", before: "", words: argv.map((text) => ({ text })) };
}

/** The draft as a script. */
export function scriptOf(draft: Draft): string {
  if (draft.kind === "script") return draft.text;
  return draft.before + draft.words.map(shownWord).join(" ");
}

export function shownWord({ text, shown }: Word): string {
  return shown ?? quoteWord(text);
}

/** A rule for one word. It draws the word, which must not be spelled yet. */
export function spell(
  name: string,
  change: (
    text: string,
    random: Random,
  ) => { readonly shown: string; readonly before?: string } | string | undefined,
): Rule {
  return {
    name,
    kind: "spell",
    apply: (draft, random) => {
      if (draft.kind !== "words") return undefined;
      const free = draft.words.flatMap(({ shown }, at) => (shown === undefined ? [at] : []));
      if (free.length === 0) return undefined;
      const at = random.pick(free);
      const changed = change(draft.words[at]?.text ?? "", random);
      if (changed === undefined) return undefined;
      const { shown, before = "" } = typeof changed === "string" ? { shown: changed } : changed;
      const words = draft.words.map((word, i) => (i === at ? { ...word, shown } : word));
      return { ...draft, words, before: before + draft.before };
    },
  };
}

/** A rule for all words together; for a draft with unspelled words only. */
export function spellAll(
  name: string,
  change: (
    words: readonly string[],
    random: Random,
  ) => { readonly shown: string; readonly before?: string } | undefined,
): Rule {
  return {
    name,
    kind: "spell",
    apply: (draft, random) => {
      if (draft.kind !== "words" || draft.words.some(({ shown }) => shown !== undefined))
        return undefined;
      const texts = draft.words.map(({ text }) => text);
      const changed = change(texts, random);
      if (!changed) return undefined;
      const word = { text: texts.join(" "), shown: changed.shown };
      return { ...draft, words: [word], before: (changed.before ?? "") + draft.before };
    },
  };
}

/** A rule that starts the command by another program: the words before it, and after it. */
export function wrap(
  name: string,
  head: readonly string[],
  tail: readonly string[] = [],
  before = "",
): Rule {
  const words = (texts: readonly string[]): Word[] => texts.map((text) => ({ text }));
  return {
    name,
    kind: "wrap",
    apply: (draft) =>
      draft.kind === "words"
        ? {
            ...draft,
            before: draft.before + before,
            words: [...words(head), ...draft.words, ...words(tail)],
          }
        : undefined,
  };
}

/** A rule that writes a script around the script. */
export function around(name: string, write: (script: string, random: Random) => string): Rule {
  return {
    name,
    kind: "around",
    apply: (draft, random) => ({ kind: "script", text: write(scriptOf(draft), random) }),
  };
}

/** A rule that gives the script to a program as one of its words. */
export function nest(name: string, write: (script: string) => readonly string[]): Rule {
  return {
    name,
    kind: "nest",
    apply: (draft) => plainDraft(write(scriptOf(draft))),
  };
}
