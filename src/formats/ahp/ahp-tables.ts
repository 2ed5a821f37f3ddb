import { AGENT_TOOLS, getOwn, isJsonObject, setOwn } from "../../core/index.ts";
import type { ActionName, Json, JsonObject, POINT_TABLE } from "../../core/index.ts";
import { ourTool, swapKeys } from "../agent-tools.ts";

/** The version of AHP that orcs speaks. A harness or an agent of the same major version is accepted. */
export const AHP_VERSION = "2.2";

type PointName = keyof typeof POINT_TABLE;

/** How an event of AHP maps to a hook point. */
export interface AhpEventRow {
  readonly when: string;
  /** Whether the agent waits for a decision; otherwise the event is a notification. */
  readonly isBlocking: boolean;
  /** Where `orcs serve --ahp` dispatches it. */
  readonly point: PointName;
  /** Key of the event's payload → key of the point's payload. Other keys stay as they are. */
  readonly keys: Readonly<Record<string, string>>;
  /** Other names of such keys, read when the first name is missing. */
  readonly also?: Readonly<Record<string, string>>;
  /** Further points at which `protocol = "ahp"` sends this event. */
  readonly sentAlsoAt?: readonly PointName[];
  /** What a harness must return with `allow`, if no hook has returned it. */
  readonly allows?: Readonly<Record<string, string | number | readonly string[] | object>>;
}

const ACTION = { tool_name: "tool_name", arguments: "args", working_directory: "cwd" };
const TOOL = { also: { tool: "tool_name" } };

type More = Partial<Omit<AhpEventRow, "when" | "isBlocking">>;

/** An event for which the agent waits. */
function asks(when: string, more: More = {}): AhpEventRow {
  return { when, isBlocking: true, point: "host.pre_event", keys: {}, ...more };
}

/** A notification. */
function tells(when: string, more: More = {}): AhpEventRow {
  return { ...asks(when, more), isBlocking: false };
}

const RESPONSE = { response_text: "response_text", tool_calls: "tool_calls", usage: "usage" };
const MODEL = { model_provider: "model_provider", model_name: "model_name" };

/**
 * The events of AHP 2.x. The first 15 are the table of its documentation; a session has two more in its type.
 * Source: A3S-Lab/AgentHarnessProtocol, README and protocol module; the payloads of actions: its examples (`tool_name`)
 * and A3S Code (`tool`).
 */
export const AHP_EVENTS = {
  pre_action: asks("before a tool runs", {
    point: "tool.pre_execute",
    keys: { ...ACTION, recent_tools: "recent_tools" },
    ...TOOL,
  }),
  post_action: tells("after a tool ran", {
    point: "tool.post_execute",
    keys: { ...ACTION, result: "result" },
    ...TOOL,
  }),
  pre_prompt: asks("before a prompt is sent to the model", {
    point: "prompt.pre_submit",
    keys: { prompt: "prompt" },
    sentAlsoAt: ["llm.pre_generate"],
  }),
  post_response: tells("after the model responded", { point: "llm.post_generate", keys: RESPONSE }),
  intent_detection: asks("to find out what a prompt wants", {
    allows: { detected_intent: "unknown", confidence: 0 },
  }),
  context_perception: asks("when the model needs knowledge of the workspace", {
    allows: { injected_context: { facts: [] } },
  }),
  memory_recall: asks("when the model searches its memory", { allows: { injected_facts: [] } }),
  planning: asks("before a task is split into parts", { allows: { selected_strategy: "none" } }),
  reasoning: asks("before the model reasons step by step"),
  idle: tells("when the agent has nothing to do"),
  heartbeat: tells("at intervals"),
  success: tells("after an operation succeeded"),
  error: tells("after an operation failed", { sentAlsoAt: ["tool.on_failure"] }),
  rate_limit: tells("when a limit was reached"),
  confirmation: asks("when a person should confirm an operation", {
    point: "auth.pre_check",
    keys: { message: "command" },
  }),
  session_start: tells("when a session starts", { point: "session.on_start", keys: MODEL }),
  session_end: tells("when a session ends", { point: "session.on_end" }),
};

