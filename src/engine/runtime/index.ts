export type { ApprovalRequest } from "./approvals.ts";
export { ownerOf } from "./caller-identity.ts";
export type { RunnerResult } from "./component-life.ts";
export { TOOL } from "./component-tools.ts";
export { type CallFrom, type Channel, OrcsEngine, type SpawnOptions } from "./orcs-engine.ts";
export type { ChildPlace } from "./runtime-host.ts";
export { DEFAULT_LIMITS, filledLimits, type RuntimeLimits } from "./runtime-limits.ts";
