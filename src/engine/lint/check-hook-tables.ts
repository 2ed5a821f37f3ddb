import { type Json, type JsonObject, setOwn } from "../../core/index.ts";
import type { Expression, TableLiteral } from "./ast.ts";
import { fieldAt } from "./field-place.ts";
import { didYouMean, type Finding, type Subject } from "./finding.ts";
import { calledName, fieldOf, type ResolvedChunk, textOf, valueOf } from "./resolve.ts";

/** What loading would reject in the hooks that a script states literally, with the texts of loading. */
export function* checkHookTables({ program, stated, options }: Subject): Generator<Finding> {
  const isLiteral = ![...program.writtenFields].some(
    (field) => field.kind === "index" && (textOf(field.key) ?? "handler") === "handler",
  );
  for (const at of program.expressions) {
    if (at.kind !== "call" || calledName(at, program) !== "orcs.hook") continue;
    const [spec] = at.args;
    const kind = spec ? valueOf(spec, program).kind : "nil";
    if (kind !== "function" && kind !== "nil" && kind !== "number") continue;
    const message = "orcs.hook: expected a table with point and handler";
    yield { code: "ORCS3002", severity: "error", message, at };
  }
  for (const { pointAt, table } of stated) {
    const shorthand = pointAt?.isShorthand === true ? { shorthand: pointAt.value } : undefined;
    const written = table ? fieldsOf(table, program, TOP_LEVEL) : {};
    const mistakes = options.readHook(shorthand ?? written);
    let isMisspelt = false;
    for (const { code, message, hint, field = [] } of mistakes) {
      const found = table && fieldAt(table, field, program);
      const at = (code === "ORCS1003" ? found?.key : found?.value) ?? pointAt ?? table;
      // What only the run knows may be right.
      if (!at || (code !== "ORCS1003" && found && !isKnown(found.value, program))) continue;
      isMisspelt ||= hint === didYouMean("handler")?.hint;
      yield { code, severity: "error", message, at, ...(hint !== undefined && { hint }) };
    }
    if (!table || isMisspelt) continue;
    const handler = fieldOf(table, "handler");
    const kind = handler && valueOf(handler, program).kind;
    if (kind === undefined ? isLiteral : NO_FUNCTIONS.includes(kind)) {
      const message = "this hook has no handler function";
      yield { code: "ORCS1007", severity: "error", message, at: handler ?? table };
    }
  }
}

/** Keys of a hook that loading reads apart from the others. */
const TOP_LEVEL: readonly string[] = ["handler", "tests"];
const NO_FUNCTIONS: readonly Expression["kind"][] = ["string", "number", "boolean", "nil", "table"];
/** Stands for a value that only the run knows. */
const UNKNOWN = "?";

/** The fields of a table, as loading reads them. */
function fieldsOf(
  table: TableLiteral,
  program: ResolvedChunk,
  without: readonly string[] = [],
): JsonObject {
  const fields: JsonObject = {};
  for (const { key, value } of table.fields) {
    const name = textOf(key);
    if (name === undefined || without.includes(name)) continue;
    const read = literal(value, program);
    if (read !== undefined) setOwn(fields, name, read);
  }
  return fields;
}

/** The JSON of an expression; undefined for nil, `UNKNOWN` for what is not written out. */
function literal(expression: Expression, program: ResolvedChunk): Json | undefined {
  const value = valueOf(expression, program);
  switch (value.kind) {
    case "string":
    case "boolean":
      return value.value;
    case "number":
      return Number(value.text);
    case "nil":
      return undefined;
    case "unary":
      return isKnown(value, program) ? -Number(literal(value.operand, program)) : UNKNOWN;
    case "table":
      return value.fields.length > 0 && value.fields.every(({ key }) => key === undefined)
        ? value.fields.map((item) => literal(item.value, program) ?? null)
        : fieldsOf(value, program);
    default:
      return UNKNOWN;
  }
}

/** Whether an expression is written out in full. */
function isKnown(expression: Expression, program: ResolvedChunk): boolean {
  const value = valueOf(expression, program);
  if (value.kind === "table") {
    return value.fields.every(
      ({ key, value: item }) =>
        (key === undefined || textOf(key) !== undefined) && isKnown(item, program),
    );
  }
  if (value.kind === "number") return Number.isFinite(Number(value.text));
  if (value.kind === "unary") {
    return value.operator === "-" && valueOf(value.operand, program).kind === "number";
  }
  return ["string", "boolean", "nil"].includes(value.kind);
}
