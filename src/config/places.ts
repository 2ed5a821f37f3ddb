import type { AST } from "toml-eslint-parser";
import type { KeyPath } from "./path.ts";

/** A stretch of a line; line and column count from 1, columns and lengths in UTF-16 units. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Where the parts of a TOML text stand. */
export interface Places {
  /** A key where it is first written; for an element of a list of tables, its `[[header]]`. */
  key(path: KeyPath): Span | undefined;
  /** A value; of one that goes over several lines, its first. */
  value(path: KeyPath): Span | undefined;
  /** The first character of a string's content. */
  content(path: KeyPath): Span | undefined;
}

/** The places of an object of a program, which has none. */
export const NO_PLACES: Places = {
  key: () => undefined,
  value: () => undefined,
  content: () => undefined,
};

/**
 * The places in a text that is valid TOML. The parser is loaded when it is needed only: a configuration
 * without hooks or mistakes never asks.
 */
export async function placesOf(text: string): Promise<Places> {
  const { parseTOML } = await import("toml-eslint-parser");
  const spans = new SpanTable(text);
  try {
    for (const node of parseTOML(text).body[0].body) {
      if (node.type === "TOMLTable") spans.addTable(node);
      else spans.addKeyValue(node, []);
    }
  } catch {
    // The two parsers disagree: what the other one has read is used, without exact places.
    return NO_PLACES;
  }
  return spans;
}

class SpanTable implements Places {
  readonly #keys = new Map<string, Span>();
  readonly #values = new Map<string, Span>();
  readonly #contents = new Map<string, Span>();
  readonly #text: string;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\n/g), (found) => found.index + 1)];
  }

  key(path: KeyPath): Span | undefined {
    return this.#keys.get(nameOf(path));
  }

  value(path: KeyPath): Span | undefined {
    return this.#values.get(nameOf(path));
  }

  content(path: KeyPath): Span | undefined {
    return this.#contents.get(nameOf(path));
  }

  addTable(node: AST.TOMLTable): void {
    const path = node.resolvedKey;
    let written = 0;
    for (const [i, step] of path.entries()) {
      const key = node.key.keys[written];
      if (typeof step !== "string" || key === undefined) continue;
      written += 1;
      first(this.#keys, path.slice(0, i + 1), this.#span(key.range));
    }
    if (node.kind === "array") {
      const end = this.#text.indexOf("]]", node.key.range[1]) + 2;
      first(this.#keys, path, this.#span([node.range[0], end]));
    }
    for (const pair of node.body) this.addKeyValue(pair, path);
  }

  addKeyValue(node: AST.TOMLKeyValue, table: KeyPath): void {
    const path = [...table];
    for (const key of node.key.keys) {
      path.push(key.type === "TOMLBare" ? key.name : key.value);
      first(this.#keys, path, this.#span(key.range));
    }
    this.#addValue(node.value, path);
  }

  #addValue(node: AST.TOMLContentNode, path: KeyPath): void {
    first(this.#values, path, this.#span(node.range));
    if (node.type === "TOMLInlineTable") {
      for (const pair of node.body) this.addKeyValue(pair, path);
    } else if (node.type === "TOMLArray") {
      for (const [i, element] of node.elements.entries()) this.#addValue(element, [...path, i]);
    } else if (node.kind === "string") {
      first(this.#contents, path, this.#span(this.#contentRange(node)));
    }
  }

  /** Without the quotes, and without the line break that TOML drops after three of them. */
  #contentRange(node: AST.TOMLStringValue): [number, number] {
    const [start, end] = node.range;
    const opening = node.multiline ? /^...(\r?\n)?/ : /^./;
    const skipped = opening.exec(this.#text.slice(start, start + 5))?.[0].length ?? 0;
    return [start + skipped, end];
  }

  /** Index of the line that an offset is in: by halves, as a large file has as many spans as lines. */
  #lineAt(offset: number): number {
    let low = 0;
    for (let high = this.#lineStarts.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #span([start, end]: readonly [number, number]): Span {
    const line = this.#lineAt(start);
    const lineStart = this.#lineStarts[line] ?? 0;
    const rest = this.#text.slice(start, end);
    return { line: line + 1, column: start - lineStart + 1, length: rest.search(/\r?\n|$/) };
  }
}

function first(spans: Map<string, Span>, path: KeyPath, span: Span): void {
  const name = nameOf(path);
  if (!spans.has(name)) spans.set(name, span);
}

function nameOf(path: KeyPath): string {
  return JSON.stringify(path);
}
