import { pointSchema } from "../../config/hook-schema.ts";
import { testEvent } from "../../config/hook-test.ts";
import type { TestEvent } from "../../config/hook-test.ts";
import { checkSchema } from "../../config/schema-mistakes.ts";
import { eventSchema } from "../../config/test-schema.ts";
import { OrcsError } from "../../core/errors.ts";
import type { PointSet } from "../../core/points.ts";

/** Reads events as tests write them. */
export type EventReader = (written: unknown) => TestEvent;

/** A reader of events that knows these points; it throws OrcsError with the code of the first mistake. */
export function eventReader(points: PointSet): EventReader {
  const schema = eventSchema(pointSchema(points));
  return (written) => {
    const { table, mistakes } = checkSchema(schema, written ?? null);
    const [first] = mistakes;
    if (table && !first) return testEvent(table);
    const said = mistakes.map(({ path, message, hint }) => {
      const text = typeof message === "string" ? message : message((other) => other.join("."));
      const at = path.length > 0 ? `${path.join(".")}: ` : "";
      return `${at}${text}${hint === undefined ? "" : ` (${hint})`}`;
    });
    throw new OrcsError(first?.code ?? "ORCS1004", `the event: ${said.join("; ")}`);
  };
}
