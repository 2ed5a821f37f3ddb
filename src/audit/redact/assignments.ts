import { MASK } from "../../core/json.ts";
import {
  isInnocentBare,
  isInnocentQuoted,
  isReference,
  isWording,
  MAX_INNOCENT,
} from "./false-positives.ts";
import type { KeyNames } from "./key-names.ts";
import { isHeaderName, squeezed } from "./key-names.ts";
import type { Spans } from "./tokens.ts";
import { escapedAt, isWordChar } from "./tokens.ts";

/** A name with what follows it, up to the value. */
interface Assigned {
  readonly name: string;
  /** Offsets of the name and of the value. */
  readonly from: number;
  readonly at: number;
  readonly separator: "=" | ":" | " " | "<" | "flag";
  /** Whether the name is in quotes, as in JSON. */
  readonly isQuoted: boolean;
  /** Whether there is space between them. */
  readonly isApart: boolean;
}

/** Finds values under telltale names within a text: `name=value`, `"name": "value"`, `--name value`. */
export class AssignmentFinder {
  readonly #names: KeyNames;
  readonly #anchor: RegExp;

  constructor(names: KeyNames) {
    this.#names = names;
    this.#anchor = names.anchor;
  }

  /** Each name is read once, and masked values are not read again; values that are not secrets are short. */
  find(text: string, spans: Spans): void {
    const anchor = this.#anchor;
    anchor.lastIndex = 0;
    let done = 0;
    for (let hit = anchor.exec(text); hit; hit = anchor.exec(text)) {
      const from = nameStart(text, hit.index, done);
      const end = nameEnd(text, hit.index + hit[0].length);
      done = end;
      const name = text.slice(from, end);
      if (this.#names.isTelling(name) || this.#names.isTelling(spacedName(text, from, name))) {
        const assigned = assignment(text, from, end);
        if (assigned) done = Math.max(done, mark(text, assigned, spans));
      }
      anchor.lastIndex = done;
    }
  }
}

function nameStart(text: string, index: number, done: number): number {
  let from = index;
  while (from > done && isNameChar(text, from - 1)) from--;
  return Math.min(index, from + escapedAt(text, from));
}

function nameEnd(text: string, index: number): number {
  let end = index;
  // The match may end with characters that are not part of a name.
  while (end > 0 && !isNameChar(text, end - 1)) end--;
  while (isNameChar(text, end)) end++;
  return end;
}

function isNameChar(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isWordChar(code) || code === 0x2d;
}

/** `Key` of `API Key`, together with the preceding word. */
function spacedName(text: string, from: number, name: string): string {
  if (!/^key$/i.test(name) || text[from - 1] !== " ") return name;
  return (/[A-Za-z]+ $/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? "") + name;
}

function assignment(text: string, from: number, end: number): Assigned | undefined {
  const name = text.slice(from, end);
  const quote = quoteAt(text, end);
  const isQuoted = quote !== undefined;
  let at = quote?.end ?? end;
  if (text[at] === "]") at++;
  if (text[at] === ">" && text[from - 1] === "<") return element(name, from, at + 1);
  const separated = spaceEnd(text, at, isQuoted);
  const separator = text[separated];
  if (separator === "=" || separator === ":") {
    const next = text[separated + 1];
    // A comparison, a scope, or a match operator.
    if (next === separator || next === "~") return undefined;
    // `/etc/passwd: not found`.
    if (separator === ":" && text[from - 1] === "/") return undefined;
    const behind = separated + (next === "=" || next === ">" ? 2 : 1);
    if (next === ">" && !quoteAt(text, spaceEnd(text, behind, false))) return undefined;
    const value = spaceEnd(text, behind, isQuoted);
    const isApart = value > behind;
    // `pass: 3` in the output of tests.
    if (isApart && separator === ":" && !isQuoted && /^pass$/i.test(name)) return undefined;
    return { name, from, at: value, separator, isQuoted, isApart };
  }
  if (/^%3[ad]/i.test(text.slice(at, at + 3))) {
    return { name, from, at: at + 3, separator: "=", isQuoted, isApart: false };
  }
  if (separated === at) return undefined;
  if (name.startsWith("-") && !isQuoted && text[separated] !== "-") {
    return { name, from, at: separated, separator: "flag", isQuoted, isApart: false };
  }
  return isSpokenTo(text, from, name, separated)
    ? { name, from, at: separated, separator: " ", isQuoted, isApart: false }
    : undefined;
}

