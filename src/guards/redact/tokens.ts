import { MASK } from "../../core/index.ts";
import { isReference } from "./false-positives.ts";
import { headWith, Prefixes } from "./prefixes.ts";
import { randomWord } from "./random-words.ts";
import type { TokenForm, TokenKind } from "./token-kinds.ts";
import { tokenForms, tokenKinds } from "./token-kinds.ts";
import { startsWord } from "./extents.ts";

/**
 * Finds the kinds of `tokenKinds` and `tokenForms`, and words that look random. All of them are long runs of a few
 * characters, so only these are searched. A bounded number of characters decides that a text is not a token.
 */
export class TokenFinder {
  readonly #prefixes = new Prefixes(tokenKinds());
  readonly #kinds = new Map<string, CompiledKind[]>();
  /** Kinds whose prefix ends with a space, which ends a run. */
  readonly #spaced: readonly string[];
  readonly #forms = formsOf(tokenForms().filter(({ has }) => has === undefined));
  readonly #leastForm = Math.min(...tokenForms().map(({ least }) => least));
  /** By a part of them: these begin like any other word. */
  readonly #rare = tokenForms().flatMap((form) =>
    form.has === undefined ? [] : [{ has: form.has, form: formsOf([form]) }],
  );

  constructor() {
    for (const kind of tokenKinds()) {
      const { begins, chars, least } = kind;
      const compiled = {
        kind,
        // A digit far into a long word does not make it a key.
        head: new RegExp(`${chars}{${least},${Math.max(least, 200)}}`, "y"),
        all: new RegExp(`${chars}*`, "y"),
      };
      for (const begin of begins) {
        this.#kinds.set(begin, [...(this.#kinds.get(begin) ?? []), compiled]);
      }
    }
    this.#spaced = [...this.#kinds.keys()].filter((begin) => begin.endsWith(" "));
  }

  find(text: string, spans: Spans): void {
    for (let run = nextRun(text, 0); run; run = nextRun(text, run.to + 1)) {
      const { from, to } = run;
      let found = this.#findBehindSpace(text, from, spans);
      if (this.#findPrefixed(text, run, spans)) found = true;
      // What no prefix tells has digits.
      if (!hasDigit(text, from, to)) continue;
      if (to - from >= this.#leastForm && this.#findForm(text, run, spans)) found = true;
      const random = found ? undefined : randomWord(text, run);
      if (random) spans.add(random.from, random.to);
    }
  }

  #findBehindSpace(text: string, from: number, spans: Spans): boolean {
    if (from === 0 || text[from - 1] !== " ") return false;
    const spaced = this.#spaced.find((begin) => text.endsWith(begin, from));
    return spaced !== undefined && this.#mark(text, from - spaced.length, spaced, spans) > 0;
  }

  #findPrefixed(text: string, { from, to }: Run, spans: Spans): boolean {
    const prefixes = this.#prefixes;
    let found = false;
    let head = 0;
    let next = from + 2;
    for (let at = from; at < to; at++) {
      head = headWith(head, text.charCodeAt(at));
      if (at < next || !prefixes.mayBegin(head, text, at - 2)) continue;
      const prefix = prefixes.at(text, head, at - 2, to);
      const end = prefix === undefined ? 0 : this.#mark(text, at - 2, prefix, spans);
      if (end === 0) continue;
      found = true;
      next = end + 2;
    }
    return found;
  }

  #findForm(text: string, { from, to }: Run, spans: Spans): boolean {
    const word = text.slice(from, to);
    const form =
      this.#forms.exec(word) ??
      this.#rare.find((rare) => word.includes(rare.has) && rare.form.test(word))?.form.exec(word);
    if (!form) return false;
    const [{ length }] = form;
    // A call of a long name has such a form too: `b.ReadUint16LengthPrefixed(`.
    if (form.index + length === to - from && text[to] === "(") return false;
    spans.add(from + form.index, from + form.index + length);
    return true;
  }

  /** @returns the end of the token of a kind that begins so, or 0 */
  #mark(text: string, index: number, begin: string, spans: Spans): number {
    for (const { kind, head, all } of this.#kinds.get(begin) ?? []) {
      if (!kind.anywhere && !(startsWord(text, index) && !isInData(text, index, begin))) continue;
      const from = index + begin.length;
      head.lastIndex = from;
      const found = head.exec(text)?.[0];
      if (found === undefined || (kind.digit && !/[0-9]/.test(found))) continue;
      if (isPlaceholder(found)) continue;
      all.lastIndex = from;
      all.test(text);
      const end =
        all.lastIndex +
        (ESCAPED_TAIL.exec(text.slice(all.lastIndex, all.lastIndex + MAX_TAIL))?.[0].length ?? 0);
      spans.add(kind.keeps ? from : index, end);
      return end;
    }
    return 0;
  }
}

