import { AGENT_TOOLS, DECISIONS, getOwn, readJsonObject, verdictFor } from "../../core/index.ts";
import type { AgentTools, Decision, Edit, HookReport, JsonObject } from "../../core/index.ts";
import { swapKeys } from "../agent-tools.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, listed, refuse, rewrite, withResult } from "../handler-report.ts";
import { isSentBy } from "../host-fields.ts";
import { stringAt, typed, type Typed } from "../payload.ts";
import { handlerEvent, sentTool } from "../handler-input.ts";
import { CLAUDE_FIELDS, CLAUDE, STOP_EVENTS, TEXT_EVENTS } from "./events.ts";
import { answerOf, BLOCKS, type AgentHandler } from "../agent-handler.ts";

/**
 * Runs hooks written for Claude Code, or for an agent with the same protocol, unchanged. Exit code 2 blocks with the
 * reason on stderr; any other code but 0 is an error that blocks nothing, unless a response was printed anyway. Source:
 * protocols.md §1.
 */
export const CLAUDE_HANDLER: AgentHandler = {
  format: CLAUDE,
  fields: CLAUDE_FIELDS,
  read: (answer, call) => readClaudeOutput(answer, call),
  projects: ["CLAUDE_PROJECT_DIR"],
  texts: TEXT_EVENTS,
  // Half a response would also be text.
  isMeant: (text, isText) => text.startsWith("{") && (text.endsWith("}") || !isText),
  ended({ code, stdout, stderr }, call, parse) {
    const reason = stderr.trim();
    if (code !== BLOCKS) {
      const answer = parse ? readJsonObject(stdout) : undefined;
      return answer?.ok ? answerOf(this, answer.value, call) : undefined;
    }
    if (handlerEvent(CLAUDE, call) !== "PermissionRequest") return refuse(call, reason);
    // Permission requests are only denied by a response.
    const why = `its command exited with code 2, which cannot deny a permission: ${reason}`;
    return failed("answer", why, "open");
  },
};

/** The types of the keys that decide something. */
const KINDS = {
  continue: "boolean",
  stopReason: "string",
  decision: ["approve", "block"],
  reason: "string",
  hookSpecificOutput: {
    hookEventName: "string",
    permissionDecision: [...DECISIONS, "deny"],
    permissionDecisionReason: "string",
    updatedInput: "object",
    additionalContext: "string",
    updatedToolOutput: "any",
    updatedMCPToolOutput: "any",
    decision: { behavior: ["allow", "deny"], updatedInput: "object", message: "string" },
  },
} as const;

type Answer = Typed<typeof KINDS>;

/** The meaning of a Claude Code response at the point of the call. */
export function readClaudeOutput(
  written: JsonObject,
  call: HandlerCall,
  tools: AgentTools = AGENT_TOOLS["claude-code"],
): HookReport {
  const event = handlerEvent(CLAUDE, call);
  const answer = typed(written, KINDS);
  if (typeof answer === "string") return failed("answer", answer);
  const { hookSpecificOutput: specific = {} } = answer;
  const named = specific.hookEventName;
  if (named !== undefined && named !== event) {
    return failed("answer", `returned for the event ${named}, expected ${event}`);
  }
  if (answer.continue === false) {
    // Stopping the agent allows the stop, without asking others.
    if (STOP_EVENTS.includes(event)) return carryOn({ stop: true });
    // Where nothing can be denied, Claude Code stops the agent.
    const isDeniable = verdictFor(call.point, "abort") === "legal";
    if (!isDeniable && isSentBy(`agent::${CLAUDE.name}`, call)) return carryOn();
    return refuse(call, answer.stopReason ?? answer.reason ?? "stopped by a hook");
  }
  const input = specific.updatedInput ?? specific.decision?.updatedInput;
  const result = specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
  // A key without effect here, although its author expects one.
  const isLate = input !== undefined && !isPre(call);
  if (isLate || (result !== undefined && call.point.phase !== "post")) {
    const misplaced = isLate ? "updatedInput" : "updatedToolOutput";
    return failed("answer", `returned ${misplaced} at ${event}, where it has no effect`);
  }
  const { decision, reason = "" } = verdict(answer);
  const context = listed(specific.additionalContext || undefined);
  if (decision === "deny") return refuse(call, reason, context);
  const decided = isPre(call) ? decision : undefined;
  const changed = input ? [inputEdit(input, call, tools)] : [];
  const edits = result === undefined ? changed : [withResult(call, result)];
  return carryOn(
    { decision: decided, reason: (decided && reason) || undefined, inject: context },
    edits,
  );
}

/** The event's own decision precedes the older one that all events share. */
function verdict({ decision, reason, hookSpecificOutput: specific = {} }: Answer): {
  decision?: Decision | "deny" | undefined;
  reason?: string | undefined;
} {
  const { permissionDecision, permissionDecisionReason, decision: request } = specific;
  if (permissionDecision) {
    return { decision: permissionDecision, reason: permissionDecisionReason ?? reason };
  }
  if (request?.behavior) return { decision: request.behavior, reason: request.message };
  const older = { approve: "allow", block: "deny" } as const;
  return decision ? { decision: older[decision], reason } : {};
}

function inputEdit(input: JsonObject, call: HandlerCall, tools: AgentTools): Edit {
  const tool = stringAt(call, "tool_name");
  if (tool !== undefined) {
    const value = swapKeys(tools, tool, input, sentTool(call));
    return { path: ["payload", "args"], value };
  }
  // A permission for a bare command was requested for the tool Bash.
  const command = getOwn(input, "command");
  const bare = stringAt(call, "command") !== undefined && command !== undefined;
  return rewrite(call, bare ? command : input);
}
