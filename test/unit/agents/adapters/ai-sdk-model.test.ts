import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import {
  APICallError,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import { orcsMiddleware } from "../../../../src/agents/adapters/ai-sdk.ts";
import type { OrcsSession } from "../../../../src/engine/orcs/orcs.ts";
import { open } from "../../engine/orcs/engine.ts";
import type { Content, Params } from "./ai-sdk-models.ts";
import { scripted, toolCall, usage } from "./ai-sdk-models.ts";

const anything = jsonSchema<Record<string, string>>({ type: "object" });
const note = tool({ inputSchema: anything, execute: () => "noted" });
const call = [toolCall("call-0", "note", { text: "x" })];

interface Asked {
  readonly messages?: ModelMessage[];
  readonly tools?: ToolSet;
  readonly system?: string;
}

const user = (content: string): ModelMessage => ({ role: "user", content });
const answers = (content: string): ModelMessage => ({ role: "assistant", content });

/** Each way to call a model, with the text that the program gets. */
const WAYS: readonly [
  name: string,
  ask: (model: LanguageModel, asked?: Asked) => Promise<{ text: string; pieces: string[] }>,
][] = [
  [
    "generateText",
    async (model, asked = {}) => {
      const { text } = await generateText({ model, ...given(asked) });
      return { text, pieces: [text] };
    },
  ],
  [
    "streamText",
    async (model, asked = {}) => {
      const errors: unknown[] = [];
      const result = streamText({
        model,
        ...given(asked),
        onError: ({ error }) => void errors.push(error),
      });
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      if (errors.length > 0) throw errors[0];
      return { text: pieces.join(""), pieces };
    },
  ],
];

function given({ messages = [user("go")], tools, system }: Asked) {
  return {
    messages,
    ...(tools && { tools }),
    ...(system !== undefined && { system }),
    stopWhen: stepCountIs(5),
  };
}

const governing = (orcs: OrcsSession, mock: MockLanguageModelV3) => {
  const middleware = orcsMiddleware(orcs);
  return wrapLanguageModel({ model: mock, middleware });
};

/** The texts of the messages of the user that a call of the model had. */
const userTexts = ({ prompt }: Params) =>
  prompt.flatMap(({ role, content }) =>
    role === "user" ? [content.map((part) => (part.type === "text" ? part.text : part.type))] : [],
  );

describe.each(WAYS)("a model of the AI SDK between its hooks, with %s", (_, ask) => {
  test("gets the same call and gives the same response where no hook is", async () => {
    const { mock, sent } = scripted(call, "done");
    const plain = scripted(call, "done");
    await ask(plain.mock, { tools: { note }, system: "be kind" });
    const { text } = await ask(governing(await open(), mock), {
      tools: { note },
      system: "be kind",
    });
    expect(text).toBe("done");
    expect(sent.map(({ prompt }) => prompt)).toEqual(plain.sent.map(({ prompt }) => prompt));
  });

  test("hooks see the call: prompt, instructions, model, tools and conversation", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("llm.pre_generate", ({ payload }) => void seen.push(payload));
    const session = orcs.session({ session_id: "s" });
    const { mock } = scripted("done");
    const messages = [user("first"), answers("yes"), user("second")];
    await ask(governing(session, mock), { messages, tools: { note }, system: "be kind" });
    expect(seen).toEqual([
      {
        prompt: "second",
        system_prompt: "be kind",
        model_name: "mock-1",
        model_provider: "mock",
        available_tools: ["note"],
        messages: [
          { role: "user", content: [{ type: "text", text: "first" }] },
          { role: "assistant", content: [{ type: "text", text: "yes" }] },
          { role: "user", content: [{ type: "text", text: "second" }] },
        ],
        session_id: "s",
      },
    ]);
  });

  test("hooks see the response: text, tool calls and usage", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("llm.post_generate", ({ payload: { response_text, tool_calls, usage: used } }) => {
      seen.push([response_text, tool_calls, used]);
    });
    const { mock } = scripted([{ type: "text", text: "I note it." }, ...call], "done");
    await ask(governing(orcs, mock), { tools: { note } });
    const used = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    expect(seen).toEqual([
      ["I note it.", [{ id: "call-0", name: "note", args: { text: "x" } }], used],
      ["done", [], used],
    ]);
  });

  test("what hooks change reaches the model: prompt, instructions and tools", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", ({ payload }) => {
      payload.prompt = "changed";
      payload.system_prompt = "be brief";
      payload.available_tools = ["note"];
    });
    const { mock, sent } = scripted("done");
    await ask(governing(orcs, mock), { tools: { note, other: note }, system: "be kind" });
    const [first] = sent;
    expect(first?.prompt).toMatchObject([
      { role: "system", content: "be brief" },
      { role: "user", content: [{ type: "text", text: "changed" }] },
    ]);
    expect(first?.tools?.map(({ name }) => name)).toEqual(["note"]);
  });

  test("a replaced response is all that the program and the next call get; tool calls stay", async () => {
    const orcs = await open();
    orcs.on("llm.post_generate", ({ payload: { response_text } }) => ({
      action: "replace",
      result: String(response_text).replace("secret", "***"),
    }));
    const first: Content[] = [
      { type: "text", text: "The sec" },
      { type: "text", text: "ret is" },
      ...call,
    ];
    const { mock, sent } = scripted(first, "a secret");
    const { text, pieces } = await ask(governing(orcs, mock), { tools: { note } });
    expect(text).toMatch(/a \*\*\*$/);
    expect(pieces.join()).not.toContain("secret");
    const [, second] = sent;
    expect(second?.prompt).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ text: "The *** is" }, { type: "tool-call" }] },
      { role: "tool" },
    ]);
  });

  test("a denied response ends the run with an error that names the hook", async () => {
    const orcs = await open();
    orcs.hook({
      id: "h",
      point: "llm.post_generate",
      handler: () => ({ action: "abort", reason: "too rude" }),
    });
    const { mock } = scripted("secret");
    const asked = ask(governing(orcs, mock));
    await expect(asked).rejects.toThrow("the model call was denied by hook h: too rude");
  });

  test("a denied call does not reach the model", async () => {
    const orcs = await open();
    orcs.hook({
      id: "h",
      point: "llm.pre_generate",
      handler: () => ({ action: "abort", reason: "no budget" }),
    });
    const { mock, sent } = scripted("done");
    const asked = ask(governing(orcs, mock));
    await expect(asked).rejects.toThrow("the model call was denied by hook h: no budget");
    expect(sent).toEqual([]);
  });

  test("the result of skip is the response; the model is not called", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", () => ({ action: "skip", result: "cached" }));
    const { mock, sent } = scripted("done");
    expect((await ask(governing(orcs, mock))).text).toBe("cached");
    expect(sent).toEqual([]);
  });

  test("a retry calls the model again, and nothing of the first response arrives", async () => {
    const orcs = await open();
    let count = 0;
    orcs.on("llm.post_generate", () =>
      count++ === 0 ? { action: "retry", delay_ms: 1 } : undefined,
    );
    const { mock, sent } = scripted("first", "second");
    expect((await ask(governing(orcs, mock))).text).toBe("second");
    expect(sent).toHaveLength(2);
  });

  test("an error of the model is the program's, and hooks see it", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("llm.post_generate", ({ payload }) => void seen.push(payload["error"]));
    const fails = () => Promise.reject(new Error("no network"));
    const mock = new MockLanguageModelV3({ doGenerate: fails, doStream: fails });
    await expect(ask(governing(orcs, mock))).rejects.toThrow("no network");
    expect(seen).toEqual(["no network"]);
  });

  test("a question is answered by onAsk; without anybody, it is a denial that says so", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", () => ({ action: "continue", decision: "ask", reason: "costly" }));
    const { mock, sent } = scripted("done");
    await expect(ask(governing(orcs, mock))).rejects.toThrow(/nobody is available to ask/);
    expect(sent).toEqual([]);
    const session = orcs.session({ onAsk: () => true });
    expect((await ask(governing(session, mock))).text).toBe("done");
  });
});

