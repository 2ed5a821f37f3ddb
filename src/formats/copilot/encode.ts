import { getOwn, isJsonObject, messageOf, objectAt } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import type { AgentVerdict, DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import { agentVerdict, asText, hasOtherArgs, stated } from "../host-protocol.ts";
import { copilotEvent, withSharedKeys } from "./events.ts";
import { rewrittenInput } from "./tools.ts";
import { isReadable, nonBlank } from "../agent-text.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that denies a tool call or a permission, and shows stderr to the user at most other events. */
const DENIES_OR_WARNS = 2;

/** Copilot CLI cuts longer output, and ignores what it cannot parse then. */
const MAX_OUTPUT_BYTES = 10 * 2 ** 20;

/** The keys of a denial at an event. */
const REFUSALS = {
  permission: (permissionDecisionReason: string): JsonObject => ({
    permissionDecision: "deny",
    permissionDecisionReason,
  }),
  behavior: (message: string): JsonObject => ({ behavior: "deny", message }),
  block: (reason: string): JsonObject => ({ decision: "block", reason }),
  response: (modifiedResponse: string): JsonObject => ({ modifiedResponse }),
} as const;

/**
 * The response that denies an event, as far as Copilot CLI supports it.
 * @param downgrades further lines for the log
 */
function refusal(event: string, reason: string, downgrades: readonly string[] = []): HostAnswer {
  const text = nonBlank(reason, NO_REASON);
  const row = copilotEvent(event);
  if (row?.refusal === undefined) {
    const lost = `denial at ${event}, which Copilot CLI ignores: ${text}`;
    return warning(event, text, row ? [...downgrades, lost] : downgrades);
  }
  return answer(event, REFUSALS[row.refusal](text), downgrades);
}

/** A text that is shown to the user, if the event allows it. An event of a newer Copilot CLI can only be denied so. */
function warning(event: string, message: string, downgrades: readonly string[]): HostAnswer {
  const row = copilotEvent(event);
  const code = row === undefined || row.warns ? DENIES_OR_WARNS : 0;
  return { output: undefined, message, code, downgrades };
}

/**
 * The response when no hook could be run. Tool calls, permissions and prompts are denied; others continue, and the user
 * is shown why no hook saw them. An unreadable event may have been any of them.
 */
export function refuseCopilot(event: string | undefined, reason: string): HostAnswer {
  const row = event === undefined ? undefined : copilotEvent(event);
  return row?.refusable && event !== "Stop"
    ? refusal(event ?? "", reason)
    : warning(event ?? "", nonBlank(reason, NO_REASON), []);
}

/** A response with exit code 0; one that is too long to be read becomes a denial. */
function answer(event: string, output: JsonObject, downgrades: readonly string[]): HostAnswer {
  const isEmpty = Object.keys(output).length === 0;
  if (isEmpty) return { output: undefined, code: 0, downgrades };
  if (Buffer.byteLength(JSON.stringify(output)) < MAX_OUTPUT_BYTES) {
    return { output, code: 0, downgrades };
  }
  const why = `the result of the hooks has more than ${MAX_OUTPUT_BYTES} bytes, which Copilot CLI does not read`;
  return refusal(event, why, [...downgrades, why]);
}

/** Copilot CLI's response for an outcome. */
export function encodeCopilot(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  let wish: CopilotIntent;
  try {
    if (outcome.action === "skip" && event === "UserPromptSubmit") {
      return inPlaceOfModel(event, outcome);
    }
    wish = intentOf(decoded, outcome, options);
  } catch (thrown) {
    const why = `the result of the hooks is not JSON: ${messageOf(thrown)}`;
    // Half of a hook's result may be the half that allows it; an agent may stop anyway.
    return event === "Stop" ? refuseCopilot(event, why) : refusal(event, why);
  }
  const { refusal: reason, context, downgrades, output, shown } = wish;
  if (reason === undefined) {
    const { code, ...said } = answer(event, stated(output), downgrades);
    if (shown === undefined) return { ...said, code };
    return { ...said, message: shown, code: DENIES_OR_WARNS };
  }
  const keepsContext = copilotEvent(event)?.refusal === "permission";
  if (context === undefined || !keepsContext) {
    const full = context === undefined ? reason : `${reason}\n\n${context}`;
    return refusal(event, full, downgrades);
  }
  const refused = refusal(event, reason, downgrades);
  return answer(event, { ...refused.output, additionalContext: context }, downgrades);
}

/** A prompt can be answered in place of the model. */
function inPlaceOfModel(
  event: string,
  { result, hook, inject }: Extract<Outcome, { action: "skip" }>,
): HostAnswer {
  const lost =
    inject.length === 0 ? [] : ["text for the model is ignored: the model is not called"];
  const responseContent = nonBlank(asText(result), `hook ${hook} answered the prompt`);
  return answer(event, { handled: true, responseContent }, lost);
}

/** The result of the hooks, in terms of what Copilot CLI supports. */
interface CopilotIntent {
  refusal: string | undefined;
  /** Keys of the response, if nothing denies. */
  readonly output: Record<string, Json | undefined>;
  /** Text for the model, where the event is denied. */
  context: string | undefined;
  /** For the user: text that cannot be sent to the model. */
  shown: string | undefined;
  readonly downgrades: string[];
}

/** @throws NotJson for a payload that is not JSON */
function intentOf(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): CopilotIntent {
  const verdict = agentVerdict(decoded, outcome);
  const context = verdict.context === undefined ? undefined : nonBlank(verdict.context, "");
  const wish: CopilotIntent = {
    refusal: verdict.refusal,
    output: {},
    context: context === "" ? undefined : context,
    shown: undefined,
    downgrades: [...verdict.downgrades],
  };
  if (wish.refusal !== undefined) return wish;
  decide(wish, decoded.event, verdict, options);
  rewrite(wish, decoded, outcome, verdict);
  replace(wish, decoded.event, verdict);
  if (wish.refusal === undefined) keepContext(wish, decoded);
  return wish;
}

const WANTED = {
  ask: "a hook requests that the user is asked",
  defer: "a hook defers the decision",
} as const;

function decide(
  wish: CopilotIntent,
  event: string,
  { decision, reason }: AgentVerdict,
  options: HostOptions,
): void {
  if (decision === undefined) return;
  const isQuestion = event === "PreToolUse" && decision === "ask";
  if (event === "PreToolUse" && (decision === "allow" || isQuestion)) {
    wish.output["permissionDecision"] = decision;
    wish.output["permissionDecisionReason"] = reason && nonBlank(reason, NO_REASON);
    return;
  }
  if (decision === "allow") {
    if (event === "PermissionRequest") wish.output["behavior"] = "allow";
    return;
  }
  // Copilot CLI asks by itself when no hook decides, as intended.
  if (decision === "ask" && event === "PermissionRequest") return;
  const lacking = `${decision} at ${event}, which Copilot CLI does not support`;
  const canDeny = copilotEvent(event)?.refusable !== false && event !== "Stop";
  if (canDeny && options.ask === "deny") {
    const why = reason ?? "no reason given";
    wish.refusal = `${WANTED[decision]}, which Copilot CLI does not support: ${why}`;
    wish.downgrades.push(`${lacking}: denied`);
  } else {
    wish.downgrades.push(`${lacking}: ignored`);
  }
}

function rewrite(
  wish: CopilotIntent,
  decoded: DecodedEvent,
  outcome: Outcome,
  { input }: AgentVerdict,
): void {
  const { event } = decoded;
  if (event === "PermissionRequest") {
    if (input === undefined && !hasOtherArgs(decoded, outcome)) return;
    refuseRewrite(wish, "a permission is granted or denied for the unchanged call");
  } else if (input === undefined) {
    return;
  } else if (event === "PreToolUse") {
    rewriteTool(wish, decoded, input);
  } else if (event === "UserPromptSubmit") {
    const prompt = nonBlank(asText(input), "");
    if (prompt === "") refuseRewrite(wish, "Copilot CLI ignores an empty prompt");
    else wish.output["modifiedPrompt"] = prompt;
  } else {
    wish.downgrades.push(`rewrite at ${event}, which Copilot CLI does not support: ignored`);
  }
}

function rewriteTool(wish: CopilotIntent, { payload }: DecodedEvent, input: Json): void {
  const host = withSharedKeys(objectAt(payload, "host"));
  const tool = getOwn(payload, "tool_name");
  const read = rewrittenInput(
    typeof tool === "string" ? tool : "",
    getOwn(host, "tool_input") ?? {},
    isJsonObject(input) ? input : {},
  );
  if (!read.ok) refuseRewrite(wish, `the hooks changed ${read.why}`);
  else if (!isReadable(read.input)) refuseRewrite(wish, "it contains an unpaired surrogate");
  else wish.output["modifiedArgs"] = read.input;
}

function refuseRewrite(wish: CopilotIntent, why: string): void {
  wish.refusal ??= `the hooks made a rewrite that Copilot CLI does not support: ${why}`;
  wish.downgrades.push(`rewrite that Copilot CLI does not support, ${why}: denied`);
}

function replace(wish: CopilotIntent, event: string, { result }: AgentVerdict): void {
  if (result === undefined) return;
  const text = nonBlank(asText(result), "(no result)");
  if (event === "PostToolUse") {
    wish.output["modifiedResult"] = { resultType: "success", textResultForLlm: text };
  } else if (event === "SubagentStop") {
    wish.output["modifiedResponse"] = text;
  } else {
    wish.downgrades.push(`result at ${event}, which Copilot CLI does not support: ignored`);
  }
}

function keepContext(wish: CopilotIntent, { event, payload }: DecodedEvent): void {
  const { context } = wish;
  if (context === undefined) return;
  const row = copilotEvent(event);
  if (row?.context) {
    wish.output["additionalContext"] = context;
    return;
  }
  const isReplaced = wish.output["modifiedResponse"] !== undefined;
  if (event === "SubagentStop" && payload["stop_hook_active"] !== true && !isReplaced) {
    // The only way to pass it text. Repeated each time, it would never stop.
    Object.assign(wish.output, REFUSALS.block(context));
    return;
  }
  if (row?.warns) wish.shown = context;
  wish.downgrades.push(`text for the model at ${event}, which Copilot CLI does not pass on`);
}
