import { randomBytes } from "node:crypto";
import { messageOf, OrcsError } from "../../core/index.ts";
import { sha256 } from "../../machine/index.ts";
import type { SeenDispatch } from "../../daemon/index.ts";
import { changeText, planOf, recover, restore, storeAt } from "../../undo/index.ts";
import type { Point, PointStore, RestorePlan } from "../../undo/index.ts";
import type { Question, ShownUndo } from "./api.ts";
import type { Questions } from "./questions.ts";
import { pointOf } from "./rows.ts";

/** Records a restore before it is done. @throws OrcsError */
export type RecordUndo = (store: PointStore, point: Point) => Promise<void>;

/** What the undo point of a call would give back; undefined without one. Never throws. */
export function shownUndo(dispatch: SeenDispatch, directory: string): ShownUndo | undefined {
  const id = pointOf(dispatch);
  if (id === undefined) return undefined;
  try {
    const { plan } = planFor(dispatch, directory, false);
    const { missing: problem } = plan.point;
    return { id, changes: plan.changes.map(changeText), ...(problem !== undefined && { problem }) };
  } catch (thrown) {
    return { id, changes: [], problem: messageOf(thrown) };
  }
}

/** Show a code for what the point of a call would restore now. @throws OrcsError ORCS5001, ORCS5021 */
export function showUndoCode(dispatch: SeenDispatch, directory: string, to: Questions): void {
  to.showCode(questionOf(planFor(dispatch, directory, false).plan));
}

/**
 * Restore it, with the code for exactly this.
 * @throws OrcsError ORCS5001, ORCS5021, ORCS8005; nothing has changed then
 */
export async function restoreCall(
  dispatch: SeenDispatch,
  directory: string,
  code: string,
  { questions, record }: { readonly questions: Questions; readonly record: RecordUndo },
): Promise<void> {
  const { store, plan } = planFor(dispatch, directory, true);
  questions.useCode(questionOf(plan), code);
  await record(store, plan.point);
  const [failed] = restore(store, plan, randomBytes(4).toString("hex")).failed;
  if (failed) throw new OrcsError("ORCS5021", `not restored: ${failed.path}: ${failed.why}`);
}

function planFor(
  dispatch: SeenDispatch,
  directory: string,
  keeps: boolean,
): { readonly store: PointStore; readonly plan: RestorePlan } {
  const { cwd } = dispatch.payload;
  const store = storeAt(typeof cwd === "string" ? cwd : directory);
  const point = store.exists ? store.open().point(pointOf(dispatch) ?? "") : undefined;
  if (!point) throw new OrcsError("ORCS5021", `its undo point is not in ${store.root} any more`);
  if (keeps) recover(store);
  return { store, plan: planOf(store, point, keeps) };
}

/** Its id is of what it would do: a code is for that, and for nothing that files have become meanwhile. */
function questionOf(plan: RestorePlan): Question {
  const { id, at, reason, call = reason } = plan.point;
  const [effects, digest] = [
    plan.changes.map(changeText),
    sha256(JSON.stringify([id, plan.changes])),
  ];
  return { id: digest, kind: "undo", about: call, effects, at };
}
