/** What needs no quotes, neither for a shell nor for an eye. */
const PLAIN = /^[\p{L}\p{N}\p{M}_@%+=:,./~-]+$/u;
/** What cannot be seen, moves what is, or breaks a line; halves of characters. */
const UNSEEN = /(?! )[\p{C}\p{Z}]/gu;

/**
 * A path in a message, or in a command that a message proposes: as it is, or in quotes. A path of a project may hold
 * whatever its author likes, the rest of a line or a command among it.
 */
export function shownPath(path: string): string {
  if (PLAIN.test(path)) return path;
  const seen = path.replaceAll(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return `'${seen.replaceAll("'", "'\\''")}'`;
}
