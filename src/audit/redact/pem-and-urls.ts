import { MASK } from "../../core/json.ts";
import { isReference } from "./false-positives.ts";
import type { Spans } from "./tokens.ts";

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

const SCHEME_END = "://";
/** A password with a `/` in it is against the rules and common: so far its `@` is looked for, in characters. */
const MAX_UNRULY = 256;

/** Finds the passwords in URLs: `scheme://user:password@host`. */
export function findUrlPasswords(text: string, spans: Spans): void {
  const authority = /[^\s/?#"'`<>\\]*/y;
  for (let at = text.indexOf(SCHEME_END); at >= 0;) {
    const from = at + SCHEME_END.length;
    authority.lastIndex = from;
    const found = authority.exec(text)?.[0] ?? "";
    const end = from + found.length;
    const password = passwordIn(text, from, end);
    if (password) spans.add(password.from, password.to);
    at = text.indexOf(SCHEME_END, Math.max(from, password?.to ?? end));
  }
}

function passwordIn(
  text: string,
  from: number,
  end: number,
): { from: number; to: number } | undefined {
  const authority = text.slice(from, end);
  // In brackets, it is a part of an address.
  const colon = authority.startsWith("[") ? -1 : authority.indexOf(":");
  let at = authority.lastIndexOf("@");
  // On the web, a path may have an `@`; where a database is, a password that nobody encoded is likelier.
  const isWeb = /^https?$/i.test(
    text.slice(Math.max(0, from - 8), from - 3).replace(/^.*[^a-z]/i, ""),
  );
  const port = authority.slice(colon + 1, colon + 8);
  if (colon >= 0 && (at < 0 ? !/^\d{0,5}$/.test(port) : !isWeb)) {
    const unruly = /^[^\s"'`<>\\]*/.exec(text.slice(from, end + MAX_UNRULY))?.[0] ?? "";
    at = unruly.lastIndexOf("@");
  }
  if (at < 0) return undefined;
  const password = { from: from + (colon >= 0 && colon < at ? colon + 1 : 0), to: from + at };
  const written = text.slice(password.from, password.to);
  if (written === "" || isReference(written)) return undefined;
  // Alone it is the name of a user, or a token in the place of one.
  if (password.from === from && !(written.length >= 20 && /[0-9]/.test(written))) return undefined;
  return password;
}
