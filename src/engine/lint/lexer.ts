/** A token: `type` is the keyword or symbol itself, or one of these four. */
export interface Token {
  readonly type: "name" | "number" | "string" | "end of file" | (string & {});
  /** The name, the numeral as written, or the value of a string. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "and break do else elseif end false for function goto if in local nil not or repeat return then true " +
    "until while"
  ).split(" "),
);

const BLANKS = /[ \t\v\f\r\n]+/y;
const COMMENT_LINE = /--[^\r\n]*/y;
const NAME = /[A-Za-z_]\w*/y;
/** Greedy, as in Lua's own lexer: `3x` and `1..2` are malformed numbers, not two tokens. */
const NUMBER = /0[xX](?:[pP][+-]?|[\da-fA-F.])*|\.?\d(?:[eE][+-]?|[\da-fA-F.])*/y;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?$/;
const LONG_OPENING = /\[(=*)\[(?:\r\n|\n\r|\n|\r)?/y;
const SYMBOL = /\.\.\.|\.\.|[=~<>]=|<<|>>|\/\/|::|[-+*/%^#&~|<>=(){}[\];:,.]/y;

/** Returns the tokens of a text one by one, in linear time. @throws NotParsed */
export class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    this.#skip();
    const start = this.#at;
    const char = this.#text[start];
    if (char === undefined) return { type: "end of file", text: "", start, end: start };
    const name = this.#take(NAME);
    if (name) return this.#token(KEYWORDS.has(name) ? name : "name", name, start);
    const quote = this.#take(QUOTE);
    if (quote) return this.#token("string", this.#quoted(quote), start);
    if (char === "[") {
      const long = this.#longBracket();
      if (long !== undefined) return this.#token("string", long, start);
    }
    const number = this.#take(NUMBER);
    if (number) {
      const isNumber = DECIMAL.test(number) || HEXADECIMAL.test(number);
      if (!isNumber || this.#take(NAME)) throw new NotParsed();
      return this.#token("number", number, start);
    }
    const symbol = this.#take(SYMBOL);
    if (!symbol) throw new NotParsed();
    return this.#token(symbol, symbol, start);
  }

  #token(type: Token["type"], text: string, start: number): Token {
    return { type, text, start, end: this.#at };
  }

  /** Skip blanks and comments. */
  #skip(): void {
    for (;;) {
      this.#take(BLANKS);
      if (!this.#text.startsWith("--", this.#at)) return;
      this.#at += 2;
      if (this.#text[this.#at] === "[" && this.#longBracket() !== undefined) continue;
      this.#at -= 2;
      // Without a valid long bracket it is a comment of one line.
      this.#take(COMMENT_LINE);
    }
  }

  /** The content of a `[[…]]` that begins here; undefined if none does. */
  #longBracket(): string | undefined {
    LONG_OPENING.lastIndex = this.#at;
    const opening = LONG_OPENING.exec(this.#text);
    if (!opening) return undefined;
    const closing = `]${opening[1]}]`;
    const from = this.#at + opening[0].length;
    const to = this.#text.indexOf(closing, from);
    if (to < 0) throw new NotParsed();
    this.#at = to + closing.length;
    return this.#text.slice(from, to);
  }

  /** What follows a quote, up to the same quote. */
  #quoted(quote: string): string {
    const parts: string[] = [];
    for (;;) {
      parts.push(this.#take(PLAIN) ?? "");
      const other = this.#take(QUOTE);
      if (other === quote) return parts.join("");
      parts.push(other ?? this.#escaped());
    }
  }

  /** The text of the escape that begins here. */
  #escaped(): string {
    ESCAPE.lastIndex = this.#at;
    const found = ESCAPE.exec(this.#text);
    if (!found) throw new NotParsed();
    this.#at = ESCAPE.lastIndex;
    const [, simple = "", decimal, hex, unicode, line] = found;
    if (unicode !== undefined) return codePoint(Number.parseInt(unicode, 16));
    if (decimal === undefined && hex === undefined) return line ? "\n" : (SIMPLE[simple] ?? "");
    const byte = Number.parseInt(decimal ?? hex ?? "", decimal === undefined ? 16 : 10);
    if (byte > 255) throw new NotParsed();
    return String.fromCharCode(byte);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const QUOTE = /["']/y;
const PLAIN = /[^\\\r\n"']*/y;
/** One with a letter or sign, a number of a byte in either base, a code point; skipped blanks; the end of a line. */
const ESCAPE =
  /\\(?:([abfnrtv\\"'])|(\d{1,3})|x([\da-fA-F]{2})|u\{(0*[\da-fA-F]{1,8})\}|z[ \t\v\f\r\n]*|(\r\n?|\n\r?))/y;
const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Lua's UTF-8 reaches to 2^31; values beyond Unicode become the replacement character. */
function codePoint(code: number): string {
  if (code >= 2 ** 31) throw new NotParsed();
  return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
}

/** Thrown for a text that is not Lua, or nested too deeply. The VM reports the error. */
export class NotParsed extends Error {}

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
