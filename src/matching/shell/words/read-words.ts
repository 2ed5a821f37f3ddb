import { splitText } from "./expand-word.ts";

/** The words of a line that `read -a` reads. */
export function readWords(line: string, ifs: string): readonly string[] {
  return splitText(line, ifs).pieces;
}

/**
 * What `read` assigns to this number of variables: words, and to the last one the rest of the line.
 * @param count 0 for `REPLY`, which gets the whole line
 */
export function readValues(line: string, ifs: string, count: number): readonly string[] {
  if (count === 0) return [line];
  const values: string[] = [];
  const isSpace = (char: string): boolean => ifs.includes(char) && " \t\n".includes(char);
  const trimmed = (text: string): string => {
    let [begin, end] = [0, text.length];
    while (begin < end && isSpace(text.charAt(begin))) begin++;
    while (end > begin && isSpace(text.charAt(end - 1))) end--;
    return text.slice(begin, end);
  };
  let rest = trimmed(line);
  while (values.length < count - 1) {
    let end = 0;
    while (end < rest.length && !ifs.includes(rest.charAt(end))) end++;
    values.push(rest.slice(0, end));
    // Blanks around another separator belong to it.
    const after = trimmed(rest.slice(end));
    const hasOther = after !== "" && ifs.includes(after.charAt(0));
    rest = hasOther ? trimmed(after.slice(1)) : after;
  }
  // A separator at the end of the last word belongs to it only if there are others.
  const { pieces, closes } = splitText(rest, ifs);
  return [...values, pieces.length === 1 && closes ? (pieces[0] ?? "") : rest];
}
