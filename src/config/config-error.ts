import { relative, resolve, sep } from "node:path";
import { textIfReadable } from "../machine/index.ts";
import { bareMessage, linesOf, OrcsError, renderDiagnostic } from "../core/index.ts";
import type { Diagnostic, ErrorCode } from "../core/index.ts";

/** An error in a configuration, before its place in the file is known. */
export interface ConfigError {
  readonly code: ErrorCode;
  /** A warning does not keep the configuration from being used. */
  readonly severity?: "error" | "warning";
  readonly path: KeyPath;
  /** Whether the key is wrong (spelling, presence) or its value. */
  readonly at: "key" | "value";
  /** As a function, it gets the place of another path: `line 3`, or `hooks[0]` in an object. */
  readonly message: string | ((whereIs: (path: KeyPath) => string) => string);
  readonly hint?: string | undefined;
}

/** A hint with the nearest name, if there is one. */
export function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `did you mean ${JSON.stringify(name)}?`;
}

/** A diagnostic and the text it refers to. */
export interface Finding {
  readonly diagnostic: Diagnostic;
  readonly text: string | undefined;
}

/** The findings of one source by line. */
export function inLineOrder(findings: readonly Finding[]): Finding[] {
  const line = ({ diagnostic: { place } }: Finding): number => place?.line ?? 0;
  const column = ({ diagnostic: { place } }: Finding): number => place?.column ?? 0;
  return findings.toSorted((a, b) => line(a) - line(b) || column(a) - column(b));
}

/** The error that reports all errors at once: ORCS1015 with one block each. */
export function configurationError(findings: readonly Finding[]): OrcsError {
  const count = findings.length === 1 ? "1 error" : `${findings.length} errors`;
  const linesIn = new Map<string, readonly string[]>();
  const blocks = findings.map(({ diagnostic, text }) => {
    if (text === undefined) return renderDiagnostic(diagnostic);
    // Once per text: a large one can have thousands of errors.
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

/** The path of a value in a configuration: keys, and indices from 0. */
export type KeyPath = readonly (string | number)[];

/** A path as text: `hooks[0].match.tool`; a key that is not a bare key is quoted. */
export function pathText(path: KeyPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${bare(step)}`;
  }
  return text;
}

/** The last key of a path with its indices: `capabilities[1]`. */
export function lastKeyText(path: KeyPath): string {
  const at = path.findLastIndex((step) => typeof step === "string");
  return pathText(path.slice(Math.max(at, 0)));
}

/** A path as shown to users: relative if it is in the working directory. */
export function shownFile(file: string, cwd: string): string {
  const short = relative(cwd, file);
  if (short === "") return ".";
  return short === ".." || short.startsWith(`..${sep}`) ? file : short;
}

function bare(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

/** The diagnostics of an error; those without a place get this file. */
export function diagnosticsOf(
  file: string,
  { diagnostics, code, message }: OrcsError,
): Diagnostic[] {
  const place = { file, line: 1 };
  if (diagnostics.length === 0) {
    return [{ code, severity: "error", message: bareMessage({ code, message }), place }];
  }
  return diagnostics.map((found) => (found.place ? found : Object.assign({ place }, found)));
}

/** The text that a diagnostic refers to, for its caret; undefined when it cannot be read. */
export function sourceText({ place }: Diagnostic, cwd: string): string | undefined {
  return place && textIfReadable(resolve(cwd, place.file));
}
