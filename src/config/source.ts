import type { Diagnostic, SourcePlace } from "../core/diagnostic.ts";
import type { Mistake } from "./mistake.ts";
import { lastKeyText, pathText } from "./path.ts";
import type { KeyPath } from "./path.ts";
import type { Places, Span } from "./places.ts";

/** What a configuration was read from, for naming places in it. */
export interface Source {
  /** The file's name in messages; undefined for an object of a program. */
  readonly file: string | undefined;
  /** Content of the file. */
  readonly text: string | undefined;
  /** Before the key paths of an object: `command line: `, or nothing. */
  readonly prefix: string;
  readonly places: Places;
}

/** The place of a hook. In an object the key path stands for a file: `hooks[0]`, line 1. */
export function placeOfHook(source: Source, path: KeyPath): SourcePlace {
  const span = source.places.key(path) ?? source.places.value(path);
  return placeFor(source, path, span ?? nearestSpan(source, path));
}

/** The place of the first line of a string's content. */
export function placeOfContent(source: Source, path: KeyPath): SourcePlace {
  return placeFor(source, path, source.places.content(path) ?? nearestSpan(source, path));
}

/** A mistake with its place: file, line and column, or in an object the key path. */
export function diagnosticOf(mistake: Mistake, source: Source): Diagnostic {
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
  return { file: source.file ?? `${source.prefix}${pathText(path)}`, line, column };
}

function spanOf({ path, at }: Mistake, { places }: Source): Span | undefined {
  const found =
    at === "key"
      ? (places.key(path) ?? places.value(path))
      : (places.value(path) ?? places.key(path));
  return found ?? nearestSpan({ places }, path);
}

/** The place of the nearest table around a path that has one. */
function nearestSpan({ places }: Pick<Source, "places">, path: KeyPath): Span | undefined {
  for (let length = path.length - 1; length > 0; length--) {
    const outer = path.slice(0, length);
    const span = places.key(outer) ?? places.value(outer);
    if (span) return span;
  }
  return undefined;
}

function whereIs(path: KeyPath, source: Source): string {
  if (source.file === undefined) return pathText(path);
  return `line ${placeOfHook(source, path).line}`;
}

/** In a file the caret shows the place, and the key is named for those who read the message alone. */
function subject(source: Source, path: KeyPath, at: Mistake["at"]): string {
  if (source.file === undefined) {
    const text = pathText(path);
    return text === "" ? source.prefix : `${source.prefix}${text}: `;
  }
  return at === "value" && path.length > 0 ? `${lastKeyText(path)}: ` : "";
}
