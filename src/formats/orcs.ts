import {
  equalJson,
  getOwn,
  isJsonObject,
  MAX_JSON_DEPTH,
  messageOf,
  readJson,
  toJson,
} from "../core/index.ts";
import type { Edit, HookReport, Json, JsonObject } from "../core/index.ts";
import { PROTOCOL_FAILURES, type HandlerCall, type HandlerProtocol } from "./handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "./handler-report.ts";

/**
 * The protocol of orcs: the input is the context, the output an action or nothing. Exit code 2 denies with the reason
 * on stderr, any other code but 0 is a failure. Source: design.md §4, protocols.md §7.
 */
export const orcsProtocol: HandlerProtocol = {
  name: "orcs",
  encode: (call) => ({ body: contextBody(call), env: {} }),
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 2) return refuse(call, stderr.trim());
    if (code !== 0) return failedExit(code, stderr);
    return parse && stdout.trim() !== "" ? readAnswer(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    if (status === 204) return carryOn();
    return isSuccess(status) ? readAnswer(body, call) : failedStatus(status);
  },
  fails: PROTOCOL_FAILURES.orcs,
};

/** A response contains a context, which contains a payload. */
export const MAX_ANSWER_DEPTH = MAX_JSON_DEPTH + 2;

/** The context as JSON. */
export function contextBody({ ctx }: HandlerCall): JsonObject {
  const { hook_point, component_id, channel_id, principal, timestamp_ms, payload, metadata } = ctx;
  return {
    hook_point,
    component_id,
    channel_id,
    principal: toJson(principal, undefined, ["principal"]),
    timestamp_ms,
    payload: payload as JsonObject,
    metadata: metadata as JsonObject,
  };
}

function readAnswer(text: string, call: HandlerCall): HookReport {
  const read = readJson(text, MAX_ANSWER_DEPTH);
  if (!read.ok) return failed("answer", `its output ${read.why}`);
  return readOrcsAnswer(read.value, call);
}

/** The meaning of a response in the protocol of orcs: an action, the context, or null for nothing. */
export function readOrcsAnswer(value: Json, call: HandlerCall): HookReport {
  if (value === null) return carryOn();
  if (!isJsonObject(value)) return { answer: value, edits: [] };
  if (Object.hasOwn(value, "hook_point") && !Object.hasOwn(value, "action")) {
    // The context itself, as a filter returns it.
    return answered(undefined, value, call);
  }
  if (value["action"] !== "continue") return answered(value, {}, call);
  const { ctx = {}, ...answer } = value;
  return answered(answer, ctx, call);
}

/** @param ctx changes of the context; missing parts stay unchanged */
function answered(answer: JsonObject | undefined, ctx: Json, call: HandlerCall): HookReport {
  if (!isJsonObject(ctx)) return failed("answer", "the ctx in its output is not an object");
  let edits: readonly Edit[];
  try {
    const sent = contextBody(call);
    edits = Object.keys(ctx).flatMap((key) => jsonDiff(sent, ctx, key, [key]));
  } catch (thrown) {
    return failed("payload", `its payload is not JSON: ${messageOf(thrown)}`);
  }
  // Handlers must not use that name; what the agent sent under it may be returned unchanged.
  const named =
    holdsProto(answer) ||
    edits.some(({ path, value }) => path.includes("__proto__") || holdsProto(value));
  return named ? failed("answer", "its output sets __proto__") : { answer, edits };
}

/**
 * The edits that turn one object's key into that of another: objects are compared key by key, lists are replaced as a
 * whole.
 * @param path of the value in the context
 */
function jsonDiff(
  before: JsonObject,
  after: JsonObject,
  key: string,
  path: readonly (string | number)[],
): Edit[] {
  const was = getOwn(before, key);
  const is = getOwn(after, key);
  if (isJsonObject(was) && isJsonObject(is)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...keys].flatMap((inner) => jsonDiff(was, is, inner, [...path, inner]));
  }
  return equalJson(was, is) ? [] : [{ path, value: is }];
}

/** Whether `__proto__` is a key anywhere in a value. */
function holdsProto(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(holdsProto);
}
