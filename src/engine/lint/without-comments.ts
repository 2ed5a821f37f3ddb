import { Lexer, NotParsed } from "./lexer.ts";

const LINE_ENDS = /\r\n|\n\r|\r|\n/;
/** Whoever passes the code on has to pass these on, too. */
const NOTICE = /copyright|licen[cs]e|spdx-/i;

/**
 * The same code without its comments, except notices of copyright and licences. Every token stays in its line and
 * column, so messages about the code name the same places. A text that is not Lua stays as it is.
 */
export function withoutComments(text: string): string {
  const lexer = new Lexer(text);
  const parts: string[] = [];
  let at = 0;
  try {
    for (;;) {
      const { type, start, end } = lexer.next();
      const isEnd = type === "end of file";
      parts.push(blanksOf(text.slice(at, start), isEnd), text.slice(start, end));
      if (isEnd) return parts.join("");
      at = end;
    }
  } catch (thrown) {
    if (thrown instanceof NotParsed) return text;
    throw thrown;
  }
}

/** @param between blanks and comments between two tokens, or before the end */
function blanksOf(between: string, isBeforeEnd: boolean): string {
  if (!between.includes("--") || NOTICE.test(between)) return between;
  const lines = between.split(LINE_ENDS);
  // The next token keeps its column. One kind of line end: "\r" and "\n" that meet would become one.
  const last = isBeforeEnd ? "" : (lines.at(-1) ?? "").replace(/[^\t]/g, " ");
  return "\n".repeat(lines.length - 1) + last;
}
