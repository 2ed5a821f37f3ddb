import type { AST } from "toml-eslint-parser";
import { textOfKey, tomlBody } from "./toml-edit.ts";
import { type Diagnostic, lastUpTo, lineStarts, type SourcePlace } from "../core/index.ts";
import { type ConfigError, type KeyPath, lastKeyText, pathText } from "./config-error.ts";

/** A range within a line; line and column count from 1, columns and lengths in UTF-16 units. */
interface Span {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/**
 * The part of an entry: its key where it is first written, or the `[[header]]` of an element of a list of tables; its
 * value, or the first line of one with several; the content of a string, which begins with its first character.
 */
type Part = "key" | "value" | "content";

/** The positions of the parts of a TOML text. */
export type SourcePositions = (part: Part, path: KeyPath) => Span | undefined;

/** The positions of a tree that was converted. @param written the path in the text of a path in the tree */
export function movedPositions(
  places: SourcePositions,
  written: ((path: KeyPath) => KeyPath) | undefined,
): SourcePositions {
  return written ? (part, path) => places(part, written(path)) : places;
}

/** The positions in an object, which has none. */
export const NO_POSITIONS: SourcePositions = () => undefined;

/**
 * The positions in a valid TOML text. The parser is loaded on first use: a configuration without hooks and errors never
 * needs it.
 */
export async function sourcePositions(text: string): Promise<SourcePositions> {
  const spans = new SpanTable(text);
  try {
    for (const node of await tomlBody(text)) {
      if (node.type === "TOMLTable") spans.addTable(node);
      else spans.addKeyValue(node, []);
    }
  } catch {
    // The two parsers disagree: the other one's result is used, without exact positions.
    return NO_POSITIONS;
  }
  return (part, path) => spans.of(part, path);
}

class SpanTable {
  readonly #spans = new Map<string, Span>();
  readonly #text: string;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = lineStarts(text);
  }

  of(part: Part, path: KeyPath): Span | undefined {
    return this.#spans.get(JSON.stringify([part, path]));
  }

  addTable(node: AST.TOMLTable): void {
    const path = node.resolvedKey;
    let written = 0;
    for (const [i, step] of path.entries()) {
      const key = node.key.keys[written];
      if (typeof step !== "string" || key === undefined) continue;
      written += 1;
      this.#add("key", path.slice(0, i + 1), key.range);
    }
    if (node.kind === "array") {
      const end = this.#text.indexOf("]]", node.key.range[1]) + 2;
      this.#add("key", path, [node.range[0], end]);
    }
    for (const pair of node.body) this.addKeyValue(pair, path);
  }

  addKeyValue(node: AST.TOMLKeyValue, table: KeyPath): void {
    const path = [...table];
    for (const key of node.key.keys) {
      path.push(textOfKey(key));
      this.#add("key", path, key.range);
    }
    this.#addValue(node.value, path);
  }

  #addValue(node: AST.TOMLContentNode, path: KeyPath): void {
    this.#add("value", path, node.range);
    if (node.type === "TOMLInlineTable") {
      for (const pair of node.body) this.addKeyValue(pair, path);
    } else if (node.type === "TOMLArray") {
      for (const [i, element] of node.elements.entries()) this.#addValue(element, [...path, i]);
    } else if (node.kind === "string") {
      this.#add("content", path, this.#contentRange(node));
    }
  }

  /** Without the quotes, and without the line break that TOML drops after three of them. */
  #contentRange(node: AST.TOMLStringValue): [number, number] {
    const [start, end] = node.range;
    const opening = node.multiline ? /^...(\r?\n)?/ : /^./;
    const skipped = opening.exec(this.#text.slice(start, start + 5))?.[0].length ?? 0;
    return [start + skipped, end];
  }

  /** Adds a part of an entry where it is first written. */
  #add(part: Part, path: KeyPath, [start, end]: readonly [number, number]): void {
    const name = JSON.stringify([part, path]);
    if (this.#spans.has(name)) return;
    const line = lastUpTo(this.#lineStarts, start);
    const column = start - (this.#lineStarts[line] ?? 0) + 1;
    const length = this.#text.slice(start, end).search(/\r?\n|$/);
    this.#spans.set(name, { line: line + 1, column, length });
  }
}

/** The source of a configuration, for placing errors in it. */
export interface Source {
  /** The file's name in messages; undefined for an object. */
  readonly file: string | undefined;
  /** Content of the file. */
  readonly text: string | undefined;
  /** Prefix of key paths in an object: `command line: `, or empty. */
  readonly prefix: string;
  readonly places: SourcePositions;
  /** The path in an object of a path in the tree, where they differ. */
  readonly written?: ((path: KeyPath) => KeyPath) | undefined;
}

/** The place of a hook. In an object, the key path replaces the file: `hooks[0]`, line 1. */
export function placeOfHook(source: Source, path: KeyPath): SourcePlace {
  return placeFor(source, path, spanOf({ path, at: "key" }, source));
}

/** The place of the first line of a string's content. */
export function placeOfContent(source: Source, path: KeyPath): SourcePlace {
  return placeFor(source, path, source.places("content", path) ?? nearestSpan(source, path));
}

/** An error with its place: file, line and column, or in an object the key path. */
export function diagnosticOf(mistake: ConfigError, source: Source): Diagnostic {
  const { code, severity = "error", path, at, hint } = mistake;
  const span = spanOf(mistake, source);
  const text =
    typeof mistake.message === "string"
      ? mistake.message
      : mistake.message((other) => whereIs(other, source));
  const place = source.file === undefined ? undefined : placeFor(source, path, span);
  return {
    code,
    severity,
    message: `${subject(source, path, at)}${text}`,
    ...(place !== undefined && { place }),
    ...(span !== undefined && { length: span.length }),
    ...(hint !== undefined && { hint }),
  };
}

function placeFor(source: Source, path: KeyPath, span: Span | undefined): SourcePlace {
  const { line = 1, column = 1 } = span ?? {};
  return { file: source.file ?? `${source.prefix}${shownPath(path, source)}`, line, column };
}

function spanOf({ path, at }: Pick<ConfigError, "path" | "at">, source: Source): Span | undefined {
  const { places } = source;
  const other = at === "key" ? "value" : "key";
  return places(at, path) ?? places(other, path) ?? nearestSpan(source, path);
}

/** The position of the nearest enclosing table that has one. */
function nearestSpan({ places }: Source, path: KeyPath): Span | undefined {
  for (let length = path.length - 1; length > 0; length--) {
    const outer = path.slice(0, length);
    const span = places("key", outer) ?? places("value", outer);
    if (span) return span;
  }
  return undefined;
}

function whereIs(path: KeyPath, source: Source): string {
  if (source.file === undefined) return shownPath(path, source);
  return `line ${placeOfHook(source, path).line}`;
}

function shownPath(path: KeyPath, { written }: Source): string {
  return pathText(written?.(path) ?? path);
}

/** In a file, the caret shows the position, and the message also names the key for those who read it alone. */
function subject(source: Source, path: KeyPath, at: ConfigError["at"]): string {
  if (source.file === undefined) {
    const text = shownPath(path, source);
    return text === "" ? source.prefix : `${source.prefix}${text}: `;
  }
  return at === "value" && path.length > 0 ? `${lastKeyText(path)}: ` : "";
}
