import { equalJson, isPlainObject, MASK, type SameText } from "../../core/index.ts";
import type { RecordedEdit, RecordedOutcome } from "./format.ts";

/** The parts of two outcomes that are compared. */
export const COMPARED = [
  "action",
  "decision",
  "hook",
  "reason",
  "result",
  "delay_ms",
  "inject",
  "edits",
] as const satisfies (keyof RecordedOutcome)[];

/** The difference between two outcomes. */
export interface OutcomeDifference {
  readonly keys: readonly (typeof COMPARED)[number][];
  /** Something is new: a decision, another decision, an edit, a text for the model. */
  readonly gained: boolean;
  /** Edits or texts for the model are missing. */
  readonly lostChanges: boolean;
}

/** The difference between an outcome and its earlier version; undefined when there is none. */
export function outcomeDifference(
  was: RecordedOutcome,
  is: RecordedOutcome,
  sameText: SameText,
): OutcomeDifference | undefined {
  if (isPlain(was) && isPlain(is)) return undefined;
  const left = { ...was, edits: lastEdits(was.edits) };
  const right = { ...is, edits: lastEdits(is.edits) };
  const keys = COMPARED.filter((key) => {
    const [before = NOTHING[key], after = NOTHING[key]] = [left[key], right[key]];
    return !equalJson(before, after, sameText);
  });
  if (keys.length === 0) return undefined;
  const saysOther = keys.some((key) => key !== "inject" && key !== "edits");
  const edits = missing(left.edits, right.edits, sameText);
  const texts = missing(was.inject ?? [], is.inject ?? [], sameText);
  return {
    keys,
    gained:
      (saysOther && decides(is)) ||
      missing(right.edits, left.edits, sameText) ||
      missing(is.inject ?? [], was.inject ?? [], sameText),
    lostChanges: edits || texts,
  };
}

const NOTHING: Partial<Record<(typeof COMPARED)[number], unknown>> = { inject: [] };

/** Most events: hooks only looked. */
function isPlain({ action, decision, inject, edits }: RecordedOutcome): boolean {
  return action === "continue" && decision === undefined && edits.length === 0 && !inject?.length;
}

function decides({ action, decision }: RecordedOutcome): boolean {
  return action !== "continue" || decision !== undefined;
}

/** The last edit of each path, sorted by path: the order of writes does not matter. */
function lastEdits(edits: readonly RecordedEdit[]): RecordedEdit[] {
  const last = new Map(edits.map((edit) => [edit.path, edit]));
  return [...last.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether the first list has an element that the second does not have. */
function missing(these: readonly unknown[], those: readonly unknown[], same: SameText): boolean {
  const left = [...those];
  return these.some((item) => {
    const at = left.findIndex((other) => equalJson(item, other, same));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Whether two texts are equal, or may have been equal before parts of one were masked. */
export function sameButForMasks(a: string, b: string): boolean {
  return a === b || mayHaveBeen(a, b) || mayHaveBeen(b, a);
}

/** Whether a part of a value was masked. */
export function holdsMask(value: unknown): boolean {
  if (typeof value === "string") return value.includes(MASK);
  if (Array.isArray(value)) return value.some(holdsMask);
  return isPlainObject(value) && Object.values(value).some(holdsMask);
}

/** Whether a text matches a masked one with any text in place of each mask. */
function mayHaveBeen(masked: string, text: string): boolean {
  const [first = "", ...rest] = masked.split(MASK);
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
