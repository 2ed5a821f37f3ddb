import type { Spans } from "./spans.ts";
import { TOKEN_KINDS } from "./token-kinds.ts";
import type { TokenKind } from "./token-kinds.ts";

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
