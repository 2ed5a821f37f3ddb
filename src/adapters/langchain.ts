import type {
  AgentMiddleware,
  BaseMessage,
  Runtime,
  ToolCallHandler,
  ToolCallRequest,
  WrapModelCallHandler,
} from "langchain";
import { AIMessage, createMiddleware, HumanMessage, ToolInvocationError } from "langchain";
import type { Denial } from "../core/denial.ts";
import { denialError, denialText } from "../core/denial.ts";
import type { CallResult, OrcsSession } from "../engine/orcs.ts";
import type { Approval, Refusal } from "./langchain-approval.ts";
import { isBubbleUp, isOwnTask, isStopped, Questions, sessionIn } from "./langchain-approval.ts";
import type { Content, ModelRequest, ModelResult, ToolResult } from "./langchain-messages.ts";
import {
  answering,
  asContent,
  changedRequest,
  humanWith,
  lastHuman,
  messageIn,
  modelPayload,
  responseKeys,
  responseText,
  responseWith,
  unstreamed,
  withContent,
  withText,
  withTexts,
} from "./langchain-messages.ts";

import {
  asText,
  mayChangeResponses,
  THE_MESSAGE,
  THE_MODEL_CALL,
  WITHHELD,
} from "./model-hooks.ts";

/** Options of `orcsMiddleware`. */
export interface OrcsMiddlewareOptions {
  /**
   * Who answers `ask`: `"interrupt"` is an interrupt of LangGraph, as of `humanInTheLoopMiddleware`, which needs a
   * checkpointer. `"engine"` is `onAsk` of the engine or the session. Default `"interrupt"`.
   */
  readonly approval?: Approval | undefined;
}

/**
 * Hooks around the tool calls, the model calls and the prompts of an agent:
 * `createAgent({ model, tools, middleware: [orcsMiddleware(orcs)] })`. A denied tool call is a `ToolMessage` with the
 * status `error` that the model reads.
 * @param orcs the engine, or the session that the calls belong to; without a `session_id`, it is the `thread_id`
 */
