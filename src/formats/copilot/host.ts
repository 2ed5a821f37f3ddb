import { getOwn, isJsonObject, objectAt, textAt, stated } from "../../core/index.ts";
import type { Json, Outcome } from "../../core/index.ts";
import { isReadable, nonBlank } from "../agent-text.ts";
import type { EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, refuseRewrite, showText, withContext } from "../encode-event.ts";
import { CANNOT_ASK_THERE } from "../host-limits.ts";
import { asText, type DecodedEvent, type HostAnswer, type HostProtocol } from "../host-protocol.ts";
import { eventOf } from "../agent-format.ts";
import { FROM, own, ownFields, TOP, type HostFields, type Wanted } from "../host-fields.ts";
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
      permissionDecision: ["a denial or a decision", FROM.decision],
      permissionDecisionReason: ["the reason of a denial or of a decision", FROM.reason],
      modifiedArgs: ["changed arguments", FROM.input],
    }),
    ...own(TOP, ["PermissionRequest"], {
      behavior: ["a denial or `allow`", FROM.decision],
      message: ["the reason of a denial", FROM.denial],
    }),
    ...own(TOP, BLOCKED, {
      decision: ["a denial", ({ refusal }) => refusal && "block"],
      reason: ["the reason of a denial", FROM.denial],
    }),
    ...own(TOP, ["UserPromptSubmit"], {
      modifiedPrompt: ["a changed prompt", FROM.input],
      handled: ["`skip`", ({ handed }) => handed && true],
      responseContent: ["`skip`", ({ handed }) => handed],
    }),
    ...own(TOP, ["PostToolUse"], { modifiedResult: ["`replace`", ({ result }) => result] }),
    ...own(TOP, ["SubagentStop"], {
      modifiedResponse: ["`replace` or a denial", ({ refusal, result }) => refusal ?? result],
    }),
    ...own(
      TOP,
      EVENTS.filter((event) => event !== "SubagentStop" && !COPILOT_EVENTS[event].limits?.inject),
      { additionalContext: ["`inject`", FROM.context] },
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
      else wish.input = prompt;
    },
  },
  results: {
    PostToolUse(wish, result) {
      const textResultForLlm = nonBlank(asText(result), NO_RESULT);
      wish.result = { resultType: "success", textResultForLlm };
    },
    SubagentStop(wish, result) {
      wish.result = nonBlank(asText(result), NO_RESULT);
    },
  },
  texts: {
    SubagentStop(wish, context, call) {
      if (wish.result !== undefined || call.decoded.payload["stop_hook_active"] === true) {
        return showText(wish, "Copilot CLI", call, "shown");
      }
      // The only way to pass it text. Repeated each time, it would never stop.
      Object.assign(wish.output, { decision: "block", reason: context });
      wish.context = undefined;
    },
  },
  special: inPlaceOfModel,
  deny,
  goOn,
});

const NO_RESULT = "(no result)";

function deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer {
  const row = getOwn(COPILOT.events, event ?? "");
  const { context, downgrades } = wish;
  // Before a tool, its model reads the text beside the reason.
  const isBeside = event === "PreToolUse";
  const why = isBeside ? refusal : withContext(refusal, wish);
  if (event !== undefined && row && isDeniable(row)) {
    const denial = { refusal: why, context: isBeside ? context : undefined, notes: [] };
    return answer(event, denial, downgrades);
  }
  const lost = `denial at ${event}, which Copilot CLI ignores: ${why}`;
  return warning(row, why, row ? [...downgrades, lost] : downgrades);
}

function isDeniable({ refusable, withholds }: CopilotEvent): boolean {
  return refusable || withholds === true;
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
function answer(
  event: string,
  wish: Wanted & Pick<Partial<Wish>, "output">,
  downgrades: readonly string[],
): HostAnswer {
  const output = stated({ ...wish.output, ...ownFields(COPILOT_FIELDS, event, wish) });
  const isEmpty = Object.keys(output).length === 0;
  if (isEmpty || Buffer.byteLength(JSON.stringify(output)) < MAX_OUTPUT_BYTES) {
    return { output: isEmpty ? undefined : output, code: 0, downgrades };
  }
  const why = `the result of the hooks has more than ${MAX_OUTPUT_BYTES} bytes, which Copilot CLI does not read`;
  const lines = [...downgrades, why];
  const row = eventOf(COPILOT, event);
  return isDeniable(row)
    ? answer(event, { refusal: why, notes: [] }, lines)
    : warning(row, why, lines);
}

function goOn(event: string, wish: Wish, call?: EncodeCall<CopilotEvent>): HostAnswer {
  const { notes, downgrades } = wish;
  const told = notes.join("\n");
  if (!call) return warning(getOwn(COPILOT.events, event), told, downgrades);
  const said = answer(event, wish, downgrades);
  return notes.length === 0 ? said : { ...said, message: told, code: DENIES_OR_WARNS };
}

/** A prompt can be answered in place of the model. */
function inPlaceOfModel({ event }: DecodedEvent, outcome: Outcome): HostAnswer | undefined {
  if (outcome.action !== "skip" || event !== "UserPromptSubmit") return undefined;
  const { result, hook, inject } = outcome;
  const lost =
    inject.length === 0 ? [] : ["text for the model is ignored: the model is not called"];
  const handed = nonBlank(asText(result), `hook ${hook} answered the prompt`);
  return answer(event, { handed, notes: [] }, lost);
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
  else if (isReadable(read.input)) wish.input = read.input;
  else refuseRewrite(wish, "Copilot CLI", "it contains an unpaired surrogate");
}
