import { getOwn, isJsonObject, messageOf, objectAt } from "../../core/index.ts";
import type { JsonObject, Outcome } from "../../core/index.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import type { AgentVerdict } from "../host-protocol.ts";
import { agentVerdict, asText, hasOtherArgs } from "../host-protocol.ts";
import type { CodexEvent } from "./events.ts";
import { codexEvent } from "./events.ts";
import { toCodexInput } from "./tools.ts";
import { isBlank, isReadable, nonBlank } from "../agent-text.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that blocks where Codex lets a hook block, with the reason on stderr. */
const BLOCKS = 2;

/**
 * The response that denies an event, as far as Codex supports it.
 * @param downgrades further lines for the log
 */
function refusal(event: string, reason: string, downgrades: readonly string[] = []): HostAnswer {
  const text = nonBlank(reason, NO_REASON);
  const row = codexEvent(event);
  // An event of a newer Codex cannot be answered in JSON; there is only the exit code.
  if (row === undefined) return { output: undefined, message: text, code: BLOCKS, downgrades };
  if (row.refusal === undefined) {
    const lost = `denial at ${event}, which Codex ignores: ${text}`;
    return notice(row, text, [...downgrades, lost]);
  }
  return { output: REFUSALS[row.refusal](event, text), message: text, code: 0, downgrades };
}

/**
 * The response when no hook could be run. Events before an operation are denied; others continue, and the user is shown
 * why no hook saw them. An unreadable event may have been any of them.
 */
export function refuseCodex(event: string | undefined, reason: string): HostAnswer {
  const row = event === undefined ? undefined : codexEvent(event);
  const stops = event === "Stop" || event === "SubagentStop";
  return row === undefined || (row.refusable && !stops)
    ? refusal(event ?? "", reason)
    : notice(row, nonBlank(reason, NO_REASON), []);
}

/** A message for the user, at an event that continues. */
function notice(row: CodexEvent, text: string, downgrades: readonly string[]): HostAnswer {
  const output = row.deaf ? undefined : { systemMessage: text };
  return { output, message: text, code: 0, downgrades };
}

const REFUSALS: Readonly<
  Record<NonNullable<CodexEvent["refusal"]>, (event: string, text: string) => JsonObject>
> = {
  deny: (hookEventName, permissionDecisionReason) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
  }),
  permission: (hookEventName, message) => ({
    hookSpecificOutput: { hookEventName, decision: { behavior: "deny", message } },
  }),
  block: (_event, reason) => ({ decision: "block", reason }),
  halt: (_event, stopReason) => ({ continue: false, stopReason }),
};

/** Codex's response for an outcome. */
export function encodeCodex(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  let wish: CodexIntent;
  try {
    wish = intentOf(decoded, outcome, options);
  } catch (thrown) {
    return unreadable(event, outcome, `the result of the hooks is not JSON: ${messageOf(thrown)}`);
  }
  const { downgrades, context } = wish;
  if (wish.refusal === undefined) return { output: goingOn(event, wish), code: 0, downgrades };
  const reason = context === undefined ? wish.refusal : `${wish.refusal}\n\n${context}`;
  return refusal(event, reason, downgrades);
}

/** Half of a hook's result may be the half that allows it; an agent may stop anyway. */
function unreadable(event: string, outcome: Outcome, why: string): HostAnswer {
  const stops = codexEvent(event)?.speaks && outcome.action === "continue";
  return stops ? refuseCodex(event, why) : refusal(event, why);
}

/** The response when no hook denies; undefined when there is nothing to send. */
function goingOn(event: string, wish: CodexIntent): JsonObject | undefined {
  const row = codexEvent(event);
  const specific: JsonObject = {
    ...(wish.allowed && { decision: { behavior: "allow" } }),
    ...(wish.input && { permissionDecision: "allow", updatedInput: wish.input }),
    ...(wish.context !== undefined && { additionalContext: wish.context }),
  };
  const output: JsonObject = {
    ...(wish.shown !== undefined && row && !row.deaf && { systemMessage: wish.shown }),
    ...(wish.result !== undefined && { decision: "block", reason: wish.result }),
    ...(Object.keys(specific).length > 0 && {
      hookSpecificOutput: { hookEventName: event, ...specific },
    }),
  };
  return row?.speaks || Object.keys(output).length > 0 ? output : undefined;
}

/** The result of the hooks, in terms of what Codex supports. */
interface CodexIntent {
  refusal: string | undefined;
  /** A hook granted the permission. */
  allowed: boolean;
  /** The changed input of the tool, in Codex's keys. */
  input: JsonObject | undefined;
  /** Text for the model in place of a tool's result, or to make a subagent continue. */
  result: string | undefined;
  /** Text for the model, where the event accepts it or is denied. */
  context: string | undefined;
  /** For the user: text that cannot be sent to the model. */
  shown: string | undefined;
  readonly downgrades: string[];
}

