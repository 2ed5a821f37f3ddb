import type { HostFields } from "../host-fields.ts";
import { TOP } from "../host-fields.ts";
import type { CopilotEventName } from "./events.ts";
import { COPILOT_EVENTS } from "./events.ts";

const EVENTS = Object.keys(COPILOT_EVENTS) as CopilotEventName[];
const BLOCKED = ["UserPromptSubmit", "PostToolUse", "Stop"] as const;

/** The fields that orcs sends; others were not compared. Source: its hooks reference and types, tried with 1.0.102. */
export const COPILOT_FIELDS: HostFields<CopilotEventName> = {
  settable: [],
  own: [
    { field: "permissionDecision", at: ["PreToolUse"], place: TOP, by: "a denial or a decision" },
    {
      field: "permissionDecisionReason",
      at: ["PreToolUse"],
      place: TOP,
      by: "the reason of a denial or of a decision",
    },
    { field: "modifiedArgs", at: ["PreToolUse"], place: TOP, by: "changed arguments" },
    { field: "behavior", at: ["PermissionRequest"], place: TOP, by: "a denial or `allow`" },
    { field: "message", at: ["PermissionRequest"], place: TOP, by: "the reason of a denial" },
    { field: "decision", at: BLOCKED, place: TOP, by: "a denial" },
    { field: "reason", at: BLOCKED, place: TOP, by: "the reason of a denial" },
    { field: "modifiedPrompt", at: ["UserPromptSubmit"], place: TOP, by: "a changed prompt" },
    { field: "handled", at: ["UserPromptSubmit"], place: TOP, by: "`skip`" },
    { field: "responseContent", at: ["UserPromptSubmit"], place: TOP, by: "`skip`" },
    { field: "modifiedResult", at: ["PostToolUse"], place: TOP, by: "`replace`" },
    {
      field: "modifiedResponse",
      at: ["SubagentStop"],
      place: TOP,
      by: "`replace` or a denial",
    },
    {
      field: "additionalContext",
      at: EVENTS.filter((event) => "context" in COPILOT_EVENTS[event]),
      place: TOP,
      by: "`inject`",
    },
  ],
  unsent: [],
};
