import { getOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { toJson } from "../../core/to-json.ts";
import { sameJson } from "../../core/same-json.ts";
import { textField } from "../host-fields.ts";
import { asText } from "../host-verdict.ts";
import type { DecodedEvent } from "../host.ts";
import { isJsonObject } from "../read-json.ts";
import type { ClaudeDraft } from "./host-answer.ts";
import type { EncodedCall } from "./host-encode.ts";
import { fittedResult, withheldResult } from "./host-result.ts";
import { toClaudeInput } from "./tools.ts";

/** Hand back what hooks made of the input, where it is taken. */
export function rewriteInput(draft: ClaudeDraft, call: EncodedCall): void {
  const { decoded, verdict } = call;
  if (decoded.event === "PermissionRequest") return rewriteRequest(draft, call);
  if (verdict.input === undefined || draft.refusal !== undefined) return;
  if (decoded.event === "PreToolUse") {
    if (isJsonObject(verdict.input)) draft.input = inHostKeys(decoded, verdict.input);
  } else if (decoded.event === "UserPromptSubmit") {
    const prompt =
      "A hook has rewritten the user's prompt. Do what this text says, in the place of what the user " +
      `wrote:\n\n${asText(verdict.input)}`;
    draft.context = draft.context === undefined ? prompt : `${prompt}\n\n${draft.context}`;
    draft.downgrades.push(
      "a rewritten prompt: Claude Code keeps the one it has, so the model is told of the other",
    );
  } else {
    draft.downgrades.push(`a rewritten input at ${decoded.event}: none is taken there`);
  }
}

/** Claude Code takes another input for a request only with the permission. */
function rewriteRequest(draft: ClaudeDraft, call: EncodedCall): void {
  const { decoded, options, verdict } = call;
  const args = requestedArgs(call);
  if (args === undefined || draft.refusal !== undefined) return;
  const granted = draft.decision === "allow";
  if (!granted && (options.rewrite === "refuse" || verdict.decision === "ask")) {
    draft.refusal = "a hook has rewritten the call, which can only be done with an approval";
    draft.downgrades.push("a rewrite at PermissionRequest without allow: it is refused");
    return;
  }
  if (!granted) {
    draft.decision = "allow";
    draft.downgrades.push("a rewrite at PermissionRequest: it is approved, as configured");
  }
  draft.input = inHostKeys(decoded, args);
}

/** The arguments of a request when hooks changed them, or the command that stands beside them. */
function requestedArgs({ decoded, outcome, verdict }: EncodedCall): JsonObject | undefined {
  const before = getOwn(decoded.payload, "args");
  const now = getOwn(outcome.ctx.payload, "args") ?? before;
  const args = toJson(now, undefined, ["payload", "args"]);
  if (!isJsonObject(args)) return undefined;
  const { input } = verdict;
  const isCommand = typeof input === "string" && "command" in decoded.payload;
  const whole = isCommand ? { ...args, command: input } : args;
  return sameJson(before, whole) ? undefined : whole;
}

/** Hand back another result. */
export function replaceResult(draft: ClaudeDraft, { decoded, verdict }: EncodedCall): void {
  // Of a result that hooks refuse, as one that failed closed does, the model is to see the reason alone.
  const isRefused = decoded.event === "PostToolUse" && verdict.refusal !== undefined;
  const result = isRefused ? verdict.refusal : verdict.result;
  if (result === undefined) return;
  if (decoded.event !== "PostToolUse") {
    draft.downgrades.push(`a replaced result at ${decoded.event}: none is taken there`);
    return;
  }
  const own = decoded.payload["result"] ?? null;
  const { value, misfit } = isRefused
    ? { value: withheldResult(own, asText(result)), misfit: undefined }
    : fittedResult(own, result);
  draft.result = value;
  if (misfit !== undefined) {
    draft.downgrades.push(
      `a replaced result of ${sentTool(decoded)}: its ${misfit} is missing or of another type, and ` +
        "Claude Code may show the model the tool's own result",
    );
  }
}

function inHostKeys(decoded: DecodedEvent, args: JsonObject): JsonObject {
  const tool = textField(decoded.payload, "tool_name") ?? "";
  return toClaudeInput(tool, args, sentTool(decoded));
}

/** The tool as the host calls it. */
function sentTool({ payload }: DecodedEvent): string | undefined {
  const host = getOwn(payload, "host");
  return isJsonObject(host) ? textField(host, "tool_name") : undefined;
}
