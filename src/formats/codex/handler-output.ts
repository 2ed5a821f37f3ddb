import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { HookReport, Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, refuse, rewrite } from "../handler-report.ts";
import { passFields } from "../host-fields.ts";
import { jsonAt, stringAt } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { CODEX, CODEX_EVENTS } from "./events.ts";
import { CODEX_FIELDS } from "./fields.ts";
import { fromCodexInput } from "./tools.ts";
import { isBlank } from "../agent-text.ts";

/** The type of a field. All but `flag` can be null, which means missing. */
type Kind = "flag" | "text" | "any" | readonly string[] | { readonly fields: Fields };
type Fields = Readonly<Record<string, Kind>>;

const FLAGS = ["continue", "suppressOutput", "interrupt"];
const ANYTHING = ["updatedInput", "updatedPermissions", "updatedMCPToolOutput", "recovery"];
/** The fields with certain words; others are texts. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  decision: ["block"],
  permissionDecision: ["allow", "deny", "ask"],
  behavior: ["allow", "deny"],
};
const named = { hookEventName: Object.keys(CODEX_EVENTS) } as const;

function kindOf(field: string, event: string): Kind {
  if (FLAGS.includes(field)) return "flag";
  if (ANYTHING.includes(field)) return "any";
  if (field === "decision" && event === "PreToolUse") return ["approve", "block"];
  return getOwn(WORDS, field) ?? "text";
}

/** The allowed fields of a response to an event; Codex rejects a response with any other. */
function fieldsOf(event: string): Fields {
  const { settable, own, unsent } = CODEX_FIELDS;
  const rows = [...settable, ...own, ...unsent].filter(({ at }) =>
    at.some((name) => name === event),
  );
  const within = (depth: number, inner: Fields = {}): Fields => ({
    ...Object.fromEntries(
      rows
        .filter(({ place }) => place.length === depth)
        .map(({ field }) => [field, kindOf(field, event)]),
    ),
    ...inner,
  });
  const request = within(2);
  const hasRequest = Object.keys(request).length > 0;
  const specific = within(1, hasRequest ? { decision: { fields: request } } : {});
  const hasSpecific = Object.keys(specific).length > 0;
  return within(
    0,
    hasSpecific ? { hookSpecificOutput: { fields: { ...named, ...specific } } } : {},
  );
}

/** Fields that are required in their object. */
const REQUIRED: readonly string[] = ["hookEventName", "behavior"];

/** Why Codex would reject a response; undefined when it would not. An unknown event accepts what most do. */
function schemaFault(event: string, answer: JsonObject): string | undefined {
  return fault(answer, fieldsOf(Object.hasOwn(CODEX_EVENTS, event) ? event : "UserPromptSubmit"));
}

function fault(object: JsonObject, fields: Fields): string | undefined {
  for (const key of REQUIRED) {
    if (Object.hasOwn(fields, key) && getOwn(object, key) === undefined) return `left out ${key}`;
  }
  for (const [key, value] of Object.entries(object)) {
    const kind = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const why = kind === undefined ? "which it does not know here" : mismatch(value, kind);
    if (why !== undefined) return `returned ${key.slice(0, 60)}, ${why}`;
  }
  return undefined;
}

function mismatch(value: Json, kind: Kind): string | undefined {
  if (kind === "flag") return typeof value === "boolean" ? undefined : "expected true or false";
  if (kind === "any" || value === null) return undefined;
  if (kind === "text") return typeof value === "string" ? undefined : "expected a string";
  if ("fields" in kind) {
    return isJsonObject(value) ? fault(value, kind.fields) : "expected an object";
  }
  return kind.some((word) => word === value) ? undefined : `expected ${kind.join(", ")}`;
}

/** The meaning of a Codex response at the point of the call. A response that Codex rejects is ignored. */
export function readCodexOutput(answer: JsonObject, call: HandlerCall): HookReport {
  return passFields(readDecision(answer, call), answer, CODEX_FIELDS, call, "agent::codex");
}

function readDecision(answer: JsonObject, call: HandlerCall): HookReport {
  const event = handlerEvent(CODEX, call);
  const fault = schemaFault(event, answer);
  if (fault !== undefined) return rejected(fault);
  const specific = objectAt(answer, "hookSpecificOutput");
  const named = specific["hookEventName"];
  if (typeof named === "string" && named !== event) return rejected(`returned for ${named}`);
  if (SILENT_EVENTS.includes(event) && answer["suppressOutput"] === true) {
    return rejected(`returned suppressOutput at ${event}`);
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
    return rejected("returned updatedMCPToolOutput, which Codex does not support");
  }
  const context = textAt(specific, "additionalContext");
  return answer["decision"] === "block"
    ? refuse(call, textAt(answer, "reason") ?? "", context === undefined ? [] : [context])
    : carryOn(context === undefined ? {} : { inject: [context] });
}

/** Events at which `continue: false` stops the agent, whatever other hooks want. */
export const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];
/** Events at which Codex does not support `suppressOutput`. */
const SILENT_EVENTS: readonly string[] = ["PreToolUse", "PermissionRequest", "PostToolUse"];

function stop(event: string, answer: JsonObject, call: HandlerCall): HookReport {
  // Stopping the agent allows the stop, without asking others.
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
    if (answer["decision"] === "approve") return rejected("returned approve");
    const why = unreasoned(answer, "PreToolUse");
    if (why !== undefined) return rejected(why);
    return answer["decision"] === "block"
      ? refuse(call, textAt(answer, "reason") ?? "")
      : carryOn(words);
  }
  if (decision === "allow" && input !== undefined) return allowRewrite(input, words, call);
  if (decision !== "deny" || input !== undefined) {
    return rejected(
      "returned permissionDecision, updatedInput or a reason without what goes with it",
    );
  }
  return reason === undefined || isBlank(reason)
    ? rejected("returned deny without a reason")
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
  // Codex then runs nothing, because the input is unknown.
  if (read === undefined)
    return failed("answer", "its updatedInput is not a valid input", "closed");
  return carryOn({ decision: "allow", ...words }, [rewrite(call, read)]);
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
