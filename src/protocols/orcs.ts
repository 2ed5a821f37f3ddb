import type { Edit, HookReport } from "../core/hook.ts";
import { MAX_JSON_DEPTH } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { messageOf } from "../core/errors.ts";
import { toJson } from "../core/to-json.ts";
import { changes, holdsProto } from "./changes.ts";
import type { HandlerCall, HandlerInput, HandlerProtocol } from "./protocol.ts";
import { isJsonObject, readJson } from "./read-json.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "./report.ts";

/**
 * Our own words: the context goes in, an action comes out, or nothing. Exit code 2 refuses with what
 * stands on stderr, any other but 0 is a failure. Source: design.md §4, protocols.md §7.
 */
export const orcsProtocol: HandlerProtocol = {
  name: "orcs",
  encode,
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 2) return refuse(call, stderr.trim());
    if (code !== 0) return failedExit(code, stderr);
    return parse && stdout.trim() !== "" ? readAnswer(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    if (status === 204) return carryOn();
    return isSuccess(status) ? readAnswer(body, call) : failedStatus(status);
  },
  onTimeout: undefined,
  onUnreachable: undefined,
};

/** An answer holds a context, and that its payload. */
const MAX_ANSWER_DEPTH = MAX_JSON_DEPTH + 2;

function encode({ ctx }: HandlerCall): HandlerInput {
  const { hook_point, component_id, channel_id, principal, timestamp_ms } = ctx;
  return {
    body: {
      hook_point,
      component_id,
      channel_id,
      principal: toJson(principal, undefined, ["principal"]),
      timestamp_ms,
      payload: toJson(ctx.payload, undefined, ["payload"]),
      metadata: toJson(ctx.metadata, undefined, ["metadata"]),
    },
    env: {},
  };
}

function readAnswer(text: string, call: HandlerCall): HookReport {
  const read = readJson(text, MAX_ANSWER_DEPTH);
  if (!read.ok) return failed("answer", `its answer ${read.why}`);
  const { value } = read;
  if (value === null) return carryOn();
  if (!isJsonObject(value)) return { answer: value, edits: [] };
  if (Object.hasOwn(value, "hook_point") && !Object.hasOwn(value, "action")) {
    // The context itself, as a filter gives it back.
    return answered(undefined, value, call);
  }
  if (value["action"] !== "continue") return answered(value, {}, call);
  const { ctx = {}, ...answer } = value;
  return answered(answer, ctx, call);
}

/** @param ctx what the context is to become; what it leaves out stays as it is. */
function answered(answer: JsonObject | undefined, ctx: Json, call: HandlerCall): HookReport {
  if (!isJsonObject(ctx)) return failed("answer", "its answer's ctx is not an object");
  let edits: readonly Edit[];
  try {
    const sent = encode(call).body as JsonObject;
    edits = Object.keys(ctx).flatMap((key) => changes(sent, ctx, key, [key]));
  } catch (thrown) {
    return failed("payload", `its payload is not JSON: ${messageOf(thrown)}`);
  }
  // A handler has no business with that name; what the host sent under it may come back as it was.
  const named =
    holdsProto(answer) ||
    edits.some(({ path, value }) => path.includes("__proto__") || holdsProto(value));
  return named ? failed("answer", "its answer sets __proto__") : { answer, edits };
}
