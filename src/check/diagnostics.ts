import type { Diagnostic } from "../core/diagnostic.ts";

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
