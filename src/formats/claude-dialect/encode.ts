import { getOwn, isJsonObject, textAt } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import { claudeAnswer, encodeClaudeAnswer } from "../claude-code/encode.ts";
import { CLAUDE_TOOLS } from "../claude-code/tools.ts";
import type { AgentVerdict, DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import { agentVerdict, asText } from "../host-protocol.ts";
import type { ClaudeDialect, DialectEvent } from "./dialect.ts";
import { eventOf } from "../agent-format.ts";
import { swapKeys } from "../agent-tools.ts";

/** What is left of an outcome for an agent that does not accept all of it. */
interface Narrowed {
  /** Why the operation is denied after all. */
  readonly refusal?: string | undefined;
  readonly outcome: Outcome;
  readonly downgrades: readonly string[];
}

/**
 * Encode an outcome: Claude Code's response without what the agent ignores. What hooks meant to change or deny and the
 * agent would ignore is denied, or listed in `downgrades`.
 */
export function encodeDialectAnswer(
  dialect: ClaudeDialect,
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const row = eventOf(dialect, decoded.event);
  const verdict = agentVerdict(decoded, outcome);
  if (row.result === "stop_reason") {
    const text =
      verdict.refusal ?? (verdict.result === undefined ? undefined : resultText(verdict.result));
    if (text !== undefined) return withheld(text, verdict);
  }
  const narrowed = narrow(dialect, row, { decoded, outcome, verdict, options });
  const { refusal, downgrades } = narrowed;
  if (refusal !== undefined) {
    return denied(dialect, decoded.event, withContext(refusal, row, verdict), downgrades);
  }
  const answer = encodeClaudeAnswer(decoded, narrowed.outcome, options);
  const output = inAgentKeys(dialect, decoded, answer.output ?? {});
  return printed(row, dialect, {
    ...answer,
    output,
    downgrades: [...downgrades, ...answer.downgrades],
  });
}

/** The response when no hook could be run. @param event undefined when it could not be read */
export function refuseDialectEvent(
  dialect: ClaudeDialect,
  event: string | undefined,
  reason: string,
): HostAnswer {
  const row = eventOf(dialect, event ?? "");
  if (row.refusable && row.passes !== true) {
    return row.result === "stop_reason"
      ? { output: { continue: false, stopReason: reason }, code: 0, downgrades: [] }
      : denied(dialect, event ?? "", reason, []);
  }
  return { output: { systemMessage: reason }, code: 0, downgrades: [] };
}

function denied(
  dialect: ClaudeDialect,
  event: string,
  refusal: string,
  downgrades: readonly string[],
): HostAnswer {
  const answer = claudeAnswer(event, { refusal, notes: [], downgrades: [...downgrades] });
  return printed(eventOf(dialect, event), dialect, answer);
}

/** The model reads the reason instead of the result, and nothing else. */
function withheld(text: string, { context }: AgentVerdict): HostAnswer {
  const stopReason = context === undefined ? text : `${text}\n\n${context}`;
  const why = "a replaced result reaches the model as the reason of a denial";
  return { output: { continue: false, stopReason }, code: 0, downgrades: [why] };
}

/** The last touch: what the agent needs besides Claude Code's response, and its name in the log. */
function printed(row: DialectEvent, { label }: ClaudeDialect, answer: HostAnswer): HostAnswer {
  const specific = answer.output?.["hookSpecificOutput"];
  const reason =
    isJsonObject(specific) && specific["permissionDecision"] === "deny"
      ? textAt(specific, "permissionDecisionReason")
      : undefined;
  const halting = row.halts && reason !== undefined ? { continue: false, stopReason: reason } : {};
  return {
    ...answer,
    // Without output, an agent may read the log on stderr as the response.
    output: answer.code === 0 ? { ...answer.output, ...halting } : answer.output,
    downgrades: answer.downgrades.map((line) => line.replaceAll("Claude Code", label)),
  };
}

interface NarrowedCall {
  readonly decoded: DecodedEvent;
  readonly outcome: Outcome;
  readonly verdict: AgentVerdict;
  readonly options: HostOptions;
}

/** Take from an outcome what the agent ignores. */
function narrow(
  dialect: ClaudeDialect,
  row: DialectEvent,
  { decoded, outcome, verdict, options }: NarrowedCall,
): Narrowed {
  const { label } = dialect;
  const { event } = decoded;
  const { refusal, decision, reason = "no reason given" } = verdict;
  const downgrades: string[] = [];
  const goesOn: Outcome = { action: "continue", ctx: outcome.ctx, inject: outcome.inject };
  if (outcome.action !== "continue" && !row.refusable) {
    const what = refusal === undefined ? outcome.action : `a denial: ${refusal}`;
    downgrades.push(`${what}, at ${event}, which ${label} ignores there`);
    return { outcome: withoutContext(goesOn, row, label, event, downgrades), downgrades };
  }
  if (refusal !== undefined) {
    const lost = row.context === "ignored" ? contextLost(outcome, label, event) : [];
    return { refusal, outcome, downgrades: [...verdict.downgrades, ...lost] };
  }
  const changed =
    event === "PreToolUse" ? rewriteProblem(row, dialect, decoded, verdict.input) : undefined;
  if (changed !== undefined) {
    return { refusal: changed, outcome, downgrades: [`a rewrite at ${event}: ${changed}`] };
  }
  const kept = withoutContext(outcome, row, label, event, downgrades);
  if (decision === undefined || row.decisions.includes(decision))
    return { outcome: kept, downgrades };
  const wish = `${decision} at ${event}, which ${label} does not support there`;
  const isDenied = decision !== "allow" && row.refusable && row.passes !== true;
  if (isDenied && (decision === "defer" || options.ask === "deny")) {
    downgrades.push(`${wish}: denied`);
    return {
      refusal: `a hook returned ${decision}, which ${label} does not support: ${reason}`,
      outcome,
      downgrades,
    };
  }
  downgrades.push(`${wish}: ignored`);
  return { outcome: { ...goesOn, inject: kept.inject }, downgrades };
}

function withoutContext(
  outcome: Outcome,
  row: DialectEvent,
  label: string,
  event: string,
  downgrades: string[],
): Outcome {
  if (row.context === "always") return outcome;
  downgrades.push(...contextLost(outcome, label, event));
  return { ...outcome, inject: [] };
}

function contextLost({ inject }: Outcome, label: string, event: string): string[] {
  return inject.length === 0
    ? []
    : [`text for the model at ${event}, which ${label} does not pass on: ignored`];
}

/** The reason of a denial, with the text for the model that has no other place. */
function withContext(
  reason: string,
  { context: place }: DialectEvent,
  { context }: AgentVerdict,
): string {
  return place === "in_denial" && context !== undefined ? `${reason}\n\n${context}` : reason;
}

/** Why a changed input must be denied; undefined when the agent accepts it. */
function rewriteProblem(
  { input: accepts }: DialectEvent,
  dialect: ClaudeDialect,
  decoded: DecodedEvent,
  input: Json | undefined,
): string | undefined {
  if (accepts !== "ignored" || !isJsonObject(input)) return undefined;
  return (
    `hooks changed the arguments of the tool, which ${dialect.label} cannot do. Call the tool again with: ` +
    JSON.stringify(inKeysOf(dialect, decoded, input))
  );
}

/** Arguments in Claude Code's keys, wherever a response has them, in the agent's keys. */
function inAgentKeys(
  dialect: ClaudeDialect,
  decoded: DecodedEvent,
  output: JsonObject,
): JsonObject {
  const specific = getOwn(output, "hookSpecificOutput");
  if (!isJsonObject(specific)) return output;
  const swapped = (from: JsonObject): JsonObject => {
    const input = getOwn(from, "updatedInput");
    if (!isJsonObject(input)) return from;
    const { tool, sent } = calledTool(decoded);
    // Claude Code's keys were exchanged for ours in the same way.
    const ours = swapKeys(CLAUDE_TOOLS, tool, input, sent);
    return { ...from, updatedInput: inKeysOf(dialect, decoded, ours) };
  };
  const decision = getOwn(specific, "decision");
  const hookSpecificOutput = {
    ...swapped(specific),
    ...(isJsonObject(decision) && { decision: swapped(decision) }),
  };
  return { ...output, hookSpecificOutput };
}

/** Arguments of the called tool in the agent's keys. */
function inKeysOf({ tools }: ClaudeDialect, decoded: DecodedEvent, args: JsonObject): JsonObject {
  const { tool, sent } = calledTool(decoded);
  return swapKeys(tools, tool, args, sent);
}

/** The called tool: our name, and the agent's. */
function calledTool({ payload }: DecodedEvent): { tool: string; sent: string | undefined } {
  const host = getOwn(payload, "host");
  return {
    tool: textAt(payload, "tool_name") ?? "",
    sent: isJsonObject(host) ? textAt(host, "tool_name") : undefined,
  };
}

/** A result as text for the model: the model's part of it, or the text of its parts. Never empty. */
function resultText(result: Json): string {
  const content = isJsonObject(result) ? getOwn(result, "llmContent") : undefined;
  return partText(content ?? result) || "(no output)";
}

function partText(content: Json): string {
  if (Array.isArray(content)) return content.map(partText).join("\n");
  const text = isJsonObject(content) ? getOwn(content, "text") : undefined;
  return typeof text === "string" ? text : asText(content);
}
