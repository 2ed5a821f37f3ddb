import type { LanguageModelMiddleware } from "ai";
import { injectedText, type Injection, type Json, type PayloadOf } from "../../core/index.ts";
import { withText } from "./model-hooks.ts";

type WrapGenerate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
/** A call of a model that is not streamed, as a middleware gets it. */
export type GenerateCall = Parameters<WrapGenerate>[0];
export type StreamCall = Parameters<WrapStream>[0];
export type Model = GenerateCall["model"];
export type Params = GenerateCall["params"];
export type Prompt = Params["prompt"];
type Message = Prompt[number];
export type UserMessage = Extract<Message, { role: "user" }>;
export type Generated = Awaited<ReturnType<WrapGenerate>>;
export type Streamed = Awaited<ReturnType<WrapStream>>;
export type Part = Streamed["stream"] extends ReadableStream<infer Item> ? Item : never;
export type ProviderResult = Extract<Part, { type: "tool-result" }>;
type ModelPayload = PayloadOf<"llm.pre_generate">;

/** The texts of a message; nothing of its files, reasoning and calls. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const part of content) if (part.type === "text") texts.push(part.text);
  return texts.join("");
}

/** The same message of the user with another text, and texts of hooks behind it. Files stay. */
export function userWith(
  message: UserMessage,
  text: string | undefined,
  inject: readonly Injection[],
): UserMessage {
  const added = inject.map((given) => ({ type: "text" as const, text: injectedText(given) }));
  const content = text === undefined ? message.content : withText(message.content, text);
  return { ...message, content: [...content, ...added] };
}

/** A message of the user of which nothing reaches the model. */
export function withheld(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The conversation as hooks see it; what is in a message is converted when it is read. */
export function conversation(prompt: Prompt): Json[] {
  return prompt.filter(({ role }) => role !== "system") as unknown as Json[];
}

/** A call of a model as hooks see it. */
export function modelPayload({ provider, modelId }: Model, params: Params): ModelPayload {
  const { prompt, tools = [] } = params;
  const user = prompt.findLast(({ role }) => role === "user");
  const system = prompt.flatMap((each) => (each.role === "system" ? [each.content] : []));
  return {
    prompt: user ? textOf(user) : "",
    system_prompt: system.join("\n\n"),
    messages: conversation(prompt),
    available_tools: tools.map(({ name }) => name),
    model_name: modelId,
    model_provider: provider,
  };
}

/** The call of a model as hooks left it: its prompt, its instructions, and which tools it has. */
export function changedParams(params: Params, before: ModelPayload, after: ModelPayload): Params {
  const { prompt = "", system_prompt = "", available_tools: left } = after;
  const isChanged =
    prompt !== before.prompt ||
    system_prompt !== before.system_prompt ||
    left !== before.available_tools;
  if (!isChanged) return params;
  const changed = { ...params };
  if (prompt !== before.prompt) {
    const at = params.prompt.findLastIndex(({ role }) => role === "user");
    changed.prompt =
      at < 0
        ? [...params.prompt, withheld(prompt)]
        : params.prompt.with(at, userWith(params.prompt[at] as UserMessage, prompt, []));
  }
  if (system_prompt !== before.system_prompt) {
    const others = changed.prompt.filter(({ role }) => role !== "system");
    changed.prompt = [{ role: "system", content: system_prompt }, ...others];
  }
  if (left !== before.available_tools && params.tools) {
    changed.tools = params.tools.filter(({ name }) => left?.includes(name));
  }
  return changed;
}
