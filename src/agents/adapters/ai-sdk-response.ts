import { jsonOr } from "../../core/index.ts";
import type { Generated, Part, Streamed } from "./ai-sdk-messages.ts";
import { withText } from "./model-hooks.ts";

type Content = Generated["content"][number];

/** What hooks see of a response. */
export interface SeenResponse {
  readonly text: string;
  /** `tool_calls` and `usage` of `llm.post_generate`. */
  readonly keys: object;
}

/** Reads a response, whole or piece by piece. */
export class ResponseReader {
  #text = "";
  readonly #calls: object[] = [];
  #usage: Generated["usage"] | undefined;

  add(part: Content | Part): void {
    if (part.type === "text") this.#text += part.text;
    else if (part.type === "text-delta") this.#text += part.delta;
    else if (part.type === "finish") this.#usage = part.usage;
    else if (part.type === "tool-call") {
      const { toolCallId: id, toolName: name, input } = part;
      this.#calls.push({ id, name, args: jsonOr(input, input) });
    }
  }

  seen(usage = this.#usage): SeenResponse {
    const { total: prompt_tokens } = usage?.inputTokens ?? {};
    const { total: completion_tokens } = usage?.outputTokens ?? {};
    const total_tokens = (prompt_tokens ?? 0) + (completion_tokens ?? 0);
    const known = {
      ...(prompt_tokens !== undefined && { prompt_tokens }),
      ...(completion_tokens !== undefined && { completion_tokens }),
      total_tokens,
    };
    const isKnown = prompt_tokens !== undefined || completion_tokens !== undefined;
    return {
      text: this.#text,
      keys: { tool_calls: this.#calls, ...(isKnown && { usage: known }) },
    };
  }
}

/** What hooks see of a whole response. */
export function seenOf({ content, usage }: Generated): SeenResponse {
  const reader = new ResponseReader();
  for (const part of content) reader.add(part);
  return reader.seen(usage);
}

/** A response with another text. What else may hold the old one goes: the body, and the text for structured output. */
export function generatedWith(response: Generated, text: string): Generated {
  const { structuredOutputText: _, ...rest } = response as Generated & {
    readonly structuredOutputText?: string;
  };
  const { body: __, ...about } = response.response ?? {};
  return {
    ...rest,
    content: withText(response.content, text),
    ...(response.response && { response: about }),
  };
}

/** A response that hooks have made in place of a model. */
export function generatedOf(text: string): Generated {
  return {
    content: [{ type: "text", text }],
    finishReason: { unified: "stop", raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    warnings: [],
  };
}

/** Id of a text in a stream that hooks have made. */
const TEXT_ID = "orcs";

/** The parts of a stream with another text, where the first one was. */
export function partsWith(parts: readonly Part[], text: string): Part[] {
  const start = parts.findIndex(({ type }) => type === "text-start");
  const at = start < 0 ? parts.findIndex(({ type }) => type === "finish") : start;
  const split = at < 0 ? parts.length : at;
  const isKept = ({ type }: Part): boolean => !type.startsWith("text-") && type !== "raw";
  return [
    ...parts.slice(0, split).filter(isKept),
    ...textParts(text),
    ...parts.slice(split).filter(isKept),
  ];
}

function textParts(text: string): Part[] {
  return [
    { type: "text-start", id: TEXT_ID },
    { type: "text-delta", id: TEXT_ID, delta: text },
    { type: "text-end", id: TEXT_ID },
  ];
}

/** The parts of a response that hooks have made in place of a model. */
export function partsOf(text: string): Part[] {
  const { finishReason, usage, warnings } = generatedOf(text);
  return [
    { type: "stream-start", warnings },
    ...textParts(text),
    { type: "finish", finishReason, usage },
  ];
}

/** A stream of these parts. */
export function streamOf(parts: readonly Part[]): Streamed["stream"] {
  return new ReadableStream<Part>({
    start: (to) => {
      for (const part of parts) to.enqueue(part);
      to.close();
    },
  });
}

/** The parts of a stream that is read to its end. */
export async function partsIn(stream: Streamed["stream"]): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What hooks see of these parts. */
export function seenIn(parts: readonly Part[]): SeenResponse {
  const reader = new ResponseReader();
  for (const part of parts) reader.add(part);
  return reader.seen();
}

/** The same stream, and what hooks see of the response when it has been read, as far as it was read. */
export function observed(stream: Streamed["stream"]): {
  readonly stream: Streamed["stream"];
  readonly response: Promise<SeenResponse>;
} {
  const parts = stream.getReader();
  const reader = new ResponseReader();
  let ended!: (seen: SeenResponse) => void;
  let failed!: (thrown: unknown) => void;
  const response = new Promise<SeenResponse>((resolve, reject) => {
    [ended, failed] = [resolve, reject];
  });
  return {
    response,
    stream: new ReadableStream<Part>({
      pull: async (to) => {
        try {
          const { done, value } = await parts.read();
          if (value) {
            reader.add(value);
            to.enqueue(value);
          }
          if (!done) return;
          to.close();
          ended(reader.seen());
        } catch (thrown) {
          to.error(thrown);
          failed(thrown);
        }
      },
      cancel: (reason) => {
        ended(reader.seen());
        return parts.cancel(reason);
      },
    }),
  };
}
