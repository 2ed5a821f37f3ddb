import type { Settings } from "../../config/settings.ts";
import type { HookContext } from "../../core/context.ts";
import { messageOf } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolAnswer } from "../../core/ports.ts";
import type { Tool, ToolCall } from "../../core/tools.ts";
import type { InvokeHost } from "../../registry/invoke.ts";
import { invoke } from "../../registry/invoke.ts";
import type { Llm } from "../options.ts";
import type { ReadLlmAnswer } from "./llm-request.ts";
import { llmPayload, llmRequest, readLlmAnswer } from "./llm-request.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { ToolRecorder } from "./tool-recorder.ts";
import { recorded } from "./tool-recorder.ts";

/** What the tool needs of its engine. */
interface LlmDeps extends InvokeHost {
  readonly settings: Pick<Settings, "model">;
  readonly tools: Pick<ToolCalls, "permit">;
  readonly tap?: ToolRecorder | undefined;
}

const NO_FUNCTION = "no function for it: give one to createOrcs({ llm })";

/**
 * `llm`: ask the model of the embedding program, between `llm.pre_generate` and `llm.post_generate`.
 * Arguments: `prompt`, `system_prompt`, `messages`, `model = { provider, name, temperature }` (what is left
 * out is taken from `[model]`) and whatever else the function understands. It answers
 * `{ ok: true, text, usage?, tool_calls? }` and never throws.
 */
export function llmTool(host: LlmDeps, llm: Llm | undefined): Tool {
  return {
    name: "llm",
    capability: "LLM",
    mainArg: "prompt",
    isNested: true,
    async run(args, call): Promise<ToolAnswer> {
      try {
        // A replay has no need of one.
        if (!llm && !host.tap?.instead) throw new Error(NO_FUNCTION);
        return await generate(host, llm, args, call);
      } catch (thrown) {
        return { ok: false, error: `llm: ${messageOf(thrown)}` };
      }
    },
  };
}

async function generate(
  host: LlmDeps,
  llm: Llm | undefined,
  args: JsonObject,
  { signal, ctx, caller }: ToolCall,
): Promise<ToolAnswer> {
  const { channel_id, principal, depth, metadata } = ctx;
  const { session_id, agent_id } = ctx.payload;
  const outcome = await invoke(
    host,
    "llm.generate",
    { ...llmPayload(args, host.settings.model), ...strings({ session_id, agent_id }) },
    async (payload, pre: HookContext) => {
      if (signal?.aborted) throw new Error(CANCELLED);
      const request = llmRequest(payload);
      const ask = async (): Promise<ReadLlmAnswer> => {
        if (!llm) throw new Error(NO_FUNCTION);
        return readLlmAnswer(await untilAborted(llm(request, { signal, ctx: pre }), signal));
      };
      const asked = { kind: "llm", args: request as JsonObject, depth };
      return readLlmAnswer(await recorded(host.tap, asked, ask));
    },
    { ...caller, channel: channel_id, principal, depth, metadata },
    (pre) => host.tools.permit("llm.generate", pre, signal),
    {
      after: (payload, result) => {
        const { text, ...more } = result as ReadLlmAnswer;
        return { ...payload, ...more, response_text: text };
      },
    },
  );
  if (outcome.action === "abort") {
    return { ok: false, error: `blocked by hook ${outcome.hook}: ${outcome.reason}` };
  }
  if (outcome.action === "skip") return { ok: true, ...readLlmAnswer(outcome.result) };
  const { usage, tool_calls } = outcome.ctx.payload;
  return { ok: true, ...readLlmAnswer({ text: outcome.result, usage, tool_calls }) };
}

const CANCELLED = "the request was cancelled";

/** What is awaited, or an error as soon as nobody wants it any more: a function need not listen. */
async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let cancel = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new Error(CANCELLED));
    signal.addEventListener("abort", cancel, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function strings(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => typeof value === "string"),
  );
}
