import { escapeControl } from "../core/index.ts";

/** Invisible and directional characters, joiners, other line breaks, lone surrogates. */
const UNSEEN = /(?! )[\p{Cf}\p{Co}\p{Cs}\p{Z}]/gu;

/** Escape untrusted text: it cannot control the terminal, break the line, or make the line look like another. */
export function escapeUntrusted(text: string): string {
  return escapeControl(text)
    .replaceAll("\t", "\\t")
    .replaceAll(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
