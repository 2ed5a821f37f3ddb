import { MASK } from "../../core/json.ts";
import type { TokenKind } from "./token-kinds.ts";
import { TOKEN_KINDS } from "./token-kinds.ts";

/** Finds the kinds of `TOKEN_KINDS` in texts. What is none is known after a bounded number of characters. */
export class TokenFinder {
  readonly #beginnings: RegExp;
  readonly #kinds = new Map<string, CompiledKind[]>();

  constructor() {
    for (const kind of TOKEN_KINDS) {
      const { begins, chars, least } = kind;
      const compiled = {
        kind,
        // A digit far in makes no key of a long word.
        head: new RegExp(`${chars}{${least},${Math.max(least, 200)}}`, "y"),
        all: new RegExp(`${chars}*`, "y"),
      };
      for (const begin of begins) {
        this.#kinds.set(begin, [...(this.#kinds.get(begin) ?? []), compiled]);
      }
    }
    // Backwards, so that `sk-ant-` is not taken for `sk-`; in order, as the engine then looks at what they share once.
    const begins = [...this.#kinds.keys()].sort().toReversed();
    const source = begins.map((begin) => begin.replaceAll(/[.?+]/g, "\\$&")).join("|");
    this.#beginnings = new RegExp(source, "g");
  }

  find(text: string, spans: Spans): void {
    const beginnings = this.#beginnings;
    beginnings.lastIndex = 0;
    for (let hit = beginnings.exec(text); hit; hit = beginnings.exec(text)) {
      const [begin] = hit;
      beginnings.lastIndex = hit.index + 1;
      for (const { kind, head, all } of this.#kinds.get(begin) ?? []) {
        if (kind.anywhere !== true && !startsWord(text, hit.index)) continue;
        const from = hit.index + begin.length;
        head.lastIndex = from;
        const found = head.exec(text)?.[0];
        if (found === undefined || (kind.digit === true && !/[0-9]/.test(found))) continue;
        all.lastIndex = from;
        all.test(text);
        spans.add(kind.keeps === true ? from : hit.index, all.lastIndex);
        beginnings.lastIndex = all.lastIndex;
        break;
      }
    }
  }
}

interface CompiledKind {
  readonly kind: TokenKind;
  readonly head: RegExp;
  readonly all: RegExp;
}

/**
 * How many characters from an index on belong to an escape that began just before it: what stands for a line's end
 * or a quote within JSON or a URL is made of letters, and is no part of a word: `\n`, `%3D`, `\u0022`.
 */
export function escapedAt(text: string, at: number): number {
  const before = text[at - 1];
  if (before === "\\") {
    if (/^u[0-9A-Fa-f]{4}/.test(text.slice(at, at + 5))) return 5;
    return "nrtbfv0".includes(text[at] ?? " ") ? 1 : 0;
  }
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(at, at + 2)) ? 2 : 0;
}

/** Whether nothing before an index belongs to the same word. */
function startsWord(text: string, at: number): boolean {
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

/** How the JSON of a header begins in Base64: `{"`. */
const BEGIN = "eyJ";
/** Least characters of a header, of the claims. */
const LEAST = [10, 2] as const;
/** An encrypted one has five parts. */
const MOST_PARTS = 5;

/** Finds JSON Web Tokens. Only the beginning of a part can be one of a token: each part is read five times at most. */
export function findJwts(text: string, spans: Spans): void {
  const part = /[A-Za-z0-9_-]*/y;
  for (let at = text.indexOf(BEGIN); at >= 0;) {
    const end = text[at - 1] !== "-" && startsWord(text, at) ? jwtEnd(text, at, part) : undefined;
    if (end !== undefined) spans.add(at, end);
    at = text.indexOf(BEGIN, end ?? at + BEGIN.length);
  }
}

function jwtEnd(text: string, from: number, part: RegExp): number | undefined {
  let at = from;
  for (let n = 0; n < MOST_PARTS; n++) {
    part.lastIndex = at;
    part.test(text);
    const end = part.lastIndex;
    if (end - at < (LEAST[n] ?? 0)) return undefined;
    const ends = text[end] !== ".";
    if (ends) return n === 0 ? undefined : end;
    at = end + 1;
  }
  return at - 1;
}

/** Parts of a text that are secrets, in the order of their finding. */
export class Spans {
  readonly #found: { from: number; to: number }[] = [];

  add(from: number, to: number): void {
    if (to > from) this.#found.push({ from, to });
  }

  /** The text with these parts masked; those that touch are one. The same text where there is nothing to do. */
  maskedIn(text: string): string {
    if (this.#found.length === 0) return text;
    const sorted = this.#found.sort((a, b) => a.from - b.from);
    let masked = "";
    let done = 0;
    let from = 0;
    let to = -1;
    const flush = (): void => {
      if (to < 0) return;
      masked += text.slice(done, from) + MASK;
      done = to;
    };
    for (const span of sorted) {
      if (span.from > to) {
        flush();
        ({ from, to } = span);
      } else to = Math.max(to, span.to);
    }
    flush();
    return masked + text.slice(done);
  }
}
