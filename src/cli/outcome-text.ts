import type { Outcome } from "../core/outcome.ts";
import { printable } from "./table.ts";

/** What a chain answered, in one line. */
export function headline(outcome: Outcome): string {
  switch (outcome.action) {
    case "abort":
      return `abort by ${outcome.hook}: ${printable(outcome.reason)}`;
    case "skip":
      return `skip by ${outcome.hook}: ${JSON.stringify(outcome.result)}`;
    case "retry":
      return `retry by ${outcome.hook} after ${outcome.delay_ms} ms`;
    case "continue": {
      const { decision, hook, reason } = outcome;
      if (decision === undefined) return "continue";
      return `continue, ${decision} by ${hook}${reason === undefined ? "" : `: ${printable(reason)}`}`;
    }
  }
}
