import { equalJson, getOwn, isJsonObject, textAt, toJson } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import { swapKeys } from "../agent-tools.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import type { AgentVerdict } from "../host-protocol.ts";
import { agentVerdict, asText } from "../host-protocol.ts";
import type { ClaudeHostEvent, ClaudeHostEventName } from "./events.ts";
import { claudeHostEvent } from "./events.ts";
import { CLAUDE_TOOLS } from "./tools.ts";

/** The content of a response, before it is put into the keys of its event. */
interface ClaudeWords {
  /** Why the operation is denied. */
  readonly refusal?: string | undefined;
  readonly decision?: "allow" | "ask" | "defer" | undefined;
  readonly reason?: string | undefined;
  /** The whole input, in the agent's keys. */
  readonly input?: JsonObject | undefined;
  readonly result?: Json | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** A hook's result in place of the operation. */
  readonly handed?: Json | undefined;
}

/** What Claude Code reads on stdout. The type of its SDK has more keys; these are the ones we use. */
type ClaudeOutput = {
  systemMessage?: string;
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: ClaudeSpecific;
};

type ContextEvent =
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "SessionStart"
  | "Setup"
  | "PostModelSwitch"
  | "SubagentStart"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "Stop"
  | "Notification";

type ClaudeSpecific =
  | {
      hookEventName: "PreToolUse";
      permissionDecision?: "allow" | "deny" | "ask" | "defer";
      permissionDecisionReason?: string;
      updatedInput?: JsonObject;
      additionalContext?: string;
    }
  | {
      hookEventName: "PreModelSwitch";
      permissionDecision: "allow" | "deny" | "ask";
      permissionDecisionReason?: string;
    }
  | { hookEventName: "PermissionRequest"; decision: RequestDecision }
  | { hookEventName: "PostToolUse"; updatedToolOutput?: Json; additionalContext?: string }
  | {
      hookEventName: "Elicitation" | "ElicitationResult";
      action: "accept" | "decline";
      content?: JsonObject;
    }
  | { hookEventName: "PermissionDenied"; retry: true }
  | { hookEventName: "WorktreeCreate"; worktreePath: string }
  | { hookEventName: "MessageDisplay"; displayContent: string }
  | { hookEventName: ContextEvent; additionalContext: string };

type RequestDecision =
  | { behavior: "allow"; updatedInput?: JsonObject }
  | { behavior: "deny"; message: string };

type Render = (words: ClaudeWords) => ClaudeSpecific | undefined;

/** The event-specific keys; undefined when there are none. */
export function claudeSpecific(event: string, words: ClaudeWords): ClaudeSpecific | undefined {
  return RENDER.get(event)?.(words);
}

