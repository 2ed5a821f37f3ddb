import { equalJson, getOwn, isJsonObject, textAt, toJson, verdictFor } from "../../core/index.ts";
import type { Edit, HookReport, Json, JsonObject, PointSpec } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, listed, refuse } from "../handler-report.ts";
import { welcomeOf } from "../live/jsonrpc.ts";
import type { CallNotes, LiveProtocol, RpcCall } from "../live/live-protocol.ts";
import { hostOf, sessionOf, stringAt } from "../payload.ts";
import type { AhpDecisionName, AhpEventRow } from "./ahp-tables.ts";
import {
  AHP_COMPONENT,
  AHP_DECISIONS,
  AHP_EVENTS,
  AHP_VERSION,
  ahpEventRow,
  swapCall,
  toEventKeys,
  toPointKeys,
} from "./ahp-tables.ts";

/** The point of events without one of their own. */
const OTHER = "host.pre_event";

/** The event that is a request of its own. */
const QUERY = "query";

/** Asks a harness of the Agent Harness Protocol 2.x. */
export const ahpProtocol: LiveProtocol = {
  knows: (point) => point.name === OTHER || eventAt(point) !== undefined,
  hello: (version) => ({
    method: "ahp/handshake",
    params: {
      protocol_version: AHP_VERSION,
      agent_info: { framework: "orcs", version, capabilities: [...Object.keys(AHP_EVENTS), QUERY] },
      session_id: "orcs",
      agent_id: "orcs",
    },
  }),
  readWelcome: (result) => welcomeOf(result, AHP_VERSION, "harness_info"),
  ask,
  read,
};

function eventAt(point: PointSpec): string | undefined {
  const rows: [string, AhpEventRow][] = Object.entries(AHP_EVENTS);
  const isSentAt = ({ point: own, sentAlsoAt = [] }: AhpEventRow): boolean =>
    [own, ...sentAlsoAt].some((at) => at === point.name);
  return rows.find(([, row]) => isSentAt(row))?.[0];
}

/** Capabilities are not compared: the published harnesses decide about events that they do not list. */
function ask(call: HandlerCall, notes: CallNotes): RpcCall | { readonly unfit: string } {
  const name = nameOf(call);
  if (name === undefined) return { unfit: `gets no event at ${call.point.name}: AHP has none` };
  const payload = swapCall(payloadOf(call), sentTool(call));
  const session_id = sessionOf(call);
  const agent_id = stringAt(call, "agent_id") ?? call.ctx.component_id;
  if (name === QUERY) {
    const query_type = stringAt(call, "query_type") ?? "general";
    return { method: "ahp/query", params: { session_id, agent_id, query_type, payload } };
  }
  const { isShadow, hook, trace } = notes;
  const row = ahpEventRow(name);
  const params = {
    event_type: name,
    session_id,
    agent_id,
    timestamp: new Date().toISOString(),
    // How deep the agent is below that of the user: each part of the child's path is one level.
    depth: (stringAt(call, "child_id") || undefined)?.split("/").length ?? 0,
    payload: {
      ...toEventKeys(row, payload),
      ...(call.point.name.startsWith("tool.") && { action_type: "tool_call" }),
    },
    metadata: {
      hook,
      hook_point: call.point.name,
      ...(isShadow && { shadow: true }),
      ...(trace && { ...trace }),
    },
  };
  return { method: "ahp/event", params, isNotification: !row.isBlocking };
}

function payloadOf({ ctx }: HandlerCall): JsonObject {
  return toJson(ctx.payload, undefined, ["payload"]) as JsonObject;
}

/** The agent's own name of the tool, if the agent speaks AHP as well: then the harness gets the call as it was sent. */
function sentTool(call: HandlerCall): string | undefined {
  const { tool_name: name } = hostOf(call);
  return call.ctx.component_id === AHP_COMPONENT && typeof name === "string" ? name : undefined;
}

function nameOf(call: HandlerCall): string | undefined {
  return call.point.name === OTHER ? stringAt(call, "event") : eventAt(call.point);
}

