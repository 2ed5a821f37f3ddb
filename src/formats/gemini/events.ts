import { AGENT_TOOLS, getOwn, isJsonObject, objectAt, textAt, stated } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { readTexts, rowsOf, text, type AgentEvent, type AgentFormat } from "../agent-format.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import type { EventLimits } from "../host-limits.ts";
import {
  BEFORE,
  CANNOT_ASK_THERE,
  DEFER_DENIES,
  DENIAL_IS_SHOWN,
  NO_REWRITE,
  NO_TEXT,
  PROMPT_IS_ADDED,
  REPORTED,
  RETRY_DENIES,
  RETRY_IGNORED,
  TEXT_IN_DENIAL,
} from "../host-limits.ts";
import type { FieldCondition, HostFields } from "../host-fields.ts";
import {
  IS_STOPPED,
  own,
  settable,
  SPECIFIC,
  TOP,
  unsent,
  valueIs,
  valueIsNot,
} from "../host-fields.ts";
import { asText, requiredField } from "../host-protocol.ts";
import { jsonAt, stringAt } from "../payload.ts";
import { lastUserText, messagesOf, responseText, withResponseText, withUserText } from "./model.ts";
import { fromGeminiName, mcpTool, toGeminiName } from "./tools.ts";
import { swapKeys } from "../agent-tools.ts";

/** An event of Gemini CLI: what it lets hooks do, and its fields. */
export interface GeminiEvent extends AgentEvent {
  /** Whether it accepts text of its handlers for the model besides a decision. */
  readonly context: boolean;
  /** Who sees the reason of a denial. */
  readonly reasonFor: "model" | "user";
}

/** Gemini CLI's default is in milliseconds, which is also the unit of its settings. */
const row = rowsOf<GeminiEvent>({
  timeoutMs: 60_000,
  // According to its reference every event accepts one, except the choice of tools.
  notice: "systemMessage",
  refusable: false,
  context: false,
  reasonFor: "user",
});

const TEXTLESS: EventLimits = { inject: NO_TEXT };
const refusable = { refusable: true } as const;
const modelSeesReason = { refusable: true, reasonFor: "model" } as const;
const forModel = { context: true } as const;
const prompt = { key: "prompt", otherwise: "" } as const;
const asked = { readParts: readRequest, writeParts: modelRequest } as const;

/** All events of Gemini CLI. Source: protocols.md §3, its hook reference and its code (0.61). */
export const GEMINI_EVENTS = {
  SessionStart: row("session.on_start", {
    ...forModel,
    fields: { source: text("source", "startup") },
  }),
  SessionEnd: row("session.on_end", {
    limits: TEXTLESS,
    fields: { reason: text("reason", "other") },
  }),
  BeforeAgent: row("prompt.pre_submit", {
    limits: {
      ...BEFORE,
      rewrite: {
        ...PROMPT_IS_ADDED,
        what: `${PROMPT_IS_ADDED.what}; a change at llm.pre_generate replaces it`,
      },
    },
    ...refusable,
    ...forModel,
    fields: { prompt: { ...prompt, required: true } },
  }),
  AfterAgent: row("agent.pre_stop", {
    limits: { ...BEFORE, rewrite: NO_REWRITE, inject: NO_TEXT },
    ...modelSeesReason,
    passes: true,
    fields: {
      prompt: { ...prompt, only: "write" },
      prompt_response: text("message", ""),
      stop_hook_active: { key: "stop_hook_active", kind: "boolean", otherwise: false },
    },
  }),
  BeforeModel: row("llm.pre_generate", {
    limits: { ask: CANNOT_ASK_THERE, defer: DEFER_DENIES, retry: RETRY_DENIES, inject: NO_TEXT },
    ...refusable,
    ...asked,
  }),
  AfterModel: row("llm.post_generate", {
    limits: {
      deny: { effect: "otherwise", what: "it can only end the whole turn" },
      retry: RETRY_IGNORED,
      inject: NO_TEXT,
    },
    ...refusable,
    readParts: readResponse,
    writeParts: (call, sent) => ({
      ...modelRequest(call, sent),
      llm_response: modelResponse(call, sent),
    }),
  }),
  BeforeToolSelection: row("tool.on_list", {
    limits: TEXTLESS,
    ...refusable,
    // An empty stdout would make stderr the response.
    notice: "none",
    ...asked,
    readParts(event) {
      const { prompt: query, available_tools: result } = readRequest(event);
      return stated({ query, result });
    },
  }),
  BeforeTool: row("tool.pre_execute", {
    limits: {
      ...BEFORE,
      allow: { effect: "sometimes", what: "it still asks its user according to its own policy" },
      ask: {
        effect: "denied",
        what: "without a user who can answer (`-p`, no terminal) it would wait for ever, so the call is denied; with one, it asks",
        unless: {
          setting: { ask: "pass" },
          effect: "ignored",
          what: "without a user, it continues as without the hook, as configured",
        },
      },
      inject: TEXT_IN_DENIAL,
    },
    ...modelSeesReason,
    decisions: ["allow", "ask"],
  }),
  AfterTool: row("tool.post_execute", {
    limits: {
      retry: RETRY_IGNORED,
      replace: {
        effect: "otherwise",
        what: "its model reads the changed result after the words `Tool result blocked:`",
      },
    },
    ...modelSeesReason,
    ...forModel,
    writeParts: (call) => ({ tool_response: toolResponse(jsonAt(call, "result") ?? null) }),
    fields: { tool_response: { key: "result", only: "read" } },
  }),
  PreCompress: row("context.pre_compact", {
    limits: {
      ...REPORTED,
      ask: { ...CANNOT_ASK_THERE, ...DENIAL_IS_SHOWN },
      defer: DENIAL_IS_SHOWN,
      rewrite: NO_REWRITE,
      inject: NO_TEXT,
    },
    fields: { trigger: text("trigger", "auto") },
  }),
  Notification: row("agent.on_notification", {
    limits: TEXTLESS,
    fields: {
      notification_type: text("kind", "ToolPermission"),
      message: text("message", ""),
      details: { otherwise: {} },
    },
  }),
} as const satisfies Record<string, GeminiEvent>;

