import { z } from "zod";
import { described } from "./described.ts";
import { isTable } from "./table.ts";

/**
 * The schema of a table: every key may be left out, an unknown one is a mistake. zod alone takes any
 * object for a table, a TOML date included.
 */
export function tableSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.unknown().superRefine(refuseOthers).pipe(z.strictObject(shape).partial());
}

function refuseOthers(value: unknown, ctx: z.RefinementCtx): void {
  if (value === undefined || isTable(value)) return;
  const message = `expected a table, got ${described(value)}`;
  ctx.addIssue({ code: "custom", message, params: { code: "ORCS1004" } });
}
