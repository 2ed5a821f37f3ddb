import { getOwn, isJsonObject, isPlainObject, textAt } from "../../core/index.ts";
import type { HookReport, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import {
  carryOn,
  failed,
  failedExit,
  isPre,
  listed,
  refuse,
  rewrite,
  withResult,
} from "../handler-report.ts";
import { stringAt } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { COPILOT, withSharedKeys } from "./events.ts";
import { fromCopilotInput } from "./tools.ts";
import { BLOCKS, type AgentHandler } from "../agent-handler.ts";
import { NO_FIELDS } from "../host-fields.ts";

/**
 * Runs hooks written for Copilot CLI unchanged. Any exit code but 0 denies a tool call or a permission; elsewhere code
 * 2 is a warning, and any other a failure that has no effect. What is not one JSON object is no response. Source: its
 * hooks reference, tried with 1.0.102.
 */
export const COPILOT_HANDLER: AgentHandler = {
  format: COPILOT,
  fields: NO_FIELDS,
  read: readCopilotOutput,
  projects: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  isMeant: (text) => text.startsWith("{"),
  broken: "open",
  ignored: /^\s*\{.*"type"\s*:\s*"progress".*\}\s*$/,
  ended({ code, stdout, stderr }, call, parse, read) {
    const event = handlerEvent(COPILOT, call);
    const text = stderr.trim();
    if (event === "PreToolUse" || event === "PermissionRequest") {
      if (code !== BLOCKS) return failedExit(code, stderr, "closed");
      const said = read(parse ? stdout : "", call);
      const denies =
        "answer" in said && isPlainObject(said.answer) && said.answer["action"] === "abort";
      return denies ? said : refuse(call, text === "" ? "hook exited with code 2" : text);
    }
    if (code !== BLOCKS) return undefined;
    if (event === "PostToolUseFailure") return carryOn(text === "" ? {} : { inject: [text] });
    return parse ? read(stdout, call) : carryOn();
  },
};

type Words = NonNullable<Parameters<typeof carryOn>[0]>;

/** The meaning of a Copilot CLI response at the point of the call. It ignores keys and words that it does not know. */
export function readCopilotOutput(written: JsonObject, call: HandlerCall): HookReport {
  // It reads the keys of its shared format from both places.
  const specific = getOwn(written, "hookSpecificOutput");
  const answer = { ...written, ...(isJsonObject(specific) && specific) };
  const event = handlerEvent(COPILOT, call);
  const more = listed(textAt(answer, "additionalContext"));
  const words: Words = { inject: more };
  if (event === "PreToolUse") return readToolUse(answer, words, call);
  if (event === "PermissionRequest") return readPermission(answer, call);
  if (event === "SubagentStop") return readSubagentStop(answer, words, call);
  if (answer["decision"] === "block") return refuse(call, textAt(answer, "reason") ?? "", more);
  const prompt = textAt(answer, "modifiedPrompt");
  if (event === "UserPromptSubmit" && answer["handled"] === true) {
    const result = textAt(answer, "responseContent") ?? "";
    return { answer: { action: "skip", result }, edits: [] };
  }
  if (event === "UserPromptSubmit" && prompt !== undefined && prompt !== "") {
    return carryOn(words, [rewrite(call, prompt)]);
  }
  const result = event === "PostToolUse" ? getOwn(answer, "modifiedResult") : undefined;
  // Anything but an object is ignored.
  const text = isJsonObject(result) && textAt(withSharedKeys(result), "text_result_for_llm");
  return carryOn(words, typeof text === "string" ? [withResult(call, text)] : []);
}

function readToolUse(answer: JsonObject, words: Words, call: HandlerCall): HookReport {
  const decision = answer["permissionDecision"];
  const reason = textAt(answer, "permissionDecisionReason");
  if (decision === "deny") return refuse(call, reason ?? "no reason provided");
  const input = getOwn(answer, "modifiedArgs") ?? getOwn(answer, "updatedInput") ?? undefined;
  const isSaid = decision === "allow" || decision === "ask";
  const said: Words = isSaid ? { ...words, decision, reason } : words;
  if (input === undefined) return carryOn(said);
  if (!isJsonObject(input) && typeof input !== "string") {
    // Copilot CLI then runs nothing, because the input is not valid.
    return failed("answer", "its modifiedArgs is not a valid input", "closed");
  }
  const tool = stringAt(call, "tool_name") ?? "";
  return carryOn(said, isPre(call) ? [rewrite(call, fromCopilotInput(tool, input))] : []);
}

function readPermission(answer: JsonObject, call: HandlerCall): HookReport {
  if (answer["behavior"] === "deny") {
    return refuse(call, textAt(answer, "message") ?? "denied by a hook");
  }
  return answer["behavior"] === "allow" ? carryOn({ decision: "allow" }) : carryOn();
}

/** A block makes a subagent continue; here it has already ended, so the text is for its parent. */
function readSubagentStop(answer: JsonObject, words: Words, call: HandlerCall): HookReport {
  if (answer["decision"] === "block") {
    const content = textAt(answer, "reason") ?? "";
    return content === ""
      ? failed("answer", "returned block without a reason", "open")
      : carryOn({ inject: [content] });
  }
  const response = textAt(answer, "modifiedResponse");
  return carryOn(words, response === undefined ? [] : [withResult(call, response)]);
}