export type AhpEventName = keyof typeof AHP_EVENTS;

/** The row of an event; one of a later version is dispatched like those without a point of their own. */
export function ahpEventRow(name: string): AhpEventRow {
  return getOwn<AhpEventRow>(AHP_EVENTS, name) ?? asks("in a later version");
}

/** The component of the events that `orcs serve --ahp` gets. */
export const AHP_COMPONENT = "a3s::agent";

/** What a decision of a harness means. */
interface AhpDecisionRow {
  readonly meaning: string;
  /** The action that orcs makes of it. */
  readonly action: ActionName;
  readonly with?: string;
  /** The only event whose decision it is; undefined for the five general ones. */
  readonly of?: AhpEventName;
}

/** The decisions of AHP 2.x: five general ones, and those of single events. */
export const AHP_DECISIONS = {
  allow: {
    meaning: "proceed, with `modified_payload` if there is one",
    action: "continue",
    with: "the changed payload",
  },
  block: { meaning: "do not proceed", action: "abort", with: "`reason`" },
  modify: {
    meaning: "proceed with `modified_payload`",
    action: "continue",
    with: "the changed payload",
  },
  defer: {
    meaning: "try again after `retry_after_ms`",
    action: "retry",
    with: "`delay_ms`, `reason`",
  },
  escalate: {
    meaning: "a person decides",
    action: "continue",
    with: '`decision = "ask"`, `reason`',
  },
  approve: {
    meaning: "confirmed",
    action: "continue",
    with: '`decision = "allow"`',
    of: "confirmation",
  },
  reject: { meaning: "not confirmed", action: "abort", with: "`reason`", of: "confirmation" },
} as const satisfies Record<string, AhpDecisionRow>;

export type AhpDecisionName = keyof typeof AHP_DECISIONS;

type Keys = Pick<AhpEventRow, "keys" | "also">;

/** An event's payload with the keys of its point. */
export function toPointKeys({ keys, also = {} }: Keys, payload: JsonObject): JsonObject {
  const renamed: JsonObject = {};
  for (const [key, value] of Object.entries(payload)) {
    // With both spellings, the first one counts, and the other is not lost.
    const other = getOwn(also, key) ?? key;
    const isThere = Object.entries(keys).some(
      ([k, to]) => to === other && Object.hasOwn(payload, k),
    );
    setOwn(renamed, getOwn(keys, key) ?? (isThere ? key : other), value);
  }
  return renamed;
}

/**
 * The call in a point's payload with the agent's names in place of ours, or back: both directions exchange the same.
 * @param sent the agent's name of the tool; undefined if it is unknown, and nothing changes
 */
export function swapCall(payload: JsonObject, sent: string | undefined): JsonObject {
  if (sent === undefined) return payload;
  const { tool_name, args } = payload;
  const ours = ourTool(AGENT_TOOLS.ahp, sent);
  const other = tool_name === ours ? sent : ours;
  return {
    ...payload,
    ...((tool_name === ours || tool_name === sent) && { tool_name: other }),
    ...(isJsonObject(args) && { args: swapKeys(AGENT_TOOLS.ahp, ours, args, sent) }),
  };
}

/** A point's payload with the keys of the event, the other spellings included. */
export function toEventKeys({ keys, also = {} }: Keys, payload: JsonObject): JsonObject {
  const names = new Map(Object.entries(keys).map(([key, inner]) => [inner, key]));
  const event: JsonObject = {};
  for (const [inner, value] of Object.entries(payload)) {
    setOwn(event, names.get(inner) ?? inner, value);
  }
  for (const [key, inner] of Object.entries(also)) {
    const value: Json | undefined = getOwn(payload, inner);
    if (value !== undefined) setOwn(event, key, value);
  }
  return event;
}
