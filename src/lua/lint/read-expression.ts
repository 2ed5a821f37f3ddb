import type { Expression, TableLiteral } from "./ast.ts";
import type { Local, Program } from "./resolve.ts";

/** How far aliases and keys are followed: `local args = ctx.payload.args` and what is below. */
const MAX_STEPS = 12;

/** What an expression stands for: itself, or the one value of a local that is never assigned again. */
export function valueOf(expression: Expression, program: Program): Expression {
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "paren") at = at.inner;
    else if (at.kind === "name") {
      const local = program.localOf.get(at);
      if (!local?.value || local.isReassigned) return at;
      at = local.value;
    } else return at;
  }
  return at;
}

/** The literal text of an expression, when it has one. */
export function textOf(expression: Expression | undefined): string | undefined {
  return expression?.kind === "string" ? expression.value : undefined;
}

/** The field of a table literal with a name. */
export function fieldOf(table: TableLiteral, name: string): Expression | undefined {
  return table.fields.find(({ key }) => textOf(key) === name)?.value;
}

/** `orcs.state.get` as its parts, when it begins with a global. */
export function globalPath(expression: Expression, program: Program): string[] | undefined {
  const keys: string[] = [];
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "name") {
      return program.localOf.has(at) ? undefined : [at.name, ...keys.reverse()];
    }
    const key = at.kind === "index" ? textOf(at.key) : undefined;
    if (at.kind !== "index" || key === undefined) return undefined;
    keys.push(key);
    at = at.object;
  }
  return undefined;
}

/** A way from a local by names: `ctx.payload.args.command`, aliases in between followed. */
export interface LocalPath {
  readonly root: Local;
  readonly keys: readonly string[];
}

/** The way that an expression goes from a local without a value of its own, such as a parameter. */
export function localPath(expression: Expression, program: Program): LocalPath | undefined {
  const keys: string[] = [];
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "paren") at = at.inner;
    else if (at.kind === "index") {
      const key = textOf(at.key);
      if (key === undefined) return undefined;
      keys.push(key);
      at = at.object;
    } else if (at.kind === "name") {
      const root = program.localOf.get(at);
      if (!root || root.isReassigned) return undefined;
      if (!root.value) return { root, keys: keys.reverse() };
      at = root.value;
    } else return undefined;
  }
  return undefined;
}
