/** Where words begin in texts that have escape sequences. */

/**
 * Number of characters from an index on that belong to an escape sequence begun just before it. Escaped line breaks or
 * quotes in JSON and URLs contain letters that are not part of a word: `\n`, `%3D`,
 * `\u0022`.
 */
export function escapedAt(text: string, at: number): number {
  const before = text[at - 1];
  if (before === "\\") {
    if (/^u[0-9A-Fa-f]{4}/.test(text.slice(at, at + 5))) return 5;
    return "nrtbfv0".includes(text[at] ?? " ") ? 1 : 0;
  }
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(at, at + 2)) ? 2 : 0;
}

/** Whether no preceding character belongs to the same word. */
export function startsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordChar(text.charCodeAt(at - 1))) return true;
  return [1, 2, 5].some((length) => at >= length && escapedAt(text, at - length) === length);
}

/** Whether a UTF-16 code is that of an ASCII letter, a digit or `_`. */
export function isWordChar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f
  );
}
