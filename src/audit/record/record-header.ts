import { isPlainObject } from "../../core/json.ts";
import { RECORD_VERSION } from "./format.ts";
import type { RecordHeader } from "./format.ts";

export const NO_RECORD = "this is no record of orcs";

/**
 * What the first line of a record says, or why it is none.
 * @param value of a line, as JSON
 */
export function headerOf(value: unknown): RecordHeader | string {
  if (!isHeader(value)) return NO_RECORD;
  const { version, time, whole, config } = value;
  if (version !== RECORD_VERSION) {
    const which = typeof version === "number" ? `version ${version}` : "an unknown version";
    return `this is a record of ${which}, and this orcs knows version ${RECORD_VERSION}`;
  }
  if (typeof whole !== "boolean" || typeof time !== "string") return "its header is damaged";
  const known = { orcs: "record", version: RECORD_VERSION, time, whole } as const;
  return typeof config === "string" ? { ...known, config } : known;
}

/** Whether a line means to be a header. */
export function isHeader(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && value["orcs"] === "record";
}

/** The first line of a new record. */
export function headerText(whole: boolean, config: string | undefined): string {
  const header: RecordHeader = {
    orcs: "record",
    version: RECORD_VERSION,
    time: new Date().toISOString(),
    whole,
    ...(config !== undefined && { config }),
  };
  return `${JSON.stringify(header)}\n`;
}
