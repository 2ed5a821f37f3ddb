import { isJsonObject } from "../../core/index.ts";
import type { Edit, HookReport, Json, JsonObject } from "../../core/index.ts";
import { readClaudeOutput } from "../claude-code/handler-output.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, refuse, strictIfDenied } from "../handler-report.ts";
import { passFields } from "../host-fields.ts";
import { stringAt } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { currentAnswer, CURSOR, cursorEvent } from "./events.ts";
import { CURSOR_FIELDS } from "./fields.ts";
import { fromCursorInput, isMcpName } from "./tools.ts";

const PERMISSIONS = ["allow", "deny", "ask", "approve", "block"] as const;
/** Values that some versions accepted from hooks written for Claude Code. */
const FOREIGN_WORDS = { approve: "allow", block: "deny" } as const;

const isText = (value: Json): value is string => typeof value === "string";
const isPermission = (value: Json): boolean => PERMISSIONS.some((word) => word === value);

/** The types of a response's keys; null means missing. */
const KINDS: Readonly<Record<string, (value: Json) => boolean>> = {
  permission: isPermission,
  decision: isPermission,
  continue: (value) => typeof value === "boolean",
  user_message: isText,
  agent_message: isText,
  reason: isText,
  additional_context: isText,
  followup_message: isText,
  updated_input: isJsonObject,
  updated_mcp_tool_output: () => true,
  env: isJsonObject,
};

interface Answer {
  readonly permission?: (typeof PERMISSIONS)[number];
  readonly decision?: (typeof PERMISSIONS)[number];
  readonly continue?: boolean;
  readonly user_message?: string;
  readonly agent_message?: string;
  readonly reason?: string;
  readonly additional_context?: string;
  readonly followup_message?: string;
  readonly updated_input?: JsonObject;
  readonly updated_mcp_tool_output?: Json;
}

/**
 * Whether a denial at the event of the call takes effect, or withholds the result of a past operation. Orcs itself
 * withholds the result, whatever Cursor does with such a response.
 */
export function heedsRefusal(call: HandlerCall): boolean {
  if (call.point.phase === "post") return true;
  const event = handlerEvent(CURSOR, call);
  // Only a message keeps the agent from stopping.
  return event !== "stop" && (cursorEvent(event)?.refusable ?? true);
}

/**
 * The meaning of a Cursor response at the point of the call. Fields that mean nothing to orcs reach Cursor if it sent the
 * event.
 */
export function readCursorOutput(written: JsonObject, call: HandlerCall): HookReport {
  const report = strictIfDenied(readDecision(written, call), written, call);
  return passFields(report, currentAnswer(written), CURSOR_FIELDS, call, "agent::cursor");
}

function readDecision(written: JsonObject, call: HandlerCall): HookReport {
  const current = Object.entries(currentAnswer(written)).filter(([, value]) => value !== null);
  const own = current.filter(([key]) => Object.hasOwn(KINDS, key));
  const decides = own.some(([key]) => key === "permission");
  if (!decides && Object.hasOwn(written, "hookSpecificOutput")) {
    // Cursor also runs Claude Code's hooks, and reads their responses.
    return readClaudeOutput(written, call);
  }
  const wrong = own.find(([key, value]) => !KINDS[key]?.(value));
  if (wrong) {
    return failed("answer", `returned ${wrong[0]} with ${JSON.stringify(wrong[1]).slice(0, 60)}`);
  }
  // Unknown keys are ignored, but a response with nothing else is invalid.
  if (own.length === 0 && current.length > 0) {
    return failed("answer", "returned an object without any key that Cursor reads");
  }
  return act(Object.fromEntries(own), call);
}

function act(answer: Answer, call: HandlerCall): HookReport {
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
  return carryOn(
    {
      ...(decision && { decision }),
      ...(decision && shown !== "" && { reason: shown }),
      ...(inject.length > 0 && { inject }),
    },
    edits,
  );
}

/** Of two values the stricter one counts. */
function permissionOf(answer: Answer): "allow" | "deny" | "ask" | undefined {
  const words = [answer.permission, answer.decision].map((word) =>
    word === "approve" || word === "block" ? FOREIGN_WORDS[word] : word,
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
    edits.push({ path: ["payload", "args"], value: fromCursorInput(tool, input) });
  }
  if (output !== undefined) {
    if (call.point.name !== "tool.post_execute" || !isMcpName(tool ?? "")) {
      return "updated_mcp_tool_output";
    }
    edits.push({ path: ["payload", call.point.resultKey], value: output });
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