const TABLE: Readonly<Partial<Record<ClaudeHostEventName, Render>>> = {
  PreToolUse: (words) => {
    const { input, context } = words;
    const output = {
      ...permission(words),
      ...(input && { updatedInput: input }),
      ...(context !== undefined && { additionalContext: context }),
    };
    return Object.keys(output).length > 0 ? { hookEventName: "PreToolUse", ...output } : undefined;
  },
  PreModelSwitch: (words) => {
    const { permissionDecision, ...why } = permission(words);
    if (permissionDecision === undefined || permissionDecision === "defer") return undefined;
    return { hookEventName: "PreModelSwitch", permissionDecision, ...why };
  },
  PermissionRequest: ({ refusal, decision, input }) => {
    const hookEventName = "PermissionRequest";
    if (refusal !== undefined) {
      return { hookEventName, decision: { behavior: "deny", message: refusal } };
    }
    if (decision !== "allow") return undefined;
    return {
      hookEventName,
      decision: { behavior: "allow", ...(input && { updatedInput: input }) },
    };
  },
  PostToolUse: ({ result, context }) => {
    const output = {
      ...(result !== undefined && { updatedToolOutput: result }),
      ...(context !== undefined && { additionalContext: context }),
    };
    return Object.keys(output).length > 0 ? { hookEventName: "PostToolUse", ...output } : undefined;
  },
  Elicitation: elicitation("Elicitation"),
  ElicitationResult: elicitation("ElicitationResult"),
  PermissionDenied: ({ handed }) =>
    handed === true ? { hookEventName: "PermissionDenied", retry: true } : undefined,
  WorktreeCreate: ({ handed }) =>
    typeof handed === "string"
      ? { hookEventName: "WorktreeCreate", worktreePath: handed }
      : undefined,
  MessageDisplay: ({ handed }) =>
    typeof handed === "string"
      ? { hookEventName: "MessageDisplay", displayContent: handed }
      : undefined,
  UserPromptSubmit: contextAt("UserPromptSubmit"),
  UserPromptExpansion: contextAt("UserPromptExpansion"),
  SessionStart: contextAt("SessionStart"),
  Setup: contextAt("Setup"),
  PostModelSwitch: contextAt("PostModelSwitch"),
  SubagentStart: contextAt("SubagentStart"),
  PostToolUseFailure: contextAt("PostToolUseFailure"),
  PostToolBatch: contextAt("PostToolBatch"),
  Stop: contextAt("Stop"),
  Notification: contextAt("Notification"),
};

const RENDER: ReadonlyMap<string, Render> = new Map(Object.entries(TABLE));

function permission({ refusal, decision, reason }: ClaudeWords): {
  permissionDecision?: "allow" | "deny" | "ask" | "defer";
  permissionDecisionReason?: string;
} {
  if (refusal !== undefined) {
    return { permissionDecision: "deny", permissionDecisionReason: refusal };
  }
  if (decision === undefined) return {};
  return {
    permissionDecision: decision,
    ...(reason !== undefined && { permissionDecisionReason: reason }),
  };
}

function elicitation(hookEventName: "Elicitation" | "ElicitationResult"): Render {
  return ({ refusal, handed }) => {
    if (refusal !== undefined) return { hookEventName, action: "decline" };
    return isJsonObject(handed) ? { hookEventName, action: "accept", content: handed } : undefined;
  };
}

function contextAt(
  hookEventName: Extract<ClaudeSpecific, { additionalContext: string }>["hookEventName"],
): Render {
  return ({ context }) =>
    context === undefined ? undefined : { hookEventName, additionalContext: context };
}

/** A response while it is built. */
type ClaudeDraft = { -readonly [K in keyof ClaudeWords]: ClaudeWords[K] } & {
  /** Notes for the user. */
  notes: string[];
  downgrades: string[];
};

/** A response of a command. A denial that the event ignores is shown to the user. */
export function claudeAnswer(event: string, draft: ClaudeDraft): HostAnswer {
  const row = claudeHostEvent(event);
  const { downgrades } = draft;
  if (draft.refusal !== undefined && !row.refusable) {
    draft.notes.push(draft.refusal);
    downgrades.push(
      `a denial at ${event}: Claude Code ignores it there, so it is shown to the user instead`,
    );
    draft.refusal = undefined;
  }
  const fields = claudeOutput(event, draft);
  const output = Object.keys(fields).length > 0 ? { ...fields } : undefined;
  const exits = draft.refusal !== undefined && row.refusal === "exit";
  return { output, code: exits ? 2 : 0, downgrades, ...(exits && { message: draft.refusal }) };
}

/** The content of stdout, or the body of an HTTP response. */
export function claudeOutput(
  event: string,
  { notes, ...words }: Omit<ClaudeDraft, "downgrades">,
): ClaudeOutput {
  const { refusal } = words;
  const way = claudeHostEvent(event).refusal;
  // A request for input is declined silently, so the user gets a note.
  const shown = way === "decline" && refusal !== undefined ? [...notes, refusal] : notes;
  const specific = claudeSpecific(event, words);
  // An exit code denies whatever is on stdout; over HTTP there is none.
  const blocks = refusal !== undefined && (way === "block" || way === "exit");
  return {
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
    ...(blocks && { decision: "block", reason: refusal }),
    ...(specific && { hookSpecificOutput: specific }),
  };
}