export function orcsMiddleware(
  orcs: OrcsSession,
  { approval = "interrupt" }: OrcsMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown, readonly []> {
  const governed = new GovernedAgent(orcs, approval);
  return createMiddleware({
    name: "orcs",
    wrapToolCall: (request, handler) => governed.toolCall(request, handler),
    wrapModelCall: (request, handler) => governed.modelCall(request, handler),
    beforeAgent: {
      canJumpTo: ["end"],
      hook: ({ messages }, runtime) => governed.prompt(messages, runtime),
    },
    afterAgent: {
      canJumpTo: ["model"],
      hook: ({ messages }, runtime) => governed.stop(messages, runtime),
    },
  }) as AgentMiddleware<undefined, undefined, unknown, readonly []>;
}

/** A change of the agent's state. */
interface Update {
  readonly messages: BaseMessage[];
  readonly jumpTo?: "end" | "model";
}

/** Key of `response_metadata` of messages that hooks have made: it is kept with them, and is not sent to models. */
const MADE = "orcs";

const NOT_OWN_TASK =
  'version "v1" of createAgent runs all tool calls in one task, in which an answer could reach another call';

/** An agent whose calls pass the hooks. */
class GovernedAgent {
  readonly #orcs: OrcsSession;
  readonly #questions: Questions;

  constructor(orcs: OrcsSession, approval: Approval) {
    this.#orcs = orcs;
    this.#questions = new Questions(orcs, approval);
  }

  async toolCall(request: ToolCallRequest, handler: ToolCallHandler): Promise<ToolResult> {
    const { toolCall: call, runtime } = request;
    let ended: ToolResult | undefined;
    let failed: { readonly error: unknown } | undefined;
    let refusal: Refusal | undefined;
    let called: CallResult<unknown>;
    const execute = async (args: typeof call.args): Promise<Content> => {
      ended = undefined;
      const changed = args === call.args ? request : { ...request, toolCall: { ...call, args } };
      try {
        ended = await handler(changed);
      } catch (error) {
        failed = { error };
        throw error;
      }
      return messageIn(ended, call.id)?.content ?? "";
    };
    try {
      const why = isOwnTask(runtime) ? undefined : NOT_OWN_TASK;
      called = await this.#questions.during(runtime, call.id, why, async (attempt) => {
        const outcome = await this.#orcs.call<typeof call.args>(call.name, call.args, {
          ...attempt.options,
          tool_use_id: call.id,
          fn: (args) => attempt.run(() => execute(args)),
          isInterim: isStopped,
        });
        refusal = attempt.refusal();
        return outcome;
      });
    } catch (thrown) {
      const isOfTool = failed?.error === thrown && !isBubbleUp(thrown);
      const isAborted = runtime.signal?.aborted === true;
      if (!isOfTool || isAborted || ToolInvocationError.isInstance(thrown)) throw thrown;
      // As the library does without a middleware; with one, the error would end the run.
      return answering(call, `${String(thrown)}\n Please fix your mistakes.`, "error");
    }
    const { inject } = called;
    if (!called.ok || isStopped(called.result)) {
      const why = denialText(called.ok ? notApproved(refusal) : called.denied, call.name);
      const message = refusal?.message === undefined ? why : `${why}\n\n${refusal.message}`;
      return answering(call, withTexts(message, inject), "error");
    }
    const { result } = called;
    if (!ended) return answering(call, withTexts(asText(result), inject));
    const message = messageIn(ended, call.id);
    if (!message || (result === message.content && inject.length === 0)) return ended;
    const content =
      result === message.content ? message.content : asContent(result, message.content);
    return withContent(ended, message, withTexts(content, inject));
  }

  async modelCall(request: ModelRequest, handler: WrapModelCallHandler): Promise<ModelResult> {
    if (this.#isQuiet("llm.pre_generate", "llm.post_generate")) return handler(request);
    const what = THE_MODEL_CALL;
    const before = modelPayload(request);
    let response: ModelResult | undefined;
    let refusal: Refusal | undefined;
    const outcome = await this.#questions.during(request.runtime, "model", undefined, (attempt) =>
      this.#orcs
        .invoke(
          "llm.generate",
          before,
          (after) =>
            attempt.run(async () => {
              const changed = changedRequest(request, before, after);
              response = await handler(
                mayChangeResponses(this.#orcs) ? unstreamed(changed) : changed,
              );
              return responseText(response);
            }),
          attempt.options,
          {
            isInterim: isStopped,
            after: (payload, response_text) => ({
              ...payload,
              ...responseKeys(response),
              response_text,
            }),
          },
        )
        .finally(() => (refusal = attempt.refusal())),
    );
    if (outcome.action === "abort") throw denialError(what, outcome);
    const { result } = outcome;
    if (isStopped(result)) throw denialError(what, notApproved(refusal));
    if (outcome.action === "skip" || !response) return new AIMessage(asText(result));
    if (result === responseText(response)) return response;
    const changed = responseWith(response, asText(result));
    if (changed) return changed;
    const reason = "a hook changed its structured response, which can only be passed on or denied";
    throw denialError(what, { hook: "orcs", reason });
  }

  /** The hooks of the user's message, unless it has been answered. */
  async prompt(messages: readonly BaseMessage[], runtime: Runtime): Promise<Update | undefined> {
    const human = lastHuman(messages);
    const answered = messages.findLastIndex((message) => AIMessage.isInstance(message));
    if (!human || messages.indexOf(human) < answered) return undefined;
    if (this.#isQuiet("prompt.pre_submit", "prompt.post_submit")) return undefined;
    let prompt = human.text;
    let refusal: Refusal | undefined;
    const outcome = await this.#questions.during(runtime, "prompt", undefined, (attempt) =>
      this.#orcs
        .invoke(
          "prompt.submit",
          { prompt },
          (after) => attempt.run(() => (prompt = after.prompt)),
          attempt.options,
          { isInterim: isStopped },
        )
        .finally(() => (refusal = attempt.refusal())),
    );
    const what = THE_MESSAGE;
    if (outcome.action === "abort") return ending(human, denialText(outcome, what));
    if (isStopped(outcome.result)) return ending(human, denialText(notApproved(refusal), what));
    if (outcome.action === "skip") return ending(human, asText(outcome.result));
    const { inject } = outcome;
    if (prompt === human.text && inject.length === 0) return undefined;
    const content = prompt === human.text ? human.content : withText(human.content, prompt);
    return { messages: [humanWith(human, withTexts(content, inject))] };
  }

  /** The hooks of the end of a run; a denial is the next message that the model gets. */
  async stop(messages: readonly BaseMessage[], runtime: Runtime): Promise<Update | undefined> {
    const last = messages.at(-1);
    if (!last || last.response_metadata?.[MADE] === "end") return undefined;
    if (this.#isQuiet("agent.pre_stop")) return undefined;
    const isAgain = lastHuman(messages)?.response_metadata?.[MADE] === "continue";
    const payload = { message: last.text, stop_hook_active: isAgain };
    const options = sessionIn(runtime, this.#orcs);
    const outcome = await this.#orcs.dispatch("agent.pre_stop", payload, options);
    if (outcome.action !== "abort") return undefined;
    const response_metadata = { [MADE]: "continue" };
    const message = new HumanMessage({ content: outcome.reason, response_metadata });
    return { messages: [message], jumpTo: "model" };
  }

  #isQuiet(...points: readonly string[]): boolean {
    return this.#orcs.registry.isQuiet(points);
  }
}

/** End the run. What was denied must not reach the model with the next message of the thread either. */
function ending(human: HumanMessage, content: string): Update {
  const last = new AIMessage({ content, response_metadata: { [MADE]: "end" } });
  return { messages: [humanWith(human, WITHHELD), last], jumpTo: "end" };
}

function notApproved(refusal: Refusal | undefined): Denial {
  return { hook: refusal?.hook ?? "orcs", reason: "not approved" };
}
