import { readJsonObject, type HookReport, type Json, type JsonObject } from "../core/index.ts";
import { eventName, hostOf, jsonAt, sessionOf, stringAt } from "./payload.ts";
import { asText } from "./host-protocol.ts";
import type { HandlerCall, HandlerInput, HandlerProtocol } from "./handler-protocol.ts";
import {
  carryOn,
  failed,
  failedExit,
  failedStatus,
  isPre,
  isSuccess,
  modeAt,
  refuse,
  rewrite,
  strictIfDenied,
} from "./handler-report.ts";
import { PROTOCOL_FAILURES } from "./handler-protocol.ts";

/**
 * Runs hooks written for MassGen: the input is a `HookEvent`, the output a `HookResult` with optional keys. A timeout
 * and an error at run time allow, a handler that cannot be started denies. Source: seed 004, decisions 3 to 6.
 */
export const massgenProtocol: HandlerProtocol = {
  name: "massgen",
  encode,
  readExit({ code, stdout, stderr }, call, parse) {
    if (NOT_STARTED.includes(code)) {
      return failedExit(code, stderr, modeAt(call.point, "closed"));
    }
    if (code !== 0) return failedExit(code, stderr, "open");
    return parse && stdout.trim() !== "" ? readText(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readText(body, call) : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES.massgen,
};

/** Exit codes of a shell when a program cannot be executed or does not exist. */
const NOT_STARTED: readonly number[] = [126, 127];
const EVENTS = ["PreToolUse", "PostToolUse"] as const;
const DECISIONS = ["allow", "deny", "ask"] as const;

function encode(call: HandlerCall): HandlerInput {
  const type = eventName(call, EVENTS);
  const tool = stringAt(call, "tool_name") ?? "";
  const session = sessionOf(call);
  const agent = stringAt(call, "agent_id");
  const { orchestrator_id: given } = hostOf(call);
  const orchestrator = typeof given === "string" ? given : call.ctx.component_id;
  const result = jsonAt(call, "result");
  return {
    body: {
      hook_type: type,
      session_id: session,
      orchestrator_id: orchestrator,
      agent_id: agent ?? null,
      // A date: the context's own clock counts from the start of the engine.
      timestamp: new Date().toISOString(),
      tool_name: tool,
      tool_input: jsonAt(call, "args") ?? {},
      tool_output: result === undefined ? null : asText(result),
    },
    env: {
      MASSGEN_HOOK_TYPE: type,
      MASSGEN_TOOL_NAME: tool,
      MASSGEN_SESSION_ID: session,
      MASSGEN_ORCHESTRATOR_ID: orchestrator,
      ...(agent !== undefined && { MASSGEN_AGENT_ID: agent }),
    },
  };
}

/** `HookResult`: the types of its keys; null means missing. */
const KINDS: Readonly<Record<string, (value: Json) => boolean>> = {
  allowed: (value) => typeof value === "boolean",
  decision: (value) => DECISIONS.some((decision) => decision === value),
  reason: (value) => typeof value === "string",
  updated_input: (value) => typeof value === "object" && !Array.isArray(value),
  inject: (value) => typeof value === "string" || typeof value === "object",
};

function readText(text: string, call: HandlerCall): HookReport {
  const read = readJsonObject(text);
  if (!read.ok) return failed("answer", `its output ${read.why}`);
  return strictIfDenied(readResult(read.value, call), read.value, call);
}

function readResult(answer: JsonObject, call: HandlerCall): HookReport {
  const given = Object.entries(answer).filter(([, value]) => value !== null);
  const wrong = given.find(([key, value]) => Object.hasOwn(KINDS, key) && !KINDS[key]?.(value));
  if (wrong) {
    return failed("answer", `returned ${wrong[0]} with ${JSON.stringify(wrong[1]).slice(0, 60)}`);
  }
  // Unknown keys are ignored, but a response with nothing else is invalid.
  if (given.length > 0 && !given.some(([key]) => Object.hasOwn(KINDS, key))) {
    return failed("answer", "returned an object without any key of a HookResult");
  }
  return act(Object.fromEntries(given), call);
}

function act(result: JsonObject, call: HandlerCall): HookReport {
  const { decision, reason, inject, updated_input: input } = result;
  const why = typeof reason === "string" ? { reason } : {};
  if (result["allowed"] === false || decision === "deny") return refuse(call, why.reason ?? "");
  if (input !== undefined && !isPre(call)) {
    return failed("answer", `returned updated_input at ${call.point.name}, where it is too late`);
  }
  // `allow` is MassGen's default value: it must not skip a permission check.
  const asks = isPre(call) && decision === "ask";
  return carryOn(
    { ...(asks && { decision }), ...why, ...(inject !== undefined && { inject }) },
    input === undefined ? [] : [rewrite(call, input)],
  );
}
