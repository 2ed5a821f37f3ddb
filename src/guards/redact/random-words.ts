import { wordSet } from "../../core/index.ts";
import type { Run } from "./tokens.ts";

/** Shorter words are names more often than secrets; longer ones are data, such as an image in Base64. */
const LEAST = 20;
const MOST = 160;
/** Lengths of digests in Base64 without padding, and of common ids: nanoid, KSUID. */
const LENGTHS_OF_OTHERS: ReadonlySet<number> = new Set([21, 22, 27, 43, 44, 86, 88]);
/** Names consist of shorter parts. */
const LEAST_PART = 12;
/** Paths and expressions have these characters too. */
const MIXED = /^[\w-]+(?:[+/][\w+/-]*)?(?:\.[\w-]+)?={0,2}$/;
const PLAIN = /^[\w-]+$/;
const LEAST_MIXED = 32;
/** Number of digits and of words of a language that a random word has at least and at most. */
const LEAST_DIGITS = 2;
const MOST_COMMON = 0.45;

/** What is a known id and no secret. */
const IDS: readonly RegExp[] = [
  // Hashes and UUIDs.
  /^(?:[0-9a-f-]+|[0-9A-F-]+)$/,
  // The kind of the object stands before it: `cus_…`, `toolu_…`, `call-…`.
  /^[a-z][a-z0-9]{1,12}[_-]/,
  // ULID.
  /^0[0-7][0-9A-HJKMNP-TV-Z]{24}$/i,
  // Bech32: addresses of Bitcoin, public keys of age. Then contents in IPFS, and public keys of minisign.
  /^[a-z]{2,12}1[02-9ac-hj-np-z]{11,}$/,
  /^RW[A-Za-z0-9+/]{54}$/,
  /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/,
  // Files of Google Drive.
  /^1(?:[\w-]{32}|[\w-]{43})$/,
  // Keys of SSH, and the beginning of data in Base64.
  /^AAAA/,
  /^(?:iVBOR|R0lGOD|UEsDB|MII|H4sI|eyJ|PHN2|PD94|d09G)/,
];

/** A word that looks random and that no name introduces, if a run of characters is one. */
export function randomWord(text: string, run: Run): Run | undefined {
  const { to } = run;
  const from = run.from + (QUERY.exec(text.slice(run.from, run.from + MAX_QUERY))?.[0].length ?? 0);
  if (to - from < LEAST || to - from > MOST + 1) return undefined;
  const end = text[to - 1] === "." || text[to - 1] === ":" ? to - 1 : to;
  const word = text.slice(from, end);
  if (
    LENGTHS_OF_OTHERS.has(word.length) ||
    !(word.length < LEAST_MIXED ? PLAIN : MIXED).test(word)
  ) {
    return undefined;
  }
  const core = longestPart(word);
  if (core.length < LEAST_PART || /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(core)) return undefined;
  const isRandom =
    stands(text, from, end) &&
    looksRandom(word) &&
    !IDS.some((id) => id.test(word)) &&
    !isLineOfData(text, from, end) &&
    !isWordOfData(text, from, end);
  return isRandom ? { from, to } : undefined;
}

