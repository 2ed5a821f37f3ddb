import { isPlainObject, OrcsError, POINT_TABLE, setOwn, toJson } from "../../core/index.ts";
import type { Json } from "../../core/index.ts";
import { HookEventType, type HookEvent, type PointPayloads } from "./a3s-payloads.ts";

type Payload = Record<string, unknown>;

/** How an event maps to its point. */
interface Mapping<Keys> {
  readonly point: keyof typeof POINT_TABLE;
  /** Key of the event's payload → key of the point's payload. */
  readonly keys: Keys;
  /** Key of the point's payload that `modified` replaces; without it, `modified` has keys of the event. */
  readonly whole?: string;
  /** Key of the point's payload that a plain text in `modified` replaces. */
  readonly text?: string;
}

/** How an event maps to a point; without `keys`, its payload is that of the point, with the event's name added. */
export interface EventRow extends Omit<Mapping<unknown>, "keys"> {
  readonly event_type: HookEventType;
  readonly keys?: Readonly<Record<string, string>>;
  /** It comes before an operation, which its hooks can block. */
  readonly gates: boolean;
}

/** The same key in both. */
function same<K extends string>(...keys: K[]): Record<K, K> {
  return Object.fromEntries(keys.map((key) => [key, key])) as Record<K, K>;
}

const MODEL = same("session_id", "system_prompt", "model_provider", "model_name");
const CALL = { ...same("session_id", "args"), tool: "tool_name" } as const;

const MAPPINGS: {
  readonly [E in keyof PointPayloads]: Mapping<Readonly<Record<keyof PointPayloads[E], string>>>;
} = {
  pre_tool_use: {
    point: "tool.pre_execute",
    keys: { ...CALL, recent_tools: "recent_tools", working_directory: "cwd" },
    whole: "args",
  },
  post_tool_use: {
    point: "tool.post_execute",
    keys: { ...CALL, result: "result" },
    whole: "result",
  },
  generate_start: {
    point: "llm.pre_generate",
    keys: { ...MODEL, ...same("prompt", "available_tools") },
    text: "prompt",
  },
  generate_end: {
    point: "llm.post_generate",
    keys: {
      ...same("session_id", "prompt", "response_text", "tool_calls", "usage"),
      duration_ms: "elapsed_ms",
    },
    text: "response_text",
  },
  session_start: { point: "session.on_start", keys: MODEL },
  session_end: {
    point: "session.on_end",
    keys: {
      ...same("session_id", "total_tokens", "total_tool_calls"),
      duration_ms: "elapsed_ms",
    },
  },
  permission_request: {
    point: "auth.pre_check",
    keys: { ...CALL, tool_id: "tool_id" },
    whole: "args",
  },
  pre_compact: {
    point: "context.pre_compact",
    keys: same("session_id", "message_count", "used_tokens", "max_tokens"),
  },
  post_compact: {
    point: "context.post_compact",
    keys: same("session_id", "message_count_before", "message_count_after", "summary_generated"),
  },
  pre_prompt: {
    point: "prompt.pre_submit",
    keys: same("session_id", "prompt", "system_prompt", "message_count"),
    text: "prompt",
  },
  post_response: {
    point: "agent.pre_stop",
    keys: {
      ...same("session_id", "tool_calls_count", "usage", "duration_ms"),
      response_text: "message",
    },
    text: "message",
  },
};

/** Events at pre points that report something that has happened: a hook there can run asynchronously. */
const REPORTS: ReadonlySet<HookEventType> = new Set([
  "post_response",
  "skill_load",
  "skill_unload",
  "on_error",
  "on_success",
  "on_rate_limit",
  "post_context_perception",
  "post_memory_recall",
  "post_planning",
  "post_reasoning",
  "post_run_control",
]);

