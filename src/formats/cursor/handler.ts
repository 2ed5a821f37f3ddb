import { getOwn } from "../../core/index.ts";
import type { Edit, HookReport, Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, refuse, withResult } from "../handler-report.ts";
import { hostOf, stringAt, typed, type Typed } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { CURSOR_FIELDS, currentAnswer, currentEvent, CURSOR } from "./events.ts";
import { cursorKeys, isMcpName } from "./tools.ts";
import { answerOf, BLOCKS, type AgentHandler } from "../agent-handler.ts";
import { CLAUDE_HANDLER } from "../claude-code/handler.ts";

/**
 * Runs hooks written for Cursor unchanged. Exit code 2 denies with the reason on stderr; any other code but 0, or no
 * response in time, allows, unless the hook has `on_error = "closed"`, which is Cursor's `failClosed`. Source:
 * protocols.md §4.
 */
export const CURSOR_HANDLER: AgentHandler = {
  format: CURSOR,
  fields: CURSOR_FIELDS,
  read(answer, call) {
    // Cursor also runs Claude Code's hooks, and reads their responses.
    const isClaudes = Object.hasOwn(answer, "hookSpecificOutput");
    return isClaudes && (getOwn(answer, "permission") ?? null) === null
      ? answerOf(CLAUDE_HANDLER, answer, call)
      : readCursorOutput(answer, call);
  },
  current: currentAnswer,
  projects: ["CURSOR_PROJECT_DIR"],
  env(call) {
    const sent = currentEvent(hostOf(call));
    const event = getOwn(sent, "hook_event_name");
    const host = typeof event === "string" && getOwn(CURSOR.events, event) ? sent : {};
    return {
      CURSOR_VERSION: host["cursor_version"],
      CURSOR_USER_EMAIL: host["user_email"],
      CURSOR_TRANSCRIPT_PATH: host["transcript_path"],
    };
  },
  isMeant: () => true,
  ended({ code, stderr }, call) {
    if (code !== BLOCKS) return undefined;
    const reason = stderr.trim() || "denied by a hook, no reason given";
    if (heedsRefusal(call)) return refuse(call, reason);
    const where = `${handlerEvent(CURSOR, call)}, where it cannot deny`;
    return failed("answer", `its command exited with code 2 at ${where}: ${reason}`, "open");
  },
};

/** The last two are values that some versions accepted from hooks written for Claude Code. */
const WORDS = ["allow", "deny", "ask", "approve", "block"] as const;

/** The types of a response's keys. */
const KINDS = {
  decision: WORDS,
  permission: WORDS,
  continue: "boolean",
  user_message: "string",
  agent_message: "string",
  reason: "string",
  additional_context: "string",
  followup_message: "string",
  updated_input: "object",
  updated_mcp_tool_output: "any",
  env: "object",
} as const;

type Answer = Typed<typeof KINDS>;

/**
 * Whether a denial at the event of the call takes effect, or withholds the result of a past operation. Orcs itself
 * withholds the result, whatever Cursor does with such a response.
 */
export function heedsRefusal(call: HandlerCall): boolean {
  if (call.point.phase === "post") return true;
  const event = handlerEvent(CURSOR, call);
  // Only a message keeps the agent from stopping.
  return event !== "stop" && (getOwn(CURSOR.events, event)?.refusable ?? true);
}

/** The meaning of a Cursor response at the point of the call. @param current with current names */
export function readCursorOutput(current: JsonObject, call: HandlerCall): HookReport {
  const answer = typed(current, KINDS);
  if (typeof answer === "string") return failed("answer", answer);
  // Unknown keys are ignored, but a response with nothing else is invalid.
  const isForeign = Object.keys(answer).length === 0;
  if (isForeign && Object.values(current).some((value) => value !== null)) {
    return failed("answer", "returned an object without any key that Cursor reads");
  }
  const event = handlerEvent(CURSOR, call);
  const { followup_message: followup } = answer;
  if (event === "stop" && followup) return refuse(call, followup);
  const verdict = permissionOf(answer);
  const shown = answer.user_message || answer.reason || "";
  // Cursor does not start a subagent on `ask`.
  if (verdict === "deny" || (verdict === "ask" && event === "subagentStart")) {
    const reason = answer.agent_message || shown;
    if (heedsRefusal(call)) return refuse(call, reason);
    return failed("answer", `denied ${event}, which cannot be denied in Cursor: ${reason}`, "open");
  }
  const edits = editsOf(answer, call);
  if (typeof edits === "string") {
    return failed("answer", `returned ${edits} at ${event}, where it has no effect`);
  }
  const decision = isPre(call) && heedsRefusal(call) ? verdict : undefined;
  const inject = injected(answer, event);
  const reason = (decision && shown) || undefined;
  return carryOn({ decision, reason, inject: inject.length > 0 ? inject : undefined }, edits);
}

/** Of two values the stricter one counts. */
function permissionOf(answer: Answer): "allow" | "deny" | "ask" | undefined {
  const words = [answer.permission, answer.decision].map((word) =>
    word === "approve" ? "allow" : word === "block" ? "deny" : word,
  );
  if (answer.continue === false || words.includes("deny")) return "deny";
  return words.includes("ask") ? "ask" : words.find((word) => word !== undefined);
}

/** The changes of a response, or the key that changes nothing here although its author expects it. */
function editsOf(answer: Answer, call: HandlerCall): Edit[] | string {
  const { updated_input: input, updated_mcp_tool_output: output } = answer;
  const tool = stringAt(call, "tool_name");
  const edits: Edit[] = [];
  if (input !== undefined) {
    if (!isPre(call) || call.point.inputKey !== "args" || tool === undefined) {
      return "updated_input";
    }
    edits.push({ path: ["payload", "args"], value: cursorKeys(tool, input) });
  }
  if (output !== undefined) {
    if (call.point.name !== "tool.post_execute" || !isMcpName(tool ?? "")) {
      return "updated_mcp_tool_output";
    }
    edits.push(withResult(call, output));
  }
  return edits;
}

function injected(answer: Answer, event: string): Json[] {
  const texts = [answer.additional_context, answer.agent_message].filter(Boolean) as string[];
  const { followup_message: followup } = answer;
  return event === "subagentStop" && followup
    ? [...texts, { content: followup, strategy: "user_message" }]
    : texts;
}
