import type { FieldCondition, HostFields } from "../host-fields.ts";
import { IS_STOPPED, own, settable, SPECIFIC, TOP, unsent } from "../host-fields.ts";
import type { CodexEventName } from "./events.ts";
import { CODEX_EVENTS } from "./events.ts";

const REQUEST = [...SPECIFIC, "decision"];
/** Events that have the fields which all of Codex's schemas share. */
const COMMON = (Object.keys(CODEX_EVENTS) as CodexEventName[]).filter(
  (event) => event !== "SessionEnd" && event !== "Interrupt",
);
const NOT_STOPPABLE: readonly CodexEventName[] = [
  "SubagentStart",
  "PreToolUse",
  "PermissionRequest",
  "StopFailure",
];
const STOPPABLE = COMMON.filter((event) => !NOT_STOPPABLE.includes(event));

const NEWER = { decision: "permissionDecision", reason: "permissionDecisionReason" } as const;
const NOT_BLOCKED: FieldCondition = {
  text: "no hook denies or replaces anything",
  holds: (output) => output["decision"] !== "block",
};

/**
 * Source: `codex-rs/hooks/schema/generated/*.output.schema.json` of Codex, with which
 * `test/unit/formats/codex-reads.ts` has the same fields. `StopFailure` is in its source, and not yet in 0.169.
 */
export const CODEX_FIELDS: HostFields<CodexEventName> = {
  settable: [
    ...settable(TOP, STOPPABLE, {
      continue: [
        [false],
        "the agent stops; before a compaction, it does not happen",
        { when: NOT_BLOCKED },
      ],
      stopReason: ["string", "why the agent stopped", { when: IS_STOPPED }],
    }),
    ...settable(SPECIFIC, ["StopFailure"], {
      recovery: [
        "object",
        'the turn is tried again: `{ action = "retry" }`, optionally with a `model` and a `reason`; not tried with the real program',
      ],
    }),
  ],
  own: [
    ...own(TOP, [...COMMON, "Interrupt"], {
      systemMessage: [
        "a text that only its user can be shown",
        ({ notes }) => notes.join("\n") || undefined,
      ],
    }),
    ...own(TOP, ["PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"], {
      decision: [
        "a denial, or a replaced result",
        ({ refusal, result }) => ((refusal ?? result) === undefined ? undefined : "block"),
      ],
      reason: [
        "the reason of a denial, or a replaced result",
        ({ refusal, result }) => refusal ?? result,
      ],
    }),
    ...own(
      SPECIFIC,
      ["SessionStart", "SubagentStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
      { additionalContext: ["`inject`", ({ context }) => context] },
    ),
    ...own(SPECIFIC, ["PreToolUse"], {
      permissionDecision: [
        "a denial, or a rewrite with `allow`",
        ({ refusal, input }) => (refusal === undefined ? input && "allow" : "deny"),
      ],
      permissionDecisionReason: ["the reason of a denial", ({ refusal }) => refusal],
      updatedInput: ["changed arguments with `allow`", ({ input }) => input],
    }),
    ...own(REQUEST, ["PermissionRequest"], {
      behavior: [
        "a denial or `allow`",
        ({ refusal, decision }) => (refusal === undefined ? decision : "deny"),
      ],
      message: ["the reason of a denial", ({ refusal }) => refusal],
    }),
  ],
  unsent: [
    ...unsent(
      TOP,
      COMMON,
      ["suppressOutput"],
      "Codex does nothing with it, and rejects it around tools",
    ),
    ...unsent(
      TOP,
      NOT_STOPPABLE,
      ["continue", "stopReason"],
      "Codex ignores it there, or rejects the response",
    ),
    ...(["decision", "reason"] as const).flatMap((field) =>
      unsent(TOP, ["PreToolUse"], [field], `it is the older form of \`${NEWER[field]}\``),
    ),
    ...unsent(
      SPECIFIC,
      ["PostToolUse"],
      ["updatedMCPToolOutput"],
      "Codex reserves it, and rejects the response",
    ),
    ...unsent(
      REQUEST,
      ["PermissionRequest"],
      ["updatedInput", "updatedPermissions", "interrupt"],
      "Codex reserves it, and denies the request",
    ),
  ],
};