/** The input of encoding. */
interface EncodedCall {
  readonly decoded: DecodedEvent;
  readonly outcome: Outcome;
  readonly options: HostOptions;
  readonly row: ClaudeHostEvent;
  readonly verdict: AgentVerdict;
}

/** Encode an outcome as the response to the event. */
export function encodeClaudeAnswer(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  const row = claudeHostEvent(event);
  const handed = handedOver(event, outcome);
  const { ctx, inject } = outcome;
  const verdict = agentVerdict(
    decoded,
    handed === undefined ? outcome : { action: "continue", ctx, inject },
  );
  const draft: ClaudeDraft = {
    refusal: verdict.refusal,
    handed,
    notes: [],
    downgrades: [...verdict.downgrades],
  };
  const call = { decoded, outcome, options, row, verdict };
  if (event === "SubagentStop") goOn(draft, call);
  else addModelContext(draft, call);
  decide(draft, call);
  rewriteInput(draft, call);
  replaceResult(draft, call);
  if (event === "WorktreeCreate" && draft.refusal === undefined && handed === undefined) {
    draft.downgrades.push(
      `${event}: Claude Code expects a result from its hooks, but no hook returned skip with a result`,
    );
  }
  return claudeAnswer(event, draft);
}

/** A hook's result where Claude Code accepts one in place of the operation. */
function handedOver(event: string, outcome: Outcome): Json | undefined {
  if (outcome.action === "retry") return event === "PermissionDenied" ? true : undefined;
  if (outcome.action !== "skip") return undefined;
  const { result } = outcome;
  switch (event) {
    case "WorktreeCreate":
    case "MessageDisplay":
      return typeof result === "string" ? result : undefined;
    case "Elicitation":
    case "ElicitationResult":
      return isJsonObject(result) ? result : undefined;
    default:
      return undefined;
  }
}

/** The end of a subagent: text makes it continue, and so does a retry. */
function goOn(draft: ClaudeDraft, { outcome, verdict }: EncodedCall): void {
  draft.refusal ??= verdict.context;
  if (outcome.action !== "retry") return;
  draft.refusal ??= `hook ${outcome.hook} requests a retry`;
  draft.downgrades = [];
}

function addModelContext(draft: ClaudeDraft, { decoded, row, verdict }: EncodedCall): void {
  const { context } = verdict;
  if (context === undefined) return;
  // At the end of a turn text makes the agent continue: only once, or it would never stop.
  const again = decoded.event === "Stop" && decoded.payload["stop_hook_active"] === true;
  if (row.context && (!again || draft.refusal !== undefined)) {
    draft.context = context;
    return;
  }
  draft.notes.push(context);
  draft.downgrades.push(
    again
      ? "text for the model at Stop: the agent was already made to continue once, so the text is shown to the user instead"
      : `text for the model at ${decoded.event}, where Claude Code accepts none, so it is shown to the user instead`,
  );
}

/** Apply the decision; a decision that the event cannot express becomes a denial, or nothing. */
function decide(draft: ClaudeDraft, { decoded, options, row, verdict }: EncodedCall): void {
  const { decision, reason } = verdict;
  if (draft.refusal !== undefined || decision === undefined) return;
  if (row.decisions?.includes(decision)) {
    draft.decision = decision;
    draft.reason = reason;
    return;
  }
  const { event } = decoded;
  // Nothing is asked there; and a permission request is already a question.
  if (decision === "allow" || (decision === "ask" && event === "PermissionRequest")) return;
  const wish = `${decision} at ${event}`;
  if (!row.refusable || row.passes) {
    draft.notes.push(`a hook returned ${wish}: ${reason ?? "no reason given"}`);
    draft.downgrades.push(`${wish}: the user cannot be asked there, so the operation continues`);
  } else if (decision === "defer" || options.ask === "deny") {
    draft.refusal = `a hook returned ${decision}, and the user cannot be asked: ${reason ?? "no reason given"}`;
    draft.downgrades.push(`${wish}: the user cannot be asked there, so the operation is denied`);
  } else {
    draft.downgrades.push(
      `${wish}: the user cannot be asked there, so the operation continues, as configured`,
    );
  }
}