function element(name: string, from: number, at: number): Assigned {
  return { name, from, at, separator: "<", isQuoted: false, isApart: false };
}

/** `PASSWORD 'x'` of SQL, `login x password y` of `.netrc`. */
function isSpokenTo(text: string, from: number, name: string, at: number): boolean {
  if (squeezed(name) !== "password") return false;
  if (text[at] === "'") return true;
  return /(?:^|\s)login\s{1,8}\S{1,64}\s{1,8}$/.test(text.slice(Math.max(0, from - 88), from));
}

/**
 * Mark the value, if it is a secret.
 * @returns the offset up to which the text is finished
 */
function mark(text: string, assigned: Assigned, spans: Spans): number {
  const { name, at, separator } = assigned;
  if (separator === "<") return markElement(text, at, name, spans);
  if (isHeaderName(name)) return headerSecret(text, at, spans);
  const begun = /^[bfru@]["']/.test(text.slice(at, at + 2)) ? at + 1 : at;
  const quote = quoteAt(text, begun);
  if (quote) return markQuoted(text, quote, assigned, spans);
  const char = text[at];
  if ((char === "[" || char === "{") && !text.startsWith(MASK, at)) {
    return maskContainer(text, at, spans);
  }
  return markBare(text, assigned, spans);
}

function markQuoted(text: string, quote: Quote, assigned: Assigned, spans: Spans): number {
  const { name, isApart, isQuoted } = assigned;
  const end = closingOf(text, quote);
  const value = text.slice(quote.end, end);
  // In Markdown, backquotes enclose names.
  const isNamed = quote.mark === "`" && isApart && !isQuoted && isWording(value);
  if (!isNamed && !isInnocentQuoted(value, name)) spans.add(quote.end, end);
  return end;
}

/** `<password>…</password>`; other text in angle brackets is a type. */
function markElement(text: string, at: number, name: string, spans: Spans): number {
  const found = /^[^<]*/.exec(text.slice(at, at + MAX_ELEMENT))?.[0] ?? "";
  const end = at + found.length;
  if (!text.startsWith(`</${name}>`, end) || isInnocentQuoted(found, name)) return at;
  spans.add(at, end);
  return end;
}

/** Longest secret in an XML element, in characters. */
const MAX_ELEMENT = 4_096;

function markBare(text: string, assigned: Assigned, spans: Spans): number {
  const { name, from, at, separator, isApart, isQuoted } = assigned;
  const line = isApart && !isQuoted && startsLine(text, from) ? wholeLine(text, at) : undefined;
  const end = line ?? trimmedEnd(text, at, bareEnd(text, at));
  const value = text.slice(at, end);
  const isQuery = text[from - 1] === "?" || text[from - 1] === "&";
  const innocent = isQuery
    ? value === "" || isReference(value)
    : isInnocentBare(value, name) ||
      (separator === "flag" && STOP_WORDS.has(value)) ||
      (isApart && line === undefined && isWording(value) && !isLastWord(text, end, name));
  if (innocent) return at;
  spans.add(at, end);
  return end;
}

/** A password of letters only differs from prose in that nothing follows it. */
function isLastWord(text: string, end: number, name: string): boolean {
  const ends = end === text.length || text[end] === "\n" || text[end] === "\r";
  return ends && /pass(?:word|wd|phrase|code)$/i.test(name);
}

/** Words of a sentence after the name of a flag. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  "a an and are as at be but by can for from has if in is it may must not of on option or should that the then to value was when which will with".split(
    " ",
  ),
);

/** Whether only list markers or shell prompts precede a name on its line. */
function startsLine(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 40), from);
  return /(?:^|[\n\r]|\\n)[ \t]{0,32}(?:- |export |set )?$/.test(before);
}

