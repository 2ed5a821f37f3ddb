import { MASK, wordSet } from "../../core/index.ts";
import type { Place } from "./expressions.ts";
import { isWording, isWordingLine, MAX_INNOCENT } from "./expressions.ts";
import {
  bareEnd,
  closingOf,
  escapedAt,
  isWithin,
  isWordChar,
  lineEnd,
  MAX_NEXT,
  quoteAt,
  spaceEnd,
  trimmedEnd,
} from "./extents.ts";
import { isInnocentBare, isInnocentQuoted, isReference, isStandIn } from "./false-positives.ts";
import { HEAD, headerSecret, SCHEME } from "./headers.ts";
import type { KeyNames } from "./key-names.ts";
import { isGeneratedName, isHeaderName, squeezed } from "./key-names.ts";
import { isAmongLabels } from "./labels.ts";
import type { Quote } from "./extents.ts";
import type { Spans } from "./tokens.ts";

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
      if (this.#isTelling(text, from, name)) {
        const assigned = assignment(text, from, end);
        if (assigned) done = Math.max(done, mark(text, assigned, spans));
      }
      anchor.lastIndex = done;
    }
  }

  #isTelling(text: string, from: number, name: string): boolean {
    const spaced = spacedName(text, from, name);
    // `API Key` is telltale with its first word only, `Unexpected token` without it.
    return (
      this.#names.isTelling(spaced) ||
      (spaced.length === name.length && this.#names.isTelling(name))
    );
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

/** `Key` of `API Key` and `token` of `Unexpected token`, together with the preceding word. */
function spacedName(text: string, from: number, name: string): string {
  if (!/^(?:key|token)$/i.test(name) || text[from - 1] !== " ") return name;
  return (/[A-Za-z]+ $/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? "") + name;
}

function assignment(text: string, from: number, end: number): Assigned | undefined {
  const name = text.slice(from, end);
  const quote = quoteAt(text, end);
  const isQuoted = quote !== undefined;
  if (isQuoted && !isKeyOf(text, from)) return undefined;
  // A namespace of PHP: `"Firebase\\JWT\\": "src"`.
  if (isQuoted && quote.backslashes > 1 && text[from - 1] === "\\") return undefined;
  // The handler of an event in Vue.
  if (text[from - 1] === "@" && name.includes("-")) return undefined;
  let at = quote?.end ?? end;
  const isIndexed = text[at] === "]";
  if (isIndexed) at++;
  const tag = text[from - 1] === "<" ? TAG_END.exec(text.slice(at, at + MAX_ATTRIBUTES)) : null;
  const assigned = (value: number, by: Assigned["separator"], isApart: boolean): Assigned => ({
    name,
    from,
    at: value,
    separator: by,
    isQuoted,
    isApart,
  });
  if (tag) return assigned(at + tag[0].length, "<", false);
  // In Markdown, backquotes enclose names, and the next line is not part of the text.
  const isSpread = isQuoted && quote.mark !== "`";
  const separated = spaceEnd(text, at, isSpread) + (text.startsWith("\\t", at) ? 2 : 0);
  const separator = text[separated];
  const compared = isQuoted ? undefined : comparedAt(text, separated, name);
  if (compared !== undefined) return assigned(compared, "=", true);
  if (separator === "=" || separator === ":") {
    const next = text[separated + 1];
    // A comparison, a scope, or a match operator.
    if (next === separator || next === "~") return undefined;
    // `v-model="form.token" :required="true"`: an attribute of its own.
    if (separator === ":" && separated > at && /\w/.test(next ?? " ")) return undefined;
    // `$($token:tt)*`, a macro of Rust.
    if (separator === ":" && text[from - 1] === "$" && /[a-z]/.test(next ?? " ")) return undefined;
    // `${NAME:-…}` in a shell.
    if (text[from - 1] === "{" && separator === ":" && "-=?+".includes(next ?? " "))
      return undefined;
    // The name of a secret in AWS: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:db`.
    if (separator === ":" && /:\d{12}:$/.test(text.slice(Math.max(0, from - 14), from)))
      return undefined;
    // `/etc/passwd: not found`.
    if (separator === ":" && text[from - 1] === "/") return undefined;
    const behind = separated + (next === "=" || next === ">" ? 2 : 1);
    if (next === ">" && !quoteAt(text, spaceEnd(text, behind, false))) return undefined;
    const typed =
      separator === ":" && !isQuoted ? TYPED.exec(text.slice(behind, behind + MAX_TYPE)) : null;
    if (typed) return assigned(behind + typed[0].length, "=", true);
    const bold = BOLD_END.exec(text.slice(behind, behind + 4))?.[0].length ?? 0;
    const value = spaceEnd(text, behind + bold, isSpread);
    const isApart = value > behind;
    // `headers["Authorization"] = header`: only a text in quotes can be a secret.
    if (
      isIndexed &&
      isQuoted &&
      /[A-Za-z_$@]/.test(text[value] ?? " ") &&
      !quoteAt(text, value + 1)
    )
      return undefined;
    // `DEBUG=pw:api` of Playwright.
    if (name === "pw" && separator === ":" && !isApart && !isQuoted) return undefined;
    // `pass: 3` in the output of tests.
    if (isApart && separator === ":" && !isQuoted && /^pass$/i.test(name)) return undefined;
    return assigned(value, separator, isApart);
  }
  if (/^%3[ad]/i.test(text.slice(at, at + 3))) return assigned(at + 3, "=", false);
  if (separated === at) return undefined;
  if (/^--(?:allow|no|skip|disable|enable|with|without)-/.test(name)) return undefined;
  const isFlag = /^--?\w/.test(name) && /^$|[\s"'`([{,;|&=]/.test(text[from - 1] ?? "");
  if (isFlag && !isQuoted && text[separated] !== "-") return assigned(separated, "flag", false);
  const go = TYPED.exec(text.slice(separated, separated + MAX_TYPE));
  if (go && !isQuoted && /\b(?:const|var)\s$/.test(text.slice(Math.max(0, from - 8), from)))
    return assigned(separated + go[0].length, "=", true);
  return isSpokenTo(text, from, name, separated) ? assigned(separated, " ", false) : undefined;
}

/** Whether a quoted name is the key of a value. */
function isKeyOf(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 80), from);
  // `type === x ? "password" : "text"`, `case "token":`.
  if (/\?\s{0,8}["'`]$/.test(before)) return false;
  return !/(?:^|[\s{};])case\s[^\n]{0,70}["'`]$/.test(before);
}

/** The rest of a tag of XML, with its attributes. */
const TAG_END = /^(?:\s[^<>]*)?>/;
const MAX_ATTRIBUTES = 200;
/** The type of a variable with a text as its value: `password: String = "…"`. */
const TYPED =
  /^[ \t]*&?(?:'?[A-Za-z_][\w.]*(?:[ \t]*\|[ \t]*|[ \t]+)?){1,3}(?:<[\w ,.]{1,40}>|\[[\w ,.]{0,40}\])?\??[ \t]*=[ \t]*(?=[bfru@$]?["'`])/;
const MAX_TYPE = 80;
/** The end of a name in bold in Markdown: `**cookie:** …`. */
const BOLD_END = /^(?:\*\*|__)(?=[ \t])/;

/** The text that a password is compared with: `if (password === "…")`. */
function comparedAt(text: string, at: number, name: string): number | undefined {
  const end = /^[!=]==?[ \t]*(?=["'])/.exec(text.slice(at, at + 8));
  if (!end || !/(?:pass(?:word|wd|phrase|code)?|pwd)$/i.test(name)) return undefined;
  const value = at + end[0].length;
  return /^.(?=[^"'\s]{0,60}[0-9])(?=[^"'\s]{0,60}[A-Za-z])[^"'\s]{6,}["']/.test(
    text.slice(value, value + MAX_INNOCENT),
  )
    ? value
    : undefined;
}

/** `#define NAME` of C, `%define` and `%global` of RPM, `SET` of batch files, `ENV` of Docker, `set -x` of fish. */
const DIRECTIVE =
  /(?:^|[\s"'`;])(?:#[ \t]{0,4}define|%define|%global|setenv|ENV|ARG|SET|set(?:[ \t]-[a-zA-Z]{1,3}){1,3})(?:[ \t]|\\t){1,8}$/;
/** The value of a directive: in quotes, or a word with digits. */
const DIRECTED =
  /^(?:\\{0,7}["'{]|(?=[^\s0-9]{0,100}[0-9])(?=[^\sA-Za-z]{0,100}[A-Za-z])[^\s"'(){}]{8,})/;

/** `PASSWORD 'x'` of SQL, `login x password y` of `.netrc`, `#define PASSWORD "x"`. */
function isSpokenTo(text: string, from: number, name: string, at: number): boolean {
  if (DIRECTIVE.test(text.slice(Math.max(0, from - 32), from)))
    return DIRECTED.test(text.slice(at, at + MAX_INNOCENT));
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
  if (isHeaderName(name) && isHeaderLine(text, assigned))
    return headerSecret(text, at, name, spans);
  const bytes = KEYS_OF_BYTES.test(name) ? BYTES.exec(text.slice(at, at + MAX_ELEMENT)) : null;
  if (bytes) {
    const end = at + bytes[0].length;
    spans.add(end - (bytes[1] ?? "").length, end);
    return end;
  }
  const begun = /^[bfru@]["']/.test(text.slice(at, at + 2)) ? at + 1 : at;
  const quote = quoteAt(text, begun);
  if (quote) return markQuoted(text, quote, assigned, spans);
  const char = text[at];
  if ((char === "[" || char === "{") && !text.startsWith(MASK, at)) {
    if (isContainerOfOthers(text, assigned)) return at;
    return maskContainer(text, at, name, spans);
  }
  return markBare(text, assigned, spans);
}

/** Eight or more bytes in a list: `[]byte{…}`, `new byte[] {…}`, `bytes([…])`. */
const BYTES =
  /^(?:(?:new )?[\w.]{0,20}(?:\[\d{0,4}\])?\w{0,10}[ (]{0,2})[[{]\s{0,8}((?:(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})\s{0,8},[\s\\]{0,12}){7}[\s\\0-9a-fA-FxX,]*)/;
const KEYS_OF_BYTES = /(?:key|secret|pass\w{0,6})$/i;

/** A description of JSON Schema, a package of a lock file, a volume of Kubernetes. */
const CONTAINERS_OF_OTHERS =
  /^\{[\s\\nrt]*\\*"(?:type|description|title|properties|items|\$ref|version|resolved|anyOf|oneOf|allOf|secretName|optional)\\*"\s*:|^\[\s*"@?[\w./-]+@[\w:^~*]/;

/** Whether a list or an object holds no secrets: one of a media type, such as `application/jwt`, is about it. */
function isContainerOfOthers(text: string, { at, from, isQuoted }: Assigned): boolean {
  if (isQuoted && text[from - 1] === "/") return true;
  return CONTAINERS_OF_OTHERS.test(text.slice(at, at + 120));
}

/** Whether a header has its value behind it; a key or a text that ends with the name may have code there. */
function isHeaderLine(text: string, { from, at, isQuoted }: Assigned): boolean {
  const quote = quoteAt(text, at);
  if (quote) return isQuoted || quote.backslashes > 0 || !isWithin(text, from, quote.mark);
  if (text[at] === "`") return true;
  return !isQuoted || SCHEME.test(text.slice(at, at + HEAD));
}

function markQuoted(text: string, quote: Quote, assigned: Assigned, spans: Spans): number {
  const { name, from, isApart, isQuoted } = assigned;
  // The mark ends a text that ends with the name: `ask("Password: ")`.
  if (!isQuoted && quote.backslashes === 0 && isWithin(text, from, quote.mark))
    return quote.end - 1;
  const end = closingOf(text, quote);
  const value = text.slice(quote.end, end);
  // In Markdown, backquotes enclose names.
  const isNamed =
    quote.mark === "`" &&
    isApart &&
    (isWording(value) || (isGeneratedName(name) && value.includes(" ")));
  const isInnocent =
    isNamed || isInnocentQuoted(value, name) || isAmongLabels(text, quote.end, end);
  if (!isInnocent) spans.add(quote.end, end);
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
  const line =
    isApart && !isQuoted && startsLine(text, from) ? wholeLine(text, at, name) : undefined;
  const end = line ?? trimmedEnd(text, at, bareEnd(text, at));
  const value = text.slice(at, end);
  const isQuery = separator === "=" && (text[from - 1] === "?" || text[from - 1] === "&");
  // Without quotes, the value of a variable in source code is an expression.
  if (
    separator === "=" &&
    isApart &&
    /\b(?:const|let|var|val)\s(?:mut\s)?$/.test(text.slice(Math.max(0, from - 12), from))
  ) {
    return at;
  }
  const innocent = isQuery
    ? value === "" ||
      isReference(value) ||
      isStandIn(value, name) ||
      value.startsWith("(") ||
      isBadge(text, from)
    : isInnocentBare(value, name, placeOf(text, assigned, end)) ||
      (text[end] === ";" && isKindOfToken(value, assigned)) ||
      (isApart && isAmongLabels(text, at, end)) ||
      (separator === "flag" && STOP_WORDS.has(value)) ||
      (isApart && line === undefined && isWording(value) && !isLastWord(text, at, end, name)) ||
      (isApart && OPERATOR.test(text.slice(end, end + 5)) && /^[A-Za-z_]\w*$/.test(value));
  if (innocent) return at;
  spans.add(at, end);
  return end;
}

/** A password of letters only differs from prose in that nothing follows it. */
function isLastWord(text: string, at: number, end: number, name: string): boolean {
  const ends = end === text.length || text[end] === "\n" || text[end] === "\r";
  if (!ends || !/pass(?:word|wd|phrase|code)$/i.test(name)) return false;
  return /^[A-Za-z'’-]+$/.test(text.slice(at, Math.min(end, at + MAX_INNOCENT)));
}

/** An operator after a value, which makes it a part of an expression. */
const OPERATOR = /^ (?:[+*]|\|\||&&|\?\?|\.\.|[!=]==?)(?: |$)/;

/** The token of the picture in a README, which anyone may see. */
function isBadge(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 120), from);
  return /(?:\.svg|\/img\.shields\.io\/[\w./-]{0,90})\?$/.test(before);
}

/** Where a value stands in source code; a variable of the environment, a flag or a query does not. */
function placeOf(text: string, assigned: Assigned, end: number): Place {
  const { name, from, separator, isQuoted, isApart } = assigned;
  if (separator === "flag" || name.startsWith("-") || /^[A-Z_]+$/.test(name)) return "open";
  if (/[?&;]/.test(text[from - 1] ?? " ")) return "open";
  const after = text.slice(end, end + MAX_NEXT);
  // Minified code: `{getToken:Dr,getKey:Nr}`.
  if (!isApart && separator === ":" && /^,[\w$]+[:,}]/.test(after)) return "ended";
  // `a=b;` is a connection string too.
  const ends = isApart
    ? /^(?:[,;]|[)}\]]+[,;)]|[)}\]])(?:\s|$)/
    : /^(?:,|[)}\]]+[,;)]|[)}\]])(?:\s|$)/;
  if (ends.test(after) || (isQuoted && !/^\s*(?:\n|$)/.test(after))) return "ended";
  return isApart && separator === "=" ? "assigned" : "open";
}

