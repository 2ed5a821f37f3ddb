import { readFileSync } from "node:fs";
import { linesOf, renderDiagnostic } from "../core/diagnostic.ts";
import type { Diagnostic } from "../core/diagnostic.ts";

/** Diagnostics one below the other, each with the line it stands in; a file is read once. */
export function diagnosticsText(diagnostics: readonly Diagnostic[]): string {
  const files = new Map<string, readonly string[]>();
  const blocks = diagnostics.map((diagnostic) => {
    const { place } = diagnostic;
    if (!place) return renderDiagnostic(diagnostic);
    const lines = files.get(place.file) ?? readLines(place.file);
    files.set(place.file, lines);
    return renderDiagnostic(diagnostic, lines);
  });
  return blocks.join("\n\n");
}

/** A diagnostic as `--json` gives it: its place is not a table of its own. */
export function flatDiagnostic({ place, length, ...diagnostic }: Diagnostic) {
  return { ...diagnostic, ...place, ...(length !== undefined && { length }) };
}

function readLines(file: string): readonly string[] {
  try {
    return linesOf(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
}
