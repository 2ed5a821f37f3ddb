import { escapedChar } from "../../core/index.ts";

/** Needs no quotes, neither for a shell nor for a reader. */
const PLAIN = /^[\p{L}\p{N}\p{M}_@%+=:,./~-]+$/u;
/** Invisible characters, those that move others or break a line, and halves of surrogate pairs. */
const UNSEEN = /(?! )[\p{C}\p{Z}]/gu;

/**
 * A path in a message, or in a command that a message suggests: as it is, or quoted. The path of a project is chosen by
 * its author, and can contain the rest of a line or a command.
 */
export function shownPath(path: string): string {
  if (PLAIN.test(path)) return path;
  const seen = path.replaceAll(UNSEEN, escapedChar);
  return `'${seen.replaceAll("'", "'\\''")}'`;
}