/** What follows an escaped `=` in a URL, a file of properties or JSON. */
const ESCAPED_TAIL = /^(?:\\=|%3[dD]|\\{1,4}u003[dD])[A-Za-z0-9_-]{0,40}/;
const MAX_TAIL = 50;

function formsOf(forms: readonly TokenForm[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${forms.map(({ form }) => form).join("|")})`);
}

function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) return true;
  }
  return false;
}

/** Data in Base64 has every sequence of letters somewhere. */
function isInData(text: string, index: number, begin: string): boolean {
  if (!/[+/]/.test(text[index - 1] ?? " ") || /[^A-Za-z0-9]/.test(begin)) return false;
  return /^[A-Za-z0-9+/]{100}$/.test(text.slice(Math.max(0, index - 100), index));
}

/** `ghp_xxxx…` and the key of AWS's documentation, as in texts that show what a token looks like. */
function isPlaceholder(body: string): boolean {
  return /^(.)\1+$|[xX]{8}|EXAMPLE$/.test(body);
}

/** A longest part of a text that consists of characters of tokens. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** A shorter run is no token. */
const LEAST_RUN = 15;
/** By UTF-16 codes: an index outside of a table is slow. */
const RUN_CHARS = new Uint8Array(1 << 16);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/=%:|@$") {
  RUN_CHARS[char.charCodeAt(0)] = 1;
}

/**
 * The next run of at least `LEAST_RUN` characters. Looks at every `LEAST_RUN`th character only, where there is none.
 */
function nextRun(text: string, start: number): Run | undefined {
  let from = start;
  for (let at = from + LEAST_RUN - 1; at < text.length; at = from + LEAST_RUN - 1) {
    let before = at;
    while (before >= from && RUN_CHARS[text.charCodeAt(before)] === 1) before--;
    if (before >= from) {
      from = before + 1;
      continue;
    }
    let to = at + 1;
    while (to < text.length && RUN_CHARS[text.charCodeAt(to)] === 1) to++;
    return { from, to };
  }
  return undefined;
}

interface CompiledKind {
  readonly kind: TokenKind;
  readonly head: RegExp;
  readonly all: RegExp;
}

/** The beginning of a JSON header in Base64: `{"`. */
const BEGIN = "eyJ";
/** Minimum length of the header, and of the claims. */
const LEAST = [10, 2] as const;
/** An encrypted token has five parts. */
const MOST_PARTS = 5;

/** Finds JSON Web Tokens. Only the beginning of a part can begin a token, so each part is read at most five times. */
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

/** The secret parts of a text, in the order in which they were found. */
export class Spans {
  readonly #found: { from: number; to: number }[] = [];

  add(from: number, to: number): void {
    if (to > from) this.#found.push({ from, to });
  }

  /** Add the parts of a text that was made from this one: `at` tells where its characters are here. */
  addAll(others: Spans, at: (index: number) => number): void {
    for (const { from, to } of others.#found) this.add(at(from), at(to - 1) + 1);
  }

  /** The text with these parts masked; adjacent parts become one mask. Returns the same text when there are none. */
  maskedIn(text: string): string {
    if (this.#found.length === 0) return text;
    let masked = "";
    let end = -1;
    for (const { from, to } of this.#found.sort((a, b) => a.from - b.from)) {
      if (from > end) masked += text.slice(Math.max(0, end), from) + MASK;
      end = Math.max(end, to);
    }
    return masked + text.slice(end);
  }
}

const PEM_WORD = "BEGIN ";
const PEM_BEGIN = "-----BEGIN";
const END = "-----END";
const HEADER =
  /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN (?:Static key V\d|tls-crypt-v2 (?:client|server) key))-----/;
/** A line of a key, without which there is only a placeholder; it may have headers before it. */
const KEY_LINE = /[A-Za-z0-9+/]{16}/;
const MAX_BEFORE_KEY = 2_000;
/** A shorter word is not a line of a key, but may be the end of one. */
const LEAST_LINE = 30;

/** Finds the content of private key blocks, also when the end of the block is missing. */
export function findPem(text: string, spans: Spans): void {
  // Dashes are common, capitals are not: in this order, most texts are finished much sooner.
  if (!text.includes(PEM_WORD)) return;
  const first = text.indexOf(PEM_BEGIN);
  if (first < 0) return;
  const header = new RegExp(HEADER, "y");
  let end = 0;
  for (let at = first; at >= 0;) {
    header.lastIndex = at;
    const next = text.indexOf(PEM_BEGIN, at + PEM_BEGIN.length);
    if (header.test(text)) {
      const from = header.lastIndex;
      // Searched once, however many blocks have no end.
      if (end >= 0 && end < from) end = text.indexOf(END, from);
      const isWhole = end >= 0 && (next < 0 || end < next);
      const to = isWhole ? end : cutEnd(text, from);
      const isMasked = text.slice(from, from + MASK.length) === MASK && to <= from + MASK.length;
      if (!isMasked && KEY_LINE.test(text.slice(from, Math.min(to, from + MAX_BEFORE_KEY))))
        spans.add(from, to);
    }
    at = next;
  }
}

/** How a private key begins in DER, in Base64: an integer 0 or 1 as its version; and the name of OpenSSH's format. */
const DER =
  /(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK|AJ|DAN|DAL)|MI[GH][A-Za-z0-9+/]AgEAM|MHcCAQEE|MC4CAQAw|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{16}/g;

/** Finds private keys without their block. */
export function findDer(text: string, spans: Spans): void {
  for (const { index } of text.matchAll(DER)) {
    if (!/[A-Za-z0-9+/]/.test(text[index - 1] ?? " ")) spans.add(index, cutEnd(text, index));
  }
}

const PUTTY_WORD = "Private-Lines: ";
const PUTTY = /Private-Lines: \d{1,4}\s{1,4}([A-Za-z0-9+/=\r\n]{16,})/g;

/** Finds the private part of key files of PuTTY. */
export function findPutty(text: string, spans: Spans): void {
  if (!text.includes(PUTTY_WORD)) return;
  for (const { 0: all, 1: key = "", index } of text.matchAll(PUTTY)) {
    // The next line begins with its name.
    const lines = key.slice(0, key.lastIndexOf("\n") + 1) || key;
    const from = index + all.length - key.length;
    spans.add(from, from + lines.trimEnd().length);
  }
}

/** What follows the last line of a key; after a word of a sentence, another word follows. */
const LINE_END = /[\r\n\\"'`,;)}\]<]|$/y;

/**
 * The end of the lines of a truncated key: at the first word that is not part of it; a shorter last line still counts.
 */
function cutEnd(text: string, from: number): number {
  const gap = /(?:\s|\\{1,8}[nrt]){0,200}/y;
  const word = /[A-Za-z0-9+/=]*/y;
  const lineEnd = new RegExp(LINE_END);
  let at = from;
  for (;;) {
    gap.lastIndex = at;
    gap.test(text);
    word.lastIndex = gap.lastIndex;
    word.test(text);
    const length = word.lastIndex - gap.lastIndex;
    if (length === 0) return at;
    if (length < LEAST_LINE) {
      lineEnd.lastIndex = word.lastIndex;
      return lineEnd.test(text) ? word.lastIndex : at;
    }
    at = word.lastIndex;
  }
}

const SCHEME_END = "://";
/** A password with a `/` is invalid but common; its `@` is searched up to this many characters. */
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

/** What is written in the place of a password: `user:pass@host`. */
const STAND_IN = /^(?:your|my|db|auth|user)?[-_]?(?:pass|password|passwd|pwd|pw|token)$/i;

function passwordIn(
  text: string,
  from: number,
  end: number,
): { from: number; to: number } | undefined {
  const authority = text.slice(from, end);
  // In brackets, a colon is part of an address.
  const colon = authority.startsWith("[") ? -1 : authority.indexOf(":");
  let at = authority.lastIndexOf("@");
  // On the web, a path can contain `@`; in the URL of a database, an unencoded password is more likely.
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
  if (written === "" || isReference(written) || STAND_IN.test(written)) return undefined;
  // Alone it is a user name, or a token in its place.
  if (password.from === from && !(written.length >= 20 && /[0-9]/.test(written))) return undefined;
  return password;
}
