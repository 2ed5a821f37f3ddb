import { verdictFor } from "../core/actions.ts";
import type { Action } from "../core/actions.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit } from "../core/hook.ts";
import type { PointSpec } from "../core/points.ts";
import { applyEdits } from "./edits.ts";
import { misfit } from "./fit.ts";

const NONE: readonly Edit[] = [];

/** The context with journals of edits applied one after the other, or why it would not fit the point any more. */
export function fitted(
  point: PointSpec,
  ctx: HookContext,
  journals: readonly (readonly Edit[])[],
): HookContext | string {
  let after = ctx;
  for (const edits of journals) {
    const before = after;
    after = applyEdits(before, edits);
    const why = misfit(point, before, after, edits);
    if (why !== undefined) return why;
  }
  return after;
}

/** A legal `replace` is one more edit, so that it has to fit as all edits have. */
export function resultEdit(point: PointSpec, action: Action): readonly Edit[] {
  if (action.action !== "replace" || verdictFor(point, "replace") !== "legal") return NONE;
  return [{ path: ["payload", point.resultKey], value: action.result }];
}

/** Whether edits have made the payload another: writing what was there is no change. */
export function changesPayload(
  edits: readonly Edit[],
  { payload: was }: HookContext,
  { payload: is }: HookContext,
): boolean {
  return edits.some(({ path }) => path[0] === "payload") && was !== is;
}