describe.each(WAYS)("the messages of the user, with %s", (_, ask) => {
  test("pass the hooks once each, however often the model is called", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("prompt.pre_submit", ({ payload }) => void seen.push(payload.prompt));
    orcs.on("prompt.post_submit", ({ payload }) => void seen.push(payload.prompt));
    const { mock } = scripted(call, call, "done");
    const model = governing(orcs, mock);
    await ask(model, { tools: { note } });
    await ask(model, { messages: [user("go"), answers("done"), user("more")] });
    expect(seen).toEqual(["go", "go", "more", "more"]);
  });

  test("a rewrite reaches the model in every call, in later runs too, with its files", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", ({ payload }) => {
      payload.prompt = payload.prompt.replace("1234", "****");
    });
    const { mock, sent } = scripted(call, "done");
    const model = governing(orcs, mock);
    const image = { type: "image" as const, image: new Uint8Array([137, 80, 78, 71]) };
    const first: ModelMessage = {
      role: "user",
      content: [image, { type: "text", text: "my pin is 1234" }],
    };
    await ask(model, { messages: [first], tools: { note } });
    await ask(model, { messages: [first, answers("done"), user("more")] });
    // A program that shortens the conversation, or has other instructions.
    await ask(model, {
      messages: [user("x"), answers("y"), first, answers("done"), user("more")],
      system: "z",
    });
    expect(sent).toHaveLength(4);
    expect(JSON.stringify(sent.map(userTexts))).not.toContain("1234");
    expect(userTexts(sent[1] as Params)).toEqual([["file", "my pin is ****"]]);
    expect(userTexts(sent[2] as Params)[0]).toEqual(["file", "my pin is ****"]);
  });

  test("texts of hooks are behind the message, in every call of the run", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", () => ({ action: "continue", inject: "today is Monday" }));
    const { mock, sent } = scripted(call, "done");
    await ask(governing(orcs, mock), { tools: { note } });
    expect(sent.map(userTexts)).toEqual([[["go", "today is Monday"]], [["go", "today is Monday"]]]);
  });

  test("texts for one conversation do not reach another with the same message", async () => {
    const orcs = await open();
    let count = 0;
    orcs.on("prompt.pre_submit", () => ({ action: "continue", inject: `user ${++count}` }));
    const { mock, sent } = scripted("done");
    const model = governing(orcs, mock);
    const turns = [user("go"), answers("done"), user("more")];
    for (const system of ["for Ann", "for Bob"]) await ask(model, { system });
    for (const system of ["for Ann", "for Bob", "new"])
      await ask(model, { messages: turns, system });
    expect(sent.slice(2).map((params) => userTexts(params)[0])).toEqual([
      ["go", "user 1"],
      ["go", "user 2"],
      ["go"],
    ]);
  });

  test("a denial is the response; the message reaches the model neither now nor later", async () => {
    const orcs = await open();
    orcs.hook({
      id: "h",
      point: "prompt.pre_submit",
      handler: ({ payload }) =>
        payload.prompt.includes("secret") ? { action: "abort", reason: "no secrets" } : undefined,
    });
    const { mock, sent } = scripted("done");
    const model = governing(orcs, mock);
    const { text } = await ask(model, { messages: [user("a secret")] });
    expect(text).toBe("the message was denied by hook h: no secrets");
    expect(sent).toEqual([]);
    await ask(model, { messages: [user("a secret"), answers(text), user("more")] });
    expect(userTexts(sent[0] as Params)).toEqual([["(This message was withheld.)"], ["more"]]);
  });

  test("of several at once, each passes, and one denial ends the run", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("prompt.pre_submit", ({ payload: { prompt } }) => {
      seen.push(prompt);
      return prompt === "b" ? { action: "abort", reason: "no b" } : undefined;
    });
    const { mock, sent } = scripted("done");
    const { text } = await ask(governing(orcs, mock), {
      messages: [user("a"), user("b"), user("c")],
    });
    expect(text).toMatch(/no b$/);
    expect([seen, sent]).toEqual([["a", "b"], []]);
  });

  test("a hook sees the conversation up to the message", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("prompt.pre_submit", ({ payload }) => void seen.push(payload.messages?.length));
    const { mock } = scripted("done");
    const messages = [user("a"), answers("b"), user("c")];
    await ask(governing(orcs, mock), { messages, system: "be kind" });
    expect(seen).toEqual([3]);
  });

  test("the result of skip is the response; the message stays withheld", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", () => ({ action: "skip", result: "see the manual" }));
    const { mock, sent } = scripted("done");
    expect((await ask(governing(orcs, mock))).text).toBe("see the manual");
    expect(sent).toEqual([]);
  });
});

