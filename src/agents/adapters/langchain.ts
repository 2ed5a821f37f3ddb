import { isDeepStrictEqual } from "node:util";
import type {
  AgentMiddleware,
  BaseMessage,
  Runtime,
  ToolCallHandler,
  ToolCallRequest,
  WrapModelCallHandler,
} from "langchain";
import { AIMessage, createMiddleware, HumanMessage, ToolInvocationError } from "langchain";
import { denialError, denialText, OrcsError, type Denial } from "../../core/index.ts";
import type { CallOptions, CallResult, OrcsSession } from "../../engine/index.ts";
import { isStopped, Questions, type Approval } from "./langchain-approval.ts";
import type { ModelRequest, ModelResult, ToolResult } from "./langchain-messages.ts";
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
} from "./langchain-messages.ts";
import { isOwnTask, sessionIn, type Refusal } from "./langchain-runtime.ts";
import {
  asText,
  mayChangeResponses,
  THE_MESSAGE,
  THE_MODEL_CALL,
  WITHHELD,
  withTexts,
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
    const { outcome: called, refusal } = await this.#questions.during(runtime, {
      id: call.id,
      subject: [call.name, call.args],
      why: isOwnTask(runtime) ? undefined : NOT_OWN_TASK,
      run: async (args: typeof call.args) => {
        ended = undefined;
        const changed = isDeepStrictEqual(args, call.args)
          ? request
          : { ...request, toolCall: { ...call, args } };
        ended = await handler(changed);
        return messageIn(ended, call.id)?.content ?? "";
      },
      begin: ({ options, run }) => callTool(this.#orcs, call, options, run),
    });
    if ("thrown" in called) {
      const { thrown, isOfTool } = called;
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
    const { outcome, refusal } = await this.#questions.during(request.runtime, {
      id: "model",
      subject: before,
      run: (after: typeof before) => {
        const changed = changedRequest(request, before, after);
        return handler(mayChangeResponses(this.#orcs) ? unstreamed(changed) : changed);
      },
      begin: async ({ options, run }) => {
        let response: ModelResult | undefined;
        const generate = async (after: typeof before): Promise<unknown> => {
          const given = await run(after);
          if (isStopped(given)) return given;
          response = given;
          return responseText(response);
        };
        const passed = await this.#orcs.invoke("llm.generate", before, generate, options, {
          isInterim: isStopped,
          after: (payload, response_text) => ({
            ...payload,
            ...responseKeys(response),
            response_text,
          }),
        });
        return { ...passed, response };
      },
    });
    if (outcome.action === "abort") throw denialError(what, outcome);
    const { result, response } = outcome;
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
    const { outcome, refusal } = await this.#questions.during(runtime, {
      id: "prompt",
      subject: prompt,
      run: (after: string) => (prompt = after),
      begin: ({ options, run }) =>
        this.#orcs.invoke("prompt.submit", { prompt }, (after) => run(after.prompt), options, {
          isInterim: isStopped,
        }),
    });
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

/** A tool call through its hooks, with its result, or what was thrown, and whether the tool threw it. */
async function callTool<Args extends object>(
  orcs: OrcsSession,
  { id, name, args }: { readonly id?: string; readonly name: string; readonly args: Args },
  options: CallOptions,
  run: (args: Args) => Promise<unknown>,
): Promise<CallResult<unknown> | { readonly thrown: unknown; readonly isOfTool: boolean }> {
  let failed: { readonly thrown: unknown } | undefined;
  const fn = async (changed: Args): Promise<unknown> => {
    try {
      return await run(changed);
    } catch (thrown) {
      failed = { thrown };
      throw thrown;
    }
  };
  try {
    const more = { tool_use_id: id, fn, isInterim: isStopped };
    return await orcs.call<Args>(name, args, { ...options, ...more });
  } catch (thrown) {
    // A hook may have replaced its text.
    const isOfTool = failed !== undefined && !(thrown instanceof OrcsError);
    return { thrown, isOfTool: isOfTool || failed?.thrown === thrown };
  }
}
