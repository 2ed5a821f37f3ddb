import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { isReadable, nonBlank } from "../agent-text.ts";
import type { EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, refuseRewrite, showText, withContext } from "../encode-event.ts";
import { CANNOT_ASK_THERE } from "../host-limits.ts";
import type { HostAnswer, HostProtocol } from "../host-protocol.ts";
import { asText } from "../host-protocol.ts";
import { editsWithin } from "./edits-within.ts";
import type { CodexEvent } from "./events.ts";
import { CODEX } from "./events.ts";
import { CODEX_FIELDS } from "./fields.ts";
import { toCodexInput } from "./tools.ts";

/** Exit code that blocks where Codex lets a hook block, with the reason on stderr. */
const BLOCKS = 2;

/**
 * Codex CLI. It rejects a response with anything that it does not support at the event, and then continues as if there
 * had been none: every inexact response is a hole. Source: protocols.md §2.
 */
export const codexHost: HostProtocol = hostProtocol<CodexEvent>(
  {
    format: CODEX,
    newer: { defer: CANNOT_ASK_THERE },
    fields: CODEX_FIELDS,
    // What a newer Codex accepts at a new event is unknown.
    noticeAt(event) {
      const row = getOwn(CODEX.events, event);
      return row === undefined || row.deaf ? "stderr" : "systemMessage";
    },
    decisions: ({ row }) => (row.refusal === "permission" ? ["allow"] : []),
    rewrites: {
      PreToolUse: rewriteTool,
      UserPromptSubmit(wish, input) {
        // The prompt itself cannot be replaced; the changed text is added.
        wish.context = withContext(
          nonBlank(`Read the user's prompt as:\n${asText(input)}`, ""),
          wish,
        );
        wish.downgrades.push("rewrite of a prompt, which Codex does not support: added as context");
      },
    },
    results: {
      PostToolUse(wish, result) {
        wish.result = nonBlank(asText(result), "(no result)");
      },
    },
    texts: {
      SubagentStop(wish, context, call) {
        if (call.decoded.payload["stop_hook_active"] === true)
          return showText(wish, "Codex", call, "shown");
        // The only way to pass it text. Repeated each time, it would never stop.
        wish.result = context;
        wish.context = undefined;
      },
    },
    deny,
    goOn,
  },
  { callsWithin: editsWithin },
);

function deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer {
  const row = getOwn(CODEX.events, event ?? "");
  const message = withContext(refusal, wish);
  const { downgrades } = wish;
  // An event of a newer Codex cannot be answered in JSON; there is only the exit code.
  if (event === undefined || row === undefined) {
    return { output: undefined, message, code: BLOCKS, downgrades };
  }
  if (row.refusal !== undefined) {
    return { output: REFUSALS[row.refusal](event, message), message, code: 0, downgrades };
  }
  const lost = `denial at ${event}, which Codex ignores: ${message}`;
  const output = row.deaf ? undefined : { systemMessage: message };
  return { output, message, code: 0, downgrades: [...downgrades, lost] };
}

const REFUSALS: Readonly<
  Record<NonNullable<CodexEvent["refusal"]>, (event: string, text: string) => JsonObject>
> = {
  deny: (hookEventName, permissionDecisionReason) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
  }),
  permission: (hookEventName, message) => ({
    hookSpecificOutput: { hookEventName, decision: { behavior: "deny", message } },
  }),
  block: (_event, reason) => ({ decision: "block", reason }),
  halt: (_event, stopReason) => ({ continue: false, stopReason }),
};

/** Without output where there is nothing to send. */
function goOn(event: string, wish: Wish, call?: EncodeCall<CodexEvent>): HostAnswer {
  const row = getOwn(CODEX.events, event);
  const { decision, input, context, result, notes, downgrades } = wish;
  const specific: JsonObject = {
    ...(decision === "allow" && { decision: { behavior: "allow" } }),
    ...(input && { permissionDecision: "allow", updatedInput: input }),
    ...(context !== undefined && { additionalContext: context }),
  };
  const output: JsonObject = {
    ...(notes.length > 0 && row && !row.deaf && { systemMessage: notes.join("\n") }),
    ...(result !== undefined && { decision: "block", reason: result }),
    ...(Object.keys(specific).length > 0 && {
      hookSpecificOutput: { hookEventName: event, ...specific },
    }),
  };
  const speaks = (call && row?.speaks) || Object.keys(output).length > 0;
  return {
    output: speaks ? output : undefined,
    ...(!call && { message: notes.join("\n") }),
    code: 0,
    downgrades,
  };
}

function rewriteTool(wish: Wish, input: Json, call: EncodeCall<CodexEvent>): void {
  const { payload } = call.decoded;
  const host = objectAt(payload, "host");
  const after = isJsonObject(input) ? input : {};
  const read = toCodexInput(
    textAt(host, "tool_name") ?? "",
    objectAt(host, "tool_input"),
    objectAt(payload, "args"),
    after,
  );
  if (!read.ok) return refuseRewrite(wish, "Codex", `the hooks changed ${read.why}`);
  if (!isReadable(read.input)) {
    return refuseRewrite(wish, "Codex", "it contains an unpaired surrogate");
  }
  if (call.verdict.decision !== "allow") {
    const lacking = "a rewrite without an approval; Codex accepts a rewrite only together with one";
    if (call.options.rewrite === "refuse") {
      wish.refusal = "the hooks rewrote the input, but none of them allows the call";
      wish.downgrades.push(`${lacking}: denied`);
      return;
    }
    wish.downgrades.push(`${lacking}: approved`);
  }
  wish.input = read.input;
}
