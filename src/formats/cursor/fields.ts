import type { HostFields } from "../host-fields.ts";
import { own, settable, TOP, unsent } from "../host-fields.ts";
import type { CursorEventName, OutputKey } from "./events.ts";
import { CURSOR_EVENTS } from "./events.ts";

const EVENTS = Object.keys(CURSOR_EVENTS) as CursorEventName[];
/** What sets the keys that an event takes. */
const SET_BY: Partial<Record<OutputKey, string>> = {
  permission: "a denial or a decision",
  continue: "a denial",
  user_message: "the reason of a denial, or a notice",
  agent_message: "the reason of a denial, or `inject`",
  updated_input: "changed arguments",
  updated_mcp_tool_output: "`replace`",
  additional_context: "`inject`",
  followup_message: "a denial of the stop, or `inject` with `user_message`",
};

/**
 * Source: cursor.com/docs/hooks of September 2026, and a published reading of the program of 2026.09.18. Nothing of it
 * was tried with the real program.
 */
export const CURSOR_FIELDS: HostFields<CursorEventName> = {
  settable: [
    ...settable(TOP, ["sessionStart"], {
      env: ["object", "variables of later hooks of the session"],
    }),
    ...settable(TOP, ["beforeSubmitPrompt"], {
      additional_context: [
        "string",
        "text for the model, up to 10,000 characters; not in Cursor's documentation, but in the program of 2026.09.18",
      ],
    }),
  ],
  own: Object.entries(SET_BY).flatMap(([key, by]) =>
    own(
      TOP,
      EVENTS.filter((event) => CURSOR_EVENTS[event].takes.some((taken) => taken === key)),
      { [key]: by },
    ),
  ),
  unsent: [
    ...unsent(TOP, ["sessionStart"], ["continue"], "Cursor starts the session all the same"),
    ...unsent(TOP, ["sessionStart"], ["user_message"], "Cursor shows it only with `continue`"),
  ],
};
