import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";

type Streamed = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
export type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;
type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
export type Content = Generated["content"][number];
export type Params = Parameters<MockLanguageModelV3["doGenerate"]>[0];

export const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

/** A call that the model makes. */
export function toolCall(id: string, toolName: string, input: object, more: object = {}): Content {
  return { type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input), ...more };
}

/** A model that gives these responses in order, whole or in a stream, and keeps what it was sent. */
export function scripted(...responses: readonly (readonly Content[] | string)[]) {
  const sent: Params[] = [];
  const next = (params: Params): Content[] => {
    const response = responses[Math.min(sent.length, responses.length - 1)] ?? "";
    sent.push(params);
    return typeof response === "string" ? [{ type: "text", text: response }] : [...response];
  };
  const finish = (content: readonly Content[]) => {
    const calls = content.some((part) => part.type === "tool-call" && !part.providerExecuted);
    return { unified: calls ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
  };
  const mock = new MockLanguageModelV3({
    modelId: "mock-1",
    provider: "mock",
    doGenerate: async (params) => {
      const content = next(params);
      return {
        content,
        finishReason: finish(content),
        usage,
        warnings: [],
        response: { body: { content } },
      };
    },
    doStream: async (params) => {
      const content = next(params);
      const chunks: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap((part, i) => streamed(part, String(i))),
        { type: "finish", finishReason: finish(content), usage },
      ];
      return {
        stream: simulateReadableStream({ initialDelayInMs: null, chunkDelayInMs: null, chunks }),
      };
    },
  });
  return { mock, sent };
}

/** A part as a stream has it: a text letter by letter. */
function streamed(part: Content, id: string): StreamPart[] {
  if (part.type === "text") {
    const deltas = Array.from(part.text, (delta) => ({ type: "text-delta" as const, id, delta }));
    return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
  }
  if (part.type === "reasoning") {
    return [
      { type: "reasoning-start", id },
      { type: "reasoning-delta", id, delta: part.text },
      { type: "reasoning-end", id },
    ];
  }
  return [part];
}