/** Key of a duration as it was given: fractions of a millisecond have no place in `elapsed_ms`. */
const GIVEN = "duration_ms";
/** Key that holds the name of an event without a point of its own. */
const NAME = "event";

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
  const mapping = hasPoint(event_type)
    ? MAPPINGS[event_type]
    : ({ point: "host.pre_event" } as const);
  const gates = POINT_TABLE[mapping.point].phase === "pre" && !REPORTS.has(event_type);
  return { ...mapping, event_type, gates };
}

function hasPoint(event: HookEventType): event is keyof PointPayloads {
  return Object.hasOwn(MAPPINGS, event);
}

/** Whether an event of a point is that of the row: events without a point of their own share one. */
export function isEventOf({ event_type, keys }: EventRow, payload: Payload): boolean {
  return keys !== undefined || payload[NAME] === event_type;
}

/**
 * An event's payload as that of its point; unknown keys stay unchanged. A duration is whole milliseconds there,
 * and kept as it was given for handlers.
 * @throws OrcsError ORCS2003 when it is not an object
 */
export function toPoint({ event_type, keys }: EventRow, payload: unknown): Payload {
  if (!isPlainObject(payload)) {
    throw new OrcsError("ORCS2003", `the payload of ${event_type} must be an object`);
  }
  if (keys === undefined) return { ...payload, [NAME]: event_type };
  const point = renamed(keys, payload);
  const { elapsed_ms } = point;
  if (typeof elapsed_ms !== "number" || Number.isInteger(elapsed_ms)) return point;
  return { ...point, elapsed_ms: Math.round(elapsed_ms), [GIVEN]: elapsed_ms };
}

/** A point's payload as that of the event: a copy for the handler, with the event's keys only. */
export function toEvent({ event_type, keys }: EventRow, payload: Payload): HookEvent {
  const own: Record<string, Json> = {};
  for (const [key, named] of keyPairs(keys, payload)) {
    const given = payload[GIVEN];
    const isGiven = typeof given === "number" && Math.round(given) === payload[named];
    const inner = named === "elapsed_ms" && isGiven ? GIVEN : named;
    if (payload[inner] !== undefined) setOwn(own, key, toJson(payload[inner], undefined, [key]));
  }
  return { event_type, payload: own } as unknown as HookEvent;
}

/**
 * Apply a handler's `modified` to a point's payload, which validates it.
 * @throws Error when the event does not support it
 */
export function modify(row: EventRow, payload: Payload, modified: unknown): void {
  const { whole, text, keys = {} } = row;
  if (whole !== undefined) payload[whole] = modified;
  else if (text !== undefined && typeof modified === "string") payload[text] = modified;
  else if (isPlainObject(modified)) Object.assign(payload, renamed(keys, modified));
  else throw new Error(`modified must be an object with the keys of ${row.event_type}`);
}

/** The changes of a point's payload by hooks, as `modified`; undefined when there are none. */
export function modifiedBy({ whole, keys }: EventRow, before: Payload, after: Payload): unknown {
  // An unchanged value is the same object.
  if (whole !== undefined) return after[whole] === before[whole] ? undefined : after[whole];
  const changed = keyPairs(keys, { ...before, ...after }).filter(
    ([, inner]) => after[inner] !== before[inner],
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(([key, inner]) => [key, after[inner]]));
}

/** Keys of the event with those of the point; for an event without a point of its own, all keys of the payload. */
function keyPairs(keys: EventRow["keys"], payload: Payload): [key: string, inner: string][] {
  if (keys !== undefined) return Object.entries(keys);
  return Object.keys(payload).flatMap((key) => (key === NAME ? [] : [[key, key]]));
}

function renamed(keys: Readonly<Record<string, string>>, payload: Payload): Payload {
  const entries = Object.entries(payload);
  const known = entries.filter(([key]) => Object.hasOwn(keys, key));
  const others = entries.filter(([key]) => !Object.hasOwn(keys, key));
  // The event's own keys come last: a stray `tool_name` must not replace its `tool`.
  return Object.fromEntries([...others, ...known.map(([key, value]) => [keys[key], value])]);
}
