import type { Edit, Node, ParseError } from "jsonc-parser";
import { applyEdits, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import { messageOf, type Json } from "../../core/index.ts";

/** A stretch of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text of JSON with comments, and the positions of its parts. */
export interface JsoncText {
  readonly text: string;
  /** Undefined when there are only comments and white space. */
  readonly root: Node | undefined;
  readonly comments: readonly Span[];
  /** Offsets of the commas. */
  readonly commas: readonly number[];
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
}

/**
 * Parse a text without its byte order mark. Comments and trailing commas are allowed.
 * @throws Error with the error and its place
 */
export function readJsonc(text: string): JsoncText {
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const errors: ParseError[] = [];
  const comments: Span[] = [];
  const commas: number[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, options);
    visit(
      text,
      {
        onComment: (start, length) => void comments.push({ start, end: start + length }),
        onSeparator: (character, at) => void (character === "," && commas.push(at)),
      },
      options,
    );
  } catch (thrown) {
    // Nested deeper than the parser's recursion allows.
    throw new Error(`it cannot be parsed: ${messageOf(thrown)}`, { cause: thrown });
  }
  const [error] = errors;
  if (error) throw new Error(`it is not JSON: ${parseErrorText(error, text)}`);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  return { text, root, comments, commas, eol, unit: unitOf(text, root) };
}

/** The white space at the beginning of an offset's line. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Whether only white space precedes it in its line. */
function startsLine(text: string, offset: number): boolean {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  return begin > 0 && indentAt(text, offset).length === offset - begin;
}

function parseErrorText({ error, offset }: ParseError, text: string): string {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  const what = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  return `${what.toLowerCase()} at line ${before.length}, column ${column}`;
}

function unitOf(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (!first || !startsLine(text, first.offset)) return "  ";
  return indentAt(text, first.offset) || "  ";
}

// The parser's own `modify` reformats the whole line that it touches. Here nothing changes but the inserted or removed
// text: settings on one line stay on one line, and comments stay in place.

/**
 * Append a value to a list, or a property to an object.
 * @returns the new text
 */
export function appendValue(
  doc: JsoncText,
  container: Node,
  value: Json,
  key: string | undefined,
): string {
  const { text } = doc;
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const from = last ? last.offset + last.length : container.offset + 1;
  const comma = doc.commas.find((at) => at >= from && at < close);
  const comment = doc.comments.findLast(({ start, end }) => start >= from && end <= close);
  const at = Math.max(from, (comma ?? -1) + 1, comment?.end ?? 0);
  const isLineComment = comment !== undefined && text.startsWith("//", comment.start);
  const onLines =
    isLineComment ||
    (last ? startsLine(text, last.offset) : !container.parent || /\n/.test(text.trimEnd()));
  const base = indentAt(text, container.offset);
  const indent =
    last && startsLine(text, last.offset) ? indentAt(text, last.offset) : base + doc.unit;
  const written =
    (key === undefined ? "" : `${JSON.stringify(key)}: `) + layout(doc, value, indent, onLines);
  const lead = onLines ? doc.eol + indent : last ? " " : "";
  // An empty value on one line gets its closing bracket on a new line.
  const tail = onLines && !/\n/.test(text.slice(at, close)) ? doc.eol + base : "";
  const edits: Edit[] = [
    { offset: at, length: 0, content: lead + written + (comma === undefined ? "" : ",") + tail },
  ];
  if (last && comma === undefined) edits.unshift({ offset: from, length: 0, content: "," });
  return applyEdits(text, edits);
}

/** Replace a value. @returns the new text */
export function replaceNode(doc: JsoncText, node: Node, value: Json): string {
  const { text } = doc;
  const { offset, length } = node;
  const onLines = text.slice(offset, offset + length).includes("\n");
  const content = layout(doc, value, indentAt(text, offset), onLines);
  return applyEdits(text, [{ offset, length, content }]);
}

/**
 * Remove an element from its list, or a property from its object, with the comma that is no longer needed. Comments
 * stay.
 * @returns the new text
 */
export function removeNode(doc: JsoncText, node: Node): string {
  const { text } = doc;
  const container = node.parent;
  const siblings = container?.children ?? [];
  const index = siblings.indexOf(node);
  if (!container || index < 0) return text;
  const end = node.offset + node.length;
  const before = siblings[index - 1];
  const begin = before ? before.offset + before.length : container.offset + 1;
  const until = siblings[index + 1]?.offset ?? container.offset + container.length - 1;
  const after = doc.commas.find((at) => at >= end && at < until);
  const freed = after ?? doc.commas.findLast((at) => at >= begin && at < node.offset);
  const start = withSpaceBefore(doc, node.offset, end);
  const edits: Edit[] = [{ offset: start, length: end - start, content: "" }];
  if (freed !== undefined) edits.push({ offset: freed, length: 1, content: "" });
  const left = applyEdits(
    text,
    edits.sort((a, b) => a.offset - b.offset),
  );
  return siblings.length > 1 ? left : withoutInnerSpace(left, container.offset);
}

/** The start of the white space before a node; the end of a line comment before it must stay. */
function withSpaceBefore({ text, comments }: JsoncText, offset: number, end: number): number {
  const start = text.slice(0, offset).trimEnd().length;
  const isAfterLine = comments.some(
    (comment) => comment.end === start && text.startsWith("//", comment.start),
  );
  return isAfterLine && !/^[ \t]*,?[ \t]*\r?\n/.test(text.slice(end)) ? offset : start;
}

/** `{ }` and `{` and `}` on two lines become `{}` when nothing else is in between. */
function withoutInnerSpace(text: string, open: number): string {
  const [, space = ""] = /^[[{](\s*)[\]}]/.exec(text.slice(open)) ?? [];
  return text.slice(0, open + 1) + text.slice(open + 1 + space.length);
}

function layout({ unit, eol }: JsoncText, value: Json, indent: string, onLines: boolean): string {
  if (onLines) return JSON.stringify(value, undefined, unit).replaceAll("\n", eol + indent);
  // In the usual notation on one line: `{ "a": 1 }`.
  return JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, " ");
}
