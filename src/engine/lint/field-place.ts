import type { PointSet } from "../../core/index.ts";
import type { Expression, TableField } from "./ast.ts";
import { chunkText, type Place, placesIn } from "./chunk-text.ts";
import { resolve, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";
import { scriptHooks } from "./script-hooks.ts";

/**
 * The place of a field in a script's hook table, or what the script returns.
 * @param handlerLine line of the hook's handler; of a hook without one, any line
 * @param field keys from the hook's table on, such as `match`, `command`; indices count from 0
 * @returns undefined when a hook with a handler does not have it literally
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
  const hooks = scriptHooks(program, points, true);
  const hook = hooks.find(({ handler }) => handler && placeOf(handler).line === handlerLine);
  if (hook) {
    const at = field.length > 0 ? valueIn(hook.table, field, program) : undefined;
    return at && placeOf(at);
  }
  const [at] = hooks.flatMap(({ handler, table }) =>
    handler ? [] : (valueIn(table, field, program) ?? []),
  );
  const [[returned] = []] = program.returns.get(undefined) ?? [];
  const whole =
    at ?? hooks.find(({ handler }) => !handler)?.table ?? returned ?? chunk.statements.at(-1);
  return whole && placeOf(whole);
}

function valueIn(
  table: Expression | undefined,
  field: readonly string[],
  program: ResolvedChunk,
): Expression | undefined {
  return field.length === 0 || !table ? table : fieldAt(table, field, program)?.value;
}

/** The field of a table literal at a path of keys; indices count from 0. */
export function fieldAt(
  table: Expression,
  path: readonly string[],
  program: ResolvedChunk,
): TableField | undefined {
  let found: TableField | undefined;
  for (const name of path) {
    const outer = valueOf(found?.value ?? table, program);
    if (outer.kind !== "table") return undefined;
    const items = outer.fields.filter(({ key }) => key === undefined);
    found = outer.fields.find(({ key }) => textOf(key) === name) ?? items[Number(name)];
    if (!found) return undefined;
  }
  return found;
}
