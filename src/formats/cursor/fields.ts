import type { HostFields } from "../host-fields.ts";
import { TOP } from "../host-fields.ts";
import type { CursorEventName, OutputKey } from "./events.ts";
import { CURSOR_EVENTS } from "./events.ts";

const EVENTS = Object.keys(CURSOR_EVENTS) as CursorEventName[];
const taking = (key: OutputKey): readonly CursorEventName[] =>
  EVENTS.filter((event) => CURSOR_EVENTS[event].takes.includes(key));

/**
 * Source: cursor.com/docs/hooks of September 2026, and a published reading of the program of 2026.09.18. Nothing of it
 * was tried with the real program.
 */
export const CURSOR_FIELDS: HostFields<CursorEventName> = {
  settable: [
    {
      field: "env",
      at: ["sessionStart"],
      kind: "object",
      place: TOP,
      doc: "variables of later hooks of the session",
    },
    {
      field: "additional_context",
      at: ["beforeSubmitPrompt"],
      kind: "string",
      place: TOP,
      doc: "text for the model, up to 10,000 characters; not in Cursor's documentation, but in the program of 2026.09.18",
    },
  ],
  own: [
    { field: "permission", at: taking("permission"), place: TOP, by: "a denial or a decision" },
    { field: "continue", at: taking("continue"), place: TOP, by: "a denial" },
    {
      field: "user_message",
      at: taking("user_message"),
      place: TOP,
      by: "the reason of a denial, or a notice",
    },
    {
      field: "agent_message",
      at: taking("agent_message"),
      place: TOP,
      by: "the reason of a denial, or `inject`",
    },
    { field: "updated_input", at: taking("updated_input"), place: TOP, by: "changed arguments" },
    {
      field: "updated_mcp_tool_output",
      at: taking("updated_mcp_tool_output"),
      place: TOP,
      by: "`replace`",
    },
    {
      field: "additional_context",
      at: taking("additional_context"),
      place: TOP,
      by: "`inject`",
    },
    {
      field: "followup_message",
      at: taking("followup_message"),
      place: TOP,
      by: "a denial of the stop, or `inject` with `user_message`",
    },
  ],
  unsent: [
    {
      field: "continue",
      at: ["sessionStart"],
      place: TOP,
      why: "Cursor starts the session all the same",
    },
    {
      field: "user_message",
      at: ["sessionStart"],
      place: TOP,
      why: "Cursor shows it only with `continue`",
    },
  ],
};
