import { getOwn } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { stated } from "../host-fields.ts";
import { changed } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";
import type { Given, Said } from "./given.ts";
import { isMessage, lastUserText, messagesOf, withUserText } from "./model.ts";

/** Keys of a model's request that Gemini CLI neither tells nor takes before the model. */
const NOT_TAKEN = ["system_prompt", "available_tools"] as const;

/** What hooks have changed of a model's request, in exactly the keys that differ. */
export function rewrittenRequest({ event, decoded, verdict, payload, sent }: Given): Said {
  const now = (key: string): Json | undefined => changed(decoded.payload, payload, key);
  const downgrades = NOT_TAKEN.filter((key) => now(key) !== undefined).map(
    (key) => `${key}: Gemini CLI takes none from hooks`,
  );
  const request = getOwn(sent, "llm_request");
  const before = (isJsonObject(request) ? messagesOf(request) : undefined) ?? [];
  const { messages, fault } = newMessages(before, now("messages"), verdict.input);
  if (fault !== undefined) {
    return { refusal: fault, downgrades: [...downgrades, `${fault}, so it is refused`] };
  }
  const llm_request = stated({ model: now("model_name"), messages });
  if (Object.keys(llm_request).length === 0) return { output: {}, downgrades };
  return { output: { hookSpecificOutput: { hookEventName: event, llm_request } }, downgrades };
}

interface NewMessages {
  readonly messages?: Json[];
  readonly fault?: string;
}

/** Gemini CLI lays new messages over its own one by one: what is left out stays as it was. */
function newMessages(
  before: readonly Json[],
  given: Json | undefined,
  prompt: Json | undefined,
): NewMessages {
  if (given === undefined && prompt === undefined) return {};
  const rewritten = given ?? [...before];
  if (!Array.isArray(rewritten)) return { fault: "the messages that hooks rewrote are no list" };
  if (rewritten.length < before.length) {
    return { fault: "hooks took messages out, which Gemini CLI keeps" };
  }
  const messages = typeof prompt === "string" ? withPrompt(before, rewritten, prompt) : rewritten;
  if (messages === undefined) {
    return { fault: "hooks rewrote the prompt, and the message that it stands in, to other texts" };
  }
  return messages.every(isMessage)
    ? { messages }
    : { fault: "messages that go back to Gemini CLI are { role, content } with text alone" };
}

function withPrompt(before: readonly Json[], after: Json[], prompt: string): Json[] | undefined {
  const text = lastUserText(after);
  if (text !== lastUserText(before) && text !== prompt) return undefined;
  return withUserText(after, prompt);
}
