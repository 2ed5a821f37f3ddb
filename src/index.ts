export { createOrcs } from "./engine/orcs/create-orcs.ts";
export type {
  CallInfo,
  CallResult,
  CallWithOptions,
  Orcs,
  OrcsSession,
  WrapOptions,
  WrappedTool,
} from "./engine/orcs/orcs.ts";
export type {
  ApprovalRequest,
  Approve,
  CallOptions,
  CreateOrcsOptions,
  HookDefinition,
  Llm,
  LlmAnswer,
  LlmRequest,
} from "./engine/orcs/options.ts";
export type { Runtime, RuntimeOptions, SpawnScriptOptions } from "./engine/orcs/runtime/runtime.ts";
export type { CallerKeys } from "./core/points.ts";
export type { RunnerResult } from "./engine/runtime/channel-end.ts";
export { DEFAULT_LIMITS } from "./engine/runtime/runtime-host.ts";
export type { RuntimeLimits } from "./engine/runtime/runtime-host.ts";
export type { CallFrom, Channel, SpawnOptions } from "./engine/runtime/orcs-engine.ts";

export { glob, matchesRun, realPath } from "./engine/orcs/guard-functions.ts";
export { replaceWords } from "./matching/shell/shell.ts";
export type { WordEdit } from "./matching/shell/shell.ts";
export type {
  ShellCommand,
  ShellReading,
  ShellReadOptions,
  ShellRedirect,
  ShellSpan,
} from "./core/shell.ts";

export type { Settings } from "./config/settings.ts";
export { ACTION_TABLE } from "./core/actions.ts";
export type { Action, ActionName, Decision, Injection, Verdict } from "./core/actions.ts";
export { CAPABILITIES, capabilityBits, capabilityNames } from "./core/permission.ts";
export type { CapabilityName } from "./core/permission.ts";
export type { Child, ChildConfig, ChildContext, RequestOptions, Spawned } from "./core/child.ts";
export { SIGNALS } from "./core/component.ts";
export type {
  Component,
  Event,
  Request,
  Signal,
  SignalKind,
  SignalResponse,
} from "./core/component.ts";
export type { HookContext, Principal } from "./core/context.ts";
export { renderDiagnostic } from "./core/diagnostic.ts";
export type { Diagnostic, SourcePlace } from "./core/diagnostic.ts";
export { ERROR_CODES, OrcsError } from "./core/errors.ts";
export type { ErrorCode } from "./core/errors.ts";
export { compileFql, formatFql, parseFql } from "./core/fql.ts";
export type { FqlMatcher, FqlPattern } from "./core/fql.ts";
export type { FailureMode, Hook, HookFailure, MatchSpec } from "./core/hook.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type { Outcome, TraceEntry } from "./core/outcome.ts";
export type { CheckedPermission, GrantKind, Permission } from "./core/permission.ts";
export { POINT_ALIASES, POINT_TABLE } from "./core/point-table.ts";
export { pointSet } from "./core/points.ts";
export type {
  CustomPoint,
  OperationName,
  PayloadOf,
  PointName,
  PointSet,
  PointSpec,
} from "./core/points.ts";
export type { CallScope, Clock, GetOptions, Logger, StateStore, ToolAnswer } from "./core/ports.ts";
export type { RuntimeVerb } from "./core/runtime-verbs.ts";
export type { EngineEvents } from "./engine/registry/events.ts";
export type { HookHandler } from "./engine/registry/function-runner.ts";
export type { InvokeOutcome } from "./engine/registry/invoke.ts";
export type { DispatchOptions } from "./engine/registry/registry.ts";
export type { HookRegistry } from "./engine/registry/registry.ts";
