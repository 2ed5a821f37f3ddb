import type { PointSet } from "../../core/index.ts";
import type { Expression } from "./ast.ts";
import type { Place } from "./chunk-text.ts";
import { chunkText, placesIn } from "./chunk-text.ts";
import { fieldOf, resolve, valueOf } from "./resolve.ts";
import { scriptHooks } from "./script-hooks.ts";

/**
 * The place of a field in a script's hook table.
 * @param handlerLine line of the hook's handler
 * @param field keys from the hook's table on, such as `match`, `command`
 * @returns undefined when it is not written literally
 */
export function fieldPlace(
  code: string,
  handlerLine: number,
  field: readonly string[],
  points: PointSet,
): Place | undefined {
  const chunk = chunkText(code, "script");
  if (!chunk) return undefined;
  const program = resolve(chunk.statements);
  const placeOf = placesIn(chunk.text);
  const hook = scriptHooks(program, points).find(
    ({ handler }) => handler && placeOf(handler).line === handlerLine,
  );
  let at: Expression | undefined = hook?.table;
  for (const key of field) {
    const table: Expression | undefined = at && valueOf(at, program);
    at = table?.kind === "table" ? fieldOf(table, key) : undefined;
  }
  return at && field.length > 0 ? placeOf(at) : undefined;
}
