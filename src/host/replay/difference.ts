import type { OutcomeDifference } from "../../audit/record/compared-outcomes.ts";
import type { RecordedEvent } from "../../audit/record/format.ts";
import type { SourcePlace } from "../../core/diagnostic.ts";
import { isPlainObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlacedHook, ReplayDifference, ReplaySide } from "./replay-result.ts";

/** Keys that say what an event is about, in arguments and payloads, the most telling first. */
const SUBJECTS = [
  "command",
  "file_path",
  "path",
  "url",
  "pattern",
  "query",
  "prompt",
  "from",
  "operation",
  "event",
  "message",
] as const;

/** What is told of an event that came to something else. */
export function differenceOf(
  number: number,
  { point, component, payload }: RecordedEvent,
  differs: OutcomeDifference["keys"],
  sides: { readonly was: ReplaySide; readonly is: ReplaySide; readonly masked: boolean },
): ReplayDifference {
  const { was, is, masked } = sides;
  const { tool_name: tool } = payload;
  const subject = subjectOf(payload);
  return {
    event: number,
    point,
    component,
    ...(typeof tool === "string" && { tool }),
    ...(subject !== undefined && { subject }),
    differs,
    ...(masked && { masked }),
    was,
    is,
  };
}

/** A hook with its place, its file shown as that of its set. */
export function placedHook(
  hook: string,
  source: SourcePlace | undefined,
  shownAs: (file: string) => string = (file) => file,
): PlacedHook {
  return { hook, ...(source && { source: { ...source, file: shownAs(source.file) } }) };
}

/** What an event is about, in its own words: the command, the path, … */
export function subjectOf(payload: JsonObject): string | undefined {
  const { args } = payload;
  for (const from of [isPlainObject(args) ? args : {}, payload]) {
    for (const key of SUBJECTS) {
      const value = Object.hasOwn(from, key) ? from[key] : undefined;
      if (typeof value === "string") return value;
    }
  }
  return undefined;
}