export type GeminiEventName = keyof typeof GEMINI_EVENTS;

export const GEMINI: AgentFormat<GeminiEvent> = {
  name: "gemini",
  label: "Gemini CLI",
  events: GEMINI_EVENTS,
  // It may be one that can be denied.
  unknown: row("host.pre_event", { ...refusable, notice: "stderr" }),
  common: readTexts("session_id", "cwd", "transcript_path"),
  usual: (call) => ({
    cwd: "",
    transcript_path: stringAt(call, "transcript_path") ?? "",
    // A date: the context's own clock counts from the start of the engine.
    timestamp: new Date().toISOString(),
  }),
  childOf: () => undefined,
  readCall(event) {
    const named = requiredField("gemini", event, "tool_name", "string");
    const input = requiredField("gemini", event, "tool_input", "object");
    const name = fromGeminiName(named, getOwn(event, "mcp_context"));
    return { tool_name: name, tool: name, args: swapKeys(AGENT_TOOLS.gemini, name, input) };
  },
  writeCall({ tool, args }, sent) {
    const named = getOwn(sent, "tool_name");
    const isSent =
      typeof named === "string" && fromGeminiName(named, getOwn(sent, "mcp_context")) === tool;
    const mcp = mcpTool(tool);
    const context = mcp && { mcp_context: { server_name: mcp.server, tool_name: mcp.tool } };
    return {
      ...(isSent ? { tool_name: named } : { tool_name: toGeminiName(tool), ...context }),
      tool_input: swapKeys(AGENT_TOOLS.gemini, tool, args),
    };
  },
};

function readRequest(event: JsonObject): JsonObject {
  const request = requiredField("gemini", event, "llm_request", "object");
  const messages = messagesOf(request);
  return stated({
    prompt: messages && lastUserText(messages),
    model_name: textAt(request, "model"),
    messages,
    available_tools: readNames(getOwn(request, "toolConfig")),
  });
}

function readResponse(event: JsonObject): JsonObject {
  const response = requiredField("gemini", event, "llm_response", "object");
  return stated({
    ...readRequest(event),
    response_text: responseText(response),
    usage: readUsage(getOwn(response, "usageMetadata")),
  });
}

/** Gemini CLI may send the tools it offers; 0.61 does not. */
function readNames(config: Json | undefined): string[] | undefined {
  const names = isJsonObject(config) ? getOwn(config, "allowedFunctionNames") : undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return undefined;
  return names.map((name) => fromGeminiName(name));
}

function readUsage(counts: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(counts)) return undefined;
  return stated({
    prompt_tokens: getOwn(counts, "promptTokenCount"),
    completion_tokens: getOwn(counts, "candidatesTokenCount"),
    total_tokens: getOwn(counts, "totalTokenCount"),
  });
}

/** Gemini CLI's tools return one text for the model and one for the screen. */
function toolResponse(result: Json): JsonObject {
  if (isJsonObject(result) && Object.hasOwn(result, "llmContent")) return result;
  return { llmContent: asText(result), returnDisplay: asText(result) };
}

