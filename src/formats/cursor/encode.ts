import { getOwn, isJsonObject, messageOf } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import type { AgentVerdict } from "../host-protocol.ts";
import { stated } from "../host-protocol.ts";
import { agentVerdict, asText } from "../host-protocol.ts";
import type { CursorEvent, OutputKey } from "./events.ts";
import { currentEvent, cursorEvent } from "./events.ts";
import { isMcpName, sentToolInput, toCursorInput } from "./tools.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that denies where Cursor lets a hook deny, with the reason on stderr. */
const DENIES = 2;
/** Keys that an unknown event may accept. */
const ANY_WORDS: readonly OutputKey[] = ["permission", "continue", "user_message", "agent_message"];

/**
 * The response that denies an event, as far as Cursor supports it.
 * @param event undefined when it could not be read
 * @param downgrades further lines for the log
 * @param context text for the model below the reason
 */
export function refusal(
  event: string | undefined,
  reason: string,
  downgrades: readonly string[] = [],
  context?: string,
): HostAnswer {
  const why = reason.trim() === "" ? NO_REASON : reason;
  const words = refusingWords(why, context === undefined ? why : `${why}\n\n${context}`);
  const row = event === undefined ? undefined : cursorEvent(event);
  // An event of a newer Cursor may not support these keys; the exit code works for every event.
  if (row === undefined) {
    return { output: pick(words, ANY_WORDS), message: why, code: DENIES, downgrades };
  }
  if (!row.refusable) {
    const lost = `denial at ${event}, which Cursor ignores: ${why}`;
    return { output: {}, message: why, code: 0, downgrades: [...downgrades, lost] };
  }
  const output = pick(words, [...row.takes, ...row.older]);
  const read = ["agent_message", "followup_message"].some((key) => Object.hasOwn(output, key));
  const unread =
    context === undefined || read ? [] : [`text for the model at ${event}, which accepts none`];
  return { output, message: why, code: 0, downgrades: [...downgrades, ...unread] };
}

/** The keys that an event accepts. */
function pick(
  words: Readonly<Partial<Record<OutputKey, Json | undefined>>>,
  keys: readonly OutputKey[],
): JsonObject {
  return stated(Object.fromEntries(keys.map((key) => [key, getOwn(words, key)])));
}

function refusingWords(reason: string, agentText: string): Partial<Record<OutputKey, Json>> {
  return {
    permission: "deny",
    decision: "deny",
    continue: false,
    reason,
    user_message: reason,
    userMessage: reason,
    agent_message: agentText,
    agentMessage: agentText,
    followup_message: agentText,
  };
}

/** Cursor's response for an outcome: always an object, since it counts silence as a failure. */
export function encodeCursor(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  let wish: CursorIntent;
  try {
    wish = intentOf(decoded, outcome, options);
  } catch (thrown) {
    // Half of a hook's result may be the half that allows it.
    return refusal(event, `the result of the hooks is not JSON: ${messageOf(thrown)}`);
  }
  const { words, downgrades } = wish;
  if (wish.refusal !== undefined) return refusal(event, wish.refusal, downgrades, wish.context);
  return { output: pick(words, cursorEvent(event)?.takes ?? []), code: 0, downgrades };
}

/** The result of the hooks, in terms of what Cursor supports. */
interface CursorIntent {
  refusal?: string;
  context?: string;
  readonly words: Partial<Record<OutputKey, Json>>;
  readonly downgrades: string[];
}

/** How Cursor treats an unknown event: nothing can be relied on. */
const UNKNOWN: Pick<CursorEvent, "refusable" | "takes" | "asks"> = {
  refusable: true,
  takes: [],
  asks: false,
};

function intentOf(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): CursorIntent {
  const verdict = agentVerdict(decoded, outcome);
  const wish: CursorIntent = { words: {}, downgrades: [...verdict.downgrades] };
  if (verdict.context?.trim()) wish.context = verdict.context;
  if (verdict.refusal !== undefined) {
    // For example a hook that failed closed: the reason replaces the result where possible.
    if (takesResult(decoded)) replace(wish, decoded, verdict.refusal);
    else wish.refusal = verdict.refusal;
    return wish;
  }
  decide(wish, decoded.event, verdict, options);
  if (verdict.input !== undefined) rewrite(wish, decoded, verdict.input);
  if (verdict.result !== undefined) replace(wish, decoded, verdict.result);
  if (wish.refusal === undefined) tell(wish, decoded.event, outcome);
  return wish;
}

