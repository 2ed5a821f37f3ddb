import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { isReadable, nonBlank } from "../agent-text.ts";
import type { EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, refuseRewrite, showText, withContext } from "../encode-event.ts";
import { CANNOT_ASK_THERE } from "../host-limits.ts";
import { asText, type HostAnswer, type HostProtocol } from "../host-protocol.ts";
import { ownFields } from "../host-fields.ts";
import { editsWithin } from "./edits-within.ts";
import { CODEX_FIELDS, CODEX, type CodexEvent } from "./events.ts";
import { toCodexInput } from "./tools.ts";

/** Exit code that blocks where Codex lets a hook block, with the reason on stderr. */
const BLOCKS = 2;

/**
 * Codex CLI. It rejects a response with anything that it does not support at the event, and then continues as if there
 * had been none: every inexact response is a hole. Source: protocols.md §2.
 */
export const codexHost: HostProtocol = hostProtocol<CodexEvent>({
  format: CODEX,
  newer: { defer: CANNOT_ASK_THERE },
  fields: CODEX_FIELDS,
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
  callsWithin: editsWithin,
});

function deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer {
  const row = getOwn(CODEX.events, event ?? "");
  const message = withContext(refusal, wish);
  const { downgrades } = wish;
  // An event of a newer Codex cannot be answered in JSON; there is only the exit code.
  if (event === undefined || row === undefined) {
    return { output: undefined, message, code: BLOCKS, downgrades };
  }
  if (row.refusal === undefined) {
    const lost = `denial at ${event}, which Codex ignores: ${message}`;
    const output = outputOf(event, { notes: [message] });
    return { output, message, code: 0, downgrades: [...downgrades, lost] };
  }
  const output =
    row.refusal === "halt"
      ? { continue: false, stopReason: message }
      : outputOf(event, { refusal: message, notes: [] });
  return { output, message, code: 0, downgrades };
}

/** The fields of an event; undefined where there is nothing to send. */
function outputOf(event: string, wish: Parameters<typeof ownFields>[2]): JsonObject | undefined {
  if (getOwn(CODEX.events, event)?.deaf) return undefined;
  const output = ownFields(CODEX_FIELDS, event, wish);
  return Object.keys(output).length > 0 ? output : undefined;
}

function goOn(event: string, wish: Wish, call?: EncodeCall<CodexEvent>): HostAnswer {
  const row = getOwn(CODEX.events, event);
  const output = row && outputOf(event, wish);
  return {
    output: output ?? (call && row?.speaks ? {} : undefined),
    ...(!call && { message: wish.notes.join("\n") }),
    code: 0,
    downgrades: wish.downgrades,
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
