/**
 * Split a text into words at its blanks, with quotes and backslashes as `xargs` and `env -S` read them.
 * @returns undefined where readers differ, or a quote does not end
 */
export function splitQuoted(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (/[ \t\n]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1);
      const inside = text.slice(at + 1, end);
      if (end < 0 || /[\\\n]/.test(inside)) return undefined;
      word = (word ?? "") + inside;
      at = end;
    } else if (char === "\\") {
      const next = text.charAt(++at);
      if (next === "" || /[a-z_0\n]/.test(next)) return undefined;
      word = (word ?? "") + next;
    } else word = (word ?? "") + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}
