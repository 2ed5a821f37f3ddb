import { SPELLINGS } from "../../config/spellings.ts";
import { isTable, valueOf } from "../../config/table.ts";
import type { Table } from "../../config/table.ts";
import type { PointSet, PointSpec } from "../../core/points.ts";
import type { ConfiguredFacts } from "../../lua/lint/lint.ts";

/** What a `[[hooks]]` table says for certain, in whichever spelling; wrong values are for loading to report. */
export function configuredFacts(table: Table, points: PointSet): ConfiguredFacts {
  const isAsync = valueOf(table, "async") ?? valueOf(table, "async_execution");
  return {
    point: configuredPoint(table, points),
    match: configuredMatch(table),
    isAsync: isAsync === undefined ? undefined : isAsync !== false,
    onError: valueOf(table, "on_error"),
  };
}

/** The point that a hook states, if it is known. */
export function configuredPoint(table: Table, points: PointSet): PointSpec | undefined {
  const name = valueOf(table, "point") ?? valueOf(table, "event");
  return typeof name === "string" ? points.resolve(name) : undefined;
}

/** The conditions that a hook states: the key of `match`, and the path at which it is written. */
export function writtenConditions(table: Table): { key: string; path: readonly string[] }[] {
  const match = valueOf(table, "match");
  const canonical = isTable(match)
    ? Object.keys(match).map((key) => ({ key, path: ["match", key] }))
    : [];
  const spelt = Object.entries(SPELLINGS).flatMap(([key, meaning]) => {
    const [section, condition] = meaning;
    const isCondition = section === "match" && condition !== undefined;
    return isCondition && valueOf(table, key) !== undefined
      ? [{ key: condition, path: [key] }]
      : [];
  });
  return [...canonical, ...spelt];
}

/** Undefined when it states none: then the script may. */
function configuredMatch(table: Table): readonly string[] | undefined {
  const keys = writtenConditions(table).map(({ key }) => key);
  return keys.length > 0 || valueOf(table, "match") !== undefined ? keys : undefined;
}
