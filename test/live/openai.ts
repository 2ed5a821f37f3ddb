import type { ServerResponse } from "node:http";
import { eventStream } from "./model-server.ts";
import type { Turn } from "./model-server.ts";

/** The Responses API, as far as Codex uses it. */
export function speakOpenai(turn: Turn, answer: ServerResponse): void {
  const send = eventStream(answer);
  const say = (type: string, data: object): void => send({ type, ...data }, type);
  const id = `resp_${Math.random().toString(36).slice(2)}`;
  say("response.created", { response: { id } });
  const item =
    "tool" in turn
      ? {
          type: "function_call",
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: turn.tool,
          arguments: JSON.stringify(turn.input),
        }
      : {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          content: [{ type: "output_text", text: turn.text }],
        };
  say("response.output_item.done", { output_index: 0, item });
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  };
  say("response.completed", { response: { id, usage } });
  answer.end();
}

/** How many results of tools a conversation holds. */
export function openaiPosition(body: string, path: string): number | undefined {
  if (!path.endsWith("/responses")) return undefined;
  return body.split('"type":"function_call_output"').length - 1;
}