describe.each(WAYS)("tools that the provider runs, with %s", (_, ask) => {
  const search = {
    type: "provider" as const,
    id: "mock.search" as const,
    args: {},
    inputSchema: anything,
    outputSchema: anything,
  };
  const found: Content[] = [
    toolCall("p-1", "search", { q: "x" }, { providerExecuted: true }),
    { type: "tool-result", toolCallId: "p-1", toolName: "search", result: { hit: "secret" } },
    { type: "text", text: "found" },
  ];

  test("hooks see the result with the arguments, and can mask it", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.post_execute", ({ payload: { tool_name, args, result, tool_use_id } }) => {
      seen.push([tool_name, args, result, tool_use_id]);
      return { action: "replace", result: { hit: "***" } };
    });
    const { mock, sent } = scripted(found, "done");
    const model = governing(orcs, mock);
    const tools = { search } as unknown as ToolSet;
    await ask(model, { tools });
    expect(seen).toEqual([["search", { q: "x" }, { hit: "secret" }, "p-1"]]);
    const { steps } = await generateText({
      model: governing(orcs, scripted(found).mock),
      tools,
      prompt: "go",
    });
    expect(JSON.stringify(steps)).not.toContain("secret");
    expect(JSON.stringify(steps)).toContain("***");
    expect(sent).toHaveLength(1);
  });

  test("a denied result is an error that names the hook", async () => {
    const orcs = await open();
    orcs.hook({
      id: "h",
      point: "tool.post_execute",
      handler: () => ({ action: "abort", reason: "private" }),
    });
    const { mock } = scripted(found);
    const result = await generateText({
      model: governing(orcs, mock),
      tools: { search } as unknown as ToolSet,
      prompt: "go",
    });
    const errors = result.content.filter(({ type }) => type === "tool-error");
    expect(JSON.stringify(errors)).toContain("search was denied by hook h: private");
    expect(JSON.stringify(result.content)).not.toContain("secret");
  });

  test("a hook at llm.pre_generate can take such a tool away", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", ({ payload }) => void (payload.available_tools = []));
    const { mock, sent } = scripted("done");
    await ask(governing(orcs, mock), { tools: { search } as unknown as ToolSet });
    expect(sent[0]?.tools).toEqual([]);
  });
});

