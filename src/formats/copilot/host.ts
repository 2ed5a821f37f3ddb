import { getOwn, isJsonObject, objectAt, textAt, stated } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import { isReadable, nonBlank } from "../agent-text.ts";
import type { EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, refuseRewrite, showText, withContext } from "../encode-event.ts";
import { CANNOT_ASK_THERE } from "../host-limits.ts";
import type { DecodedEvent, HostAnswer, HostProtocol } from "../host-protocol.ts";
import { asText } from "../host-protocol.ts";
import type { HostFields } from "../host-fields.ts";
import { own, TOP } from "../host-fields.ts";
import type { CopilotEvent, CopilotEventName } from "./events.ts";
import { COPILOT, COPILOT_EVENTS, withSharedKeys } from "./events.ts";
import { rewrittenInput } from "./tools.ts";

/** Exit code that denies a tool call or a permission, and shows stderr to the user at most other events. */
const DENIES_OR_WARNS = 2;

/** Copilot CLI cuts longer output, and ignores what it cannot parse then. */
const MAX_OUTPUT_BYTES = 10 * 2 ** 20;

const EVENTS = Object.keys(COPILOT_EVENTS) as CopilotEventName[];
const BLOCKED = ["UserPromptSubmit", "PostToolUse", "Stop"] as const;

/** The fields that orcs sends; others were not compared. Source: its hooks reference and types, tried with 1.0.102. */
const COPILOT_FIELDS: HostFields<CopilotEventName> = {
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

/**
 * GitHub Copilot CLI. A response that it cannot parse counts as none, and it then runs the tool: exit code 2 is the
 * only denial without one. Source: its hooks reference and types, tried with 1.0.102.
 */
export const copilotHost: HostProtocol = hostProtocol<CopilotEvent>({
  format: COPILOT,
  newer: { defer: CANNOT_ASK_THERE },
  fields: COPILOT_FIELDS,
  rewrites: {
    PreToolUse: rewriteTool,
    UserPromptSubmit(wish, input) {
      const prompt = nonBlank(asText(input), "");
      if (prompt === "") refuseRewrite(wish, "Copilot CLI", "Copilot CLI ignores an empty prompt");
      else wish.output["modifiedPrompt"] = prompt;
    },
  },
  results: {
    PostToolUse(wish, result) {
      const textResultForLlm = nonBlank(asText(result), NO_RESULT);
      wish.output["modifiedResult"] = { resultType: "success", textResultForLlm };
    },
    SubagentStop(wish, result) {
      wish.output["modifiedResponse"] = nonBlank(asText(result), NO_RESULT);
    },
  },
  texts: {
    SubagentStop(wish, context, call) {
      const isReplaced = wish.output["modifiedResponse"] !== undefined;
      if (isReplaced || call.decoded.payload["stop_hook_active"] === true) {
        return showText(wish, "Copilot CLI", call, "shown");
      }
      // The only way to pass it text. Repeated each time, it would never stop.
      Object.assign(wish.output, REFUSALS.block(context));
      wish.context = undefined;
    },
  },
  special: inPlaceOfModel,
  deny,
  goOn,
});

const NO_RESULT = "(no result)";

/** The keys of a denial at an event. */
const REFUSALS = {
  permission: (permissionDecisionReason: string): JsonObject => ({
    permissionDecision: "deny",
    permissionDecisionReason,
  }),
  behavior: (message: string): JsonObject => ({ behavior: "deny", message }),
  block: (reason: string): JsonObject => ({ decision: "block", reason }),
  response: (modifiedResponse: string): JsonObject => ({ modifiedResponse }),
} as const;

function deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer {
  const row = getOwn(COPILOT.events, event ?? "");
  const { context, downgrades } = wish;
  const why = withContext(refusal, wish);
  if (row?.refusal === undefined) {
    const lost = `denial at ${event}, which Copilot CLI ignores: ${why}`;
    return warning(row, why, row ? [...downgrades, lost] : downgrades);
  }
  return row.refusal === "permission" && context !== undefined
    ? answer(row, { ...REFUSALS.permission(refusal), additionalContext: context }, downgrades)
    : answer(row, REFUSALS[row.refusal](why), downgrades);
}

/** A text that is shown to the user, if the event allows it. An event of a newer Copilot CLI can only be denied so. */
function warning(
  row: CopilotEvent | undefined,
  message: string,
  downgrades: readonly string[],
): HostAnswer {
  const code = row === undefined || row.notice === "warning" ? DENIES_OR_WARNS : 0;
  return { output: undefined, message, code, downgrades };
}

/** A response with exit code 0; one that is too long to be read becomes a denial. */
function answer(row: CopilotEvent, output: JsonObject, downgrades: readonly string[]): HostAnswer {
  const isEmpty = Object.keys(output).length === 0;
  if (isEmpty || Buffer.byteLength(JSON.stringify(output)) < MAX_OUTPUT_BYTES) {
    return { output: isEmpty ? undefined : output, code: 0, downgrades };
  }
  const why = `the result of the hooks has more than ${MAX_OUTPUT_BYTES} bytes, which Copilot CLI does not read`;
  const lines = [...downgrades, why];
  return row.refusal === undefined
    ? warning(row, why, lines)
    : { output: REFUSALS[row.refusal](why), code: 0, downgrades: lines };
}

function goOn(event: string, wish: Wish, call?: EncodeCall<CopilotEvent>): HostAnswer {
  const { decision, reason, context, notes, downgrades } = wish;
  const row = call?.row ?? getOwn(COPILOT.events, event);
  if (row === undefined || !call) return warning(row, notes.join("\n"), downgrades);
  const isRequest = row.refusal === "behavior";
  const words = {
    ...wish.output,
    ...(decision && (isRequest ? { behavior: decision } : { permissionDecision: decision })),
    ...(decision && !isRequest && { permissionDecisionReason: reason && nonBlank(reason, reason) }),
    additionalContext: context,
  };
  const { code, ...said } = answer(row, stated(words), downgrades);
  return notes.length === 0
    ? { ...said, code }
    : { ...said, message: notes.join("\n"), code: DENIES_OR_WARNS };
}

/** A prompt can be answered in place of the model. */
function inPlaceOfModel({ event }: DecodedEvent, outcome: Outcome): HostAnswer | undefined {
  if (outcome.action !== "skip" || event !== "UserPromptSubmit") return undefined;
  const { result, hook, inject } = outcome;
  const lost =
    inject.length === 0 ? [] : ["text for the model is ignored: the model is not called"];
  const responseContent = nonBlank(asText(result), `hook ${hook} answered the prompt`);
  return answer(COPILOT.unknown, { handled: true, responseContent }, lost);
}

function rewriteTool(wish: Wish, input: Json, { decoded }: EncodeCall<CopilotEvent>): void {
  const host = withSharedKeys(objectAt(decoded.payload, "host"));
  const read = rewrittenInput(
    textAt(decoded.payload, "tool_name") ?? "",
    getOwn(host, "tool_input") ?? {},
    isJsonObject(input) ? input : {},
  );
  if (!read.ok) refuseRewrite(wish, "Copilot CLI", `the hooks changed ${read.why}`);
  // It would ignore an empty text, and run the call as it was.
  else if (typeof read.input === "string" && nonBlank(read.input, "") === "")
    refuseRewrite(wish, "Copilot CLI", "Copilot CLI ignores an empty text");
  else if (isReadable(read.input)) wish.output["modifiedArgs"] = read.input;
  else refuseRewrite(wish, "Copilot CLI", "it contains an unpaired surrogate");
}
