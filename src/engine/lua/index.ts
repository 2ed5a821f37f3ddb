export { LuaLayer } from "./layer.ts";
export { LoadTime } from "./limits.ts";
export { atEnd } from "./load-error.ts";
export { type HookSteps, type LineStep, LineSteps } from "./line-steps.ts";
export { LuaPrompt } from "./prompt.ts";
export { toolMethod } from "./ports.ts";
export type {
  LuaHookSpec,
  LuaPorts,
  LuaTestTable,
  ProgramResult,
  RuntimeHooks,
  ScriptLoader,
  ScriptObject,
  ScriptRunner,
} from "./ports.ts";
export { WorkerLayer } from "./worker/worker-layer.ts";
