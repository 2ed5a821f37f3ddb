import { quoteWord, quoteWords, wordSet } from "../../core/index.ts";
import type { ShellSpan } from "../../core/index.ts";

/** A word of a line, and the words that replace it, which are quoted as needed. */
export interface WordEdit {
  readonly span: ShellSpan;
  readonly words: readonly string[];
}

/**
 * Replace words of a command line: everything else stays as it is, so a rewrite cannot change what only looks like a
 * command, as in `echo "npm install"`. Two equal edits are one: a loop runs the same words several times.
 * @param edits with spans of `shell(line, cwd, { spans: true })`
 * @throws RangeError for a span outside the line, for two that overlap, and for a word that the line cannot contain
 */
export function replaceWords(line: string, edits: readonly WordEdit[]): string {
  const sorted = edits.toSorted((a, b) => a.span.begin - b.span.begin || a.span.end - b.span.end);
  const isNested = line.includes("`");
  let text = "";
  let at = 0;
  let last: WordEdit | undefined;
  for (const edit of sorted) {
    const { span, words } = edit;
    const { begin, end } = span;
    const isValid = Number.isInteger(begin) && Number.isInteger(end);
    if (!isValid || begin < 0 || begin >= end || end > line.length) {
      throw new RangeError(`the span from ${begin} to ${end} is not one of the line`);
    }
    if (last && begin < last.span.end) {
      if (isSame(edit, last)) continue;
      throw new RangeError(`two edits overlap: at ${last.span.begin} and at ${begin}`);
    }
    // Within backticks, these characters have a meaning even in quotes.
    const bad = words.find((word) => word.includes("\0") || (isNested && /[\\`$"]/.test(word)));
    if (bad !== undefined) {
      throw new RangeError(`the line cannot contain the word ${JSON.stringify(bad)}`);
    }
    text += line.slice(at, begin) + words.map(quoted).join(" ");
    at = end;
    last = edit;
  }
  return text + line.slice(at);
}

/** As the shell reads it back, wherever it stands: an assignment or a keyword would not be a word. */
function quoted(word: string): string {
  const isSpecial = /^[A-Za-z_]\w*\+?=/.test(word) || KEYWORDS.has(word);
  return isSpecial ? quoteWords([word]) : quoteWord(word);
}

const KEYWORDS = wordSet(
  "case coproc do done elif else esac fi for function if in select then time until while",
);

function isSame(a: WordEdit, b: WordEdit): boolean {
  const isSamePlace = a.span.begin === b.span.begin && a.span.end === b.span.end;
  return isSamePlace && a.words.join("\0") === b.words.join("\0");
}
