import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { HookReport, Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, listed, refuse, rewrite } from "../handler-report.ts";
import { argsOf, stringAt } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { CODEX_FIELDS, CODEX, CODEX_EVENTS } from "./events.ts";
import { fromCodexInput } from "./tools.ts";
import { isBlank } from "../agent-text.ts";
import { BLOCKS, type AgentHandler } from "../agent-handler.ts";

/** Events at which `continue: false` stops the agent, whatever other hooks want. */
const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];

/**
 * Runs hooks written for Codex unchanged. Exit code 2 blocks with the reason on stderr; any other code but 0, a
 * response that Codex would reject and a missing one block nothing. Source: protocols.md §2.
 */
export const CODEX_HANDLER: AgentHandler = {
  format: CODEX,
  fields: CODEX_FIELDS,
  read: readCodexOutput,
  texts: ["SessionStart", "SubagentStart", "UserPromptSubmit"],
  objects: [...STOP_EVENTS, "Interrupt"],
  deaf: ["SessionEnd"],
  isMeant: (text) => /^[{[]/.test(text),
  broken: "open",
  ended({ code, stderr }, call) {
    if (code !== BLOCKS || !isBlockedByCodex(call)) return undefined;
    return isBlank(stderr)
      ? failed("answer", "its command exited with code 2 and wrote no reason to stderr", "open")
      : refuse(call, stderr.trim());
  },
};

/** Whether exit code 2 blocks: where Codex says so, at post points, and before operations without an event in Codex. */
function isBlockedByCodex(call: HandlerCall): boolean {
  if (call.point.phase === "post") return true;
  const row = getOwn(CODEX.events, handlerEvent(CODEX, call));
  if (row === undefined) return call.point.phase === "pre";
  return row.refusal !== undefined && row.refusal !== "halt";
}

/** The fields that are no texts: flags, anything, or certain words. */
const KINDS: Readonly<Record<string, "flag" | "any" | readonly string[]>> = {
  continue: "flag",
  suppressOutput: "flag",
  interrupt: "flag",
  updatedInput: "any",
  updatedPermissions: "any",
  updatedMCPToolOutput: "any",
  recovery: "any",
  decision: ["block"],
  permissionDecision: ["allow", "deny", "ask"],
  behavior: ["allow", "deny"],
  hookEventName: Object.keys(CODEX_EVENTS),
};

/** The fields that are required in the objects of a response, by their depth. */
const REQUIRED: readonly (string | undefined)[] = [undefined, "hookEventName", "behavior"];

/**
 * Why Codex would reject an object of a response, which may have no other fields than in the table; undefined when it
 * would not. An unknown event accepts what most do.
 */
function fault(event: string, object: JsonObject, depth = 0): string | undefined {
  const { settable, own, unsent } = CODEX_FIELDS;
  const rows = [...settable, ...own, ...unsent].filter(({ at }) => at.some((is) => is === event));
  const required = REQUIRED[depth];
  if (required !== undefined && getOwn(object, required) === undefined) {
    return `left out ${required}`;
  }
  const below = rows.find(({ place }) => place.length > depth)?.place[depth];
  const isKnown = (key: string): boolean =>
    key === required || rows.some(({ place, field }) => place.length === depth && field === key);
  for (const [key, value] of Object.entries(object)) {
    const inner = isJsonObject(value) ? fault(event, value, depth + 1) : "expected an object";
    const why =
      key === below
        ? value === null
          ? undefined
          : inner
        : isKnown(key)
          ? mismatch(key, value, event)
          : "which it does not know here";
    if (why !== undefined) return `returned ${key.slice(0, 60)}, ${why}`;
  }
  return undefined;
}

/** All but flags can be null, which means missing. */
function mismatch(field: string, value: Json, event: string): string | undefined {
  const older = field === "decision" && event === "PreToolUse" ? ["approve", "block"] : undefined;
  const kind = older ?? getOwn(KINDS, field);
  if (kind === "flag") return typeof value === "boolean" ? undefined : "expected true or false";
  if (kind === "any" || value === null) return undefined;
  if (kind === undefined) return typeof value === "string" ? undefined : "expected a string";
  return kind.some((word) => word === value) ? undefined : `expected ${kind.join(", ")}`;
}

/** The meaning of a Codex response at the point of the call. A response that Codex rejects is ignored. */
export function readCodexOutput(answer: JsonObject, call: HandlerCall): HookReport {
  const event = handlerEvent(CODEX, call);
  const why = fault(Object.hasOwn(CODEX_EVENTS, event) ? event : "UserPromptSubmit", answer);
  if (why !== undefined) return rejected(why);
  const specific = objectAt(answer, "hookSpecificOutput");
  const named = specific["hookEventName"];
  if (typeof named === "string" && named !== event) return rejected(`returned for ${named}`);
  if (SILENT_EVENTS.includes(event) && answer["suppressOutput"] === true) {
    return rejected(`returned suppressOutput at ${event}`);
  }
  if (event === "PreToolUse") return readToolUse(answer, specific, call);
  if (event === "PermissionRequest") return readPermission(answer, specific, call);
  if (answer["continue"] === false && event !== "SubagentStart") {
    // Stopping the agent allows the stop, without asking others.
    if (STOP_EVENTS.includes(event)) return carryOn({ stop: true });
    return refuse(call, textAt(answer, "stopReason") ?? "stopped by a hook");
  }
  const lacking = unreasoned(answer, event);
  if (lacking !== undefined) return rejected(lacking);
  if ((getOwn(specific, "updatedMCPToolOutput") ?? null) !== null) {
    return rejected("returned updatedMCPToolOutput, which Codex does not support");
  }
  const inject = listed(textAt(specific, "additionalContext"));
  return answer["decision"] === "block"
    ? refuse(call, textAt(answer, "reason") ?? "", inject)
    : carryOn({ inject });
}

/** Events at which Codex does not support `suppressOutput`. */
const SILENT_EVENTS: readonly string[] = ["PreToolUse", "PermissionRequest", "PostToolUse"];

function readToolUse(answer: JsonObject, specific: JsonObject, call: HandlerCall): HookReport {
  const halted = haltAt(answer, "PreToolUse");
  if (halted !== undefined) return rejected(halted);
  const decision = textAt(specific, "permissionDecision");
  const reason = textAt(specific, "permissionDecisionReason");
  const input = getOwn(specific, "updatedInput") ?? undefined;
  const inject = listed(textAt(specific, "additionalContext"));
  if (decision === undefined && reason === undefined && input === undefined) {
    if (answer["decision"] === "approve") return rejected("returned approve");
    const why = unreasoned(answer, "PreToolUse");
    if (why !== undefined) return rejected(why);
    return answer["decision"] === "block"
      ? refuse(call, textAt(answer, "reason") ?? "")
      : carryOn({ inject });
  }
  if (decision === "allow" && input !== undefined) return allowRewrite(input, inject, call);
  if (decision !== "deny" || input !== undefined) {
    return rejected(
      "returned permissionDecision, updatedInput or a reason without what goes with it",
    );
  }
  return reason === undefined || isBlank(reason)
    ? rejected("returned deny without a reason")
    : refuse(call, reason.trim());
}

function allowRewrite(input: Json, inject: string[] | undefined, call: HandlerCall): HookReport {
  const tool = stringAt(call, "tool_name") ?? "";
  const read = isJsonObject(input) ? fromCodexInput(tool, argsOf(call), input) : undefined;
  // Codex then runs nothing, because the input is unknown.
  if (read === undefined)
    return failed("answer", "its updatedInput is not a valid input", "closed");
  return carryOn({ decision: "allow", inject }, [rewrite(call, read)]);
}

function readPermission(answer: JsonObject, specific: JsonObject, call: HandlerCall): HookReport {
  const halted = haltAt(answer, "PermissionRequest");
  if (halted !== undefined) return rejected(halted);
  const decision = objectAt(specific, "decision");
  const isSet = (key: string): boolean => (getOwn(decision, key) ?? null) !== null;
  if (isSet("updatedInput") || isSet("updatedPermissions") || decision["interrupt"] === true) {
    // Reserved keys: Codex promises to fail closed.
    return failed("answer", "returned with what Codex has reserved", "closed");
  }
  const message = textAt(decision, "message") ?? "";
  if (decision["behavior"] === "deny") {
    return refuse(call, isBlank(message) ? "denied by a hook" : message.trim());
  }
  return decision["behavior"] === "allow" ? carryOn({ decision: "allow" }) : carryOn();
}

/** Keys that end a turn elsewhere, and that Codex does not support for a tool call. */
function haltAt(answer: JsonObject, event: string): string | undefined {
  if (answer["continue"] === false) return `returned continue: false at ${event}`;
  return textAt(answer, "stopReason") === undefined ? undefined : `returned stopReason at ${event}`;
}

function unreasoned(answer: JsonObject, event: string): string | undefined {
  const reason = textAt(answer, "reason");
  if (answer["decision"] === "block") {
    return isBlank(reason ?? "") ? "returned block without a reason" : undefined;
  }
  const matters = event === "PreToolUse" || event === "PostToolUse";
  return matters && reason !== undefined ? "returned a reason without a decision" : undefined;
}

/** Codex counts the hook as failed and continues. */
function rejected(why: string): HookReport {
  return failed("answer", `Codex rejects its output: ${why}`, "open");
}
