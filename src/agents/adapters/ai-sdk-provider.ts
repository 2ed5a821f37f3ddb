import { denialText, jsonOr, type Json } from "../../core/index.ts";
import { argumentInput, type OrcsSession } from "../../engine/index.ts";
import type { Generated, Params, Part, ProviderResult, Streamed } from "./ai-sdk-messages.ts";

/** Tools that the provider runs within a call of the model: hooks see their results, too late to deny the calls. */
export class ProviderResults {
  readonly #orcs: OrcsSession;
  /** Inputs of calls, as the model wrote them. */
  readonly #inputs = new Map<string, unknown>();

  /** @param params of the call of the model: a result may belong to a tool call of an earlier one */
  constructor(orcs: OrcsSession, { prompt }: Params) {
    this.#orcs = orcs;
    for (const { role, content } of prompt) {
      if (role !== "assistant") continue;
      for (const part of content) {
        if (part.type === "tool-call") this.#inputs.set(part.toolCallId, part.input);
      }
    }
  }

  /** A response with its results as the hooks left them. */
  async generated(response: Generated): Promise<Generated> {
    if (this.#isQuiet || !response.content.some(isResult)) return response;
    const content: Generated["content"] = [];
    for (const part of response.content) {
      this.#note(part);
      content.push(isResult(part) ? await this.#passed(part) : part);
    }
    if (content.every((part, i) => part === response.content[i])) return response;
    // The body of the response still has them.
    const { body: _, ...about } = response.response ?? {};
    return { ...response, content, ...(response.response && { response: about }) };
  }

  /** A stream with its results as the hooks left them; it is the same stream if no hook sees any. */
  streamed(stream: Streamed["stream"]): Streamed["stream"] {
    if (this.#isQuiet) return stream;
    const transform = new TransformStream<Part, Part>({
      transform: async (part, to) => {
        this.#note(part);
        to.enqueue(isResult(part) ? await this.#passed(part) : part);
      },
    });
    return stream.pipeThrough(transform);
  }

  get #isQuiet(): boolean {
    return this.#orcs.registry.isQuiet(["tool.post_execute"]);
  }

  #note(part: Part | Generated["content"][number]): void {
    if (part.type === "tool-call")
      this.#inputs.set(part.toolCallId, jsonOr(part.input, part.input));
  }

  async #passed(part: ProviderResult): Promise<ProviderResult> {
    const { toolCallId, toolName, result } = part;
    const outcome = await this.#orcs.dispatch("tool.post_execute", {
      tool_name: toolName,
      args: argumentInput(this.#inputs.get(toolCallId)).args,
      result: result as Json,
      tool_use_id: toolCallId,
    });
    if (outcome.action === "continue") {
      const after = outcome.ctx.payload.result as typeof result | undefined;
      return after === result ? part : { ...part, result: after ?? "" };
    }
    const { hook } = outcome;
    const reason = outcome.action === "abort" ? outcome.reason : "the provider has already run it";
    return { ...part, result: denialText({ hook, reason }, toolName), isError: true };
  }
}

function isResult(part: { readonly type: string }): part is ProviderResult {
  return part.type === "tool-result";
}