/** A name of the value that may be a key: it is one if it looks random. Public keys and those of tables are none. */
const KEY =
  /(?<!public|pub|site|cache|primary|partition|sort|row|object|storage|query|host|idempotency)(?<!public[ _-]|pub[ _-]|site[ _-]|cache[ _-]|host[ _-])(?:(?:key|api|auth|authentication|hmac)(?:_\w{1,8})?|(?:secret|passw)\w{0,30}(?<!id|name|hash))\\?["'\]]?\s{0,4}(?::=|=>|[:=])[\s\\"'`([{]{0,6}$/i;
const LEAST_KEY = 30;
const QUERY = /^[\w-]{0,30}key=/i;
const MAX_QUERY = 40;

function longestPart(word: string): string {
  return word
    .split(/[^A-Za-z0-9]+/)
    .reduce((best, part) => (part.length > best.length ? part : best));
}

/** Whether a word stands for itself: it is not part of a path, a name or an expression, and has no name. */
function stands(text: string, from: number, to: number): boolean {
  if (!/[\s"'`([{<,;=]/.test(text[from - 1] ?? " ")) return false;
  if (!/[\s"'`)\]}>,;.:\\&]/.test(text[to] ?? " ")) return false;
  const before = text.slice(Math.max(0, from - 40), from);
  const isNamed = /[:=]>?[\s\\"'`([{]*$|\w\(["'`]$/.test(before);
  if (isNamed && !(to - from >= LEAST_KEY && KEY.test(before))) return false;
  if (text[to] === ">" && !/[<\s"'`]/.test(text[from - 1] ?? " ")) return false;
  return text[to] !== "\\" || /[nrtu"'`\\]/.test(text[to + 1] ?? " ");
}

/** Whether the words on both sides look random too. */
function isWordOfData(text: string, from: number, to: number): boolean {
  const before = /([A-Za-z0-9+/=]{5,}) $/.exec(text.slice(Math.max(0, from - 40), from))?.[1] ?? "";
  const after = /^ ([A-Za-z0-9+/=]{5,})(?: |$)/.exec(text.slice(to, to + 40))?.[1] ?? "";
  return [before, after].every(
    (word) => /[a-z]/.test(word) && /[A-Z]/.test(word) && /[0-9=]/.test(word),
  );
}

/** Lengths of the lines of data in Base64. */
const LINES: ReadonlySet<number> = new Set([60, 64, 72, 76]);
/** Number of characters that may stand beside data on its line. */
const MAX_BEFORE = 40;
const MAX_AFTER = 8;
const LINE_OF_DATA = /^[\s"'`+]*([A-Za-z0-9+/=]{40,})[\s"'`,;+\\nr]*$/;

/** Whether a word takes a whole line, as the lines beside it do: data in Base64. */
function isLineOfData(text: string, from: number, to: number): boolean {
  const begin = beginNear(text, from);
  const end = endNear(text, to);
  if (begin === undefined || end === undefined || !LINE_OF_DATA.test(text.slice(begin, end)))
    return false;
  const beside = [
    text.slice(Math.max(text.lastIndexOf("\n", begin - 2) + 1, begin - 130), begin),
    text.slice(end + 1, end + 130).split("\n", 1)[0] ?? "",
  ];
  if (
    [text.slice(begin, end), ...beside].some((line) =>
      LINES.has(LINE_OF_DATA.exec(line)?.[1]?.length ?? 0),
    )
  ) {
    return (
      beside.some((line) => /[A-Za-z0-9+/]{40}/.test(line)) ||
      beside.some((line) => /-----|\.\.\./.test(line))
    );
  }
  if (from > begin || end > to + 1) return false;
  return (
    /\n[A-Za-z0-9+/=_-]{40,}\r?\n$/.test(text.slice(Math.max(0, from - 170), from)) ||
    /^\r?\n[A-Za-z0-9+/=_-]{4,}(?:\r?\n|$)/.test(text.slice(to, to + 170))
  );
}

/** Where the line of an index begins, if it is near: lines can be long. */
function beginNear(text: string, at: number): number | undefined {
  const from = Math.max(0, at - MAX_BEFORE - 1);
  const newline = text.slice(from, at).lastIndexOf("\n");
  return newline < 0 && at > MAX_BEFORE ? undefined : from + newline + 1;
}

function endNear(text: string, at: number): number | undefined {
  const newline = text.slice(at, at + MAX_AFTER + 1).indexOf("\n");
  if (newline >= 0) return at + newline;
  return text.length - at > MAX_AFTER ? undefined : text.length;
}

/** Pairs of letters that make up most of the words of a language, but few of a random text. */
const COMMON_PAIRS = wordSet(`
  th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic
  ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un
  lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev
  ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa
`);

function looksRandom(word: string): boolean {
  let digits = 0;
  let pairs = 0;
  let common = 0;
  let groups = 0;
  let before = "";
  const lower = word.toLowerCase();
  for (const char of lower) {
    if (char >= "0" && char <= "9") {
      digits++;
      if (!(before >= "0" && before <= "9")) groups++;
    } else if (before >= "a" && before <= "z" && char >= "a") {
      pairs++;
      if (COMMON_PAIRS.has(before + char)) common++;
    }
    before = char;
  }
  // Words written as one: `v1alpha1PublicKeyList`.
  const inWords = word.match(/[A-Z]?[a-z]{3,}/g)?.join("").length ?? 0;
  if (/[A-Z]/.test(word) && inWords * 2 > word.length) return false;
  if (digits < LEAST_DIGITS || groups < LEAST_DIGITS || pairs < 4) return false;
  return common / pairs <= MOST_COMMON;
}
