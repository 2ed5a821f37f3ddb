import type { FieldCondition, HostFields } from "../host-fields.ts";
import { IS_STOPPED, own, settable, SPECIFIC, TOP, unsent } from "../host-fields.ts";
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
// Gemini CLI 0.61 shows no `systemMessage` with it.
const NOBODY_IS_TOLD: FieldCondition = {
  text: "its user is shown nothing",
  holds: (output) => output["systemMessage"] === undefined,
};

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
  unsent: unsent(
    REQUEST,
    ["BeforeModel"],
    ["config"],
    "Gemini CLI then sends the request without its tools and its system prompt",
  ),
};
