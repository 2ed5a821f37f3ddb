import { linesOf, renderDiagnostic } from "../core/diagnostic.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { OrcsError } from "../core/errors.ts";

/** A diagnostic and the text it points into. */
export interface Finding {
  readonly diagnostic: Diagnostic;
  readonly text: string | undefined;
}

/** The findings of one source in the order of its lines. */
export function inLineOrder(findings: readonly Finding[]): Finding[] {
  const at = ({ diagnostic: { place } }: Finding) =>
    [place?.line ?? 0, place?.column ?? 0] as const;
  return [...findings].sort((a, b) => {
    const [lineA, columnA] = at(a);
    const [lineB, columnB] = at(b);
    return lineA - lineB || columnA - columnB;
  });
}

/** The error that reports every mistake at once: ORCS1015, its message one block for each. */
export function mistakesError(findings: readonly Finding[]): OrcsError {
  const count = findings.length === 1 ? "a mistake" : `${findings.length} mistakes`;
  const linesIn = new Map<string, readonly string[]>();
  const blocks = findings.map(({ diagnostic, text }) => {
    if (text === undefined) return renderDiagnostic(diagnostic);
    // Once for each text: a large one may hold thousands of mistakes.
    const lines = linesIn.get(text) ?? linesOf(text);
    linesIn.set(text, lines);
    return renderDiagnostic(diagnostic, lines);
  });
  return new OrcsError(
    "ORCS1015",
    [`the configuration has ${count}`, ...blocks].join("\n\n"),
    {},
    { diagnostics: findings.map(({ diagnostic }) => diagnostic) },
  );
}