/** Return the input that hooks changed, where it is accepted. */
function rewriteInput(draft: ClaudeDraft, call: EncodedCall): void {
  const { decoded, verdict } = call;
  if (decoded.event === "PermissionRequest") return rewriteRequest(draft, call);
  if (verdict.input === undefined || draft.refusal !== undefined) return;
  if (decoded.event === "PreToolUse") {
    if (isJsonObject(verdict.input)) draft.input = inHostKeys(decoded, verdict.input);
  } else if (decoded.event === "UserPromptSubmit") {
    const prompt =
      "A hook has rewritten the user's prompt. Follow this text instead of what the user " +
      `wrote:\n\n${asText(verdict.input)}`;
    draft.context = draft.context === undefined ? prompt : `${prompt}\n\n${draft.context}`;
    draft.downgrades.push(
      "a rewritten prompt: Claude Code keeps the original prompt, so the new one is added as context",
    );
  } else {
    draft.downgrades.push(
      `a rewritten input at ${decoded.event}, where Claude Code accepts no rewritten inputs`,
    );
  }
}

/** Claude Code accepts a changed input of a request only together with the permission. */
function rewriteRequest(draft: ClaudeDraft, call: EncodedCall): void {
  const { decoded, options, verdict } = call;
  const args = requestedArgs(call);
  if (args === undefined || draft.refusal !== undefined) return;
  const granted = draft.decision === "allow";
  if (!granted && (options.rewrite === "refuse" || verdict.decision === "ask")) {
    draft.refusal =
      "a hook has rewritten the call, which is possible only together with an approval";
    draft.downgrades.push("a rewrite at PermissionRequest without allow: the call is denied");
    return;
  }
  if (!granted) {
    draft.decision = "allow";
    draft.downgrades.push("a rewrite at PermissionRequest: the call is approved, as configured");
  }
  draft.input = inHostKeys(decoded, args);
}

/** The arguments of a request if hooks changed them, or the command beside them. */
function requestedArgs({ decoded, outcome, verdict }: EncodedCall): JsonObject | undefined {
  const before = getOwn(decoded.payload, "args");
  const now = getOwn(outcome.ctx.payload, "args") ?? before;
  const args = toJson(now, undefined, ["payload", "args"]);
  if (!isJsonObject(args)) return undefined;
  const { input } = verdict;
  const isCommand = typeof input === "string" && "command" in decoded.payload;
  const whole = isCommand ? { ...args, command: input } : args;
  return equalJson(before, whole) ? undefined : whole;
}

