import type {
  AgentInputItem,
  AgentOutputType,
  InputGuardrail,
  OutputGuardrail,
} from "@openai/agents-core";
import type { Injection } from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import { withTexts as appended } from "./model-hooks.ts";

/**
 * What the user says passes the hooks of `prompt.pre_submit` before the model is called. A guardrail can stop a run; it
 * cannot change the prompt or add to it.
 */
export function promptGuardrail(orcs: OrcsSession): InputGuardrail {
  const name = "orcs prompt.pre_submit";
  return {
    name,
    runInParallel: false,
    execute: async ({ input }) => {
      const prompt = promptOf(input);
      if (prompt === undefined) return { tripwireTriggered: false, outputInfo: null };
      const outcome = await orcs.invoke("prompt.submit", { prompt }, ({ prompt: after }) =>
        warnOfChange(name, prompt, after),
      );
      const tripwireTriggered = outcome.action !== "continue";
      return { tripwireTriggered, outputInfo: tripwireTriggered ? why(outcome) : null };
    },
  };
}

/** The final output passes the hooks of `llm.post_generate`, which can stop it, and cannot change it. */
export function responseGuardrail(orcs: OrcsSession): OutputGuardrail<AgentOutputType> {
  const name = "orcs llm.post_generate";
  return {
    name,
    execute: async ({ agentOutput }) => {
      const response_text = shown(agentOutput);
      const outcome = await orcs.dispatch("llm.post_generate", { response_text });
      const tripwireTriggered = outcome.action === "abort";
      if (!tripwireTriggered) {
        warnOfChange(name, response_text, outcome.ctx.payload["response_text"]);
      }
      return { tripwireTriggered, outputInfo: tripwireTriggered ? why(outcome) : null };
    },
  };
}

function why({ hook, reason }: { readonly hook?: string; readonly reason?: string }) {
  return { hook, reason };
}

function warnOfChange(guardrail: string, text: string, after: unknown): void {
  if (after === text) return;
  process.emitWarning(`${guardrail}: a guardrail cannot change a text`, "OrcsWarning");
}

/** What the user says in an input: in a conversation, all that is behind the last message of the agent. */
function promptOf(input: string | readonly AgentInputItem[]): string | undefined {
  if (typeof input === "string") return input;
  const isAgents = (item: AgentInputItem) => !("role" in item) || item.role === "assistant";
  const texts = input.slice(input.findLastIndex(isAgents) + 1).flatMap((item) => {
    if (!("role" in item) || item.role !== "user") return [];
    if (typeof item.content === "string") return [item.content];
    return item.content.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  });
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** The output of a tool, and the texts of hooks behind it. */
export function withTexts(result: unknown, inject: readonly Injection[]): unknown {
  if (inject.length === 0) return result;
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  return appended(parts.length > 0 && parts.every(isPart) ? parts : shown(result), inject);
}

/** Whether the SDK passes it on as a part of the output; it writes everything else as JSON. */
function isPart(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return type === "text" || type === "image" || type === "file";
}

/** A value as the model reads it. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
