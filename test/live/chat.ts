import type { ServerResponse } from "node:http";
import { eventStream } from "./model-server.ts";
import type { Turn } from "./model-server.ts";

/** OpenAI's Chat Completions API, as far as Qwen Code uses it: it always asks for a stream. */
export function speakChat(turn: Turn, answer: ServerResponse): void {
  const send = eventStream(answer);
  const id = `chatcmpl-${Math.random().toString(36).slice(2)}`;
  const chunk = (delta: object, finish_reason: string | null, more: object = {}): void =>
    send({
      id,
      object: "chat.completion.chunk",
      created: 1,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if ("tool" in turn) {
    const call = { name: turn.tool, arguments: JSON.stringify(turn.input) };
    chunk(
      { role: "assistant", tool_calls: [{ index: 0, id, type: "function", function: call }] },
      null,
    );
    chunk({}, "tool_calls", { usage });
  } else {
    chunk({ role: "assistant", content: turn.text }, null);
    chunk({}, "stop", { usage });
  }
  answer.write("data: [DONE]\n\n");
  answer.end();
}

/** How many results of tools a conversation holds; requests without tools are on the side. */
export function chatPosition(body: string, path: string): number | undefined {
  if (!path.endsWith("/chat/completions") || !body.includes('"tools":[{')) return undefined;
  return body.split('"role":"tool"').length - 1;
}