/** A kind of token in a parser: `token = 1048576;`. */
function isKindOfToken(value: string, { name, separator, isApart }: Assigned): boolean {
  return isApart && separator === "=" && /^token$/i.test(name) && /^\d{1,8}$/.test(value);
}

/** Words of a sentence after the name of a flag. */
const STOP_WORDS = wordSet(
  "a an and are as at be but by can for from has if in is it may must not of on option or should that the then to value was when which will with",
);

/** Whether only list markers or shell prompts precede a name on its line. */
function startsLine(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 40), from);
  return /(?:^|[\n\r]|\\n)[ \t]{0,32}(?:- |export |set )?$/.test(before);
}

/** The end of a value that takes the rest of its line, as in YAML and INI; undefined when it reads as code or prose. */
function wholeLine(text: string, at: number, name: string): number | undefined {
  const end = lineEnd(text, at);
  const value = text.slice(at, Math.min(end, at + 400));
  const words = value.trim().split(/\s+/);
  if (words.length > 8 || isWordingLine(value, words)) return undefined;
  // Of a password only, several words are likely.
  if (words.length > 1 && !/pass/i.test(name) && words.every((word) => /^[A-Za-z'’-]+$/.test(word)))
    return undefined;
  return end;
}

/**
 * Mark the strings within a JSON list or object, except keys, up to its end or to the first invalid character.
 * @returns the offset up to which it was read
 */
function maskContainer(text: string, from: number, name: string, spans: Spans): number {
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
      const value = text.slice(quote.end, end);
      if (
        !isName &&
        value !== "" &&
        value !== MASK &&
        !isWordOfToken(value, name) &&
        !isInnocentQuoted(value, name)
      ) {
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

/** Under `token` and the like, a list of words is one of a parser: `token = ["space", …]`. */
function isWordOfToken(value: string, name: string): boolean {
  return isGeneratedName(name) && !/s$/i.test(name) && !/[0-9]/.test(value) && value.length <= 40;
}
