import type { ServerResponse } from "node:http";
import { eventStream } from "./model-server.ts";
import type { Turn } from "./model-server.ts";

/** The Messages API, as far as Claude Code uses it. */
export function speakAnthropic(turn: Turn, answer: ServerResponse): void {
  const send = eventStream(answer);
  const say = (type: string, data: object): void => send({ type, ...data }, type);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const isTool = "tool" in turn;
  say("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  const id = `toolu_${Math.random().toString(36).slice(2)}`;
  say("content_block_start", {
    index: 0,
    content_block: isTool
      ? { type: "tool_use", id, name: turn.tool, input: {} }
      : { type: "text", text: "" },
  });
  say("content_block_delta", {
    index: 0,
    delta: isTool
      ? { type: "input_json_delta", partial_json: JSON.stringify(turn.input) }
      : { type: "text_delta", text: turn.text },
  });
  say("content_block_stop", { index: 0 });
  const stop_reason = isTool ? "tool_use" : "end_turn";
  say("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  say("message_stop", {});
  answer.end();
}

/** How many results of tools a conversation holds; requests without tools are on the side. */
export function anthropicPosition(body: string, path: string): number | undefined {
  if (!path.includes("/v1/messages") || path.includes("count_tokens")) return undefined;
  const { tools, messages } = JSON.parse(body) as { tools?: unknown[]; messages?: unknown[] };
  if (!tools || tools.length === 0) return undefined;
  return JSON.stringify(messages).split('"type":"tool_result"').length - 1;
}
