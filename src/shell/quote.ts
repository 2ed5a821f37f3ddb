/**
 * A command line of these words as they are: whatever they hold, none is a keyword, an assignment, a pattern or an
 * expansion to a shell.
 */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}
