export { undoProblem, UndoPoints } from "./points.ts";
export { changeText, newestUndone, planOf, recover, restore } from "./restore.ts";
export type { Change, RestorePlan } from "./restore.ts";
export { storeAt } from "./store.ts";
export type { Point, PointStore } from "./store.ts";
