import { textIfReadable } from "../machine/index.ts";
import { type Diagnostic, linesOf, renderDiagnostic } from "../core/index.ts";
import { type Palette, PLAIN } from "./terminal.ts";

/** Diagnostics one below the other, each with its source line; a file is read once. */
export function diagnosticsText(
  diagnostics: readonly Diagnostic[],
  colors: Palette = PLAIN,
): string {
  const files = new Map<string, readonly string[]>();
  const blocks = diagnostics.map((diagnostic) => {
    const { place } = diagnostic;
    if (!place) return coloredSeverity(renderDiagnostic(diagnostic), diagnostic, colors);
    const lines = files.get(place.file) ?? readLines(place.file);
    files.set(place.file, lines);
    return coloredSeverity(renderDiagnostic(diagnostic, lines), diagnostic, colors);
  });
  return blocks.join("\n\n");
}

/** A rendered diagnostic with its severity and code in their colour. */
export function coloredSeverity(
  text: string,
  { severity, code }: Diagnostic,
  colors: Palette,
): string {
  const color = severity === "error" ? colors.red : colors.yellow;
  return text.replace(`${severity} ${code}:`, (kind) => color(kind));
}

/** A diagnostic in the form of `--json`: the keys of its place are inlined. */
export function flatDiagnostic({ place, length, ...diagnostic }: Diagnostic) {
  return { ...diagnostic, ...place, ...(length !== undefined && { length }) };
}

function readLines(file: string): readonly string[] {
  const text = textIfReadable(file);
  return text === undefined ? [] : linesOf(text);
}
