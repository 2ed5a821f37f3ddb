import type {
  BaseMessage,
  ToolCallHandler,
  WrapModelCallHandler,
  WrapModelCallHook,
} from "langchain";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "langchain";
import type { Json, PayloadOf } from "../../core/index.ts";
import { asText, withText as withTextPart } from "./model-hooks.ts";

export type Content = BaseMessage["content"];
export type ToolResult = Awaited<ReturnType<ToolCallHandler>>;
export type ModelRequest = Parameters<WrapModelCallHook>[0];
export type ModelResult = Awaited<ReturnType<WrapModelCallHook>>;
type ModelPayload = PayloadOf<"llm.pre_generate">;
type Command = Exclude<ToolResult, ToolMessage>;
type Call = Parameters<ToolCallHandler>[0]["toolCall"];

/** The message that answers a tool call: the result itself, or the one in a `Command`. */
export function messageIn(result: ToolResult, id: string | undefined): ToolMessage | undefined {
  if (ToolMessage.isInstance(result)) return result;
  return messagesIn(result).find(
    (message): message is ToolMessage =>
      ToolMessage.isInstance(message) && message.tool_call_id === id,
  );
}

/** The same result with other content in the message that answers the call. */
export function withContent(
  result: ToolResult,
  message: ToolMessage,
  content: Content,
): ToolResult {
  const { tool_call_id, artifact, status, metadata } = message;
  const changed = new ToolMessage({
    ...fieldsOf(message),
    content,
    tool_call_id,
    ...(artifact !== undefined && { artifact: artifact as unknown }),
    ...(status && { status }),
    ...(metadata && { metadata }),
  });
  if (ToolMessage.isInstance(result)) return changed;
  const messages = messagesIn(result).map((item) => (item === message ? changed : item));
  const update = { ...(result.update as object), messages };
  const command = Object.create(Object.getPrototypeOf(result) as object) as Command;
  return Object.assign(command, result, { update });
}

function messagesIn({ update }: Command): readonly unknown[] {
  if (typeof update !== "object" || update === null || Array.isArray(update)) return [];
  const { messages } = update as { messages?: unknown };
  return Array.isArray(messages) ? messages : [messages];
}

/** The answer to a tool call that has no message yet. */
export function answering(
  { id = "", name }: Call,
  content: Content,
  status?: "error",
): ToolMessage {
  return new ToolMessage({
    content,
    tool_call_id: id,
    name,
    ...(status && { status }),
  });
}

/** The fields that all messages have, without the content. */
export function fieldsOf({ id, name, additional_kwargs, response_metadata }: BaseMessage) {
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    additional_kwargs,
    response_metadata,
  };
}

/** The last message of the user. */
export function lastHuman(messages: readonly BaseMessage[]): HumanMessage | undefined {
  return messages.findLast((message) => HumanMessage.isInstance(message));
}

/** The same message of the user with other content. */
export function humanWith(message: HumanMessage, content: Content): HumanMessage {
  return new HumanMessage({ ...fieldsOf(message), content });
}

/** What hooks left of a result as content; a list of blocks can only stand for a list of blocks. */
export function asContent(result: unknown, original: Content = ""): Content {
  const isList = Array.isArray(original) && Array.isArray(result);
  return isList ? (result as Content) : asText(result);
}

/** Content with another text: in a list of blocks, in place of the first text, and of all others. */
export function withText(content: Content, text: string): Content {
  if (typeof content === "string") return text;
  return withTextPart(content, text);
}

/** A call of a model as hooks see it. */
export function modelPayload({
  model,
  messages,
  systemMessage,
  tools,
}: ModelRequest): ModelPayload {
  const {
    model: name,
    modelName = name,
    _llmType: type,
  } = model as Partial<Record<"model" | "modelName" | "_llmType", unknown>>;
  const provider: unknown = typeof type === "function" ? type.call(model) : undefined;
  return {
    prompt: lastHuman(messages)?.text ?? "",
    system_prompt: systemMessage.text,
    messages: messages.map(
      ({ type: kind, content }) => ({ role: ROLES[kind] ?? kind, content }) as unknown as Json,
    ),
    available_tools: tools.map(nameOf).filter((tool) => tool !== undefined),
    ...(typeof modelName === "string" && { model_name: modelName }),
    ...(typeof provider === "string" && { model_provider: provider }),
  };
}

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };

function nameOf(tool: ModelRequest["tools"][number]): string | undefined {
  return typeof tool["name"] === "string" ? tool["name"] : undefined;
}

/** The call of a model as hooks left it: its prompt, its instructions, and which tools it has. */
export function changedRequest(
  request: ModelRequest,
  before: ModelPayload,
  after: ModelPayload,
): Parameters<WrapModelCallHandler>[0] {
  const { prompt = "", system_prompt = "", available_tools: left } = after;
  const human = lastHuman(request.messages);
  const changed = { ...request };
  if (human && prompt !== before.prompt) {
    const other = humanWith(human, withText(human.content, prompt));
    changed.messages = request.messages.map((message) => (message === human ? other : message));
  } else if (prompt !== before.prompt) {
    changed.messages = [...request.messages, new HumanMessage(prompt)];
  }
  if (system_prompt !== before.system_prompt) {
    changed.systemMessage = new SystemMessage(system_prompt);
  }
  if (left !== before.available_tools) {
    changed.tools = request.tools.filter((tool) => {
      const name = nameOf(tool);
      return name === undefined || left?.includes(name);
    });
  }
  return changed;
}

/** What all runnables of the library have. */
interface Configurable {
  withConfig(config: { readonly tags: readonly string[] }): ModelRequest["model"];
}

/**
 * The same call with a model whose tokens do not reach `streamMode: "messages"`: hooks have not seen them. The message
 * as the hooks left it does.
 */
export function unstreamed(request: Parameters<WrapModelCallHandler>[0]): typeof request {
  const model = request.model as typeof request.model & Configurable;
  return { ...request, model: model.withConfig({ tags: ["nostream"] }) };
}

/** The text of a response; JSON for a structured one. */
export function responseText(response: ModelResult): string {
  if (AIMessage.isInstance(response)) return response.text;
  return "structuredResponse" in response ? asText(response.structuredResponse) : "";
}

/** What hooks see of a response besides its text. */
export function responseKeys(response: ModelResult | undefined): object {
  if (!AIMessage.isInstance(response)) return {};
  const { tool_calls = [] } = response;
  const usage = usageOf(response);
  return {
    tool_calls: tool_calls.map(({ id, name, args }) => ({ id, name, args })),
    ...(usage && {
      usage: {
        prompt_tokens: usage.input_tokens,
        completion_tokens: usage.output_tokens,
        total_tokens: usage.total_tokens,
      },
    }),
  };
}

/** A response with another text. @returns undefined for a structured one */
export function responseWith(response: ModelResult, text: string): AIMessage | undefined {
  if (!AIMessage.isInstance(response)) return undefined;
  const { tool_calls = [], invalid_tool_calls = [] } = response;
  const usage_metadata = usageOf(response);
  return new AIMessage({
    ...fieldsOf(response),
    content: withText(response.content, text),
    tool_calls,
    invalid_tool_calls,
    ...(usage_metadata && { usage_metadata: usage_metadata as never }),
  });
}

/** Numbers of tokens; the library derives their type from that of the messages. */
type Usage = Record<"input_tokens" | "output_tokens" | "total_tokens", number>;

function usageOf({ usage_metadata }: AIMessage): Usage | undefined {
  return usage_metadata;
}
