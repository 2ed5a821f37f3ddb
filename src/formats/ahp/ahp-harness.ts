import { equalJson, getOwn, isJsonObject, objectAt, textAt, toJson } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import { wrongVersion } from "../live/jsonrpc.ts";
import {
  AHP_EVENTS,
  AHP_VERSION,
  ahpEventRow,
  swapCall,
  toEventKeys,
  toPointKeys,
} from "./ahp-tables.ts";

/** An event of an agent as a dispatch. */
export interface AhpDispatch {
  readonly event: string;
  readonly point: string;
  readonly payload: JsonObject;
  readonly metadata: JsonObject;
}

/** The result of the handshake, or why the agent's version is not supported. */
export function handshakeResult(params: JsonObject, version: string): JsonObject | string {
  const wrong = wrongVersion(textAt(params, "protocol_version"), AHP_VERSION);
  if (wrong !== undefined) return wrong;
  return {
    protocol_version: AHP_VERSION,
    harness_info: {
      name: "orcs",
      version,
      capabilities: [...Object.keys(AHP_EVENTS), "query", "batch"],
    },
  };
}

/** An `ahp/event`, or why it is invalid. */
export function dispatchOf(params: Json): AhpDispatch | string {
  if (!isJsonObject(params)) return "params is not an object";
  const event = textAt(params, "event_type");
  if (event === undefined || event === "") return "event_type is missing";
  const payload = getOwn(params, "payload");
  if (!isJsonObject(payload)) return "payload is not an object";
  const row = ahpEventRow(event);
  const own = row.point === "host.pre_event" ? { event } : {};
  const read = toPointKeys(row, payload);
  // Conditions match either name of the tool.
  const tool = textAt(read, "tool_name");
  const host = tool === undefined ? {} : { host: { ...payload, tool_name: tool } };
  return {
    event,
    point: row.point,
    payload: { ...swapCall(read, tool), ...ids(params), ...own, ...host },
    metadata: { ahp: about(params) },
  };
}

/** An `ahp/query`: an event named `query` without a point of its own. */
export function queryOf(params: Json): AhpDispatch | string {
  if (!isJsonObject(params)) return "params is not an object";
  const query_type = textAt(params, "query_type") ?? "general";
  const payload = { ...objectAt(params, "payload"), ...ids(params), event: "query", query_type };
  return { event: "query", point: "host.pre_event", payload, metadata: { ahp: about(params) } };
}

function ids(params: JsonObject): JsonObject {
  const found = ["session_id", "agent_id"].map((key) => [key, textAt(params, key)] as const);
  return Object.fromEntries(
    found.filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

function about(params: JsonObject): JsonObject {
  const keys = ["depth", "context", "metadata"] as const;
  const found = keys.map((key) => [key, getOwn(params, key) ?? null] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== null));
}

/** A denial as the decision about an event. */
export function denied(event: string, reason: string): JsonObject {
  if (event === "query") return { answer: "no", reason };
  if (event === "rate_limit") return { decision: "skip", reason };
  return { decision: event === "confirmation" ? "reject" : "block", reason };
}

/** Decisions of single events as the general ones, which are all that its type has for the events of a batch. */
const GENERAL: Readonly<Record<string, string>> = {
  approve: "allow",
  reject: "block",
  queue: "allow",
  skip: "block",
};

/** A decision as one of a batch. */
export function inBatch(decided: JsonObject): JsonObject {
  const decision = textAt(decided, "decision") ?? "block";
  return { ...decided, decision: getOwn(GENERAL, decision) ?? decision };
}

/** The decision about an event that the agent waits for. */
export function decisionOf(
  { event, payload }: AhpDispatch,
  outcome: Outcome,
  sent: JsonObject,
): JsonObject {
  switch (outcome.action) {
    case "abort":
      return denied(event, outcome.reason);
    case "retry":
      return {
        decision: "defer",
        // An integer in its type: with a fraction the agent would get an error, and proceed.
        retry_after_ms: Math.ceil(outcome.delay_ms),
        ...(outcome.reason !== undefined && { reason: outcome.reason }),
      };
    case "skip":
      return skipped(event, outcome.result, outcome.hook);
    case "continue":
      return continued(event, payload, outcome, sent);
  }
}

/** Events that ask for something have it as the result of a hook; an action cannot have a result in its place. */
function skipped(event: string, result: Json, hook: string): JsonObject {
  if (event === "query") {
    return isJsonObject(result) && getOwn(result, "answer") !== undefined
      ? result
      : { answer: result };
  }
  if (ahpEventRow(event).point === "host.pre_event" && isJsonObject(result)) {
    return { decision: "allow", ...result };
  }
  const text = JSON.stringify(result);
  return denied(event, `hook ${hook} skipped the operation and returned ${text} in its place`);
}

function continued(
  event: string,
  before: JsonObject,
  outcome: Outcome & { action: "continue" },
  sent: JsonObject,
): JsonObject {
  const { decision, reason, inject, ctx } = outcome;
  const why = reason === undefined ? {} : { reason };
  if (event === "query") return { answer: "yes", ...why };
  if (decision === "ask") {
    return { decision: "escalate", reason: reason ?? "needs approval" };
  }
  // The agent has no check of its own that could decide instead.
  if (decision === "defer")
    return denied(event, `deferred${reason === undefined ? "" : `: ${reason}`}`);
  const texts = inject.map((each) => (typeof each === "string" ? each : each.content));
  const more = texts.length === 0 ? {} : { metadata: { inject: texts } };
  const modified = modifiedPayload(event, before, ctx.payload, sent);
  if (modified) return { decision: "modify", modified_payload: modified, ...more };
  if (event === "confirmation") return { decision: "approve", ...more };
  if (event === "rate_limit") return { decision: "queue" };
  return { decision: "allow", ...ahpEventRow(event).allows, ...more };
}

/** The agent's payload with what hooks have changed in it; undefined without changes. */
function modifiedPayload(
  event: string,
  before: JsonObject,
  after: Readonly<Record<string, unknown>>,
  sent: JsonObject,
): JsonObject | undefined {
  const now = toJson(after, undefined, ["payload"]) as JsonObject;
  const changed = Object.keys(before).filter(
    (key) => key !== "host" && !equalJson(before[key], getOwn(now, key)),
  );
  if (changed.length === 0) return undefined;
  const values = Object.fromEntries(changed.map((key) => [key, getOwn(now, key) ?? null]));
  const named = swapCall(values, textAt(objectAt(before, "host"), "tool_name"));
  return { ...sent, ...toEventKeys({ keys: ahpEventRow(event).keys }, named) };
}
