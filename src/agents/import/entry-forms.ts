import { getOwn } from "../../core/index.ts";
import type { HostName } from "../../core/index.ts";
import { commonEntry, COPILOT_NAMES } from "../../formats/index.ts";

/** How an agent's settings differ from those of the others. */
interface EntryForm {
  /** Other names of its events, with the names in its protocol. */
  readonly eventNames: Readonly<Record<string, string>>;
  /** An entry with the keys `command`, `args` and `timeout`. */
  common(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

const FORMS: Readonly<Partial<Record<HostName, EntryForm>>> = {
  copilot: { eventNames: COPILOT_NAMES, common: commonEntry },
};

/** The name in the agent's protocol of an event in its settings. */
export function eventOf(host: HostName, name: string): string {
  return getOwn(FORMS[host]?.eventNames ?? {}, name) ?? name;
}

/** An entry of the agent's settings with the keys that all agents have: `command`, `args`, `timeout`. */
export function withCommonKeys(
  host: HostName,
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return FORMS[host]?.common(entry) ?? entry;
}
