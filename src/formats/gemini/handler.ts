import {
  AGENT_TOOLS,
  getOwn,
  isJsonObject,
  readJson,
  type readJsonObject,
  textAt,
} from "../../core/index.ts";
import type { Edit, HookReport, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import {
  carryOn,
  failed,
  failedExit,
  listed,
  refuse,
  rewrite,
  withResult,
} from "../handler-report.ts";
import { isSentBy } from "../host-fields.ts";
import { argsOf, stringAt, typed, type Typed } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { eventOf } from "../agent-format.ts";
import { GEMINI_FIELDS, GEMINI } from "./events.ts";
import { lastUserText, messagesOf, responseText } from "./model.ts";
import { fromGeminiName } from "./tools.ts";
import { swapKeys } from "../agent-tools.ts";
import { answerOf, BLOCKS, type AgentHandler } from "../agent-handler.ts";

/**
 * Runs hooks written for Gemini CLI unchanged. JSON counts with any exit code, from stdout, otherwise from stderr. Exit
 * code 2 blocks; with plain text, 1 is a warning and any other code but 0 a denial. A timeout or an unreachable handler
 * blocks nothing. Source: protocols.md §3; where code and reference differ, the stricter one is used.
 */
export const GEMINI_HANDLER: AgentHandler = {
  format: GEMINI,
  fields: GEMINI_FIELDS,
  read: readGeminiOutput,
  env({ projectDir }, body) {
    const cwd = textAt(body, "cwd") ?? "";
    const directory = projectDir ?? cwd;
    return {
      GEMINI_PROJECT_DIR: directory,
      CLAUDE_PROJECT_DIR: directory,
      GEMINI_CWD: cwd,
      GEMINI_SESSION_ID: textAt(body, "session_id") ?? "",
    };
  },
  isMeant: (text) => text.startsWith("{"),
  ended: () => undefined,
  readExit(ended, call, parse) {
    const [stdout, stderr] = [ended.stdout.trim(), ended.stderr.trim()];
    if (!parse) return geminiText(ended.code, stderr, call);
    const read = geminiObject(stdout || stderr);
    if (read?.ok) return geminiAnswer(read.value, ended.code, stderr, call);
    // Half a response would also be text, and an intended response would get lost.
    if (read && ended.code === 0) return failed("answer", `its output ${read.why}`);
    // The reference says that stderr is the reason when a command blocks by its exit code.
    const text = ended.code === BLOCKS ? stderr || stdout : stdout || stderr;
    return geminiText(ended.code, text, call);
  },
};

/** An object, even if it was serialised twice; undefined for plain text. */
function geminiObject(text: string): ReturnType<typeof readJsonObject> | undefined {
  const read = readJson(text);
  const again = read.ok && typeof read.value === "string" ? readJson(read.value) : read;
  if (again.ok) return isJsonObject(again.value) ? { ok: true, value: again.value } : undefined;
  return text.startsWith("{") ? again : undefined;
}

/** Exit code 2 blocks by itself, whatever was printed. */
function geminiAnswer(
  answer: JsonObject,
  code: number,
  stderr: string,
  call: HandlerCall,
): HookReport {
  const refuses =
    getOwn(answer, "continue") === false ||
    ["deny", "block"].some((word) => getOwn(answer, "decision") === word);
  return code === BLOCKS && !refuses
    ? denied(call, stderr)
    : answerOf(GEMINI_HANDLER, answer, call);
}

function geminiText(code: number, text: string, call: HandlerCall): HookReport {
  if (code === 0) return carryOn();
  const isWarning = code === 1 || (code !== BLOCKS && text === "");
  return isWarning ? failedExit(code, text, "open") : denied(call, text);
}

/** The types of the keys that a hook engine handles. Other keys concern Gemini CLI's own screen. */
const KINDS = {
  continue: "boolean",
  stopReason: "string",
  decision: ["allow", "approve", "deny", "block", "ask"],
  reason: "string",
  hookSpecificOutput: {
    additionalContext: "string",
    tool_input: "object",
    llm_request: "object",
    llm_response: "object",
    toolConfig: "object",
    tailToolCallRequest: "object",
  },
} as const;

/** The event-specific keys. */
type Specific = Typed<(typeof KINDS)["hookSpecificOutput"]>;

/**
 * The meaning of a Gemini CLI response at the point of the call. `allow` is what its hooks return without an objection:
 * it skips no question of the user, so it is not an approval here.
 */
export function readGeminiOutput(output: JsonObject, call: HandlerCall): HookReport {
  const answer = typed(output, KINDS);
  if (typeof answer === "string") return failed("answer", answer);
  const { decision, hookSpecificOutput: specific = {} } = answer;
  // The reason to stop precedes that of a decision.
  const reason = answer.stopReason || answer.reason || "";
  const event = handlerEvent(GEMINI, call);
  if (answer.continue === false) {
    // Stopping the agent allows the stop, without asking others.
    return event === "AfterAgent" ? carryOn({ stop: true }) : denied(call, reason);
  }
  if (event === "BeforeModel" && specific.llm_response) {
    // Its reference says that the model is not called then; 0.61 calls it, unless the response also denies.
    const result = responseText(specific.llm_response) ?? "";
    return { answer: { action: "skip", result }, edits: [] };
  }
  if (decision === "deny" || decision === "block") return denied(call, reason);
  const edits = editsOf(event, specific, call);
  if (typeof edits === "string") return failed("answer", edits);
  const offered = offeredTools(specific);
  if (offered) return { answer: { action: "replace", result: offered }, edits: [] };
  const asks = decision === "ask" && event === "BeforeTool";
  const context = eventOf(GEMINI, event).context && specific.additionalContext;
  return carryOn(
    {
      decision: asks ? "ask" : undefined,
      reason: (asks && reason) || undefined,
      inject: listed(context || undefined),
    },
    edits,
  );
}

/**
 * The meaning of a denial at an event: the operation is denied, or the response of a tool or model is withheld. A
 * denial that Gemini CLI would ignore is a failure, so that it is visible.
 */
export function denied(call: HandlerCall, given: string): HookReport {
  const event = handlerEvent(GEMINI, call);
  const reason = given === "" ? "No reason provided" : given;
  const { refusable } = eventOf(GEMINI, event);
  if (refusable && event !== "BeforeToolSelection") return refuse(call, reason);
  return failed("answer", `denied ${event}, where Gemini CLI ignores a denial: ${reason}`, "open");
}

/** The changes of a handler, or the reason why a key has no effect although its author expects one. */
function editsOf(event: string, specific: Specific, call: HandlerCall): Edit[] | string {
  const { own, settable } = GEMINI_FIELDS;
  const taken = [...own, ...settable]
    .filter(({ at }) => at.some((name) => name === event))
    .map(({ place, field }) => [...place, field][1]);
  const lost = Object.keys(specific).find(
    (key) => key !== "additionalContext" && !taken.includes(key),
  );
  if (lost !== undefined) return `returned ${lost} at ${event}, where it has no effect`;
  const { tool_input: input, llm_request: request, llm_response: response } = specific;
  if (specific.tailToolCallRequest && !isSentBy(`agent::${GEMINI.name}`, call)) {
    return "requested a call of another tool, which only Gemini CLI can make";
  }
  if (input) {
    const tool = stringAt(call, "tool_name") ?? "";
    // It is merged into the old one, key by key.
    const merged = { ...swapKeys(AGENT_TOOLS.gemini, tool, argsOf(call)), ...input };
    return [rewrite(call, swapKeys(AGENT_TOOLS.gemini, tool, merged))];
  }
  if (request) return requestEdits(request, call);
  const text = event === "AfterModel" && response && responseText(response);
  return typeof text === "string" ? [withResult(call, text)] : [];
}

/** The remaining tools, in our names; undefined when the response does not change them. */
function offeredTools({ toolConfig = {} }: Specific): string[] | undefined {
  if (getOwn(toolConfig, "mode") === "NONE") return [];
  const names = getOwn(toolConfig, "allowedFunctionNames");
  const offered = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  return offered.length > 0 ? offered.map((name) => fromGeminiName(name)) : undefined;
}

function requestEdits(request: JsonObject, call: HandlerCall): Edit[] | string {
  const model = getOwn(request, "model");
  const messages = messagesOf(request);
  if (messages === undefined && Object.hasOwn(request, "messages")) {
    return "returned llm_request with messages that are no list";
  }
  const edits: Edit[] = [];
  if (typeof model === "string") edits.push({ path: ["payload", "model_name"], value: model });
  if (messages === undefined) return edits;
  edits.push({ path: ["payload", "messages"], value: messages });
  const prompt = lastUserText(messages);
  return prompt === undefined || prompt === stringAt(call, "prompt")
    ? edits
    : [...edits, rewrite(call, prompt)];
}
