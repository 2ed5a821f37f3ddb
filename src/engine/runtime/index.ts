export { PendingApprovals } from "./approvals.ts";
export { ownerOf } from "./caller-identity.ts";
export type { RunnerResult } from "./channel-end.ts";
export { TOOL } from "./component-tools.ts";
export { OrcsEngine } from "./orcs-engine.ts";
export type { CallFrom, Channel, SpawnOptions } from "./orcs-engine.ts";
export { DEFAULT_LIMITS, filledLimits } from "./runtime-host.ts";
export type { ChildPlace, RuntimeHost, RuntimeLimits } from "./runtime-host.ts";
export { snapshotFiles } from "./snapshot-files.ts";
