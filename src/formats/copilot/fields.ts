import type { HostFields } from "../host-fields.ts";
import { own, TOP } from "../host-fields.ts";
import type { CopilotEventName } from "./events.ts";
import { COPILOT_EVENTS } from "./events.ts";

const EVENTS = Object.keys(COPILOT_EVENTS) as CopilotEventName[];
const BLOCKED = ["UserPromptSubmit", "PostToolUse", "Stop"] as const;

/** The fields that orcs sends; others were not compared. Source: its hooks reference and types, tried with 1.0.102. */
export const COPILOT_FIELDS: HostFields<CopilotEventName> = {
  settable: [],
  own: [
    ...own(TOP, ["PreToolUse"], {
      permissionDecision: "a denial or a decision",
      permissionDecisionReason: "the reason of a denial or of a decision",
      modifiedArgs: "changed arguments",
    }),
    ...own(TOP, ["PermissionRequest"], {
      behavior: "a denial or `allow`",
      message: "the reason of a denial",
    }),
    ...own(TOP, BLOCKED, { decision: "a denial", reason: "the reason of a denial" }),
    ...own(TOP, ["UserPromptSubmit"], {
      modifiedPrompt: "a changed prompt",
      handled: "`skip`",
      responseContent: "`skip`",
    }),
    ...own(TOP, ["PostToolUse"], { modifiedResult: "`replace`" }),
    ...own(TOP, ["SubagentStop"], { modifiedResponse: "`replace` or a denial" }),
    ...own(
      TOP,
      EVENTS.filter((event) => event !== "SubagentStop" && !COPILOT_EVENTS[event].limits?.inject),
      { additionalContext: "`inject`" },
    ),
  ],
  unsent: [],
};
