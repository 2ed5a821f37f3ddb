import { MATCH_KEYS } from "../../core/hook.ts";
import { nearest } from "../../core/nearest.ts";
import type { TableLiteral } from "./ast.ts";
import { didYouMean } from "./finding.ts";
import type { Finding, Subject } from "./finding.ts";
import { fieldOf, textOf } from "./read-expression.ts";

/** Unknown points and keys in what a script states of its hooks: worded as loading it words them. */
export function* checkHookTables({ stated, options }: Subject): Generator<Finding> {
  const { points, hookKeys } = options;
  for (const { pointAt, point, table } of stated) {
    if (pointAt && !point) {
      const { value, isShorthand } = pointAt;
      const written = isShorthand === true ? value.slice(value.lastIndexOf(":") + 1) : value;
      const message =
        isShorthand === true
          ? `${JSON.stringify(value)} is not FQL:point, such as "builtin::llm:tool.pre_execute"`
          : `unknown hook point ${JSON.stringify(value)}`;
      const hint = didYouMean(points.suggest(written));
      yield { code: "ORCS1005", severity: "error", message, at: pointAt, ...hint };
    }
    if (!table) continue;
    yield* unknownKeys(table, hookKeys);
    const match = fieldOf(table, "match");
    if (match?.kind === "table") yield* unknownKeys(match, MATCH_KEYS);
  }
}

function* unknownKeys(table: TableLiteral, known: readonly string[]): Generator<Finding> {
  for (const { key } of table.fields) {
    const name = textOf(key);
    if (!key || name === undefined || known.includes(name)) continue;
    const message = `unknown key ${JSON.stringify(name)}`;
    const hint = didYouMean(nearest(name, known));
    yield { code: "ORCS1003", severity: "error", message, at: key, ...hint };
  }
}
