import type { LanguageModelMiddleware } from "ai";
import { denialError } from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import type {
  GenerateCall,
  Generated,
  Model,
  Params,
  Part,
  StreamCall,
  Streamed,
} from "./ai-sdk-messages.ts";
import { changedParams, modelPayload } from "./ai-sdk-messages.ts";
import { SubmittedMessages } from "./ai-sdk-prompts.ts";
import { ProviderResults } from "./ai-sdk-provider.ts";
import type { SeenResponse } from "./ai-sdk-response.ts";
import {
  generatedOf,
  generatedWith,
  observed,
  partsIn,
  partsOf,
  partsWith,
  seenIn,
  seenOf,
  streamOf,
} from "./ai-sdk-response.ts";
import { asText, mayChangeResponses, THE_MODEL_CALL } from "./model-hooks.ts";

/**
 * Hooks around the prompts and the calls of a model:
 * `wrapLanguageModel({ model, middleware: orcsMiddleware(orcs) })`. They also see the results of tools that the
 * provider runs; for those of the program, use `governed`. While hooks can change responses, a stream is held back, and
 * is delivered as one piece.
 * @param orcs the engine, or the session that the calls belong to
 */
export function orcsMiddleware(orcs: OrcsSession): LanguageModelMiddleware {
  const governed = new GovernedModel(orcs);
  return {
    specificationVersion: "v3",
    wrapGenerate: (call) => governed.generate(call),
    wrapStream: (call) => governed.stream(call),
  };
}

/** Calls the model with these parameters, and streams its response. */
type Start = (params: Params) => Promise<Streamed>;

class GovernedModel {
  readonly #orcs: OrcsSession;
  readonly #messages: SubmittedMessages;

  constructor(orcs: OrcsSession) {
    this.#orcs = orcs;
    this.#messages = new SubmittedMessages(orcs);
  }

  async generate({ doGenerate, params, model }: GenerateCall): Promise<Generated> {
    const submitted = await this.#messages.submit(params);
    if ("answer" in submitted) return generatedOf(submitted.answer);
    let response: Generated | undefined;
    const { text, isSkipped } = await this.#around(model, submitted.params, async (given) => {
      const generated = await (given === params ? doGenerate() : model.doGenerate(given));
      response = await new ProviderResults(this.#orcs, given).generated(generated);
      return seenOf(response);
    });
    if (isSkipped || !response) return generatedOf(text);
    return text === seenOf(response).text ? response : generatedWith(response, text);
  }

  async stream({ doStream, params, model }: StreamCall): Promise<Streamed> {
    const submitted = await this.#messages.submit(params);
    if ("answer" in submitted) return { stream: streamOf(partsOf(submitted.answer)) };
    const start: Start = async (given) => {
      const { stream, ...rest } = await (given === params ? doStream() : model.doStream(given));
      return { ...rest, stream: new ProviderResults(this.#orcs, given).streamed(stream) };
    };
    return mayChangeResponses(this.#orcs)
      ? this.#held(model, submitted.params, start)
      : this.#passing(model, submitted.params, start);
  }

  /** A stream that is read to its end before the hooks and the caller see any of it. */
  async #held(model: Model, params: Params, start: Start): Promise<Streamed> {
    let rest: Omit<Streamed, "stream"> = {};
    let parts: Part[] = [];
    const { text, isSkipped } = await this.#around(model, params, async (given) => {
      const { stream, ...about } = await start(given);
      rest = about;
      parts = await partsIn(stream);
      return seenIn(parts);
    });
    if (isSkipped) return { stream: streamOf(partsOf(text)) };
    const left = text === seenIn(parts).text ? parts : partsWith(parts, text);
    return { ...rest, stream: streamOf(left) };
  }

  /** A stream that the caller reads as it arrives. Hooks that only observe see the response when it has ended. */
  #passing(model: Model, params: Params, start: Start): Promise<Streamed> {
    const isHeard = !this.#orcs.registry.isQuiet(["llm.post_generate"]);
    return new Promise((resolve, reject) => {
      const ended = this.#around(model, params, async (given) => {
        const started = await start(given);
        if (!isHeard) {
          resolve(started);
          return seenIn([]);
        }
        const { stream, response } = observed(started.stream);
        resolve({ ...started, stream });
        return response;
      });
      // Once the caller has the stream, this settles nothing any more.
      ended.then(({ text }) => resolve({ stream: streamOf(partsOf(text)) }), reject);
    });
  }

  /**
   * A call of the model between its hooks.
   * @param respond gets the parameters as the hooks left them
   * @returns the text of the response as the hooks left it; `isSkipped` if it is theirs alone
   * @throws OrcsError ORCS2001 when a hook denies it; what the model throws
   */
  async #around(
    model: Model,
    params: Params,
    respond: (params: Params) => Promise<SeenResponse>,
  ): Promise<{ readonly text: string; readonly isSkipped: boolean }> {
    if (this.#orcs.registry.isQuiet(["llm.pre_generate", "llm.post_generate"])) {
      const { text } = await respond(params);
      return { text, isSkipped: false };
    }
    const before = modelPayload(model, params);
    let keys: object = {};
    const outcome = await this.#orcs.invoke(
      "llm.generate",
      before,
      async (after) => {
        params.abortSignal?.throwIfAborted();
        const seen = await respond(changedParams(params, before, after));
        ({ keys } = seen);
        return seen.text;
      },
      { signal: params.abortSignal },
      { after: (payload, response_text) => ({ ...payload, ...keys, response_text }) },
    );
    if (outcome.action === "abort") throw denialError(THE_MODEL_CALL, outcome);
    return { text: asText(outcome.result), isSkipped: outcome.action === "skip" };
  }
}
