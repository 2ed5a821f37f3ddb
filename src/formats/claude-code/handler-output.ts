import { AGENT_TOOLS, DECISIONS, getOwn, verdictFor } from "../../core/index.ts";
import type { AgentTools, Decision, Edit, HookReport, Json, JsonObject } from "../../core/index.ts";
import { swapKeys } from "../agent-tools.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, refuse, rewrite, strictIfDenied } from "../handler-report.ts";
import { isSentBy, passFields } from "../host-fields.ts";
import type { Typed } from "../payload.ts";
import { stringAt, typed } from "../payload.ts";
import { handlerEvent, sentTool } from "../handler-input.ts";
import { CLAUDE, STOP_EVENTS } from "./events.ts";
import { CLAUDE_FIELDS } from "./fields.ts";

/** The types of the keys that decide something. */
const OUTPUT_KINDS = {
  continue: "boolean",
  stopReason: "string",
  decision: ["approve", "block"],
  reason: "string",
  hookSpecificOutput: "object",
} as const;
const SPECIFIC_KINDS = {
  hookEventName: "string",
  permissionDecision: [...DECISIONS, "deny"],
  permissionDecisionReason: "string",
  updatedInput: "object",
  additionalContext: "string",
  decision: "object",
} as const;
const REQUEST_KINDS = {
  behavior: ["allow", "deny"],
  updatedInput: "object",
  message: "string",
} as const;

/** A response with checked types. */
interface Output {
  readonly common: Typed<typeof OUTPUT_KINDS>;
  readonly specific: Typed<typeof SPECIFIC_KINDS>;
  readonly request: Typed<typeof REQUEST_KINDS>;
  readonly newOutput: Json | undefined;
}

/**
 * The meaning of a Claude Code response at the point of the call. Fields that mean nothing to orcs reach Claude Code if
 * it sent the event.
 */
export function readClaudeOutput(
  answer: JsonObject,
  call: HandlerCall,
  tools: AgentTools = AGENT_TOOLS["claude-code"],
): HookReport {
  const report = strictIfDenied(readDecision(answer, call, tools), answer, call);
  return passFields(report, answer, CLAUDE_FIELDS, call, CLAUDE_CODE);
}

/** Claude Code as the component of its events. */
const CLAUDE_CODE = "agent::claude-code";

function readDecision(answer: JsonObject, call: HandlerCall, tools: AgentTools): HookReport {
  const event = handlerEvent(CLAUDE, call);
  const output = readParts(answer);
  if (typeof output === "string") return failed("answer", output);
  const { common, specific } = output;
  const named = specific.hookEventName;
  if (named !== undefined && named !== event) {
    return failed("answer", `returned for the event ${named}, expected ${event}`);
  }
  if (common.continue === false) {
    // Stopping the agent allows the stop, without asking others.
    if (STOP_EVENTS.includes(event)) return carryOn({ stop: true });
    // Where nothing can be denied, Claude Code stops the agent.
    const isDeniable = verdictFor(call.point, "abort") === "legal";
    if (!isDeniable && isSentBy(CLAUDE_CODE, call)) return carryOn();
    return refuse(call, common.stopReason ?? common.reason ?? "stopped by a hook");
  }
  const misplaced = misplacedKey(output, call);
  return misplaced === undefined
    ? act(output, call, tools)
    : failed("answer", `returned ${misplaced} at ${event}, where it has no effect`);
}

function readParts(answer: JsonObject): Output | string {
  const common = typed(answer, OUTPUT_KINDS);
  if (typeof common === "string") return common;
  const own = common.hookSpecificOutput ?? {};
  const specific = typed(own, SPECIFIC_KINDS);
  if (typeof specific === "string") return specific;
  const request = typed(specific.decision ?? {}, REQUEST_KINDS);
  if (typeof request === "string") return request;
  const newOutput = getOwn(own, "updatedToolOutput") ?? getOwn(own, "updatedMCPToolOutput");
  return { common, specific, request, newOutput: newOutput ?? undefined };
}

/** A key without effect here, although its author expects one. */
function misplacedKey(
  { specific, request, newOutput }: Output,
  call: HandlerCall,
): string | undefined {
  if (!isPre(call) && (specific.updatedInput ?? request.updatedInput)) return "updatedInput";
  if (call.point.phase !== "post" && newOutput !== undefined) return "updatedToolOutput";
  return undefined;
}

function act(output: Output, call: HandlerCall, tools: AgentTools): HookReport {
  const { decision, reason = "" } = verdict(output);
  const { additionalContext } = output.specific;
  const context = additionalContext ? [additionalContext] : [];
  if (decision === "deny") return refuse(call, reason, context);
  const edits = editsOf(output, call, tools);
  const decided = decision !== undefined && isPre(call);
  return carryOn(
    {
      ...(decided && { decision }),
      ...(decided && reason !== "" && { reason }),
      ...(context.length > 0 && { inject: context }),
    },
    edits,
  );
}

/** The event's own decision precedes the older one that all events share. */
function verdict({ common, specific, request }: Output): {
  decision?: Decision | "deny" | undefined;
  reason?: string | undefined;
} {
  if (specific.permissionDecision) {
    const reason = specific.permissionDecisionReason ?? common.reason;
    return { decision: specific.permissionDecision, reason };
  }
  if (request.behavior) return { decision: request.behavior, reason: request.message };
  const older = { approve: "allow", block: "deny" } as const;
  return common.decision ? { decision: older[common.decision], reason: common.reason } : {};
}

function editsOf(
  { specific, request, newOutput }: Output,
  call: HandlerCall,
  tools: AgentTools,
): Edit[] {
  if (newOutput !== undefined) {
    return [{ path: ["payload", call.point.resultKey], value: newOutput }];
  }
  const input = specific.updatedInput ?? request.updatedInput;
  return input ? [inputEdit(input, call, tools)] : [];
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