function read(result: Json, call: HandlerCall): HookReport {
  const name = nameOf(call);
  // Nothing is returned for a notification.
  if (name === undefined || (name !== QUERY && !ahpEventRow(name).isBlocking)) return carryOn();
  if (!isJsonObject(result)) return failed("answer", "its result is not an object");
  if (name === QUERY) return readQuery(result, call);
  const decision = textAt(result, "decision");
  if (decision === undefined || !Object.hasOwn(AHP_DECISIONS, decision)) {
    const known = Object.keys(AHP_DECISIONS).join(", ");
    const got = JSON.stringify(getOwn(result, "decision") ?? null).slice(0, 60);
    return failed("answer", `returned the decision ${got}, expected one of ${known}`);
  }
  return decided(decision as AhpDecisionName, result, call, ahpEventRow(name));
}

function decided(
  decision: AhpDecisionName,
  result: JsonObject,
  call: HandlerCall,
  row: AhpEventRow,
): HookReport {
  const reason = textAt(result, "reason");
  const why = reason === undefined ? {} : { reason };
  const modified = getOwn(result, "modified_payload") ?? undefined;
  switch (decision) {
    case "approve":
      return carryOn({ decision: "allow", ...why });
    case "reject":
    case "block":
      return refuse(call, reason ?? "");
    case "defer": {
      const delay = getOwn(result, "retry_after_ms");
      if (typeof delay !== "number")
        return failed("answer", "returned defer without retry_after_ms");
      if (verdictFor(call.point, "retry") !== "legal") return refuse(call, reason ?? "deferred");
      return { answer: { action: "retry", delay_ms: delay, ...why }, edits: [] };
    }
    case "escalate":
      return isPre(call)
        ? carryOn({ decision: "ask", ...why })
        : refuse(call, ["needs approval", ...(listed(reason) ?? [])].join(": "));
    case "modify":
    case "allow": {
      if (modified === undefined) {
        if (decision === "modify")
          return failed("answer", "returned modify without modified_payload");
        return allowed(result, call, why);
      }
      const edits = editsOf(modified, call, row);
      return typeof edits === "string" ? failed("answer", edits) : carryOn(why, edits);
    }
  }
}

/** What else an `allow` holds, such as the intent that was detected, is the result of an event without a point. */
function allowed(result: JsonObject, call: HandlerCall, why: { reason?: string }): HookReport {
  const { decision: _, reason: __, metadata: ___, modified_payload: ____, ...found } = result;
  if (call.point.name !== OTHER || Object.keys(found).length === 0) return carryOn(why);
  return { answer: { action: "skip", result: found }, edits: [] };
}

/** A query is answered in place of the agent's own answer; a plain no denies. */
function readQuery(result: JsonObject, call: HandlerCall): HookReport {
  const answer = getOwn(result, "answer");
  if (answer === undefined) return failed("answer", "returned no answer to a query");
  if (answer === "no" || answer === false) return refuse(call, textAt(result, "reason") ?? "no");
  return { answer: { action: "skip", result }, edits: [] };
}

/**
 * A changed payload as edits of the point's payload: keys that are missing stay as they are. At an action, an object
 * without any key of the payload holds the arguments themselves.
 */
function editsOf(modified: Json, call: HandlerCall, row: AhpEventRow): Edit[] | string {
  if (!isJsonObject(modified)) return "returned a modified_payload that is not an object";
  const before = payloadOf(call);
  const tool = sentTool(call);
  const event = { ...toEventKeys(row, before), action_type: null };
  const { inputKey } = call.point;
  const isKnown = Object.keys(modified).some((key) => Object.hasOwn(event, key));
  if (!isKnown && row.keys["arguments"] !== undefined) {
    const { args = modified } = swapCall({ args: modified }, tool);
    return [{ path: ["payload", inputKey], value: args }];
  }
  const { action_type: _, ...changed } = modified;
  return Object.entries(swapCall(toPointKeys(row, changed), tool)).flatMap(([key, value]) =>
    equalJson(getOwn(before, key), value) ? [] : [{ path: ["payload", key], value }],
  );
}
