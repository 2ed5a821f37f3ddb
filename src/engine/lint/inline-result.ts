import { callResult } from "./check-results.ts";
import { chunkText } from "./chunk-text.ts";
import { resolve } from "./resolve.ts";

/**
 * Why an inline handler that is a single call fails at every event: the value of the call is the hook's result, and is
 * for example a number. Undefined for any other handler.
 */
export function inlineProblem(code: string): string | undefined {
  const statements = chunkText(code, "inline")?.statements;
  const [only] = statements ?? [];
  const literal = only?.kind === "return" ? only.values[0] : undefined;
  if (!statements || literal?.kind !== "function") return undefined;
  const [returned, ...others] = literal.body;
  if (returned?.kind !== "return" || others.length > 0) return undefined;
  const [value] = returned.values;
  return value && callResult(value, resolve(statements));
}
