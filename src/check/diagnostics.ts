import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { OrcsError } from "../core/errors.ts";

/**
 * The mistakes of loading and what was found besides, each once. What both have found keeps the place of
 * the text, which is the better one.
 */
export function withoutRepeats(
  loading: readonly Diagnostic[],
  found: readonly Diagnostic[],
): Diagnostic[] {
  const errors = new Map<string, string[]>();
  for (const { severity, place, message } of found) {
    if (severity !== "error" || !place) continue;
    const messages = errors.get(place.file);
    if (messages) messages.push(message);
    else errors.set(place.file, [message]);
  }
  const isRepeated = ({ place, message }: Diagnostic): boolean =>
    (place && errors.get(place.file)?.some((other) => message.endsWith(other))) === true;
  const unique = new Map<string, Diagnostic>();
  for (const each of [...loading.filter((mistake) => !isRepeated(mistake)), ...found]) {
    const { code, place, message } = each;
    unique.set(JSON.stringify([code, place?.file, place?.line, place?.column, message]), each);
  }
  return [...unique.values()];
}

/** Diagnostics by file, line and column; those without a place first. */
export function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(({ place: a }, { place: b }) => {
    if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || (a.column ?? 1) - (b.column ?? 1);
  });
}

/** The mistakes that an error reports; those without a place are of this file. */
export function diagnosticsOf(
  file: string,
  { diagnostics, code, message }: OrcsError,
): Diagnostic[] {
  const place = { file, line: 1 };
  const text = message.slice(`${code}: `.length);
  if (diagnostics.length === 0) return [{ code, severity: "error", message: text, place }];
  return diagnostics.map((found) => (found.place ? found : Object.assign({ place }, found)));
}

/** The text that a diagnostic points into, for its caret; undefined when it cannot be read. */
export function sourceText({ place }: Diagnostic, cwd: string): string | undefined {
  if (!place) return undefined;
  try {
    return readFileSync(resolve(cwd, place.file), "utf8");
  } catch {
    return undefined;
  }
}