describe("a stream", () => {
  const pieces = async (orcs: OrcsSession, text = "a secret") => {
    const { mock } = scripted(text);
    const result = streamText({
      model: governing(orcs, mock),
      prompt: "go",
      onError: () => undefined,
    });
    const got: string[] = [];
    for await (const piece of result.textStream) got.push(piece);
    return got;
  };

  test("arrives as the model sends it where no hook may change it", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", () => undefined);
    expect(await pieces(orcs)).toEqual(Array.from("a secret"));
  });

  test("is the very stream of the model where nobody observes it", async () => {
    const orcs = await open();
    orcs.on("llm.pre_generate", () => undefined);
    const given = await scripted("a").mock.doStream({ prompt: [] });
    const model = new MockLanguageModelV3({ doStream: given });
    const { stream } = await governing(orcs, model).doStream({ prompt: [] });
    expect(stream).toBe(given.stream);
  });

  test("is held back while a hook may change it, even if it does not", async () => {
    const orcs = await open();
    const order: string[] = [];
    orcs.on("llm.post_generate", () => void order.push("hook"));
    const { stream } = await governing(orcs, scripted("abc").mock).doStream({ prompt: [] });
    for await (const { type } of stream) order.push(type);
    expect(order).toEqual([
      "hook",
      "stream-start",
      "text-start",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-end",
      "finish",
    ]);
  });

  test("a hook that only observes sees the response when it has ended, and holds nothing back", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    const observed = new Promise((resolve) =>
      orcs.hook({
        point: "llm.post_generate",
        observe: true,
        handler: ({ payload }) => resolve(seen.push(payload.response_text)),
      }),
    );
    expect(await pieces(orcs)).toEqual(Array.from("a secret"));
    await observed;
    expect(seen).toEqual(["a secret"]);
  });

  test("that the caller leaves early ends the model's own; hooks see what was read", async () => {
    const orcs = await open();
    const seen = new Promise((resolve) =>
      orcs.hook({
        point: "llm.post_generate",
        observe: true,
        handler: ({ payload }) => resolve(payload.response_text),
      }),
    );
    let cancelled: unknown;
    const source = new ReadableStream<{ type: "text-delta"; id: string; delta: string }>({
      pull: (to) => to.enqueue({ type: "text-delta", id: "1", delta: "x" }),
      cancel: (reason) => void (cancelled = reason),
    });
    const model = new MockLanguageModelV3({ doStream: { stream: source } });
    const { stream } = await governing(orcs, model).doStream({ prompt: [] });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(cancelled).toBe("enough");
    expect(await seen).toMatch(/^x+$/);
  });

  test("an error in it is the caller's", async () => {
    const orcs = await open();
    for (const observe of [true, false]) {
      const remove = orcs.hook({ point: "llm.post_generate", observe, handler: () => undefined });
      const broken = new ReadableStream({ start: (to) => to.error(new Error("cut off")) });
      const model = new MockLanguageModelV3({ doStream: { stream: broken } });
      const read = async () => {
        const { stream } = await governing(orcs, model).doStream({ prompt: [] });
        for await (const _ of stream);
      };
      await expect(read()).rejects.toThrow("cut off");
      remove();
    }
  });

  test("a replaced text stands where the first one was; nothing raw of the model stays", async () => {
    const orcs = await open();
    orcs.on("llm.post_generate", () => ({ action: "replace", result: "masked" }));
    const chunks = [
      { type: "stream-start" as const, warnings: [] },
      { type: "raw" as const, rawValue: "secret" },
      { type: "reasoning-start" as const, id: "r" },
      { type: "reasoning-end" as const, id: "r" },
      { type: "text-start" as const, id: "1" },
      { type: "text-delta" as const, id: "1", delta: "secret" },
      { type: "text-end" as const, id: "1" },
      {
        type: "finish" as const,
        finishReason: { unified: "stop" as const, raw: undefined },
        usage,
      },
    ];
    const source = new ReadableStream({
      start: (to) => {
        for (const chunk of chunks) to.enqueue(chunk);
        to.close();
      },
    });
    const model = new MockLanguageModelV3({ doStream: { stream: source } });
    const { stream } = await governing(orcs, model).doStream({ prompt: [] });
    const parts: { type: string }[] = [];
    for await (const part of stream) parts.push(part);
    expect(JSON.stringify(parts)).not.toContain("secret");
    expect(parts.map(({ type }) => type)).toEqual([
      "stream-start",
      "reasoning-start",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "finish",
    ]);
  });
});

