import type { AhpEventRow } from "../../src/formats/ahp/ahp-tables.ts";
import { AHP_DECISIONS, AHP_EVENTS } from "../../src/formats/ahp/ahp-tables.ts";
import { table } from "./table.ts";

/** The events of AHP and their hook points. */
export function ahpEvents(): string {
  const rows: [string, AhpEventRow][] = Object.entries(AHP_EVENTS);
  return table(
    ["event", "when", "the agent waits", "hook point", "payload: event → point"],
    rows.map(([name, { when, isBlocking, point, keys, sentAlsoAt = [] }]) => [
      `\`${name}\``,
      when,
      isBlocking ? "yes" : "no",
      [point, ...sentAlsoAt].map((at) => `\`${at}\``).join(", "),
      Object.entries(keys)
        .filter(([key, inner]) => key !== inner)
        .map(([key, inner]) => `\`${key}\` → \`${inner}\``)
        .join(", "),
    ]),
  );
}

/** The decisions of AHP and their actions. */
export function ahpDecisions(): string {
  return table(
    ["decision", "meaning", "action", "with"],
    Object.entries(AHP_DECISIONS).map(([name, row]) => [
      "of" in row ? `\`${name}\` (of \`${row.of}\`)` : `\`${name}\``,
      row.meaning,
      `\`${row.action}\``,
      row.with,
    ]),
  );
}
