import type { Diagnostic } from "../../core/diagnostic.ts";
import type { OrcsError } from "../../core/errors.ts";

/** The mistakes that an error reports; those without a place are of this file. */
export function placedIn(file: string, { diagnostics, code, message }: OrcsError): Diagnostic[] {
  const place = { file, line: 1 };
  const text = message.slice(`${code}: `.length);
  if (diagnostics.length === 0) return [{ code, severity: "error", message: text, place }];
  return diagnostics.map((found) => (found.place ? found : Object.assign({ place }, found)));
}
