import type { CreateOrcsOptions, Orcs } from "./engine/index.ts";

/**
 * Create a hook engine: load the configuration, its scripts and the given hooks.
 * @throws OrcsError ORCS1015 listing every error with its place; nothing stays loaded then
 */
export async function createOrcs(options: CreateOrcsOptions = {}): Promise<Orcs> {
  // A program that imports orcs may never need an engine, and its code takes as long to load as Node itself.
  const { createOrcs: create } = await import("./engine/index.ts");
  return create(options);
}

export { DEFAULT_LIMITS, glob, matchesRun, realPath } from "./engine/index.ts";
export type {
  ApprovalRequest,
  Approve,
  CallFrom,
  CallInfo,
  CallOptions,
  CallResult,
  CallWithOptions,
  Channel,
  CreateOrcsOptions,
  DispatchOptions,
  EngineEvents,
  HookDefinition,
  HookHandler,
  HookRegistry,
  InvokeOutcome,
  Llm,
  LlmAnswer,
  LlmRequest,
  Orcs,
  OrcsSession,
  RunnerResult,
  Runtime,
  RuntimeLimits,
  RuntimeOptions,
  SpawnOptions,
  SpawnScriptOptions,
  WrapOptions,
  WrappedTool,
} from "./engine/index.ts";
export {
  ACTION_TABLE,
  CAPABILITIES,
  capabilityBits,
  capabilityNames,
  compileFql,
  ERROR_CODES,
  formatFql,
  OrcsError,
  parseFql,
  POINT_ALIASES,
  POINT_TABLE,
  pointSet,
  renderDiagnostic,
  SIGNALS,
} from "./core/index.ts";
export type {
  Action,
  ActionName,
  CallEffects,
  CallerKeys,
  CallScope,
  CapabilityName,
  CheckedPermission,
  Child,
  ChildConfig,
  ChildContext,
  Clock,
  Component,
  CustomPoint,
  Decision,
  DeclaredEffect,
  Diagnostic,
  Effect,
  EffectKind,
  ErrorCode,
  Event,
  FailureMode,
  FqlMatcher,
  FqlPattern,
  GetOptions,
  GrantKind,
  Hook,
  HookContext,
  HookFailure,
  Injection,
  Json,
  JsonObject,
  Logger,
  MatchSpec,
  OperationName,
  Outcome,
  PayloadOf,
  Permission,
  PointName,
  PointSet,
  PointSpec,
  Principal,
  Request,
  RequestOptions,
  RuntimeVerb,
  ShellCommand,
  ShellReading,
  ShellReadOptions,
  ShellRedirect,
  ShellSpan,
  Signal,
  SignalKind,
  SignalResponse,
  SourcePlace,
  Spawned,
  StateStore,
  ToolAnswer,
  TraceEntry,
  Verdict,
} from "./core/index.ts";

export { replaceWords } from "./matching/index.ts";
export type { WordEdit } from "./matching/index.ts";

export type { Settings } from "./config/index.ts";
