import { isJsonObject, readJson, type HookReport, type Json } from "../core/index.ts";
import { eventName, jsonAt, sessionOf, stringAt } from "./payload.ts";
import type { HandlerCall, HandlerInput, HandlerProtocol } from "./handler-protocol.ts";
import { carryOn, failed, isPre, isSuccess, refuse, rewrite } from "./handler-report.ts";
import { PROTOCOL_FAILURES } from "./handler-protocol.ts";

/**
 * Runs hooks written for cocode. A command that ends with another code than 0 rejects, and so does a service with a
 * status other than 2xx; output that is not a result means continue. Source: seed 003.
 */
export const cocodeProtocol: HandlerProtocol = {
  name: "cocode",
  encode,
  readExit({ code, stdout, stderr }, call, parse) {
    if (code !== 0) return broken(call, `Hook failed: ${stderr.trim()}`);
    return parse ? readResult(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readResult(body, call) : broken(call, `Webhook failed: ${status}`);
  },
  fails: PROTOCOL_FAILURES.cocode,
};

/** A rejection that no handler stated: after the operation, it is only a failure. */
function broken(call: HandlerCall, why: string): HookReport {
  return isPre(call) ? refuse(call, why) : failed("answer", why, "open");
}

const EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PrePromptSubmit",
  "PostUserMessage",
  "SessionStart",
  "SessionEnd",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "NotificationEvent",
  "StatusLine",
  "FileSuggestion",
] as const;

function encode(call: HandlerCall): HandlerInput {
  const event = eventName(call, EVENTS);
  const tool = stringAt(call, "tool_name");
  const session = sessionOf(call);
  return {
    body: {
      event,
      tool_name: tool ?? null,
      tool_input: jsonAt(call, "args") ?? null,
      tool_output: jsonAt(call, "result") ?? null,
      error: stringAt(call, "error") ?? null,
      user_prompt: stringAt(call, "prompt") ?? null,
      session_id: session,
      agent_id: stringAt(call, "agent_id") ?? stringAt(call, "child_id") ?? null,
      cwd: stringAt(call, "cwd") ?? call.cwd ?? "",
      // The seed passes on the agent's own environment, with all its secrets.
      env: {},
    },
    env: {
      HOOK_EVENT: event,
      ...(tool !== undefined && { HOOK_TOOL_NAME: tool }),
      HOOK_SESSION_ID: session,
    },
  };
}

/** Text that is not a result means continue; a malformed result is logged. */
function readResult(text: string, call: HandlerCall): HookReport {
  const read = readJson(text);
  if (!read.ok || !isJsonObject(read.value)) return carryOn();
  const { value } = read;
  // A hook of orcs in a file that is read as cocode's: its denials must not be lost.
  if (Object.hasOwn(value, "action")) {
    return failed("answer", 'returned an action of orcs, not of cocode; set protocol = "orcs"');
  }
  if (Object.hasOwn(value, "Reject")) return readReject(value["Reject"], call);
  if (Object.hasOwn(value, "ModifyInput")) return readModifyInput(value["ModifyInput"], call);
  return carryOn();
}

function readReject(reject: Json | undefined, call: HandlerCall): HookReport {
  const reason = isJsonObject(reject) ? reject["reason"] : undefined;
  return typeof reason === "string"
    ? refuse(call, reason)
    : failed("answer", "returned Reject without a reason", "open");
}

function readModifyInput(modify: Json | undefined, call: HandlerCall): HookReport {
  const input = isJsonObject(modify) ? modify["new_input"] : undefined;
  if (input === undefined)
    return failed("answer", "returned ModifyInput without new_input", "open");
  return isPre(call)
    ? carryOn({}, [rewrite(call, input)])
    : failed("answer", `returned ModifyInput at ${call.point.name}, where it is too late`, "open");
}
