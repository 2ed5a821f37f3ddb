import type { FailureMode } from "../../src/core/hook.ts";
import { PROTOCOL_FAILURES } from "../../src/formats/handler-protocol.ts";
import { table } from "./table.ts";

/** What each hook system does when a handler fails, if it defines it. */
export function failureTable(): string {
  const shown = (mode: FailureMode | undefined): string =>
    mode === undefined ? "by the phase" : { open: "skipped", closed: "denied" }[mode];
  return table(
    ["protocol", "too late", "did not start, or cannot be reached", "an invalid response"],
    Object.entries(PROTOCOL_FAILURES).map(([name, { timeout, unreachable, answer }]) => [
      `\`${name}\``,
      shown(timeout),
      shown(unreachable),
      shown(answer),
    ]),
  );
}
