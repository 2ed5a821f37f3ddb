import { isPlainObject, type Json, type JsonObject, pointerPart } from "../../core/index.ts";
import type { RecordedEdit } from "./format.ts";

/**
 * The edits that turn one value into another, however the change was made: objects key by key; lists item by item if
 * they have the same length or only grew; otherwise the whole value.
 * @param path JSON Pointer of the value
 */
export function structuralEdits(before: Json, after: Json, path: string): RecordedEdit[] {
  const edits: RecordedEdit[] = [];
  compare(before, after, path, edits);
  return edits;
}

function compare(before: Json, after: Json, path: string, edits: RecordedEdit[]): void {
  if (Object.is(before, after)) return;
  if (isPlainObject(before) && isPlainObject(after)) {
    compareObjects(before, after, path, edits);
  } else if (Array.isArray(before) && Array.isArray(after) && goesOn(before, after)) {
    after.forEach((item, i) => {
      const was = before[i];
      if (was === undefined) edits.push({ path: `${path}/${i}`, value: item });
      else compare(was, item, `${path}/${i}`, edits);
    });
  } else edits.push({ path, value: after });
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: string,
  edits: RecordedEdit[],
): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) edits.push({ path: path + pointerPart(key) });
  }
  for (const [key, value] of Object.entries(after)) {
    const at = path + pointerPart(key);
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (was === undefined) edits.push({ path: at, value });
    else compare(was, value, at, edits);
  }
}

/** Whether a list has the same length, or only grew at its end. */
function goesOn(before: readonly Json[], after: readonly Json[]): boolean {
  if (before.length === after.length) return true;
  if (before.length > after.length) return false;
  return before.every((item, i) => structuralEdits(item, after[i] ?? null, "").length === 0);
}
