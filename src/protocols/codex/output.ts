import type { HookReport } from "../../core/hook.ts";
import { getOwn } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { jsonAt, stringAt } from "../payload.ts";
import type { HandlerCall } from "../protocol.ts";
import { isJsonObject } from "../read-json.ts";
import { carryOn, failed, refuse, rewrite } from "../report.ts";
import { codexEventName } from "./input.ts";
import { isBlank } from "./text.ts";
import { fromCodexInput } from "./tools.ts";
import { wireFault } from "./wire.ts";

/** What an answer of Codex's means at the point of the call. What Codex rejects, it goes on without. */
export function readCodexOutput(answer: JsonObject, call: HandlerCall): HookReport {
  const event = codexEventName(call);
  const fault = wireFault(event, answer);
  if (fault !== undefined) return rejected(fault);
  const specific = objectAt(answer, "hookSpecificOutput");
  const named = specific["hookEventName"];
  if (typeof named === "string" && named !== event) return rejected(`answered for ${named}`);
  if (SILENT_EVENTS.includes(event) && answer["suppressOutput"] === true) {
    return rejected(`answered suppressOutput at ${event}`);
  }
  if (event === "PreToolUse") return readToolUse(answer, specific, call);
  if (event === "PermissionRequest") return readPermission(answer, specific, call);
  if (answer["continue"] === false && event !== "SubagentStart") return stop(event, answer, call);
  const why = unreasoned(answer, event);
  if (why !== undefined) return rejected(why);
  if (
    Object.hasOwn(specific, "updatedMCPToolOutput") &&
    specific["updatedMCPToolOutput"] !== null
  ) {
    return rejected("answered updatedMCPToolOutput, which Codex does not support");
  }
  const context = textAt(specific, "additionalContext");
  return answer["decision"] === "block"
    ? refuse(call, textAt(answer, "reason") ?? "", context === undefined ? [] : [context])
    : carryOn(context === undefined ? {} : { inject: [context] });
}

/** Events at which `continue: false` means that the agent stops, whoever wants it to go on. */
export const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];
/** Events at which Codex has no use for `suppressOutput`. */
const SILENT_EVENTS: readonly string[] = ["PreToolUse", "PermissionRequest", "PostToolUse"];

function stop(event: string, answer: JsonObject, call: HandlerCall): HookReport {
  // To stop the agent is to let it, and to ask nobody else.
  if (STOP_EVENTS.includes(event)) return carryOn({ stop: true });
  return refuse(call, textAt(answer, "stopReason") ?? "stopped by a hook");
}

function readToolUse(answer: JsonObject, specific: JsonObject, call: HandlerCall): HookReport {
  const halted = haltAt(answer, "PreToolUse");
  if (halted !== undefined) return rejected(halted);
  const decision = textAt(specific, "permissionDecision");
  const reason = textAt(specific, "permissionDecisionReason");
  const input = getOwn(specific, "updatedInput") ?? undefined;
  const context = textAt(specific, "additionalContext");
  const words = context === undefined ? {} : { inject: [context] };
  if (decision === undefined && reason === undefined && input === undefined) {
    if (answer["decision"] === "approve") return rejected("answered approve");
    const why = unreasoned(answer, "PreToolUse");
    if (why !== undefined) return rejected(why);
    return answer["decision"] === "block"
      ? refuse(call, textAt(answer, "reason") ?? "")
      : carryOn(words);
  }
  if (decision === "allow" && input !== undefined) return allowRewrite(input, words, call);
  if (decision !== "deny" || input !== undefined) {
    return rejected(
      "answered permissionDecision, updatedInput or a reason without what goes with it",
    );
  }
  return reason === undefined || isBlank(reason)
    ? rejected("answered deny without a reason")
    : refuse(call, reason.trim());
}

function allowRewrite(
  input: Json,
  words: { readonly inject?: string[] },
  call: HandlerCall,
): HookReport {
  const args = jsonAt(call, "args");
  const read = isJsonObject(input)
    ? fromCodexInput(stringAt(call, "tool_name") ?? "", isJsonObject(args) ? args : {}, input)
    : undefined;
  // Codex then runs nothing: it does not know what.
  if (read === undefined) return failed("answer", "its updatedInput is no input", "closed");
  return carryOn({ decision: "allow", ...words }, [rewrite(call, read)]);
}

function readPermission(answer: JsonObject, specific: JsonObject, call: HandlerCall): HookReport {
  const halted = haltAt(answer, "PermissionRequest");
  if (halted !== undefined) return rejected(halted);
  const decision = objectAt(specific, "decision");
  const isSet = (key: string): boolean => (getOwn(decision, key) ?? null) !== null;
  if (isSet("updatedInput") || isSet("updatedPermissions") || decision["interrupt"] === true) {
    // Reserved: Codex promises to fail closed.
    return failed("answer", "answered with what Codex has reserved", "closed");
  }
  const message = textAt(decision, "message") ?? "";
  if (decision["behavior"] === "deny") {
    return refuse(call, isBlank(message) ? "denied by a hook" : message.trim());
  }
  return decision["behavior"] === "allow" ? carryOn({ decision: "allow" }) : carryOn();
}

/** Words that end a turn elsewhere, and that Codex does not take about a tool's call. */
function haltAt(answer: JsonObject, event: string): string | undefined {
  if (answer["continue"] === false) return `answered continue: false at ${event}`;
  return textAt(answer, "stopReason") === undefined ? undefined : `answered stopReason at ${event}`;
}

function unreasoned(answer: JsonObject, event: string): string | undefined {
  const reason = textAt(answer, "reason");
  if (answer["decision"] === "block") {
    return isBlank(reason ?? "") ? "answered block without a reason" : undefined;
  }
  const matters = event === "PreToolUse" || event === "PostToolUse";
  return matters && reason !== undefined ? "answered a reason without a decision" : undefined;
}

/** Codex counts the hook as failed and goes on. */
function rejected(why: string): HookReport {
  return failed("answer", `Codex rejects its answer: ${why}`, "open");
}

function textAt(from: JsonObject, key: string): string | undefined {
  const value = getOwn(from, key);
  return typeof value === "string" ? value : undefined;
}

function objectAt(from: JsonObject, key: string): JsonObject {
  const value = getOwn(from, key);
  return isJsonObject(value) ? value : {};
}
