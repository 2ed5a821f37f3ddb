import { MASK } from "../../core/mask.ts";
import type { Spans } from "./spans.ts";

const WORD = "BEGIN ";
const BEGIN = "-----BEGIN";
const END = "-----END";
const HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** A shorter word than this is no line of a key, but may be the rest of one. */
const LEAST_LINE = 30;

/** Finds what stands in the blocks of private keys, also where the end of the block is missing. */
export function findPem(text: string, spans: Spans): void {
  // Dashes are common, capitals are not: looked for in this order, most texts are done with much sooner.
  if (!text.includes(WORD)) return;
  const first = text.indexOf(BEGIN);
  if (first < 0) return;
  const header = new RegExp(HEADER, "y");
  let end = 0;
  for (let at = first; at >= 0;) {
    header.lastIndex = at;
    const next = text.indexOf(BEGIN, at + BEGIN.length);
    if (header.test(text)) {
      const from = header.lastIndex;
      // Looked for once, however many blocks lack one.
      if (end >= 0 && end < from) end = text.indexOf(END, from);
      const isWhole = end >= 0 && (next < 0 || end < next);
      const to = isWhole ? end : cutEnd(text, from);
      if (text.slice(from, from + MASK.length) !== MASK || to > from + MASK.length) {
        spans.add(from, to);
      }
    }
    at = next;
  }
}

/** Where the lines of a key end that was cut: at the first word that is none, a shorter one still counted. */
function cutEnd(text: string, from: number): number {
  const gap = /(?:\s|\\{1,8}[nrt]){0,200}/y;
  const word = /[A-Za-z0-9+/=]*/y;
  let at = from;
  for (;;) {
    gap.lastIndex = at;
    gap.test(text);
    word.lastIndex = gap.lastIndex;
    word.test(text);
    const length = word.lastIndex - gap.lastIndex;
    if (length === 0) return at;
    at = word.lastIndex;
    if (length < LEAST_LINE) return at;
  }
}
