import type { RecordedEvent } from "../../audit/record/format.ts";
import { isPlainObject } from "../../core/json.ts";

/** Whether an event has the shape that its type says: somebody may have written it by hand. */
export function isWellFormed(event: RecordedEvent): boolean {
  const { component, child, instance, channel, principal, metadata, outcome, failures } = event;
  const { inject, edits, hook, reason } = outcome;
  return (
    typeof component === "string" &&
    [child, instance, channel, hook, reason].every(isTextOrNothing) &&
    (principal === undefined || isPlainObject(principal)) &&
    (metadata === undefined || isPlainObject(metadata)) &&
    (inject === undefined || Array.isArray(inject)) &&
    (failures === undefined || areObjects(failures)) &&
    areObjects(edits)
  );
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function areObjects(list: unknown): boolean {
  return Array.isArray(list) && list.every(isPlainObject);
}
