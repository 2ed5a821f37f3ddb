import { type PointSet, type PointSpec, splitShorthand } from "../../core/index.ts";
import type { Expression, FunctionLiteral, StringLiteral, TableLiteral } from "./ast.ts";
import { calledName, fieldOf, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";

/** A hook in the text of a script. */
export interface ScriptHook {
  readonly handler: FunctionLiteral | undefined;
  /** `{ point = …, handler = … }`. */
  readonly table: TableLiteral | undefined;
  /** The place of its point, and whether that is the shorthand of `orcs.hook`. */
  readonly pointAt: (StringLiteral & { readonly isShorthand?: boolean }) | undefined;
  readonly point: PointSpec | undefined;
}

/**
 * The hooks that a script returns or registers; those created in other ways are not found.
 * @param all whether any returned table counts; otherwise one with a handler or a point, since it could be a module
 */
export function scriptHooks(program: ResolvedChunk, points: PointSet, all = false): ScriptHook[] {
  const hooks: ScriptHook[] = [];
  for (const [returned] of program.returns.get(undefined) ?? []) {
    if (returned) hooks.push(...returnedHooks(returned, program, points, all));
  }
  for (const expression of program.expressions) {
    if (expression.kind !== "call" || calledName(expression, program) !== "orcs.hook") continue;
    const [first, second] = expression.args;
    const stated = first && valueOf(first, program);
    if (stated?.kind === "table") hooks.push(tableHook(stated, program, points));
    else if (stated?.kind === "string") {
      hooks.push({
        handler: functionOf(second, program),
        table: undefined,
        pointAt: { ...stated, isShorthand: true },
        point: splitShorthand(stated.value, points)?.point,
      });
    }
  }
  return hooks;
}

function returnedHooks(
  returned: Expression,
  program: ResolvedChunk,
  points: PointSet,
  all: boolean,
): ScriptHook[] {
  const value = valueOf(returned, program);
  if (value.kind === "function") {
    return [{ handler: value, table: undefined, pointAt: undefined, point: undefined }];
  }
  if (value.kind !== "table") return [];
  const tableHooks = (table: Expression): ScriptHook[] => {
    if (table.kind !== "table") return [];
    const hook = tableHook(table, program, points);
    return all || fieldOf(table, "handler") || hook.point ? [hook] : [];
  };
  const items = value.fields.filter(({ key }) => key === undefined);
  if (fieldOf(value, "handler") || items.length === 0) return tableHooks(value);
  return items.flatMap(({ value: item }) => tableHooks(valueOf(item, program)));
}

function tableHook(table: TableLiteral, program: ResolvedChunk, points: PointSet): ScriptHook {
  const written = fieldOf(table, "point") ?? fieldOf(table, "event");
  const pointAt = written && valueOf(written, program);
  const name = textOf(pointAt);
  return {
    handler: functionOf(fieldOf(table, "handler"), program),
    table,
    pointAt: pointAt?.kind === "string" ? pointAt : undefined,
    point: name === undefined ? undefined : points.resolve(name),
  };
}

function functionOf(
  expression: Expression | undefined,
  program: ResolvedChunk,
): FunctionLiteral | undefined {
  const value = expression && valueOf(expression, program);
  return value?.kind === "function" ? value : undefined;
}
