import type { Range, Statement } from "./ast.ts";
import { parseLua } from "./parser.ts";

/** What is checked: a script, a module, or a handler in a configuration. */
export type ChunkKind = "script" | "module" | "inline";

/** A chunk as the VM compiles it. */
export interface ChunkText {
  readonly text: string;
  /** Length of the first line's prefix that is not the author's. */
  readonly lead: number;
  readonly statements: readonly Statement[];
}

const FUNCTION = "return ";
const EXPRESSION = "return function(ctx) return ";
const BODY = "return function(ctx) ";

/**
 * A parsed chunk. An inline handler is a function, an expression or a body, tried in this order as the VM does.
 * @returns undefined when it is not Lua
 */
export function chunkText(code: string, kind: ChunkKind): ChunkText | undefined {
  if (kind !== "inline") return parsed("", code, "");
  return (
    parsed(FUNCTION, code, "", isFunction) ??
    parsed(EXPRESSION, code, "\nend") ??
    parsed(BODY, code, "\nend")
  );
}

function parsed(
  before: string,
  code: string,
  after: string,
  fits: (statements: readonly Statement[]) => boolean = () => true,
): ChunkText | undefined {
  const text = `${before}${code}${after}`;
  const statements = parseLua(text);
  return statements && fits(statements) ? { text, lead: before.length, statements } : undefined;
}

/** Whether it is a single function as an expression statement. */
function isFunction([only, ...others]: readonly Statement[]): boolean {
  if (only?.kind !== "return" || others.length > 0) return false;
  return only.values.length === 1 && only.values[0]?.kind === "function";
}

/** The start of a range, line and column from 1, and its length on that line. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Create a function that converts ranges of a text to places. Columns and lengths count UTF-16 units. */
export function placesIn(text: string): (range: Range) => Place {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return ({ start, end }) => {
    let low = 0;
    for (let high = starts.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    const lineStart = starts[low] ?? 0;
    const lineEnd = (starts[low + 1] ?? text.length + 1) - 1;
    return {
      line: low + 1,
      column: start - lineStart + 1,
      length: Math.max(1, Math.min(end, lineEnd) - start),
    };
  };
}
