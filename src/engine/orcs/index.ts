export { appendBundleLine, appendRefusedEvent, appendTrustChange } from "./audit/append-entry.ts";
export type { TrustLine } from "./audit/append-entry.ts";
export { dispatchEntry, type RefusedEvent, shadowEntry } from "./audit/log-entries.ts";
export { auditDirOf, headFileOf, logIdOf } from "./audit/open-trail.ts";
export { expectRecord } from "./audit/recording.ts";
export { RunningTool } from "./calls/running-call.ts";
export type { RecordableCall, ToolRecorder } from "./calls/tool-calls.ts";
export { argumentInput } from "./calls/tool-input.ts";
export { defineContext, definedHook } from "./define-hooks.ts";
export { Engine, systemClock } from "./engine.ts";
export { glob, matchesRun, realPath } from "./guard-functions.ts";
export { findScript } from "./loading/find-script.ts";
export { type LoadContext, loadHooks } from "./loading/load-hooks.ts";
export { luaPorts } from "./loading/lua-loader.ts";
export { ModuleLoader } from "./loading/module-loader.ts";
export { outsideRunner } from "./loading/outside-runners.ts";
export { scriptEntry } from "./loading/script-entry.ts";
export { stderrLogger, type StderrLogger } from "./loggers.ts";
export { NeedsOwnProcess } from "./options.ts";
export type {
  ApprovalRequest,
  Approve,
  CallInfo,
  CallOptions,
  CreateOrcsOptions,
  EditedScript,
  EngineOptions,
  HookDefinition,
  Llm,
  LlmAnswer,
  LlmRequest,
} from "./options.ts";
export { Orcs, OrcsSession } from "./orcs.ts";
export type { CallResult, CallWithOptions, WrapOptions, WrappedTool } from "./orcs.ts";
export { outcomeJson } from "./outcome-json.ts";
export { effectReader } from "./effect-reader.ts";
export { Watcher } from "./reload/watcher.ts";
export { Runtime, type RuntimeOptions, type SpawnScriptOptions } from "./runtime/runtime.ts";
export { keepsConfiguration, ownConfiguration, takesAway, tomlOf } from "./self-guard.ts";
export { fileState, type FileState } from "./state/file-state.ts";
export { memoryState } from "./state/memory-state.ts";
export { sharedStateOpener } from "./state/shared/open-shared.ts";
export { shownStoreUrl } from "./state/shared/store-url.ts";
