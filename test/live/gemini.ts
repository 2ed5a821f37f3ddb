import type { IncomingMessage, ServerResponse } from "node:http";
import { eventStream } from "./model-server.ts";
import type { Turn } from "./model-server.ts";

/**
 * From its 30th turn on it asks beside the conversation whether that goes round in circles, and asks for minutes again if
 * the answer is no JSON.
 */
const NO_LOOP = '{"unproductive_state_analysis":"none","unproductive_state_confidence":0}';

/** The Gemini API, as far as Gemini CLI uses it. */
export function speakGemini(turn: Turn, answer: ServerResponse, request: IncomingMessage): void {
  const isStream = request.url?.includes("streamGenerateContent") === true;
  const part =
    "tool" in turn
      ? { functionCall: { name: turn.tool, args: turn.input } }
      : { text: isStream ? turn.text : NO_LOOP };
  const body = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
  if (isStream) {
    eventStream(answer)(body);
    answer.end();
  } else {
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify(body));
  }
}

/** How many results of tools a conversation holds; requests without tools are on the side. */
export function geminiPosition(body: string, path: string): number | undefined {
  if (!path.includes("enerateContent") || !body.includes("functionDeclarations")) return undefined;
  return body.split('"functionResponse":').length - 1;
}
