import { parseTree, printParseErrorCode, visit } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { messageOf } from "../../core/errors.ts";

/** A stretch of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** JSON with comments as it is written, and where its parts are. */
export interface JsoncText {
  readonly text: string;
  /** Undefined when there is nothing but comments and space. */
  readonly root: Node | undefined;
  readonly comments: readonly Span[];
  /** Offsets of the commas. */
  readonly commas: readonly number[];
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
}

/**
 * Read a text without its byte order mark. Comments and commas at an end are allowed.
 * @throws Error saying what is wrong where
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
    // Nested deeper than the parser can follow.
    throw new Error(`it cannot be parsed: ${messageOf(thrown)}`, { cause: thrown });
  }
  const [error] = errors;
  if (error) throw new Error(`it is not JSON: ${described(error, text)}`);
  return { text, root, comments, commas, eol: eolOf(text), unit: unitOf(text, root) };
}

/** The white space that the line of an offset begins with. */
export function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Whether nothing but white space stands before it in its line. */
export function startsLine(text: string, offset: number): boolean {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  return begin > 0 && indentAt(text, offset).length === offset - begin;
}

function described({ error, offset }: ParseError, text: string): string {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  const what = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  return `${what.toLowerCase()} at line ${before.length}, column ${column}`;
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function unitOf(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (!first || !startsLine(text, first.offset)) return "  ";
  return indentAt(text, first.offset) || "  ";
}
