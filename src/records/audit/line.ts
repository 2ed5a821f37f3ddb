import { escapedUnits, type JsonObject, objectIn } from "../../core/index.ts";
import { sha256 } from "../../machine/index.ts";

/** The previous hash of the very first line. */
export const NO_HASH = "0".repeat(64);
/** A longer line is invalid: readers must be able to keep a line in memory. */
export const MAX_LINE_BYTES = 1 << 24;
export const NEWLINE = 10;

/** Members that the log itself adds to every line; entries must not use these names. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(["v", "seq", "time", "pid", "prev", "hash"]);
const HASH = "[0-9a-f]{64}";
const HASH_BYTES = `,"hash":"${NO_HASH}"}`.length;

/** The position of a line in the chain. */
export interface Link {
  /** From 1, over all files. */
  readonly seq: number;
  /** SHA-256 of the line before this member, in hexadecimal. */
  readonly hash: string;
}

/** A complete line with a valid hash. */
export interface ChainedRecord extends Link {
  readonly prev: string;
  /** ISO 8601. */
  readonly time: string;
  /** All members. */
  readonly record: JsonObject;
}

/** What is wrong with a single line. */
export interface BrokenLine {
  readonly fault: "changed" | "not_json" | "foreign";
  /** The number that it claims, if any. */
  readonly seq: number | undefined;
}

/**
 * The part of a line that the caller provides: members as JSON, without braces; invisible characters are escaped.
 * @throws TypeError, RangeError for values that JSON does not support
 */
export function lineBody(entry: JsonObject): string {
  const json = JSON.stringify(withoutOwnMembers(entry));
  const plain = NOT_PLAIN.test(json) ? json.replaceAll(UNSEEN, escapedUnits) : json;
  return plain.slice(1, -1);
}

/** The line after another one, without its newline; and its link. */
export function nextLine(
  after: Link | undefined,
  time: string,
  body: string,
): Link & { readonly text: string } {
  const seq = (after?.seq ?? 0) + 1;
  const start = `${lineStart(seq)}${time}","pid":${process.pid}${body === "" ? "" : ","}${body}`;
  const hashed = `${start},"prev":"${after?.hash ?? NO_HASH}"`;
  const hash = sha256(hashed);
  return { seq, hash, text: `${hashed},"hash":"${hash}"}` };
}

/** The beginning of every line with this number. */
function lineStart(seq: number): string {
  return `{"v":1,"seq":${seq},"time":"`;
}

/** Read a line, without its newline. */
export function readLine(bytes: Buffer): ChainedRecord | BrokenLine {
  const text = bytes.toString("utf8");
  const record = objectIn(text);
  if (!record) return { fault: "not_json", seq: claimedSeq(text) };
  const { v, seq, time, prev, hash } = record;
  const isOurs = v === 1 && isSeq(seq) && typeof time === "string" && text.startsWith('{"v":1,');
  if (!isOurs || typeof prev !== "string" || typeof hash !== "string") {
    const hasNone = hash === undefined && prev === undefined;
    return { fault: hasNone ? "foreign" : "changed", seq: isSeq(seq) ? seq : undefined };
  }
  // The members at the end count: a line must not state another hash further up.
  if (!text.endsWith(`,"prev":"${prev}","hash":"${hash}"}`)) return { fault: "changed", seq };
  const hashed = bytes.subarray(0, bytes.length - HASH_BYTES);
  if (sha256(hashed) !== hash) return { fault: "changed", seq };
  return { seq, hash, prev, time, record };
}

/**
 * Whether a line is the beginning of one whose writing was interrupted: it begins as the line with that number does,
 * and has no end. After a power failure, the rest may be zeros.
 */
export function isCutShort(bytes: Buffer, seq: number): boolean {
  const text = bytes.toString("utf8").replace(/\0+$/, "");
  const start = lineStart(seq);
  if (text.length <= start.length) return bytes.length > 0 && start.startsWith(text);
  if (!text.startsWith(start) || objectIn(text) || text.includes("\0")) return false;
  if (new RegExp(`,"hash":"${HASH}"\\}`).test(text)) return false;
  const [, rest] = new RegExp(`^.*,"prev":"${HASH}"(.*)$`, "s").exec(text) ?? [];
  return rest === undefined || isStartOfHash(rest);
}

function isStartOfHash(text: string): boolean {
  const name = ',"hash":"';
  if (text.length <= name.length) return name.startsWith(text);
  return text.startsWith(name) && /^[0-9a-f]{0,64}$|^[0-9a-f]{64}"$/.test(text.slice(name.length));
}

function claimedSeq(text: string): number | undefined {
  const seq = Number(/^\{"v":1,"seq":(\d{1,16}),/.exec(text)?.[1]);
  return isSeq(seq) ? seq : undefined;
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Characters that terminals and editors do not show as they are: controls, directional marks, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const NOT_PLAIN = /[^\x20-\x7e]/;

function withoutOwnMembers(entry: JsonObject): JsonObject {
  if (!Object.keys(entry).some((key) => OWN_MEMBERS.has(key))) return entry;
  // `fromEntries` defines keys instead of assigning them, so `__proto__` stays data.
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !OWN_MEMBERS.has(key)));
}
