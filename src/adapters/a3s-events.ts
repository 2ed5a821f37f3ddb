import { OrcsError } from "../core/errors.ts";
import { isPlainObject } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { POINT_ALIASES, POINT_TABLE } from "../core/point-table.ts";
import { toJson } from "../core/visible-value.ts";

/** The six events, by the names of the A3S documentation. Also accepted as `"PreToolUse"` etc. */
export const HookEventType = {
  PreToolUse: "pre_tool_use",
  PostToolUse: "post_tool_use",
  GenerateStart: "generate_start",
  GenerateEnd: "generate_end",
  SessionStart: "session_start",
  SessionEnd: "session_end",
} as const satisfies Partial<Record<keyof typeof POINT_ALIASES, string>>;
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

/** Payload of `generate_start`. */
export interface GenerateStartEvent {
  session_id: string;
  prompt: string;
  system_prompt?: string;
  model_provider: string;
  model_name: string;
  available_tools: string[];
}

/** Payload of `generate_end`. */
export interface GenerateEndEvent {
  session_id: string;
  prompt: string;
  response_text: string;
  tool_calls: JsonObject[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** Whole milliseconds. */
  duration_ms: number;
}

/** Payload of `session_start`. */
export interface SessionStartEvent {
  session_id: string;
  system_prompt?: string;
  model_provider: string;
  model_name: string;
}

/** Payload of `session_end`. */
export interface SessionEndEvent {
  session_id: string;
  total_tokens: number;
  total_tool_calls: number;
  /** Whole milliseconds. */
  duration_ms: number;
}

/** Payload by event. */
export interface EventPayloads {
  pre_tool_use: PreToolUseEvent;
  post_tool_use: PostToolUseEvent;
  generate_start: GenerateStartEvent;
  generate_end: GenerateEndEvent;
  session_start: SessionStartEvent;
  session_end: SessionEndEvent;
}

/** An event, told apart by `event_type`. */
export type HookEvent<E extends HookEventType = HookEventType> = {
  [K in E]: { readonly event_type: K; readonly payload: EventPayloads[K] };
}[E];

/** The content of `modified`, by event: the arguments, the result, or the changed keys of the payload. */
export type Modified<E extends HookEventType = HookEventType> = {
  [K in E]: K extends "pre_tool_use"
    ? JsonObject
    : K extends "post_tool_use"
      ? ToolResult
      : Partial<EventPayloads[K]>;
}[E];

type Payload = Record<string, unknown>;

/** How an event maps to a point. */
export interface EventRow {
  readonly event_type: HookEventType;
  readonly point: string;
  /** It comes before an operation, which its hooks can block. */
  readonly gates: boolean;
  /** Key of the event's payload → key of the point's payload. */
  readonly keys: Readonly<Record<string, string>>;
  /** Key of the point's payload that `modified` replaces; without it, `modified` has keys of the event. */
  readonly whole?: string;
  /** Key of the point's payload that a plain text in `modified` replaces. */
  readonly text?: string;
}

/** The same key in both. */
function same<K extends string>(...keys: K[]): Record<K, K> {
  return Object.fromEntries(keys.map((key) => [key, key])) as Record<K, K>;
}

const MODEL = same("session_id", "system_prompt", "model_provider", "model_name");

const KEYS: { readonly [E in HookEventType]: Readonly<Record<keyof EventPayloads[E], string>> } = {
  pre_tool_use: {
    ...same("session_id", "args", "recent_tools"),
    tool: "tool_name",
    working_directory: "cwd",
  },
  post_tool_use: { ...same("session_id", "args", "result"), tool: "tool_name" },
  generate_start: { ...MODEL, ...same("prompt", "available_tools") },
  generate_end: {
    ...same("session_id", "prompt", "response_text", "tool_calls", "usage"),
    duration_ms: "elapsed_ms",
  },
  session_start: MODEL,
  session_end: {
    ...same("session_id", "total_tokens", "total_tool_calls"),
    duration_ms: "elapsed_ms",
  },
};

const MODIFIES: Readonly<Partial<Record<HookEventType, Pick<EventRow, "whole" | "text">>>> = {
  pre_tool_use: { whole: "args" },
  post_tool_use: { whole: "result" },
  generate_start: { text: "prompt" },
  generate_end: { text: "response_text" },
};

const NAMES = Object.keys(HookEventType) as (keyof typeof HookEventType)[];

/**
 * The row of an event, in either spelling.
 * @throws OrcsError ORCS1005 for an unknown event
 */
export function eventRow(written: string): EventRow {
  const name = NAMES.find((name) => name === written || HookEventType[name] === written);
  if (name === undefined) {
    const message = `unknown event ${JSON.stringify(written)}; expected one of ${NAMES.join(", ")}`;
    throw new OrcsError("ORCS1005", message, { point: written });
  }
  const event_type = HookEventType[name];
  return {
    event_type,
    point: POINT_ALIASES[name],
    gates: POINT_TABLE[POINT_ALIASES[name]].phase === "pre",
    keys: KEYS[event_type],
    ...MODIFIES[event_type],
  };
}

/**
 * An event's payload as that of its point; unknown keys stay unchanged.
 * @throws OrcsError ORCS2003 when it is not an object
 */
export function toPoint({ event_type, keys }: EventRow, payload: unknown): Payload {
  if (!isPlainObject(payload)) {
    throw new OrcsError("ORCS2003", `the payload of ${event_type} must be an object`);
  }
  return renamed(keys, payload);
}

/** A point's payload as that of the event: a copy for the handler, with the event's keys only. */
export function toEvent({ event_type, keys }: EventRow, payload: Payload): HookEvent {
  const own: Payload = {};
  for (const [key, inner] of Object.entries(keys)) {
    if (payload[inner] !== undefined) own[key] = toJson(payload[inner], undefined, [key]);
  }
  return { event_type, payload: own } as unknown as HookEvent;
}

/**
 * Apply a handler's `modified` to a point's payload, which validates it.
 * @throws Error when the event does not support it
 */
export function modify(row: EventRow, payload: Payload, modified: unknown): void {
  if (row.whole !== undefined) payload[row.whole] = modified;
  else if (row.text !== undefined && typeof modified === "string") payload[row.text] = modified;
  else if (isPlainObject(modified)) Object.assign(payload, renamed(row.keys, modified));
  else throw new Error(`modified must be an object with the keys of ${row.event_type}`);
}

/** The changes of a point's payload by hooks, as `modified`; undefined when there are none. */
export function modifiedBy({ whole, keys }: EventRow, before: Payload, after: Payload): unknown {
  // An unchanged value is the same object.
  if (whole !== undefined) return after[whole] === before[whole] ? undefined : after[whole];
  const changed = Object.entries(keys).filter(([, inner]) => after[inner] !== before[inner]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(([key, inner]) => [key, after[inner]]));
}

function renamed(keys: EventRow["keys"], payload: Payload): Payload {
  const entries = Object.entries(payload);
  const known = entries.filter(([key]) => Object.hasOwn(keys, key));
  const others = entries.filter(([key]) => !Object.hasOwn(keys, key));
  // The event's own keys come last: a stray `tool_name` must not replace its `tool`.
  return Object.fromEntries([...others, ...known.map(([key, value]) => [keys[key], value])]);
}