describe("the SDK around it", () => {
  test("a call that it repeats after an error passes the prompt's hooks once", async () => {
    const orcs = await open();
    let prompts = 0;
    orcs.on("prompt.pre_submit", () => void prompts++);
    let calls = 0;
    const good = scripted("done").mock;
    const mock = new MockLanguageModelV3({
      doGenerate: (params) => {
        const error = {
          message: "busy",
          url: "",
          requestBodyValues: {},
          isRetryable: true,
          // Otherwise it waits two seconds.
          responseHeaders: { "retry-after-ms": "1" },
        };
        if (calls++ === 0) throw new APICallError(error);
        return good.doGenerate(params);
      },
    });
    const { text } = await generateText({
      model: governing(orcs, mock),
      prompt: "go",
      maxRetries: 1,
    });
    expect([text, prompts, calls]).toEqual(["done", 1, 2]);
  });

  test("parallel calls of one model stay apart", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", async ({ payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      payload.prompt = `<${payload.prompt}>`;
    });
    orcs.on("llm.post_generate", ({ payload: { prompt } }) => ({
      action: "replace",
      result: prompt,
    }));
    const model = governing(orcs, scripted("same").mock);
    const texts = await Promise.all(
      ["a", "b", "c"].map(async (prompt) => (await generateText({ model, prompt })).text),
    );
    expect(texts).toEqual(["<a>", "<b>", "<c>"]);
  });

  test("structured output is what the hooks left; the body of the response goes with the old text", async () => {
    const orcs = await open();
    orcs.on("llm.post_generate", () => ({ action: "replace", result: '{"name":"***"}' }));
    const { mock } = scripted('{"name":"secret"}');
    const schema = jsonSchema<{ name: string }>({ type: "object" });
    const result = await generateText({
      model: governing(orcs, mock),
      prompt: "go",
      output: Output.object({ schema }),
    });
    expect(result.output).toEqual({ name: "***" });
    expect(JSON.stringify(result.steps)).not.toContain("secret");
  });

  test("an aborted run reaches the model no more", async () => {
    const orcs = await open();
    const abort = new AbortController();
    orcs.on("llm.pre_generate", () => abort.abort());
    const { mock, sent } = scripted("done");
    const model = governing(orcs, mock);
    const asked = generateText({ model, prompt: "go", abortSignal: abort.signal });
    await expect(asked).rejects.toThrow();
    expect(sent).toEqual([]);
  });
});
