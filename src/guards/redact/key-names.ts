import { withoutSequences } from "./escape-sequences.ts";

/** Names are compared by their words, whatever separates them: `apiKey`, `API_KEY`, `x-api-key`. */

/**
 * A name that ends with one of these is telltale, also when written as one word: `PGPASSWORD`. Some are written as
 * people misspell and shorten them: `paswd`, `pswd`.
 */
export const TELLING_ENDS = listed(`
  password, passwords, password hash, passwd, passphrase, passcode, password confirmation,
  password value, paswd, paswrd, pasword, psswd, psswrd, pssword, pswd, psword, pswrd, user pwd,
  admin pass, db pass, key pass, root pass, sql pass, store pass, user pass, api key, api keys,
  api token, app key, application key, access key, access token, account key, aes key, auth key,
  auth token, authorization, bearer token, client secret, credential, credentials, encryption key,
  hmac key, id token, key data, master key, ntlm hash, oauth bearer, oauth2 bearer, preshared key,
  private key, refresh token, secret key, secret value, session token, shared key, signing key,
  token value`);

/** A name whose last word is one of these is telltale. */
export const TELLING_WORDS = listed("token, secret, secrets, pwd, pw, pass, cookie, cookies, jwt");

/** Words before `token` that make it a token of pages, of models or of a grammar. */
export const INNOCENT_BEFORE_TOKEN = listed(`
  ast, bos, brace, bracket, cancellation, cls, colon, comma, comment, continuation, css, design,
  dot, each, end, eof, eos, equals, every, expected, first, identifier, keyword, last, lexer,
  lookahead, markdown, mask, max, min, newline, next, operator, pad, page, paren, per, prev,
  previous, progress, punctuator, replacement, sep, semicolon, significant, space, special, start,
  stop, sync, syntax, topic, unexpected, unk, whitespace`);

/** Names that end like a secret and are not one. */
export const INNOCENT_NAMES = listed("nopasswd, nopassword, no pass, by pass, existing secret");

/** Header names whose values are whole lines. */
export const HEADER_NAMES = listed("authorization, proxy authorization, cookie, set cookie");

/** Longest part of a name that is examined, in characters, from its end. */
const MAX_NAME = 128;
const MAX_KNOWN = 2_000;

function listed(names: string): readonly string[] {
  return names.trim().split(/,\s+/);
}

/** Decides which names are telltale: their values are secrets. */
export class KeyNames {
  readonly #own: ReadonlySet<string>;
  readonly #known = new Map<string, boolean>();

  /** @param own additional names, in any case and with any separators */
  constructor(own: readonly string[]) {
    this.#own = new Set(own.map(squeezed).filter((name) => name !== ""));
  }

  isTelling(name: string): boolean {
    const end = name.slice(-MAX_NAME);
    const known = this.#known.get(end);
    if (known !== undefined) return known;
    const shown = withoutSequences(end);
    const telling = this.#own.has(squeezed(shown)) || isTellingName(shown);
    // Names come from outside, so there can be any number.
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(end, telling);
    return telling;
  }

  /**
   * A regular expression for a part of each telltale name, to find names in a text. It has no repetition: each position
   * is visited once.
   */
  get anchor(): RegExp {
    const own = [...this.#own].map((name) => Array.from(name).join("[-_. ]?"));
    return new RegExp([...ANCHORS, ...own].join("|"), "gi");
  }
}

/** Whether the value of a header with this name is the whole line. */
export function isHeaderName(name: string): boolean {
  return HEADERS.has(squeezed(withoutSequences(name)));
}

/** A name in lower case without separators. */
export function squeezed(name: string): string {
  // Most names are ASCII, which the regular expression engine handles faster than Unicode letters.
  const others = isAscii(name) ? /[^a-z0-9]/g : /[^\p{L}\p{N}]/gu;
  return name.toLowerCase().replaceAll(others, "");
}

function isAscii(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) > 0x7f) return false;
  return true;
}

const ENDS = TELLING_ENDS.map(squeezed);
const WORDS: ReadonlySet<string> = new Set(TELLING_WORDS);
const BEFORE_TOKEN: ReadonlySet<string> = new Set(INNOCENT_BEFORE_TOKEN);
const INNOCENT: ReadonlySet<string> = new Set(INNOCENT_NAMES.map(squeezed));
const HEADERS: ReadonlySet<string> = new Set(HEADER_NAMES.map(squeezed));
const ANCHORS = listed(
  "authoriz, bearer, cookie, credential, jwt, key, ntlm, pass, pasw, pssw, psw, pw, secret, token",
);

/** Whether a name is telltale by the tables, without additional names. */
export function isTellingName(numbered: string): boolean {
  // `password2` is one as well.
  const name = numbered.replace(/[_-]?\d{1,2}$/, "");
  const squeezedName = squeezed(name);
  if (INNOCENT.has(squeezedName)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (last === "token" && BEFORE_TOKEN.has(words.at(-2) ?? "")) return false;
  return WORDS.has(last) || ENDS.some((end) => squeezedName.endsWith(end));
}

/** Whether a secret under this name is generated: people choose passwords, but no tokens, API keys and cookies. */
export function isGeneratedName(name: string): boolean {
  return /(?:token|(?:client|app|consumer|webhook)secret|(?<!secret|signing|encryption|master|shared)keys?|cookies?|jwt|authorization|credentials?)$/.test(
    squeezed(name),
  );
}

/** Whether a text is one of the telltale names, with nothing before it: `api_key`. */
export function isNameAlone(text: string): boolean {
  return ENDS.includes(squeezed(text));
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
