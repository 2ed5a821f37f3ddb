import { isDeepStrictEqual } from "node:util";
import { isPlainObject, setOwn } from "../../core/json.ts";
import { parsed } from "./json-rpc.ts";
import type { ToolResult } from "./tool-result.ts";

// A tool result may say the same twice: as text in `content`, and in `structuredContent`. A hook that takes
// something out of one must not find that the client reads it in the other.

/** One text, before and after a hook changed it. */
interface Change {
  readonly before: string;
  readonly after: string;
}

/**
 * A result as hooks left it, with the other half of it following the one that they changed. What cannot follow and
 * still holds what was taken out goes. Hooks that changed both are taken at their word.
 */
export function syncStructuredContent(before: unknown, after: ToolResult): ToolResult {
  if (!isPlainObject(before)) return after;
  const { content: oldContent, structuredContent: oldData } = before;
  const { content, structuredContent: data } = after;
  if (oldData === undefined || data === undefined || content === undefined) return after;
  const isContentSame = isSame(oldContent, content);
  const isDataSame = isSame(oldData, data);
  if (isContentSame === isDataSame) return after;
  if (!isContentSame) {
    const followed = followingData(data, oldContent, content);
    const { structuredContent: _, ...rest } = after;
    return followed === undefined ? rest : { ...after, structuredContent: followed };
  }
  return { ...after, content: followingContent(content, oldData, data) };
}

/** `structuredContent` after `content` has changed; undefined when it cannot follow. */
function followingData(data: unknown, before: unknown, after: unknown): unknown {
  const changes = textChanges(before, after);
  const whole = changes.find((change) => isDeepStrictEqual(parsed(change.before), data));
  const followed = whole ? parsed(whole.after) : withChanges(data, changes);
  if (!isPlainObject(followed)) return undefined;
  const removed = removedWords(textsOf(before), textsOf(after));
  return holdsAny(textsOf(followed), removed) ? undefined : followed;
}

/** `content` after `structuredContent` has changed. */
function followingContent(content: unknown, before: unknown, after: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const changes = leafChanges(before, after);
  const removed = removedWords(textsOf(before), textsOf(after));
  const blocks = (content as unknown[]).map((block) => {
    if (!isPlainObject(block) || typeof block["text"] !== "string")
      return withChanges(block, changes);
    const { text } = block;
    if (!isDeepStrictEqual(parsed(text), before)) return withChanges(block, changes);
    return Object.assign({}, block, { text: written(after, text) });
  });
  const clean = blocks.filter((block) => !holdsAny(blockTexts(block), removed));
  if (clean.length === blocks.length) return blocks;
  return [...clean, { type: "text", text: JSON.stringify(after) }];
}

/** Texts of blocks that stand at the same place. */
function textChanges(before: unknown, after: unknown): Change[] {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return [];
  return leafChanges(before, after);
}

/** Texts of two values that stand at the same place and differ. */
function leafChanges(before: unknown, after: unknown): Change[] {
  if (before === after) return [];
  if (typeof before === "string") {
    return typeof after === "string" ? [{ before, after }] : [];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.flatMap((item, i) => leafChanges(item, after[i]));
  }
  if (!isPlainObject(before) || !isPlainObject(after)) return [];
  return Object.keys(before).flatMap((key) => leafChanges(before[key], after[key]));
}

/** A value in which texts that were changed elsewhere are changed, too. */
function withChanges(value: unknown, changes: readonly Change[]): unknown {
  if (typeof value === "string") {
    return changes.find(({ before }) => before === value)?.after ?? value;
  }
  if (Array.isArray(value)) return value.map((item) => withChanges(item, changes));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, withChanges(item, changes));
  return copy;
}

/** Words that were there and are no more. */
function removedWords(before: readonly string[], after: readonly string[]): Set<string> {
  const left = wordsOf(after);
  return new Set([...wordsOf(before)].filter((word) => !left.has(word)));
}

function holdsAny(texts: readonly string[], words: ReadonlySet<string>): boolean {
  if (words.size === 0) return false;
  if ([...wordsOf(texts)].some((word) => words.has(word))) return true;
  // A token may stand within another word.
  const long = [...words].filter((word) => word.length >= LONG_WORD);
  const whole = texts.join("\n").toLowerCase();
  return long.length * whole.length > MOST_STEPS || long.some((word) => whole.includes(word));
}

/** From so many letters on, a word that was taken out must not be part of another one either. */
const LONG_WORD = 6;
/** Beyond this much looking, in letters, it counts as found. */
const MOST_STEPS = 50_000_000;

function wordsOf(texts: readonly string[]): Set<string> {
  // Scripts that are written without spaces letter by letter.
  const words = /[a-z0-9]+|[\p{L}\p{N}]/gu;
  return new Set(texts.flatMap((text) => text.toLowerCase().match(words) ?? []));
}

/** Every text and number of a value, the keys of objects included. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isPlainObject(value)) return [];
  return Object.keys(value).concat(Object.values(value).flatMap(textsOf));
}

/** The texts of a content block, without the words that every block has and what is no text. */
function blockTexts(block: unknown): string[] {
  if (!isPlainObject(block)) return textsOf(block);
  const { type: _type, mimeType: _mime, data: _data, blob: _blob, resource, ...rest } = block;
  return [...Object.values(rest).flatMap(textsOf), ...(resource ? blockTexts(resource) : [])];
}

function written(value: unknown, like: string): string {
  return JSON.stringify(value, null, like.includes("\n") ? 2 : undefined);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
