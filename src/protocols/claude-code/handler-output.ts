import type { Decision } from "../../core/actions.ts";
import { DECISIONS } from "../../core/actions.ts";
import type { Edit, HookReport } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { getOwn } from "../../core/json.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, isPre, refuse, rewrite } from "../handler-report.ts";
import type { Typed } from "../payload.ts";
import { stringAt, typed } from "../payload.ts";
import { STOP_EVENTS } from "./events.ts";
import { claudeEventName, sentTool } from "./handler-input.ts";
import { fromClaudeInput } from "./tools.ts";

/** What an answer's keys hold. Those that are not here concern Claude Code's own screen and are passed over. */
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

/** An answer's parts, each of the kind it must be. */
interface Output {
  readonly common: Typed<typeof OUTPUT_KINDS>;
  readonly specific: Typed<typeof SPECIFIC_KINDS>;
  readonly request: Typed<typeof REQUEST_KINDS>;
  readonly newOutput: Json | undefined;
}

/** What an answer of Claude Code's means at the point of the call. */
export function readClaudeOutput(answer: JsonObject, call: HandlerCall): HookReport {
  const event = claudeEventName(call);
  const output = readParts(answer);
  if (typeof output === "string") return failed("answer", output);
  const { common, specific } = output;
  const named = specific.hookEventName;
  if (named !== undefined && named !== event) {
    return failed("answer", `returned for the event ${named}, expected ${event}`);
  }
  if (common.continue === false) {
    // To stop the agent is to let it, and to ask nobody else.
    if (STOP_EVENTS.includes(event)) return carryOn({ stop: true });
    return refuse(call, common.stopReason ?? common.reason ?? "stopped by a hook");
  }
  const misplaced = misplacedKey(output, call);
  return misplaced === undefined
    ? act(output, call)
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

/** What would have no effect here, and whose sender believes that it has. */
function misplacedKey(
  { specific, request, newOutput }: Output,
  call: HandlerCall,
): string | undefined {
  if (!isPre(call) && (specific.updatedInput ?? request.updatedInput)) return "updatedInput";
  if (call.point.phase !== "post" && newOutput !== undefined) return "updatedToolOutput";
  return undefined;
}

function act(output: Output, call: HandlerCall): HookReport {
  const { decision, reason = "" } = verdict(output);
  const { additionalContext } = output.specific;
  const context = additionalContext ? [additionalContext] : [];
  if (decision === "deny") return refuse(call, reason, context);
  const edits = editsOf(output, call);
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

/** The event's own decision goes before the older one that all events share. */
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

function editsOf({ specific, request, newOutput }: Output, call: HandlerCall): Edit[] {
  if (newOutput !== undefined) {
    return [{ path: ["payload", call.point.resultKey], value: newOutput }];
  }
  const input = specific.updatedInput ?? request.updatedInput;
  return input ? [inputEdit(input, call)] : [];
}

function inputEdit(input: JsonObject, call: HandlerCall): Edit {
  const tool = stringAt(call, "tool_name");
  if (tool !== undefined) {
    return { path: ["payload", "args"], value: fromClaudeInput(tool, input, sentTool(call)) };
  }
  // A permission asked for a bare command went out as one of Bash.
  const command = getOwn(input, "command");
  const bare = stringAt(call, "command") !== undefined && command !== undefined;
  return rewrite(call, bare ? command : input);
}