/** The end of a value that takes the rest of its line, as in YAML and INI; undefined when it reads as code or prose. */
function wholeLine(text: string, at: number): number | undefined {
  const end = lineEnd(text, at);
  const value = text.slice(at, Math.min(end, at + 400));
  const words = value.trim().split(/\s+/);
  if (words.length > 8 || isWordingLine(value, words)) return undefined;
  return end;
}

function isWordingLine(value: string, words: readonly string[]): boolean {
  const [first = ""] = words;
  if (/[;,{([]\s*$|=>|[()]/.test(value)) return true;
  if (first === "|" || first === ">" || first === "|-" || first === ">-") return true;
  if (words.length > 1 && /[.!?:]$/.test(value.trim())) return true;
  return !/^[A-Za-z]+$/.test(first) && isWording(first);
}

/**
 * Mark the strings within a JSON list or object, except keys, up to its end or to the first invalid character.
 * @returns the offset up to which it was read
 */
function maskContainer(text: string, from: number, spans: Spans): number {
  const plain = /[-+.\w]+/y;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? "";
    const quote = quoteAt(text, at);
    plain.lastIndex = at;
    if (char === "[" || char === "{") {
      depth++;
      at++;
    } else if (char === "]" || char === "}") {
      at++;
      if (--depth === 0) return at;
    } else if (quote) {
      const end = closingOf(text, quote);
      at = end + quote.backslashes + 1;
      const isName = text[spaceEnd(text, at, true)] === ":";
      if (!isName && end > quote.end && text.slice(quote.end, end) !== MASK) {
        spans.add(quote.end, end);
      }
    } else if (char === "," || char === ":" || spaceEnd(text, at, true) > at) at++;
    else if (char === "\\" && "nrt".includes(text[at + 1] ?? " ")) at += 2;
    else if (/[-+\d]|true|false|null/y.test(text.slice(at, at + 5)) && plain.test(text)) {
      at = plain.lastIndex;
    } else return at;
  }
  return text.length;
}

/** The scheme of a header, which is not masked. */
const SCHEME =
  /^(?:aws4-hmac-sha256|apikey|basic|bearer|bot|digest|dpop|hawk|jwt|mac|negotiate|ntlm|oauth|token)[ \t]+/i;

/**
 * Mark the content of a header, except its scheme: `Authorization: Bearer …`.
 * @returns the offset up to which the text is finished
 */
function headerSecret(text: string, at: number, spans: Spans): number {
  const quote = quoteAt(text, at);
  const begin = quote?.end ?? at;
  const head = text.slice(begin, begin + HEAD);
  const scheme = SCHEME.exec(head)?.[0] ?? "";
  const from = begin + scheme.length;
  if (!quote && isProse(head.slice(scheme.length, headerEnd(head, 0)), scheme)) return at;
  const end = quote ? closingOf(text, quote) : headerEnd(text, at);
  if (isInnocentQuoted(text.slice(from, end), "")) return end;
  spans.add(from, end);
  return end;
}

/** Number of characters that decide whether a line is a header. */
const HEAD = 120;

/** Without a scheme: one word of code, or several words without a digit. */
function isProse(value: string, scheme: string): boolean {
  if (scheme !== "") return isReference(value) || /^[^\s(]*[(]/.test(value);
  const [first = "", ...others] = value.trim().split(/\s+/);
  if (others.length > 0) return !/[0-9=]/.test(value);
  return isWording(first) && !/^[A-Za-z]+$/.test(first);
}

function headerEnd(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const char = text[end];
    if (char === "\n" || char === "\r" || char === '"' || char === "'" || char === "`") break;
    if (char === "\\" && "\"'`nr\\".includes(text[end + 1] ?? " ")) break;
  }
  return trimmedEnd(text, at, end);
}

/** Maximum space between a name and its value, in characters. */
const MAX_SPACE = 64;
/** Maximum distance at which the next name is searched. */
const MAX_NEXT = 40;

/** The offset after the space at an index. */
function spaceEnd(text: string, at: number, lines: boolean): number {
  let end = at;
  while (end - at < MAX_SPACE && isSpace(text.charCodeAt(end), lines)) end++;
  return end;
}

/** The end of a line, in texts with escaped line breaks as well, without its comment. */
function lineEnd(text: string, at: number): number {
  for (let end = at; end < text.length; end++) {
    const char = text[end];
    if (char === "\n" || char === "\r") return trimmed(text, at, end);
    if (char === "\\" && (text[end + 1] === "n" || text[end + 1] === "r")) {
      return trimmed(text, at, end);
    }
    if (char === "#" && text[end - 1] === " ") return trimmed(text, at, end);
    if (char === '"' || char === "`") return trimmed(text, at, end);
  }
  return trimmed(text, at, text.length);
}

/** The end of a value without quotes. */
function bareEnd(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60) break;
    if (code < 0x60 && STOPS[text[end] ?? ""]?.test(text.slice(end + 1, end + MAX_NEXT))) break;
  }
  return end;
}

/** Characters that end a value when followed by a match. */
const STOPS: Readonly<Record<string, RegExp>> = {
  "\\": /^[nrt"'`\\]/,
  "<": /^\//,
  "&": /^(?:$|[&#]|\s|amp;|[\w.[\]-]{1,36}(?:=|%3[dD]))/,
  ";": /^(?:$|\s|[A-Za-z][\w -]{0,36}=)/,
  ",": /^(?:$|["'`{[]|\\|[\w.-]{1,36}[=:])/,
};

/** The end without closing brackets and marks that belong to the surrounding text. */
function trimmedEnd(text: string, from: number, end: number): number {
  const head = text.slice(from, Math.min(end, from + MAX_INNOCENT));
  let at = end;
  while (at > from && isTrimmable(text[at - 1] ?? " ", head)) at--;
  return at;
}

function isTrimmable(char: string, head: string): boolean {
  if (char === "," || char === ";" || char === ".") return true;
  const opening = CLOSING[char];
  return opening !== undefined && !head.includes(opening);
}

/** Closing brackets with their opening ones. */
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

function trimmed(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isSpace(text.charCodeAt(at - 1), true)) at--;
  return at;
}

function isSpace(code: number, lines: boolean): boolean {
  return code === 0x20 || code === 0x09 || (lines && (code === 0x0a || code === 0x0d));
}

/** A quotation mark with the number of backslashes before it: it may be part of a nested text. */
interface Quote {
  readonly mark: string;
  readonly backslashes: number;
  /** The offset after it. */
  readonly end: number;
}

/** Three nested texts; more do not occur. */
const MAX_BACKSLASHES = 15;

/** The quotation mark at an index. */
function quoteAt(text: string, at: number): Quote | undefined {
  let mark = at;
  while (text[mark] === "\\" && mark - at < MAX_BACKSLASHES) mark++;
  const char = text[mark];
  if (char !== '"' && char !== "'" && char !== "`") return undefined;
  return { mark: char, backslashes: mark - at, end: mark + 1 };
}

/**
 * The end of a quoted text: at the backslashes of the closing mark, otherwise at the end of the line. A mark with more
 * backslashes belongs to a nested text, one with fewer ends the surrounding one.
 */
function closingOf(text: string, { mark, backslashes, end }: Quote): number {
  const period = 2 * (backslashes + 1);
  let run = 0;
  for (let at = end; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      run++;
      continue;
    }
    const ends = run % period === backslashes || run < backslashes;
    if (char === mark && ends) return at - Math.min(run, backslashes);
    if (char === "\n" || char === "\r") return at;
    run = 0;
  }
  return text.length;
}
