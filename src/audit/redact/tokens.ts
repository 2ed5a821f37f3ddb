import { MASK } from "../../core/json.ts";
import { isReference } from "./false-positives.ts";

/** Finds the kinds of `TOKEN_KINDS` in texts. A bounded number of characters decides that a text is not a token. */
export class TokenFinder {
  readonly #beginnings: RegExp;
  readonly #kinds = new Map<string, CompiledKind[]>();

  constructor() {
    for (const kind of TOKEN_KINDS) {
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
    // In reverse order, so that `sk-ant-` is not taken for `sk-`; sorted, so that the regular expression engine visits
    // common prefixes once.
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
 * Number of characters from an index on that belong to an escape sequence begun just before it. Escaped line breaks or
 * quotes in JSON and URLs contain letters that are not part of a word: `\n`, `%3D`,
 * `\u0022`.
 */
export function escapedAt(text: string, at: number): number {
  const before = text[at - 1];
  if (before === "\\") {
    if (/^u[0-9A-Fa-f]{4}/.test(text.slice(at, at + 5))) return 5;
    return "nrtbfv0".includes(text[at] ?? " ") ? 1 : 0;
  }
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(at, at + 2)) ? 2 : 0;
}

/** Whether no preceding character belongs to the same word. */
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

  /** The text with these parts masked; adjacent parts become one mask. Returns the same text when there are none. */
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

/** A kind of secret with a known prefix. */
interface TokenKind {
  /** Its name, for people. */
  readonly name: string;
  /** Its prefixes, as written. */
  readonly begins: readonly string[];
  /** The characters of the rest, as a class of a regular expression. */
  readonly chars: string;
  /** Minimum length of the rest. */
  readonly least: number;
  /** Whether the rest must contain a digit. */
  readonly digit?: true;
  /** Whether it may follow a letter or digit: its form is distinctive enough. */
  readonly anywhere?: true;
  /** Whether the prefix is kept: it is not part of the secret. */
  readonly keeps?: true;
}

const ALNUM = "[A-Za-z0-9]";
const WORD = "[A-Za-z0-9_]";
const DASHED = "[A-Za-z0-9_-]";
const HEX = "[0-9a-fA-F]";
const DOTTED = "[A-Za-z0-9._-]";

/** Secrets that are recognised by their prefix. */
export const TOKEN_KINDS: readonly TokenKind[] = [
  {
    name: "AWS access key",
    begins: ["AKIA", "ASIA", "ABIA", "ACCA"],
    chars: "[A-Z0-9]",
    least: 16,
  },
  {
    name: "GitHub token",
    begins: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    chars: WORD,
    least: 30,
    anywhere: true,
  },
  { name: "GitHub token", begins: ["github_pat_"], chars: WORD, least: 22, anywhere: true },
  {
    name: "GitLab token",
    begins: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"],
    chars: DOTTED,
    least: 18,
    anywhere: true,
  },
  {
    name: "Slack token",
    begins: [
      "xoxb-",
      "xoxp-",
      "xoxa-",
      "xoxe-",
      "xoxe.",
      "xoxr-",
      "xoxs-",
      "xoxc-",
      "xoxd-",
      "xapp-",
    ],
    chars: "[A-Za-z0-9.%_-]",
    least: 10,
    digit: true,
    anywhere: true,
  },
  {
    name: "Slack webhook",
    begins: [
      "hooks.slack.com/services/",
      "hooks.slack.com/workflows/",
      "hooks.slack.com/triggers/",
    ],
    chars: "[A-Za-z0-9/_+-]",
    least: 16,
    anywhere: true,
    keeps: true,
  },
  {
    name: "Discord webhook",
    begins: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    chars: "[A-Za-z0-9/_-]",
    least: 30,
    anywhere: true,
    keeps: true,
  },
  {
    name: "Stripe key",
    begins: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    chars: WORD,
    least: 16,
    anywhere: true,
  },
  { name: "Stripe webhook secret", begins: ["whsec_"], chars: "[A-Za-z0-9+/=_]", least: 20 },
  { name: "Google API key", begins: ["AIza"], chars: DASHED, least: 35 },
  { name: "Google OAuth token", begins: ["ya29."], chars: DASHED, least: 20 },
  { name: "Google OAuth client secret", begins: ["GOCSPX-"], chars: DASHED, least: 20 },
  {
    name: "OpenAI key",
    begins: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
    chars: DASHED,
    least: 20,
    anywhere: true,
  },
  { name: "OpenAI key", begins: ["sk-"], chars: ALNUM, least: 20, digit: true },
  { name: "OpenRouter key", begins: ["sk-or-v1-"], chars: HEX, least: 32 },
  { name: "Anthropic key", begins: ["sk-ant-"], chars: DASHED, least: 20, anywhere: true },
  { name: "Groq key", begins: ["gsk_"], chars: ALNUM, least: 32 },
  { name: "xAI key", begins: ["xai-"], chars: ALNUM, least: 32, digit: true },
  { name: "Perplexity key", begins: ["pplx-"], chars: ALNUM, least: 32 },
  { name: "Replicate token", begins: ["r8_"], chars: ALNUM, least: 32 },
  { name: "Hugging Face token", begins: ["hf_"], chars: ALNUM, least: 30 },
  { name: "npm token", begins: ["npm_"], chars: ALNUM, least: 30 },
  { name: "PyPI token", begins: ["pypi-"], chars: DASHED, least: 50 },
  { name: "RubyGems key", begins: ["rubygems_"], chars: HEX, least: 40 },
  { name: "Docker Hub token", begins: ["dckr_pat_", "dckr_oat_"], chars: DASHED, least: 20 },
  { name: "SendGrid key", begins: ["SG."], chars: DOTTED, least: 40, digit: true },
  { name: "Twilio key", begins: ["SK"], chars: HEX, least: 32 },
  { name: "Mailgun key", begins: ["key-"], chars: HEX, least: 32 },
  { name: "DigitalOcean token", begins: ["dop_v1_", "doo_v1_", "dor_v1_"], chars: HEX, least: 40 },
  {
    name: "Shopify token",
    begins: ["shpat_", "shpca_", "shppa_", "shpss_"],
    chars: HEX,
    least: 32,
  },
  { name: "Square token", begins: ["sq0atp-", "sq0csp-"], chars: DASHED, least: 20 },
  { name: "Databricks token", begins: ["dapi"], chars: HEX, least: 32 },
  { name: "Vault token", begins: ["hvs.", "hvb.", "hvr."], chars: DASHED, least: 24 },
  { name: "Grafana token", begins: ["glsa_", "glc_"], chars: "[A-Za-z0-9_+/=]", least: 32 },
  { name: "Linear key", begins: ["lin_api_"], chars: ALNUM, least: 32 },
  { name: "Atlassian token", begins: ["ATATT3", "ATCTT3"], chars: "[A-Za-z0-9_=-]", least: 40 },
  {
    name: "Doppler token",
    begins: ["dp.pt.", "dp.st.", "dp.ct."],
    chars: "[A-Za-z0-9._]",
    least: 32,
  },
  {
    name: "age private key",
    begins: ["AGE-SECRET-KEY-", "age-secret-key-"],
    chars: ALNUM,
    least: 20,
    anywhere: true,
  },
  {
    name: "signature of a URL",
    begins: ["sig=", "X-Amz-Signature=", "X-Goog-Signature="],
    chars: "[A-Za-z0-9%+/=_-]",
    least: 16,
    keeps: true,
  },
  {
    name: "bearer token",
    begins: ["Bearer ", "bearer ", "BEARER ", "Bearer%20", "Bearer+"],
    chars: "[A-Za-z0-9._~+/=-]",
    least: 16,
    digit: true,
    anywhere: true,
    keeps: true,
  },
];

const PEM_WORD = "BEGIN ";
const PEM_BEGIN = "-----BEGIN";
const END = "-----END";
const HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
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
      if (text.slice(from, from + MASK.length) !== MASK || to > from + MASK.length) {
        spans.add(from, to);
      }
    }
    at = next;
  }
}

/**
 * The end of the lines of a truncated key: at the first word that is not part of it; a shorter last line still counts.
 */
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
  if (written === "" || isReference(written)) return undefined;
  // Alone it is a user name, or a token in its place.
  if (password.from === from && !(written.length >= 20 && /[0-9]/.test(written))) return undefined;
  return password;
}
