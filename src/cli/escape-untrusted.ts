import { escapeControl } from "../core/text.ts";

/** What is not seen, or moves what is: direction marks, joiners, other line breaks, halves of characters. */
const UNSEEN = /(?! )[\p{Cf}\p{Co}\p{Cs}\p{Z}]/gu;

/**
 * A text of somebody who is not trusted, as what it is: nothing of it steers the terminal, breaks the line, or makes
 * it look like another.
 */
export function escapeUntrusted(text: string): string {
  return escapeControl(text)
    .replaceAll("\t", "\\t")
    .replaceAll(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