function modelRequest(call: HandlerCall, sent: JsonObject): JsonObject {
  const request = objectAt(sent, "llm_request");
  const given = jsonAt(call, "messages");
  const messages = Array.isArray(given) ? given : (messagesOf(request) ?? []);
  const prompt = stringAt(call, "prompt");
  const current = prompt === undefined || prompt === lastUserText(messages);
  return {
    llm_request: {
      config: {},
      ...request,
      model: stringAt(call, "model_name") ?? getOwn(request, "model") ?? "",
      messages: current ? messages : withUserText(messages, prompt),
    },
  };
}

function modelResponse(call: HandlerCall, sent: JsonObject): JsonObject {
  const response = objectAt(sent, "llm_response");
  const text = stringAt(call, "response_text") ?? "";
  return Object.hasOwn(response, "candidates") && text === (responseText(response) ?? "")
    ? response
    : withResponseText(response, text);
}

const ALL = Object.keys(GEMINI_EVENTS) as GeminiEventName[];
/** Where the shared fields are read. */
const COMMON = ALL.filter((event) => event !== "BeforeToolSelection");
const ENDING = ["BeforeAgent", "BeforeModel", "AfterTool", "AfterAgent"] as const;
const REQUEST = [...SPECIFIC, "llm_request"];
const TOOL_CONFIG = [...SPECIFIC, "toolConfig"];

const NOT_DENIED = valueIsNot("no hook denies or replaces anything", ["decision"], "deny");
const GOES_ON: FieldCondition = {
  text: "no hook denies, replaces or stops anything",
  holds: (output) => output["decision"] !== "deny" && output["continue"] !== false,
};
const ENDS_OR_CONTINUES: FieldCondition = {
  text: "a hook denies the stop, or `continue` is false",
  holds: (output) => output["decision"] === "deny" || output["continue"] === false,
};
// Gemini CLI 0.61 shows no `systemMessage` with it.
const NOBODY_IS_TOLD = valueIs("its user is shown nothing", ["systemMessage"]);

/** Source: the hook reference and `packages/core/src/hooks/types.ts` of Gemini CLI, of August 2026, and 0.61. */
export const GEMINI_FIELDS: HostFields<GeminiEventName> = {
  settable: [
    ...settable(TOP, COMMON, {
      suppressOutput: ["boolean", "the output of the hook is not logged", { when: NOBODY_IS_TOLD }],
    }),
    ...settable(TOP, ["BeforeTool"], {
      continue: [[false], "the agent stops, and the tool does not run"],
    }),
    ...settable(TOP, ENDING, { continue: [[false], "the agent stops", { when: NOT_DENIED }] }),
    ...settable(TOP, ["BeforeTool", ...ENDING], {
      stopReason: ["string", "why the agent stopped, for its user", { when: IS_STOPPED }],
    }),
    ...settable(SPECIFIC, ["AfterAgent"], {
      clearContext: ["boolean", "the model forgets the conversation", { when: ENDS_OR_CONTINUES }],
    }),
    ...settable(SPECIFIC, ["AfterTool"], {
      tailToolCallRequest: [
        "object",
        "another call, `{ name, args }` in the agent's names, whose result the model reads instead; it is an event of its own",
        { when: GOES_ON },
      ],
    }),
    ...settable(TOOL_CONFIG, ["BeforeToolSelection"], {
      mode: [["ANY"], "the model must call a tool", { replaces: ["AUTO"] }],
    }),
  ],
  own: [
    ...own(TOP, COMMON, {
      systemMessage: "a text that only its user can be shown",
      decision: "a denial or a decision",
      reason: "the reason of a denial or of a decision",
    }),
    ...own(SPECIFIC, ["SessionStart", "BeforeAgent", "AfterTool"], {
      additionalContext: "`inject`",
    }),
    ...own(SPECIFIC, ["BeforeTool"], { tool_input: "changed arguments" }),
    ...own(REQUEST, ["BeforeModel"], {
      model: "a changed `model_name`",
      messages: "changed messages",
    }),
    ...own(SPECIFIC, ["BeforeModel"], { llm_response: "`skip` with a text" }),
    ...own(SPECIFIC, ["AfterModel"], { llm_response: "`replace`" }),
    ...own(TOP, ["AfterModel"], {
      continue: "a denial",
      stopReason: "the reason of a denial",
    }),
    ...own(TOOL_CONFIG, ["BeforeToolSelection"], {
      mode: "a list of tools",
      allowedFunctionNames: "a list of tools",
    }),
  ],
  unsent: unsent(REQUEST, ["BeforeModel"], {
    config: "Gemini CLI then sends the request without its tools and its system prompt",
  }),
};
