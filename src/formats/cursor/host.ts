import { getOwn, isJsonObject, objectAt, stated } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, refuseRewrite, withContext } from "../encode-event.ts";
import { asText, type DecodedEvent, type HostAnswer, type HostProtocol } from "../host-protocol.ts";
import type { CursorEvent, OutputKey } from "./events.ts";
import { CURSOR_FIELDS, currentEvent, CURSOR, CURSOR_EVENTS } from "./events.ts";
import { isMcpName, sentToolInput, cursorKeys } from "./tools.ts";

type Call = EncodeCall<CursorEvent>;

/** Exit code that denies where Cursor lets a hook deny, with the reason on stderr. */
const DENIES = 2;
/** Keys that an unknown event may accept. */
const ANY_WORDS: readonly OutputKey[] = ["permission", "continue", "user_message", "agent_message"];

/**
 * Cursor, which runs our command at its events. Denials are responses with exit code 0; key names changed between
 * versions, so they have the older ones as well. Every response is an object, since it counts silence as a failure.
 * Source: protocols.md §4.
 */
export const cursorHost: HostProtocol = hostProtocol<CursorEvent>({
  format: CURSOR,
  fields: CURSOR_FIELDS,
  rewrites: {
    preToolUse(wish, input, { event, decoded: { payload } }) {
      const tool = getOwn(payload, "tool_name");
      if (typeof tool !== "string" || !isJsonObject(input)) {
        return refuseRewrite(wish, "Cursor", `at ${event}`);
      }
      const sent = sentToolInput(currentEvent(objectAt(payload, "host")));
      wish.output["updated_input"] = cursorKeys(tool, input, sent);
    },
  },
  results: { postToolUse: replace },
  texts: Object.fromEntries(
    Object.entries<CursorEvent>(CURSOR_EVENTS).flatMap(([event, { takes }]) => {
      if (takes.includes("additional_context")) return [[event, addContext]];
      if (takes.includes("agent_message")) return [[event, addMessage]];
      return event === "subagentStop" ? [[event, followUp]] : [];
    }),
  ),
  finish(wish, call) {
    if (wish.refusal === undefined || !takesResult(call.decoded)) return;
    // For example a hook that failed closed: the reason replaces the result where possible.
    replace(wish, wish.refusal, call);
    wish.refusal = undefined;
  },
  deny,
  goOn(event, wish, call) {
    const { decision, reason, context, output, notes, downgrades } = wish;
    const why = decision === "ask" ? reason?.trim() || "no reason given" : undefined;
    const words = {
      ...output,
      permission: decision,
      user_message: why,
      agent_message: why === undefined ? context : withContext(why, wish),
    };
    return {
      output: call ? pick(words, getOwn(CURSOR.events, event)?.takes ?? []) : {},
      ...(!call && { message: notes.join("\n") }),
      code: 0,
      downgrades: call ? downgrades : [`the hooks could not be run at ${event}: ${notes.join()}`],
    };
  },
});

function deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer {
  const { context, downgrades } = wish;
  const words = refusingWords(refusal, withContext(refusal, wish));
  const row = event === undefined ? undefined : getOwn(CURSOR.events, event);
  // An event of a newer Cursor may not support these keys; the exit code works for every event.
  if (row === undefined) {
    return { output: pick(words, ANY_WORDS), message: refusal, code: DENIES, downgrades };
  }
  if (!row.refusable) {
    const lost = `denial at ${event}, which Cursor ignores: ${refusal}`;
    return { output: {}, message: refusal, code: 0, downgrades: [...downgrades, lost] };
  }
  const output = pick(words, [...row.takes, ...row.older]);
  const read = ["agent_message", "followup_message"].some((key) => Object.hasOwn(output, key));
  const unread =
    context === undefined || read ? [] : [`text for the model at ${event}, which accepts none`];
  return { output, message: refusal, code: 0, downgrades: [...downgrades, ...unread] };
}

/** The keys that an event accepts. */
function pick(
  words: Readonly<Record<string, Json | undefined>>,
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

function takesResult({ event, payload }: DecodedEvent): boolean {
  const tool = getOwn(payload, "tool_name");
  return event === "postToolUse" && typeof tool === "string" && isMcpName(tool);
}

function replace(wish: Wish, result: Json, { event, decoded }: Call): void {
  if (takesResult(decoded)) {
    wish.output["updated_mcp_tool_output"] = mcpResult(result);
  } else {
    wish.downgrades.push(
      `result at ${event}, which Cursor accepts for MCP tools only: the model reads the original result`,
    );
  }
}

/** A result in the form of MCP servers. */
function mcpResult(result: Json): JsonObject {
  if (isJsonObject(result) && Array.isArray(getOwn(result, "content"))) return result;
  return { content: [{ type: "text", text: asText(result) }] };
}

/** Longest context in UTF-16 units; Cursor drops a longer one completely. */
const MAX_CONTEXT = 10_000;

function addContext({ output, downgrades }: Wish, context: string): void {
  if (context.length > MAX_CONTEXT) {
    downgrades.push(
      `text for the model of ${context.length} characters: truncated to ${MAX_CONTEXT}`,
    );
  }
  // Do not end with half of a surrogate pair.
  const kept = context.slice(0, MAX_CONTEXT);
  output["additional_context"] = kept === context ? kept : kept.replace(/[\uD800-\uDBFF]$/, "");
}

function addMessage({ downgrades }: Wish, _context: string, { event }: Call): void {
  downgrades.push(
    `text for the model at ${event}: sent as agent_message, which Cursor may pass on only together with a denial`,
  );
}

/** Only text meant as a user message can be one; anything else would make the agent continue. */
function followUp({ output, downgrades }: Wish, _context: string, { outcome }: Call): void {
  const messages = outcome.inject.filter((text) => typeof text !== "string");
  const shown = messages.filter(
    ({ content, strategy }) => strategy === "user_message" && content.trim() !== "",
  );
  if (shown.length > 0) {
    output["followup_message"] = shown.map(({ content }) => content).join("\n\n");
  }
  if (shown.length < outcome.inject.length) {
    downgrades.push(
      "text for the model at subagentStop, which accepts only a user_message: ignored",
    );
  }
}
