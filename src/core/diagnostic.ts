import type { ErrorCode } from "./errors.ts";

/** A location in a file; lines and columns are 1-based. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** A stack frame of a failed script. */
export interface LuaFrame {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** How the function was called, as far as Lua knows; `main chunk` for the script itself. */
  readonly function?: string;
}

/** An error or warning about a configuration or script: what, where, and how to fix it. */
export interface Diagnostic {
  readonly code: ErrorCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly place?: SourcePlace;
  /** Length of the offending text in characters, for the caret line. */
  readonly length?: number;
  /** For a failed script: the call stack, innermost frame first. */
  readonly traceback?: readonly LuaFrame[];
  /** For a hook stated by a script: the key path from its table to the error. */
  readonly field?: readonly string[];
  /** How to fix it, such as the nearest known name. */
  readonly hint?: string;
}

/**
 * A diagnostic as text: `file:line:column`, code, message, the offending line with a caret, the hint.
 *
 * @param text content of its file, if available; as lines if there are many diagnostics
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

/** The call stack of a failed script, one line per frame; empty for a single frame, which the error already names. */
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
  // Tabs are kept before the caret so that it is aligned for any tab width.
  const lead = source.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
  return [` ${gutter} | ${source}`, ` ${" ".repeat(gutter.length)} | ${lead}${carets}`];
}
