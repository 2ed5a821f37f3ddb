import type { ErrorCode } from "./errors.ts";

/** A place in a file; lines and columns count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** A call that was under way when a script failed. */
export interface LuaFrame {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** How the function was called, as far as Lua knows it; `main chunk` for the script itself. */
  readonly function?: string;
}

/** One mistake in a configuration or script: what, where, what to do. */
export interface Diagnostic {
  readonly code: ErrorCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly place?: SourcePlace;
  /** Length of the offending text in characters, for the caret line. */
  readonly length?: number;
  /** Of a script that failed: the calls under way, the innermost first. */
  readonly traceback?: readonly LuaFrame[];
  /** Of a hook that a script states: the keys from its table to what is wrong. */
  readonly field?: readonly string[];
  /** What to do, such as the nearest known name. */
  readonly hint?: string;
}

/**
 * A diagnostic as text: `file:line:column`, code, message, the offending line with a caret, the hint.
 *
 * @param text content of the file it is in, when at hand; its lines, where there are many diagnostics
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  text?: string | readonly string[],
): string {
  const { place, code, severity, message, hint, traceback } = diagnostic;
  const where = place ? `${place.file}:${place.line}:${place.column ?? 1}: ` : "";
  const lines = [`${where}${severity} ${code}: ${message}`];
  const all = typeof text === "string" ? linesOf(text) : text;
  const source = place && all?.[place.line - 1];
  if (place && source !== undefined) lines.push(...caretBlock(place, source, diagnostic.length));
  const calls = tracebackLines(traceback);
  if (calls.length > 0) lines.push("  traceback:", ...calls.map((each) => `  ${each}`));
  if (hint !== undefined) lines.push(`  hint: ${hint}`);
  return lines.join("\n");
}

/** The calls that were under way when a script failed, a line each; none for a single one, which the error names. */
export function tracebackLines(traceback: readonly LuaFrame[] = []): string[] {
  if (traceback.length < 2) return [];
  return traceback.map(({ file, line, function: called }) => {
    return `  ${file}:${line}${called === undefined ? "" : ` in ${called}`}`;
  });
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function caretBlock(place: SourcePlace, source: string, length = 1): string[] {
  const gutter = String(place.line);
  const column = Math.min(place.column ?? 1, source.length + 1);
  const carets = "^".repeat(Math.max(1, Math.min(length, source.length - column + 1)));
  // Tabs are kept in the lead so that the caret stands below the text in any tab width.
  const lead = source.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
  return [` ${gutter} | ${source}`, ` ${" ".repeat(gutter.length)} | ${lead}${carets}`];
}
