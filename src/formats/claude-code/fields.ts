import type { FieldCondition, HostFields } from "../host-fields.ts";
import { SPECIFIC, TOP, valueAt } from "../host-fields.ts";
import type { ClaudeHostEventName } from "./events.ts";
import { CLAUDE_HOST_EVENTS } from "./events.ts";

const ALL = Object.keys(CLAUDE_HOST_EVENTS) as ClaudeHostEventName[];
/** Where a denial makes the agent continue, so that `continue: false` would be the opposite of one. */
const ENDS = ALL.filter((event) => CLAUDE_HOST_EVENTS[event]?.passes);
const REQUEST = [...SPECIFIC, "decision"];
const ELICITED = ["Elicitation", "ElicitationResult"] as const;

const PROMPT_IS_DENIED: FieldCondition = {
  text: "hooks deny the prompt",
  holds: (output) => output["decision"] === "block",
};
const REQUEST_IS_ALLOWED: FieldCondition = {
  text: "a hook returns `allow`",
  holds: (output, outcome) =>
    outcome.action === "continue" &&
    outcome.decision === "allow" &&
    valueAt(output, [...REQUEST, "behavior"]) === "allow",
};
const REQUEST_IS_DENIED: FieldCondition = {
  text: "hooks deny the request",
  holds: (output) => valueAt(output, [...REQUEST, "behavior"]) === "deny",
};
const NOT_MADE_TO_CONTINUE: FieldCondition = {
  text: "no hook makes the agent continue",
  holds: (output) => output["decision"] !== "block",
};
// 2.1.197 runs the tool and then stops; after a denial it continues.
const TOOL_RUNS: FieldCondition = {
  text: "no hook denies the call",
  holds: (output) => valueAt(output, [...SPECIFIC, "permissionDecision"]) !== "deny",
};
const IS_STOPPED: FieldCondition = {
  text: "`continue` is false",
  holds: (output) => output["continue"] === false,
};
const PROMPT_HIDDEN = "the message about the denial does not repeat the prompt";
const TITLE = "the title of the session";

/**
 * Source: `SyncHookJSONOutput` in `sdk.d.ts` of the Claude Agent SDK, with which
 * `test/unit/formats/claude-code-fields.test.ts` compares it.
 */
