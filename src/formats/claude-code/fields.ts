import type { FieldCondition, HostFields } from "../host-fields.ts";
import { IS_STOPPED, own, settable, SPECIFIC, TOP, unsent, valueAt } from "../host-fields.ts";
import type { ClaudeHostEventName } from "./events.ts";
import { CLAUDE_HOST_EVENTS, claudeHostEvent } from "./events.ts";

const ALL = Object.keys(CLAUDE_HOST_EVENTS) as ClaudeHostEventName[];
/** Where a denial makes the agent continue, so that `continue: false` would be the opposite of one. */
const ENDS = ALL.filter((event) => CLAUDE_HOST_EVENTS[event]?.passes);
/** Where a text for the model is a key of its own. */
const CONTEXT: readonly ClaudeHostEventName[] = ALL.filter(
  (event) => event !== "SubagentStop" && CLAUDE_HOST_EVENTS[event]?.limits?.inject === undefined,
);
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

/**
 * Source: `SyncHookJSONOutput` in `sdk.d.ts` of the Claude Agent SDK, with which
 * `test/unit/formats/claude-code-fields.test.ts` compares it.
 */
export const CLAUDE_FIELDS: HostFields<ClaudeHostEventName> = {
  settable: [
    ...settable(TOP, ALL, {
      suppressOutput: ["boolean", "the output of the hook is not shown in the transcript"],
      terminalSequence: [
        "string",
        "an escape sequence for the terminal: a notification, a title or the bell",
      ],
    }),
    ...settable(TOP, ["PreToolUse"], {
      continue: [
        [false],
        "the agent stops after the call; together with a denial, it continues",
        { when: TOOL_RUNS },
      ],
    }),
    ...settable(
      TOP,
      ALL.filter((event) => event !== "PreToolUse" && !ENDS.includes(event)),
      { continue: [[false], "the agent stops"] },
    ),
    ...settable(TOP, ENDS, {
      continue: [
        [false],
        "the agent stops, whatever hooks of its own settings want",
        { when: NOT_MADE_TO_CONTINUE },
      ],
    }),
    ...settable(TOP, ALL, {
      stopReason: ["string", "why the agent stopped, for its user", { when: IS_STOPPED }],
    }),
    ...settable(SPECIFIC, ["UserPromptSubmit", "SessionStart"], {
      sessionTitle: ["string", "the title of the session"],
    }),
    ...settable(SPECIFIC, ["UserPromptSubmit", "UserPromptExpansion"], {
      suppressOriginalPrompt: [
        "boolean",
        "the message about the denial does not repeat the prompt",
        { when: PROMPT_IS_DENIED },
      ],
    }),
    ...settable(SPECIFIC, ["SessionStart"], {
      initialUserMessage: ["string", "the first message of the user"],
    }),
    ...settable(SPECIFIC, ["SessionStart", "CwdChanged", "FileChanged"], {
      watchPaths: [
        "strings",
        "absolute paths of files whose changes are sent as `FileChanged`; with a large folder, the agent hangs",
      ],
    }),
    ...settable(SPECIFIC, ["SessionStart"], {
      reloadSkills: [
        "boolean",
        "skills and commands that hooks installed are available in this session",
      ],
    }),
    ...settable(REQUEST, ["PermissionRequest"], {
      updatedPermissions: [
        "objects",
        "changes of the permission rules, as in the event's `permission_suggestions`",
        { when: REQUEST_IS_ALLOWED },
      ],
      interrupt: [
        "boolean",
        "the agent stops instead of trying something else",
        { when: REQUEST_IS_DENIED },
      ],
    }),
    ...settable(SPECIFIC, ["PostToolUse"], {
      classifierContext: [
        "string",
        "a statement of the user about this call for the classifier of the mode `auto`; never text from tools or models",
      ],
    }),
    ...settable(SPECIFIC, ELICITED, {
      action: [
        ["cancel"],
        "the request for input is cancelled instead of declined",
        { replaces: ["decline"] },
      ],
    }),
  ],
  own: [
    ...own(TOP, ALL, {
      systemMessage: ["a text that only its user can be shown", shownTo],
      decision: [
        "a denial (`approve` is never sent)",
        (wish, event) => (blocks(wish, event) === undefined ? undefined : "block"),
      ],
      reason: ["the reason of a denial", blocks],
    }),
    ...own(SPECIFIC, ["PreToolUse", "PreModelSwitch"], {
      permissionDecision: [
        "a denial or a decision",
        ({ refusal, decision }) => (refusal === undefined ? decision : "deny"),
      ],
      permissionDecisionReason: [
        "the reason of a denial or of a decision",
        ({ refusal, decision, reason }) => refusal ?? (decision && reason),
      ],
    }),
    ...own(SPECIFIC, ["PreToolUse"], {
      updatedInput: ["changed arguments", ({ input }) => input],
    }),
    ...own(REQUEST, ["PermissionRequest"], {
      behavior: [
        "a denial or `allow`",
        ({ refusal, decision }) => (refusal === undefined ? allowed(decision) : "deny"),
      ],
      updatedInput: [
        "changed arguments",
        ({ refusal, decision, input }) =>
          refusal === undefined ? allowed(decision) && input : undefined,
      ],
      message: ["the reason of a denial", ({ refusal }) => refusal],
    }),
    ...own(SPECIFIC, CONTEXT, { additionalContext: ["`inject`", ({ context }) => context] }),
    ...own(SPECIFIC, ["PostToolUse"], { updatedToolOutput: ["`replace`", ({ result }) => result] }),
    ...own(SPECIFIC, ["PermissionDenied"], { retry: ["`retry`", ({ handed }) => handed] }),
    ...own(SPECIFIC, ELICITED, {
      action: [
        "a denial, or `skip` with an object",
        ({ refusal, handed }) => (refusal === undefined ? handed && "accept" : "decline"),
      ],
      content: [
        "`skip` with an object",
        ({ refusal, handed }) => (refusal === undefined ? handed : undefined),
      ],
    }),
    ...own(SPECIFIC, ["WorktreeCreate"], {
      worktreePath: ["`skip` with a path", ({ handed }) => handed],
    }),
    ...own(SPECIFIC, ["MessageDisplay"], {
      displayContent: ["`skip` with a text", ({ handed }) => handed],
    }),
  ],
  unsent: [
    ...unsent(
      SPECIFIC,
      ["SubagentStop"],
      ["additionalContext"],
      'text of `inject` is sent as the reason of `decision: "block"`, which older versions read, too',
    ),
    ...unsent(
      SPECIFIC,
      ["PostToolUse"],
      ["updatedMCPToolOutput"],
      "`replace` is sent as `updatedToolOutput`, which is for all tools",
    ),
  ],
};

function allowed(decision: string | undefined): "allow" | undefined {
  return decision === "allow" ? decision : undefined;
}

/** The reason of a denial by the decision that events share; an exit code denies whatever is on stdout. */
function blocks(
  { refusal }: { readonly refusal?: string | undefined },
  event: string,
): string | undefined {
  const way = claudeHostEvent(event).refusal;
  return way === "block" || way === "exit" ? refusal : undefined;
}

/** A request for input is declined silently, so the user gets a note. */
function shownTo(
  { notes, refusal }: { readonly notes: readonly string[]; readonly refusal?: string | undefined },
  event: string,
): string | undefined {
  const isDeclined = claudeHostEvent(event).refusal === "decline" && refusal !== undefined;
  return [...notes, ...(isDeclined ? [refusal] : [])].join("\n") || undefined;
}
