export { compileHook, type DefineContext, type HookOrigin } from "./compile-hook.ts";
export { EventEmitter, patchOf } from "./events.ts";
export type { EngineEvents, HookStep, ShadowStep } from "./events.ts";
export { draftOf, FunctionRunner, type HookHandler } from "./function-runner.ts";
export { HookSet, isEnforced } from "./hook-set.ts";
export { invoke } from "./invoke.ts";
export type { BegunOperation, InvokeHost, InvokeOutcome, InvokeShape } from "./invoke.ts";
export { type DispatchOptions, HookRegistry, type PendingHooks } from "./registry.ts";
