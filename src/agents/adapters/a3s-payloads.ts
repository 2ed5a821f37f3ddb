import type { JsonObject } from "../../core/index.ts";

/**
 * The events, by the names of A3S; also accepted as `"PreToolUse"` etc. The first six are those of the A3S Box
 * documentation, the others those of the published `a3s-code`.
 */
export const HookEventType = {
  PreToolUse: "pre_tool_use",
  PostToolUse: "post_tool_use",
  GenerateStart: "generate_start",
  GenerateEnd: "generate_end",
  SessionStart: "session_start",
  SessionEnd: "session_end",
  PermissionRequest: "permission_request",
  PreCompact: "pre_compact",
  PostCompact: "post_compact",
  PrePrompt: "pre_prompt",
  PostResponse: "post_response",
  SkillLoad: "skill_load",
  SkillUnload: "skill_unload",
  OnError: "on_error",
  OnSuccess: "on_success",
  OnRateLimit: "on_rate_limit",
  OnConfirmation: "on_confirmation",
  PreContextPerception: "pre_context_perception",
  PostContextPerception: "post_context_perception",
  PreMemoryRecall: "pre_memory_recall",
  PostMemoryRecall: "post_memory_recall",
  PrePlanning: "pre_planning",
  PostPlanning: "post_planning",
  PreReasoning: "pre_reasoning",
  PostReasoning: "post_reasoning",
  IntentDetection: "intent_detection",
  PreRunControl: "pre_run_control",
  PostRunControl: "post_run_control",
} as const;
export type HookEventType = (typeof HookEventType)[keyof typeof HookEventType];

/** Payload of `pre_tool_use`. */
export interface PreToolUseEvent {
  session_id: string;
  /** The tool's name. */
  tool: string;
  args: JsonObject;
  working_directory: string;
  recent_tools: string[];
}

/** The result of a tool in an A3S agent. */
export interface ToolResult {
  success: boolean;
  output: string;
  /** For shell commands. */
  exit_code?: number;
  duration_ms: number;
}

/** Payload of `post_tool_use`. */
export interface PostToolUseEvent {
  session_id: string;
  tool: string;
  args: JsonObject;
  /** If the tool was called through orcs instead of fired by an A3S agent: the result of that tool. */
  result: ToolResult;
}

/** Payload of `generate_end`. */
export interface GenerateEndEvent {
  session_id: string;
  prompt: string;
  response_text: string;
  tool_calls: JsonObject[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** Milliseconds; handlers see whole ones. */
  duration_ms: number;
}

/** Payload of `session_start`. */
export interface SessionStartEvent {
  session_id: string;
  system_prompt?: string;
  model_provider: string;
  model_name: string;
}

/** Payload of `generate_start`. */
export interface GenerateStartEvent extends SessionStartEvent {
  prompt: string;
  available_tools: string[];
}

/** Payload of `session_end`. */
export interface SessionEndEvent {
  session_id: string;
  total_tokens: number;
  total_tool_calls: number;
  /** Milliseconds; handlers see whole ones. */
  duration_ms: number;
}

/** Payload of `permission_request`. */
export interface PermissionRequestEvent {
  session_id: string;
  tool_id?: string;
  tool: string;
  args: JsonObject;
}

/** Payload of `pre_compact`. */
export interface PreCompactEvent {
  session_id: string;
  message_count: number;
  used_tokens: number;
  max_tokens: number;
}

/** Payload of `post_compact`. */
export interface PostCompactEvent {
  session_id: string;
  message_count_before: number;
  message_count_after: number;
  summary_generated: boolean;
}

/** Payload of `pre_prompt`. */
export interface PrePromptEvent {
  session_id: string;
  prompt: string;
  system_prompt?: string;
  message_count: number;
}

/** Payload of `post_response`. */
export interface PostResponseEvent {
  session_id: string;
  response_text: string;
  tool_calls_count: number;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** Milliseconds. */
  duration_ms: number;
}

/** Payload of an event without a point of its own: any JSON. */
export interface OtherEvent {
  session_id?: string;
  [key: string]: unknown;
}

/** Payloads of the events that have a point of their own. */
export interface PointPayloads {
  pre_tool_use: PreToolUseEvent;
  post_tool_use: PostToolUseEvent;
  generate_start: GenerateStartEvent;
  generate_end: GenerateEndEvent;
  session_start: SessionStartEvent;
  session_end: SessionEndEvent;
  permission_request: PermissionRequestEvent;
  pre_compact: PreCompactEvent;
  post_compact: PostCompactEvent;
  pre_prompt: PrePromptEvent;
  post_response: PostResponseEvent;
}

/** Payload by event. */
export type EventPayloads = {
  [E in HookEventType]: E extends keyof PointPayloads ? PointPayloads[E] : OtherEvent;
};

/** An event, told apart by `event_type`. */
export type HookEvent<E extends HookEventType = HookEventType> = {
  [K in E]: { readonly event_type: K; readonly payload: EventPayloads[K] };
}[E];

/** The content of `modified`, by event: the arguments, the result, or the changed keys of the payload. */
export type Modified<E extends HookEventType = HookEventType> = {
  [K in E]: K extends "pre_tool_use" | "permission_request"
    ? JsonObject
    : K extends "post_tool_use"
      ? ToolResult
      : Partial<EventPayloads[K]>;
}[E];
