import type { FieldCondition, HostFields } from "../host-fields.ts";
import { SPECIFIC, TOP } from "../host-fields.ts";
import type { GeminiEventName } from "./events.ts";
import { GEMINI_EVENTS } from "./events.ts";

const ALL = Object.keys(GEMINI_EVENTS) as GeminiEventName[];
/** Where the shared fields are read. */
const COMMON = ALL.filter((event) => event !== "BeforeToolSelection");
const ENDING = ["BeforeAgent", "BeforeModel", "AfterTool", "AfterAgent"] as const;
const REQUEST = [...SPECIFIC, "llm_request"];
const TOOL_CONFIG = [...SPECIFIC, "toolConfig"];

const NOT_DENIED: FieldCondition = {
  text: "no hook denies or replaces anything",
  holds: (output) => output["decision"] !== "deny",
};
const GOES_ON: FieldCondition = {
  text: "no hook denies, replaces or stops anything",
  holds: (output) => output["decision"] !== "deny" && output["continue"] !== false,
};
const ENDS_OR_CONTINUES: FieldCondition = {
  text: "a hook denies the stop, or `continue` is false",
  holds: (output) => output["decision"] === "deny" || output["continue"] === false,
};
const IS_STOPPED: FieldCondition = {
  text: "`continue` is false",
  holds: (output) => output["continue"] === false,
};
// Gemini CLI 0.61 shows no `systemMessage` with it.
const NOBODY_IS_TOLD: FieldCondition = {
  text: "its user is shown nothing",
  holds: (output) => output["systemMessage"] === undefined,
};

/** Source: the hook reference and `packages/core/src/hooks/types.ts` of Gemini CLI, of August 2026, and 0.61. */
export const GEMINI_FIELDS: HostFields<GeminiEventName> = {
  settable: [
    {
      field: "suppressOutput",
      at: COMMON,
      kind: "boolean",
      place: TOP,
      when: NOBODY_IS_TOLD,
      doc: "the output of the hook is not logged",
    },
    {
      field: "continue",
      at: ["BeforeTool"],
      kind: [false],
      place: TOP,
      doc: "the agent stops, and the tool does not run",
    },
    {
      field: "continue",
      at: ENDING,
      kind: [false],
      place: TOP,
      when: NOT_DENIED,
      doc: "the agent stops",
    },
    {
      field: "stopReason",
      at: ["BeforeTool", ...ENDING],
      kind: "string",
      place: TOP,
      when: IS_STOPPED,
      doc: "why the agent stopped, for its user",
    },
    {
      field: "clearContext",
      at: ["AfterAgent"],
      kind: "boolean",
      place: SPECIFIC,
      when: ENDS_OR_CONTINUES,
      doc: "the model forgets the conversation",
    },
    {
      field: "tailToolCallRequest",
      at: ["AfterTool"],
      kind: "object",
      place: SPECIFIC,
      when: GOES_ON,
      doc: "another call, `{ name, args }` in the agent's names, whose result the model reads instead; it is an event of its own",
    },
    {
      field: "mode",
      at: ["BeforeToolSelection"],
      kind: ["ANY"],
      place: TOOL_CONFIG,
      replaces: ["AUTO"],
      doc: "the model must call a tool",
    },
  ],
  own: [
    {
      field: "systemMessage",
      at: COMMON,
      place: TOP,
      by: "a text that only its user can be shown",
    },
    { field: "decision", at: COMMON, place: TOP, by: "a denial or a decision" },
    { field: "reason", at: COMMON, place: TOP, by: "the reason of a denial or of a decision" },
    {
      field: "additionalContext",
      at: ["SessionStart", "BeforeAgent", "AfterTool"],
      place: SPECIFIC,
      by: "`inject`",
    },
    { field: "tool_input", at: ["BeforeTool"], place: SPECIFIC, by: "changed arguments" },
    { field: "model", at: ["BeforeModel"], place: REQUEST, by: "a changed `model_name`" },
    { field: "messages", at: ["BeforeModel"], place: REQUEST, by: "changed messages" },
    { field: "llm_response", at: ["BeforeModel"], place: SPECIFIC, by: "`skip` with a text" },
    { field: "llm_response", at: ["AfterModel"], place: SPECIFIC, by: "`replace`" },
    { field: "continue", at: ["AfterModel"], place: TOP, by: "a denial" },
    { field: "stopReason", at: ["AfterModel"], place: TOP, by: "the reason of a denial" },
    { field: "mode", at: ["BeforeToolSelection"], place: TOOL_CONFIG, by: "a list of tools" },
    {
      field: "allowedFunctionNames",
      at: ["BeforeToolSelection"],
      place: TOOL_CONFIG,
      by: "a list of tools",
    },
  ],
  unsent: [
    {
      field: "config",
      at: ["BeforeModel"],
      place: REQUEST,
      why: "Gemini CLI then sends the request without its tools and its system prompt",
    },
  ],
};