export const CLAUDE_FIELDS: HostFields<ClaudeHostEventName> = {
  settable: [
    {
      field: "suppressOutput",
      at: ALL,
      kind: "boolean",
      place: TOP,
      doc: "the output of the hook is not shown in the transcript",
    },
    {
      field: "terminalSequence",
      at: ALL,
      kind: "string",
      place: TOP,
      doc: "an escape sequence for the terminal: a notification, a title or the bell",
    },
    {
      field: "continue",
      at: ["PreToolUse"],
      kind: [false],
      place: TOP,
      when: TOOL_RUNS,
      doc: "the agent stops after the call; together with a denial, it continues",
    },
    {
      field: "continue",
      at: ALL.filter((event) => event !== "PreToolUse" && !ENDS.includes(event)),
      kind: [false],
      place: TOP,
      doc: "the agent stops",
    },
    {
      field: "continue",
      at: ENDS,
      kind: [false],
      place: TOP,
      when: NOT_MADE_TO_CONTINUE,
      doc: "the agent stops, whatever hooks of its own settings want",
    },
    {
      field: "stopReason",
      at: ALL,
      kind: "string",
      place: TOP,
      when: IS_STOPPED,
      doc: "why the agent stopped, for its user",
    },
    {
      field: "sessionTitle",
      at: ["UserPromptSubmit", "SessionStart"],
      kind: "string",
      place: SPECIFIC,
      doc: TITLE,
    },
    {
      field: "suppressOriginalPrompt",
      at: ["UserPromptSubmit", "UserPromptExpansion"],
      kind: "boolean",
      place: SPECIFIC,
      when: PROMPT_IS_DENIED,
      doc: PROMPT_HIDDEN,
    },
    {
      field: "initialUserMessage",
      at: ["SessionStart"],
      kind: "string",
      place: SPECIFIC,
      doc: "the first message of the user",
    },
    {
      field: "watchPaths",
      at: ["SessionStart", "CwdChanged", "FileChanged"],
      kind: "strings",
      place: SPECIFIC,
      doc: "absolute paths of files whose changes are sent as `FileChanged`; with a large folder, the agent hangs",
    },
    {
      field: "reloadSkills",
      at: ["SessionStart"],
      kind: "boolean",
      place: SPECIFIC,
      doc: "skills and commands that hooks installed are available in this session",
    },
    {
      field: "updatedPermissions",
      at: ["PermissionRequest"],
      kind: "objects",
      place: REQUEST,
      when: REQUEST_IS_ALLOWED,
      doc: "changes of the permission rules, as in the event's `permission_suggestions`",
    },
    {
      field: "interrupt",
      at: ["PermissionRequest"],
      kind: "boolean",
      place: REQUEST,
      when: REQUEST_IS_DENIED,
      doc: "the agent stops instead of trying something else",
    },
    {
      field: "classifierContext",
      at: ["PostToolUse"],
      kind: "string",
      place: SPECIFIC,
      doc: "a statement of the user about this call for the classifier of the mode `auto`; never text from tools or models",
    },
    {
      field: "action",
      at: ELICITED,
      kind: ["cancel"],
      place: SPECIFIC,
      replaces: ["decline"],
      doc: "the request for input is cancelled instead of declined",
    },
  ],
  own: [
    { field: "systemMessage", at: ALL, place: TOP, by: "a text that only its user can be shown" },
    {
      field: "decision",
      at: ALL,
      place: TOP,
      by: "a denial (`approve` is never sent)",
    },
    { field: "reason", at: ALL, place: TOP, by: "the reason of a denial" },
    {
      field: "permissionDecision",
      at: ["PreToolUse", "PreModelSwitch"],
      place: SPECIFIC,
      by: "a denial or a decision",
    },
    {
      field: "permissionDecisionReason",
      at: ["PreToolUse", "PreModelSwitch"],
      place: SPECIFIC,
      by: "the reason of a denial or of a decision",
    },
    { field: "updatedInput", at: ["PreToolUse"], place: SPECIFIC, by: "changed arguments" },
    { field: "behavior", at: ["PermissionRequest"], place: REQUEST, by: "a denial or `allow`" },
    { field: "updatedInput", at: ["PermissionRequest"], place: REQUEST, by: "changed arguments" },
    { field: "message", at: ["PermissionRequest"], place: REQUEST, by: "the reason of a denial" },
    {
      field: "additionalContext",
      at: [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Notification",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "Setup",
        "Stop",
        "SubagentStart",
        "PostModelSwitch",
      ],
      place: SPECIFIC,
      by: "`inject`",
    },
    { field: "updatedToolOutput", at: ["PostToolUse"], place: SPECIFIC, by: "`replace`" },
    { field: "retry", at: ["PermissionDenied"], place: SPECIFIC, by: "`retry`" },
    { field: "action", at: ELICITED, place: SPECIFIC, by: "a denial, or `skip` with an object" },
    { field: "content", at: ELICITED, place: SPECIFIC, by: "`skip` with an object" },
    { field: "worktreePath", at: ["WorktreeCreate"], place: SPECIFIC, by: "`skip` with a path" },
    { field: "displayContent", at: ["MessageDisplay"], place: SPECIFIC, by: "`skip` with a text" },
  ],
  unsent: [
    {
      field: "additionalContext",
      at: ["SubagentStop"],
      place: SPECIFIC,
      why: 'text of `inject` is sent as the reason of `decision: "block"`, which older versions read, too',
    },
    {
      field: "updatedMCPToolOutput",
      at: ["PostToolUse"],
      place: SPECIFIC,
      why: "`replace` is sent as `updatedToolOutput`, which is for all tools",
    },
  ],
};
