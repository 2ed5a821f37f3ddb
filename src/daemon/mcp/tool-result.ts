import {
  injectedText,
  numbersOf,
  isPlainObject,
  parseExact,
  setOwn,
  stringifyExact,
} from "../../core/index.ts";
import type { Injection } from "../../core/index.ts";
import { isDeepStrictEqual } from "node:util";
import { paramsOf, type RpcMessage } from "./json-rpc.ts";

/** The result of a tool call. */
type ToolResult = Readonly<Record<string, unknown>>;

/** The key with which a request of revision 2026-07-28 states its revision; there is no `initialize` in it. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/**
 * Whether the response to a request must state that it is complete.
 * @param initialized whether the session began with `initialize`, as before that revision
 */
export function saysComplete(request: RpcMessage, initialized: boolean): boolean {
  const { _meta: meta } = paramsOf(request);
  return !initialized || (isPlainObject(meta) && typeof meta[VERSION_KEY] === "string");
}

/** A denial that the model reads. */
export function refusal(text: string, complete: boolean): ToolResult {
  return withResultType({ content: [{ type: "text", text }], isError: true }, complete);
}

/** A hook's result: a tool result as it is, anything else as the text of one. */
export function asToolResult(value: unknown, complete: boolean): ToolResult {
  if (isToolResult(value)) return withResultType(value, complete);
  if (typeof value === "string") return withResultType({ content: textContent(value) }, complete);
  const content = textContent(JSON.stringify(value ?? null));
  const structured = isPlainObject(value) && { structuredContent: value };
  return withResultType({ content, ...structured }, complete);
}

/** A result with the texts of hooks for the model. */
export function withInjected(result: ToolResult, inject: readonly Injection[]): ToolResult {
  if (inject.length === 0) return result;
  const { content } = result;
  const texts = inject.flatMap((text) => textContent(injectedText(text)));
  return {
    ...result,
    content: [...(Array.isArray(content) ? (content as unknown[]) : []), ...texts],
  };
}

/** Whether a text can be appended to the content of a result. */
export function hasContent(result: unknown): result is ToolResult {
  return isPlainObject(result) && Array.isArray(result["content"]);
}

/** Whether the server asks back, or names a running task: there is nothing for the post hooks yet. */
export function isInterim(result: unknown): boolean {
  if (!isPlainObject(result) || "content" in result || "structuredContent" in result) return false;
  const { resultType, task } = result;
  return (typeof resultType === "string" && resultType !== "complete") || isPlainObject(task);
}

/** The error text in the result of a failed tool; undefined when it did not fail. */
export function failureOf(result: unknown): string | undefined {
  if (!isPlainObject(result) || result["isError"] !== true) return undefined;
  const { content } = result;
  const texts = (Array.isArray(content) ? (content as unknown[]) : []).flatMap((block) =>
    isPlainObject(block) && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return texts.join("\n") || "the tool reported a failure";
}

function isToolResult(value: unknown): value is ToolResult {
  if (!isPlainObject(value)) return false;
  return Array.isArray(value["content"]) || "structuredContent" in value || "toolResult" in value;
}

function withResultType(result: ToolResult, complete: boolean): ToolResult {
  return complete && !("resultType" in result) ? { ...result, resultType: "complete" } : result;
}

function textContent(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}

// A tool result may contain the same information twice: as text in `content`, and in `structuredContent`. What a hook
// removes from one must not reach the client in the other.

/** One text, before and after a hook's change. */
interface TextChange {
  readonly before: string;
  readonly after: string;
}

/**
 * A result as hooks left it, with the other half updated to follow the changed one. A part that cannot follow and still
 * contains removed text is dropped. If hooks changed both, both are kept.
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

/** `structuredContent` after a change of `content`; undefined when it cannot follow. */
function followingData(data: unknown, before: unknown, after: unknown): unknown {
  // Texts of blocks in the same position.
  const isAligned = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  const changes = isAligned ? leafChanges(before, after) : [];
  const whole = changes.find((change) => isDeepStrictEqual(parsed(change.before), data));
  const followed = whole ? parsed(whole.after) : withChanges(data, changes);
  if (!isPlainObject(followed)) return undefined;
  const removed = removedWords(textsOf(before), textsOf(after));
  return holdsAny(textsOf(followed), removed) ? undefined : followed;
}

/** `content` after a change of `structuredContent`. */
function followingContent(content: unknown, before: unknown, after: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const changes = leafChanges(before, after);
  const removed = removedWords(textsOf(before), textsOf(after));
  const blocks = (content as unknown[]).map((block) => {
    if (!isPlainObject(block) || typeof block["text"] !== "string")
      return withChanges(block, changes);
    const { text } = block;
    if (!isDeepStrictEqual(parsed(text), before)) return withChanges(block, changes);
    const indent = text.includes("\n") ? 2 : undefined;
    return Object.assign({}, block, { text: stringifyExact(after, numbersOf(text), indent) });
  });
  const clean = blocks.filter((block) => !holdsAny(blockTexts(block), removed));
  if (clean.length === blocks.length) return blocks;
  return [...clean, { type: "text", text: JSON.stringify(after) }];
}

/** Texts of two values in the same position that differ. */
function leafChanges(before: unknown, after: unknown): TextChange[] {
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

/** A value with the text changes of another one applied. */
function withChanges(value: unknown, changes: readonly TextChange[]): unknown {
  if (typeof value === "string") {
    return changes.find(({ before }) => before === value)?.after ?? value;
  }
  if (Array.isArray(value)) return value.map((item) => withChanges(item, changes));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, withChanges(item, changes));
  return copy;
}

/** Words that were removed. */
function removedWords(before: readonly string[], after: readonly string[]): Set<string> {
  const left = wordsOf(after);
  return new Set([...wordsOf(before)].filter((word) => !left.has(word)));
}

function holdsAny(texts: readonly string[], words: ReadonlySet<string>): boolean {
  if (words.size === 0) return false;
  if ([...wordsOf(texts)].some((word) => words.has(word))) return true;
  // A token may be part of another word.
  const long = [...words].filter((word) => word.length >= LONG_WORD);
  const whole = texts.join("\n").toLowerCase();
  return long.length * whole.length > MOST_STEPS || long.some((word) => whole.includes(word));
}

/** From this length on, a removed word must not be part of another one either. */
const LONG_WORD = 6;
/** Beyond this many comparisons, in letters, it counts as found. */
const MOST_STEPS = 50_000_000;

function wordsOf(texts: readonly string[]): Set<string> {
  // Scripts without spaces are split letter by letter.
  const words = /[a-z0-9]+|[\p{L}\p{N}]/gu;
  return new Set(texts.flatMap((text) => text.toLowerCase().match(words) ?? []));
}

/** Every text and number of a value, including the keys of objects. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isPlainObject(value)) return [];
  return Object.keys(value).concat(Object.values(value).flatMap(textsOf));
}

/** The texts of a content block, without the words that every block has and values that are not text. */
function blockTexts(block: unknown): string[] {
  if (!isPlainObject(block)) return textsOf(block);
  const { type: _type, mimeType: _mime, data: _data, blob: _blob, resource, ...rest } = block;
  return [...Object.values(rest).flatMap(textsOf), ...(resource ? blockTexts(resource) : [])];
}

function parsed(text: string): unknown {
  try {
    return parseExact(text).value;
  } catch {
    return undefined;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
