import { createHash, hash } from "node:crypto";
import type { Hash } from "node:crypto";
import { messageOf } from "../../core/errors.ts";
import { MAX_JSON_DEPTH } from "../../core/json.ts";
import { isUnreadable, ownData, shown } from "../../core/shown.ts";
import type { Container } from "../../core/shown.ts";
import { NotJson } from "../../core/to-json.ts";

/** What is known of an input without keeping it. */
export type InputDigest =
  | {
      /** `sha256:` and the hexadecimal digits, of the canonical JSON as UTF-8. */
      readonly input: string;
      /** Only the first so many characters count: the rest was not read. */
      readonly input_cut?: number;
    }
  | { readonly input_error: string };

/** So many characters are hashed at most, which takes about a millisecond; a payload may have 16 million. */
export const HASHED_CHARS = 2 ** 18;
/** Of more keys than this the first ones cannot be had without sorting them all. */
const MOST_KEYS = 2 ** 14;
/** Handed to the hash at once: each call of it has its price. */
const CHUNK = 2 ** 14;

/**
 * The digest of a payload in canonical JSON: no spaces, keys in the order of their UTF-16 code units, keys with
 * undefined left out, as RFC 8785 writes it. Never throws: of what is no JSON it says why.
 */
export function inputDigest(payload: unknown): InputDigest {
  try {
    const text = new HashedText();
    write(payload, [], text, new Set());
    const input = `sha256:${text.digest()}`;
    return text.isFull ? { input, input_cut: HASHED_CHARS } : { input };
  } catch (thrown) {
    return { input_error: messageOf(thrown) };
  }
}

type Path = readonly (string | number)[];

function write(value: unknown, path: Path, text: HashedText, open: Set<object>): void {
  if (text.isFull) return;
  const seen = shown(value);
  if (typeof seen === "string") return text.add(quoted(seen, text.room));
  if (typeof seen !== "object" || seen === null) return text.add(JSON.stringify(seen ?? null));
  if (isUnreadable(seen)) throw new NotJson(`is ${seen.what}`, path);
  const given = value as object;
  if (open.has(given)) throw new NotJson("is a cycle", path);
  if (open.size >= MAX_JSON_DEPTH) {
    throw new NotJson(`is nested deeper than ${MAX_JSON_DEPTH} levels`, path);
  }
  open.add(given);
  if (Array.isArray(seen)) writeList(seen, path, text, open);
  else writeObject(seen, path, text, open);
  open.delete(given);
}

function writeList(list: readonly unknown[], path: Path, text: HashedText, open: Set<object>) {
  text.add("[");
  for (let i = 0; i < list.length && !text.isFull; i++) {
    if (i > 0) text.add(",");
    write(ownData(list, i), [...path, i], text, open);
  }
  text.add("]");
}

function writeObject(value: Container, path: Path, text: HashedText, open: Set<object>): void {
  const keys = Object.keys(value);
  if (keys.length > MOST_KEYS) throw new NotJson(`has more than ${MOST_KEYS} keys`, path);
  text.add("{");
  let comma = "";
  for (const key of keys.sort()) {
    if (text.isFull) return;
    const item = ownData(value, key);
    if (item === undefined) continue;
    text.add(`${comma}${quoted(key, text.room)}:`);
    write(item, [...path, key], text, open);
    comma = ",";
  }
  text.add("}");
}

/** Of a long text no more than fits: each character takes one at least. */
function quoted(value: string, room: number): string {
  return JSON.stringify(value.length > room ? value.slice(0, room) : value);
}

/** A text of which the hash alone is kept, and of that no more than the first characters. */
class HashedText {
  /** Made when there is more than one chunk: most payloads are small. */
  #hash: Hash | undefined;
  #chunk = "";
  /** Characters that there is room for. */
  room = HASHED_CHARS;
  /** Whether something was left out. */
  isFull = false;

  add(text: string): void {
    if (text.length > this.room) this.isFull = true;
    this.#chunk += text.slice(0, this.room);
    this.room = Math.max(0, this.room - text.length);
    if (this.#chunk.length >= CHUNK) this.#flush();
  }

  digest(): string {
    if (!this.#hash) return hash("sha256", this.#chunk, "hex");
    this.#hash.update(this.#chunk, "utf8");
    return this.#hash.digest("hex");
  }

  #flush(): void {
    this.#hash ??= createHash("sha256");
    this.#hash.update(this.#chunk, "utf8");
    this.#chunk = "";
  }
}
