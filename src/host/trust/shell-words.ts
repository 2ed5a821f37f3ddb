/** A piece of a shell's word: in single quotes, in double quotes, after a backslash, or bare. */
const PIECE = /'([^']*)'|"([^"\\]*(?:\\[^][^"\\]*)*)"|\\([^])|([^\s'"\\;&|<>()`]+)/y;
/** What separates words, as far as files may be named in them, whatever quotes mean. */
const BETWEEN = /[\s'"`;&|<>()=,:@\\]+/;

/**
 * Words of a command that may name files. It is no shell that reads it: what looks like a word by any way of reading
 * it is one, be it in quotes, joined of pieces, behind `=`, or in a command within a command.
 */
export function shellWords(command: string): Set<string> {
  const words = new Set(command.split(BETWEEN));
  for (const word of joined(command)) {
    words.add(word);
    for (const part of word.split(BETWEEN)) words.add(part);
    // `a=b c` in quotes names the file `b c`.
    const [, value] = word.split(/=(.*)/s);
    if (value !== undefined) words.add(value);
  }
  words.delete("");
  return words;
}

/** Its words as a shell joins them of their pieces. */
function joined(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length;) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(command);
    if (found) {
      const [piece, single, double, escaped, bare] = found;
      const text = single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? bare ?? "";
      word = (word ?? "") + text;
      at += piece.length;
    } else {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