function decide(
  wish: CursorIntent,
  event: string,
  verdict: AgentVerdict,
  options: HostOptions,
): void {
  const { decision } = verdict;
  const reason = verdict.reason?.trim() || "no reason given";
  const row = cursorEvent(event) ?? UNKNOWN;
  if (decision === undefined) return;
  if (decision === "allow") {
    if (row.takes.includes("permission")) wish.words.permission = "allow";
    return;
  }
  if (decision === "ask" && row.asks) {
    wish.words.permission = "ask";
    wish.words.user_message = reason;
    wish.words.agent_message = reason;
    return;
  }
  const lacking = `${decision} at ${event}, which Cursor does not support`;
  const refuses =
    isGuarded(event) &&
    (decision === "defer" || event === "subagentStart" || options.ask === "deny");
  if (refuses) wish.refusal = `${WANTED[decision]}, which Cursor does not support here: ${reason}`;
  wish.downgrades.push(`${lacking}: ${refuses ? "denied" : "ignored"}`);
}

const WANTED = {
  ask: "a hook requests that the user is asked",
  defer: "a hook defers the decision",
} as const;

/** Whether a denial prevents something; a denied stop makes the agent continue, which no hook wanted. */
function isGuarded(event: string): boolean {
  return event !== "stop" && (cursorEvent(event) ?? UNKNOWN).refusable;
}

function rewrite(wish: CursorIntent, { event, payload }: DecodedEvent, input: Json): void {
  const tool = getOwn(payload, "tool_name");
  if (event === "preToolUse" && typeof tool === "string" && isJsonObject(input)) {
    const host = getOwn(payload, "host");
    const sent = isJsonObject(host) ? sentToolInput(currentEvent(host)) : {};
    wish.words.updated_input = toCursorInput(tool, input, sent);
    return;
  }
  const lacking = `rewrite at ${event}, which Cursor does not support`;
  if (isGuarded(event)) {
    wish.refusal ??= `the hooks made a rewrite that Cursor does not support at ${event}`;
    wish.downgrades.push(`${lacking}: denied`);
  } else {
    wish.downgrades.push(`${lacking}: ignored`);
  }
}

function takesResult({ event, payload }: DecodedEvent): boolean {
  const tool = getOwn(payload, "tool_name");
  return event === "postToolUse" && typeof tool === "string" && isMcpName(tool);
}

function replace(wish: CursorIntent, decoded: DecodedEvent, result: Json): void {
  if (takesResult(decoded)) {
    wish.words.updated_mcp_tool_output = mcpResult(result);
  } else {
    wish.downgrades.push(
      `result at ${decoded.event}, which Cursor accepts for MCP tools only: the model reads the original result`,
    );
  }
}

/** A result in the form of MCP servers. */
function mcpResult(result: Json): JsonObject {
  if (isJsonObject(result) && Array.isArray(getOwn(result, "content"))) return result;
  return { content: [{ type: "text", text: asText(result) }] };
}

/** Pass on the hooks' text in the best way that the event supports. */
function tell(wish: CursorIntent, event: string, outcome: Outcome): void {
  const { context, words } = wish;
  if (context === undefined) return;
  const takes = cursorEvent(event)?.takes ?? [];
  if (takes.includes("additional_context")) {
    words.additional_context = fitting(context, wish.downgrades);
  } else if (takes.includes("agent_message")) {
    const before = words.agent_message;
    words.agent_message = typeof before === "string" ? `${before}\n\n${context}` : context;
    wish.downgrades.push(
      `text for the model at ${event}: sent as agent_message, which Cursor may pass on only together with a denial`,
    );
  } else if (event === "subagentStop") {
    followUp(wish, outcome);
  } else {
    wish.downgrades.push(`text for the model at ${event}, which accepts none: ignored`);
  }
}

/** Only text meant as a user message can be one; anything else would make the agent continue. */
function followUp({ words, downgrades }: CursorIntent, { inject }: Outcome): void {
  const messages = inject.filter((text) => typeof text !== "string");
  const shown = messages.filter(
    ({ content, strategy }) => strategy === "user_message" && content.trim() !== "",
  );
  if (shown.length > 0) {
    words.followup_message = shown.map(({ content }) => content).join("\n\n");
  }
  if (shown.length < inject.length) {
    downgrades.push(
      "text for the model at subagentStop, which accepts only a user_message: ignored",
    );
  }
}

/** Longest context in UTF-16 units; Cursor drops a longer one completely. */
const MAX_CONTEXT = 10_000;

function fitting(context: string, downgrades: string[]): string {
  if (context.length <= MAX_CONTEXT) return context;
  downgrades.push(
    `text for the model of ${context.length} characters: truncated to ${MAX_CONTEXT}`,
  );
  // Do not end with half of a surrogate pair.
  return context.slice(0, MAX_CONTEXT).replace(/[\uD800-\uDBFF]$/, "");
}
