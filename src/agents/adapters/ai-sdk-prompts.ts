import { createHash } from "node:crypto";
import { denialText, type Injection } from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import type { Params, Prompt, UserMessage } from "./ai-sdk-messages.ts";
import { conversation, textOf, userWith, withheld } from "./ai-sdk-messages.ts";
import { asText, THE_MESSAGE, WITHHELD } from "./model-hooks.ts";
import { NewestMap } from "./newest-map.ts";

/** What hooks left of a message; undefined for nothing, when it was denied. */
interface Left {
  readonly text: string | undefined;
  readonly inject: readonly Injection[];
}

/** The call of a model with its messages as hooks left them, or the answer to a message that does not reach it. */
type Submitted = { readonly params: Params } | { readonly answer: string };

/**
 * The messages of the user between their hooks. Each passes them once, before the model is called with it. The SDK
 * keeps the message as it was and sends it again with every further call, so what hooks left of it is remembered.
 */
export class SubmittedMessages {
  readonly #orcs: OrcsSession;
  /**
   * Changed messages: by all texts up to theirs, and without the added texts also by their own text alone, for a
   * program that shortens the conversation.
   */
  readonly #left = new NewestMap<string, Left>();
  /** Prompts that have passed: after an error the SDK sends the same again. */
  readonly #passed = new WeakSet<Prompt>();

  constructor(orcs: OrcsSession) {
    this.#orcs = orcs;
  }

  /** @returns the same parameters if hooks changed nothing */
  async submit(params: Params): Promise<Submitted> {
    const { prompt, abortSignal: signal } = params;
    const isQuiet = this.#orcs.registry.isQuiet(["prompt.pre_submit", "prompt.post_submit"]);
    if (isQuiet && this.#left.size === 0) return { params };
    const answered = prompt.findLastIndex(({ role }) => role === "assistant");
    const isKnown = isQuiet || this.#passed.has(prompt);
    let after = prompt;
    const texts = createHash("sha256");
    for (const [i, message] of prompt.entries()) {
      const text = textOf(message);
      texts.update(JSON.stringify([message.role, text]));
      if (message.role !== "user") continue;
      const whole = texts.copy().digest("base64");
      const own = createHash("sha256").update(text).digest("base64");
      let left: Left | undefined;
      if (isKnown || i < answered) {
        left = this.#left.get(whole) ?? this.#left.get(own);
      } else {
        const passed = await this.#pass(text, prompt.slice(0, i + 1), signal);
        left = passed.left;
        this.#remember(whole, left);
        this.#remember(own, left && { ...left, inject: [] });
        if (passed.answer !== undefined) return { answer: passed.answer };
      }
      if (left) after = after.with(i, leftOf(message, left));
    }
    this.#passed.add(prompt);
    return { params: after === prompt ? params : { ...params, prompt: after } };
  }

  /**
   * The hooks of one message. @returns what they left of it if they changed it, and the answer if it goes no further
   */
  async #pass(
    text: string,
    messages: Prompt,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly left?: Left | undefined; readonly answer?: string }> {
    let after = text;
    const outcome = await this.#orcs.invoke(
      "prompt.submit",
      { prompt: text, messages: conversation(messages) },
      ({ prompt }) => (after = prompt),
      { signal },
    );
    const { action, inject } = outcome;
    if (action === "continue") {
      if (after === text && inject.length === 0) return {};
      return { left: { text: after, inject } };
    }
    const answer = action === "skip" ? asText(outcome.result) : denialText(outcome, THE_MESSAGE);
    return { left: { text: undefined, inject: [] }, answer };
  }

  #remember(key: string, left: Left | undefined): void {
    if (left) this.#left.keep(key, left);
    else this.#left.delete(key);
  }
}

function leftOf(message: UserMessage, { text, inject }: Left): UserMessage {
  if (text === undefined) return withheld(WITHHELD);
  return userWith(message, text === textOf(message) ? undefined : text, inject);
}
