export { UndoPoints } from "./points.ts";
export { projectOf } from "./repository.ts";
export { newestUndone, planOf, recover, restore } from "./restore.ts";
export type { Change, RestorePlan } from "./restore.ts";
export { folderOf, PointStore } from "./store.ts";
export type { Point } from "./store.ts";
