/** Texts, brackets and separators. */
const SIGNS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[()[\]{},;]/g;

/**
 * What is between separators in code that stand in no text and in no brackets: the arguments of a call, the statements
 * of a line. Statements are within braces as well.
 */
export function* parts(code: string, separator: "," | ";"): Generator<string> {
  if (!code.includes(separator)) return yield code;
  const [opens, closes] = separator === "," ? ["([{", ")]}"] : ["([", ")]"];
  let begin = 0;
  let depth = 0;
  for (const { 0: sign, index } of code.matchAll(SIGNS)) {
    if (opens.includes(sign)) depth++;
    else if (closes.includes(sign)) depth--;
    else if (sign === separator && depth <= 0) {
      yield code.slice(begin, index);
      begin = index + 1;
    }
  }
  yield code.slice(begin);
}