/** @throws NotJson for a payload that is not JSON */
function intentOf(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): CodexIntent {
  const verdict = agentVerdict(decoded, outcome);
  const { refusal, context, downgrades } = verdict;
  const wish: CodexIntent = {
    refusal,
    allowed: false,
    input: undefined,
    result: undefined,
    context: context === undefined || isBlank(context) ? undefined : nonBlank(context, ""),
    shown: undefined,
    downgrades: [...downgrades],
  };
  if (refusal !== undefined) return wish;
  decide(wish, decoded.event, verdict, options);
  rewrite(wish, decoded, outcome, verdict, options);
  replace(wish, decoded.event, verdict);
  if (wish.context !== undefined && wish.refusal === undefined) keepContext(wish, decoded);
  return wish;
}

const WANTED = {
  ask: "a hook requests that the user is asked",
  defer: "a hook defers the decision",
} as const;

function decide(
  wish: CodexIntent,
  event: string,
  verdict: AgentVerdict,
  options: HostOptions,
): void {
  const { decision, reason = "no reason given" } = verdict;
  if (decision === undefined) return;
  if (decision === "allow") {
    wish.allowed = event === "PermissionRequest";
    if (event === "PreToolUse" && verdict.input === undefined) {
      wish.downgrades.push("allow at PreToolUse: has no effect on whether Codex asks its user");
    }
    return;
  }
  // Codex asks by itself when no hook decides, as intended.
  if (decision === "ask" && event === "PermissionRequest") return;
  const lacking = `${decision} at ${event}, which Codex does not support`;
  const isQuestion = codexEvent(event)?.refusable !== false && event !== "Stop";
  if (isQuestion && options.ask === "deny") {
    wish.refusal = `${WANTED[decision]}, which Codex does not support: ${reason}`;
    wish.downgrades.push(`${lacking}: denied`);
  } else {
    wish.downgrades.push(`${lacking}: ignored`);
  }
}

function rewrite(
  wish: CodexIntent,
  decoded: DecodedEvent,
  outcome: Outcome,
  verdict: AgentVerdict,
  options: HostOptions,
): void {
  const { event } = decoded;
  if (event === "PermissionRequest") {
    if (verdict.input === undefined && !hasOtherArgs(decoded, outcome)) return;
    refuseRewrite(wish, "a permission is granted or denied for the unchanged call");
  } else if (verdict.input === undefined) {
    return;
  } else if (event === "PreToolUse") {
    rewriteTool(wish, decoded, verdict, options);
  } else if (event === "UserPromptSubmit") {
    // The prompt itself cannot be replaced; the changed text is added.
    const text = nonBlank(`Read the user's prompt as:\n${asText(verdict.input)}`, "");
    wish.context = wish.context === undefined ? text : `${text}\n\n${wish.context}`;
    wish.downgrades.push("rewrite of a prompt, which Codex does not support: added as context");
  } else {
    wish.downgrades.push(`rewrite at ${event}, which Codex does not support: ignored`);
  }
}

function rewriteTool(
  wish: CodexIntent,
  { payload }: DecodedEvent,
  { input, decision }: AgentVerdict,
  options: HostOptions,
): void {
  const host = objectAt(payload, "host");
  const tool = getOwn(host, "tool_name");
  const after = isJsonObject(input) ? input : {};
  const sent = objectAt(host, "tool_input");
  const read = toCodexInput(
    typeof tool === "string" ? tool : "",
    sent,
    objectAt(payload, "args"),
    after,
  );
  if (!read.ok) return refuseRewrite(wish, `the hooks changed ${read.why}`);
  if (!isReadable(read.input)) return refuseRewrite(wish, "it contains an unpaired surrogate");
  if (decision !== "allow") {
    const lacking = "a rewrite without an approval; Codex accepts a rewrite only together with one";
    if (options.rewrite === "refuse") {
      wish.refusal ??= "the hooks rewrote the input, but none of them allows the call";
      wish.downgrades.push(`${lacking}: denied`);
      return;
    }
    wish.downgrades.push(`${lacking}: approved`);
  }
  wish.input = read.input;
}

function refuseRewrite(wish: CodexIntent, why: string): void {
  wish.refusal ??= `the hooks made a rewrite that Codex does not support: ${why}`;
  wish.downgrades.push(`rewrite that Codex does not support, ${why}: denied`);
}

function replace(wish: CodexIntent, event: string, { result }: AgentVerdict): void {
  if (result === undefined) return;
  if (event === "PostToolUse") wish.result = nonBlank(asText(result), "(no result)");
  else wish.downgrades.push(`result at ${event}, which Codex does not support: ignored`);
}

function keepContext(wish: CodexIntent, { event, payload }: DecodedEvent): void {
  if (codexEvent(event)?.context) return;
  const { context } = wish;
  wish.context = undefined;
  if (event === "SubagentStop" && payload["stop_hook_active"] !== true) {
    // The only way to pass it text. Repeated each time, it would never stop.
    wish.result = context;
    return;
  }
  wish.shown = context;
  wish.downgrades.push(`text for the model at ${event}, which Codex does not pass on`);
}