/** Return a changed result. */
function replaceResult(draft: ClaudeDraft, { decoded, verdict }: EncodedCall): void {
  // For a result that hooks deny (or that failed closed), the model must only see the reason.
  const isRefused = decoded.event === "PostToolUse" && verdict.refusal !== undefined;
  const result = isRefused ? verdict.refusal : verdict.result;
  if (result === undefined) return;
  if (decoded.event !== "PostToolUse") {
    draft.downgrades.push(
      `a replaced result at ${decoded.event}, where Claude Code accepts no replaced results`,
    );
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
  const tool = textAt(decoded.payload, "tool_name") ?? "";
  return swapKeys(CLAUDE_TOOLS, tool, args, sentTool(decoded));
}

/** The tool's name in Claude Code. */
function sentTool({ payload }: DecodedEvent): string | undefined {
  const host = getOwn(payload, "host");
  return isJsonObject(host) ? textAt(host, "tool_name") : undefined;
}

/** A result as Claude Code accepts it, and why it might not. */
interface FittedResult {
  readonly value: Json;
  /** A key of the tool's own result that is missing, or has another type. */
  readonly misfit?: string | undefined;
}

/** Keys under which Bash stores a copy of its output, which the model would be shown. */
const COPIES = ["persistedOutputPath", "persistedOutputSize", "rawOutputPath"];

/**
 * A changed result in the form of the tool's own: Claude Code drops other forms, and the model would see the original.
 * No text of the original is kept.
 */
function fittedResult(own: Json, other: Json): FittedResult {
  if (typeof own === "string") return { value: asText(other) };
  // Blocks of content, as in results of MCP tools.
  if (Array.isArray(own)) {
    return { value: Array.isArray(other) ? other : [{ type: "text", text: asText(other) }] };
  }
  if (!isJsonObject(own)) return { value: other };
  if (isJsonObject(other)) return fittedObject(own, other);
  const value = typeof other === "string" ? textInside(own, other) : undefined;
  return value ? { value } : { value: other, misfit: Object.keys(own)[0] };
}

/**
 * A text in place of a withheld result, in any form that the tool's own may have. Of the original, only what Claude
 * Code needs to accept it is kept.
 */
function withheldResult(own: Json, text: string): Json {
  if (!isJsonObject(own)) return fittedResult(own, text).value;
  const { file } = own;
  // A read image, notebook or document becomes a text; otherwise the model's API would reject it.
  const read = isJsonObject(file) ? { type: "text", file: { ...TEXT_FILE, ...pathOf(file) } } : own;
  return textInside(read, text) ?? blanked(own, text);
}

const TEXT_FILE = { filePath: "", content: "", numLines: 1, startLine: 1, totalLines: 1 };

function pathOf({ filePath }: JsonObject): JsonObject {
  return typeof filePath === "string" ? { filePath } : {};
}

/** Values that determine the form of the rest of a result in Claude Code's tools. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  type: ["text", "create", "update", "image", "base64"],
  mode: ["content", "files_with_matches", "count"],
  status: ["completed", "async_launched", "remote_launched"],
};

/** A value with each text replaced, each number 0 and each list cut to one item; keys and kinds are kept. */
function blanked(value: Json, text: string): Json {
  if (typeof value === "string") return text;
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => blanked(item, text));
  if (!isJsonObject(value)) return value;
  // If names are data, they are as secret as their values.
  const entries = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w{0,40}$/.test(key));
  return Object.fromEntries(
    entries
      .filter(([key]) => !COPIES.includes(key))
      .map(([key, item]) => [
        key,
        (KINDS[key] as readonly Json[] | undefined)?.includes(item) ? item : blanked(item, text),
      ]),
  );
}

function fittedObject(own: JsonObject, other: JsonObject): FittedResult {
  const value = { ...flagsOf(own), ...other };
  if (own["stdout"] !== value["stdout"]) for (const key of COPIES) delete value[key];
  const misfit = Object.keys(own).find(
    (key) => !COPIES.includes(key) && kindOf(own[key]) !== kindOf(value[key]),
  );
  return { value, misfit };
}

/** A text in place of a command's output, or of a file's content. */
function textInside(own: JsonObject, text: string): JsonObject | undefined {
  if (typeof own["stdout"] === "string") {
    const flags = flagsOf(own);
    if ("isImage" in flags) flags["isImage"] = false;
    return { ...flags, stdout: text, stderr: "" };
  }
  const { file } = own;
  const isText =
    own["type"] === "text" && isJsonObject(file) && typeof file["content"] === "string";
  return isText ? { type: "text", file: { ...file, content: text } } : undefined;
}

/** Booleans are kept: they reveal nothing that a hook may want to hide. */
function flagsOf(own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === "boolean"));
}

function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
