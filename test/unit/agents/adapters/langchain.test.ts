import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import type { BaseMessage, HITLRequest } from "langchain";
import {
  AIMessage,
  AIMessageChunk,
  createAgent,
  createMiddleware,
  fakeModel,
  HumanMessage,
  tool,
  ToolMessage,
  toolStrategy,
} from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { orcsMiddleware } from "../../../../src/agents/adapters/langchain.ts";
import type { OrcsMiddlewareOptions } from "../../../../src/agents/adapters/langchain.ts";
import type { OrcsSession } from "../../../../src/engine/orcs/orcs.ts";
import { open, openWith } from "../../engine/orcs/engine.ts";

const anything = { type: "object", properties: {}, additionalProperties: true } as const;
type Call = readonly [name: string, args: Record<string, unknown>];

/** A tool that notes how it was called. */
function noting(name: string, result: unknown = "ran", fields: object = {}) {
  const calls: unknown[] = [];
  const made = tool(
    (args: unknown) => {
      calls.push(args);
      return typeof result === "function" ? (result as () => unknown)() : result;
    },
    { name, description: name, schema: anything, ...fields },
  );
  return { tool: made, calls };
}

/** A model that calls these tools at once, and then says "done". */
function model(...calls: readonly Call[]) {
  const toolCalls = calls.map(([name, args], i) => ({ name, args, id: `call-${i}` }));
  return fakeModel().respondWithTools(toolCalls).respond(new AIMessage("done"));
}

interface Agent extends OrcsMiddlewareOptions {
  readonly tools?: readonly { tool: ReturnType<typeof noting>["tool"] }[];
  readonly calls?: readonly Call[];
  readonly fake?: ReturnType<typeof fakeModel>;
  readonly saves?: boolean;
  readonly version?: "v1" | "v2";
  readonly others?: readonly ReturnType<typeof createMiddleware>[];
}

/** An agent with hooks, and what its model was sent. */
function agentOf(orcs: OrcsSession, { tools = [], calls = [], ...more }: Agent) {
  const fake = more.fake ?? model(...calls);
  const agent = createAgent({
    model: fake,
    tools: tools.map((noted) => noted.tool),
    middleware: [
      orcsMiddleware(orcs, more.approval && { approval: more.approval }),
      ...(more.others ?? []),
    ],
    version: more.version ?? "v2",
    ...(more.saves === true && { checkpointer: new MemorySaver() }),
  });
  const thread = { configurable: { thread_id: "t" } };
  const send = (text: string) => agent.invoke({ messages: [new HumanMessage(text)] }, thread);
  const resume = (value: unknown) =>
    agent.invoke(new Command({ resume: value }), thread) as ReturnType<typeof send>;
  return { agent, fake, thread, send, resume };
}

const toolMessages = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message));
const approve = { decisions: [{ type: "approve" }] };
const reject = { decisions: [{ type: "reject", message: "ask me tomorrow" }] };

describe("tool calls of an agent of LangChain", () => {
  test("work as before where no hook minds", async () => {
    const search = noting("search", { found: 1 });
    const { send, fake } = agentOf(await open(), {
      tools: [search],
      calls: [["search", { q: 1 }]],
    });
    const { messages } = await send("go");
    expect(messages.map(({ text }) => text)).toEqual([
      "go",
      expect.any(String),
      '{"found":1}',
      "done",
    ]);
    expect(search.calls).toEqual([{ q: 1 }]);
    expect(fake.callCount).toBe(2);
  });

  test("a denial is a message with an error that the model reads, and the tool does not run", async () => {
    const orcs = await openWith('orcs.deny("use git rm")');
    const rm = noting("rm");
    const { send, fake } = agentOf(orcs, { tools: [rm], calls: [["rm", { path: "a" }]] });
    await send("go");
    const [answer] = toolMessages(fake.calls[1]?.messages ?? []);
    expect(answer).toMatchObject({
      content: "rm was denied by hook h: use git rm",
      status: "error",
      tool_call_id: "call-0",
      name: "rm",
    });
    expect(rm.calls).toEqual([]);
  });

  test("a rewrite reaches the tool, a replaced result the model, with the artifact of the tool", async () => {
    const orcs = await openWith("ctx.payload.args.path = 'safe'");
    orcs.on("tool.post_execute", ({ payload: { result } }) => ({
      action: "replace",
      result: typeof result === "string" ? result.replace("secret", "***") : null,
    }));
    const fields = { responseFormat: "content_and_artifact" };
    const read = noting("read", ["a secret", { size: 8 }], fields);
    const { send } = agentOf(orcs, { tools: [read], calls: [["read", { path: "a" }]] });
    const { messages } = await send("go");
    expect(read.calls).toEqual([{ path: "safe" }]);
    expect(toolMessages(messages)).toMatchObject([
      { content: "a ***", artifact: { size: 8 }, tool_call_id: "call-0", name: "read" },
    ]);
    expect(JSON.stringify(messages)).not.toContain("secret");
  });

  test.each([
    ["an object", { n: 1 }, '{"n":1}'],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a list of blocks", [{ type: "text", text: "ran" }], [{ type: "text", text: "ran" }]],
  ])("hooks see %s as the content that the model gets", async (_, result, content) => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.post_execute", ({ payload }) => void seen.push(payload.result));
    const t = noting("t", result);
    const { send } = agentOf(orcs, { tools: [t], calls: [["t", {}]] });
    const { messages } = await send("go");
    expect(seen).toEqual([content]);
    expect(toolMessages(messages)[0]?.content).toEqual(content);
  });

  test("the result of skip is the answer of the tool, which does not run", async () => {
    const orcs = await openWith("return orcs.skip({ cached = true })");
    const t = noting("t");
    const { send } = agentOf(orcs, { tools: [t], calls: [["t", {}]] });
    expect(toolMessages((await send("go")).messages)).toMatchObject([
      { content: '{"cached":true}', tool_call_id: "call-0", name: "t" },
    ]);
    expect(t.calls).toEqual([]);
  });

  test.each([
    ["a text", "ran", "ran\n\nbe brief"],
    [
      "a list of blocks",
      [{ type: "text", text: "ran" }],
      [
        { type: "text", text: "ran" },
        { type: "text", text: "be brief" },
      ],
    ],
  ])("texts of hooks for the model are behind %s", async (_, result, content) => {
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "continue", inject: "be brief" }));
    const { send } = agentOf(orcs, { tools: [noting("t", result)], calls: [["t", {}]] });
    expect(toolMessages((await send("go")).messages)[0]?.content).toEqual(content);
  });

  test("a command of a tool keeps its update; its message is masked", async () => {
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "replace", result: "masked" }));
    const update = {
      messages: [new ToolMessage({ content: "secret", tool_call_id: "call-0", name: "t" })],
    };
    const t = noting("t", () => new Command({ update }));
    const { send } = agentOf(orcs, { tools: [t], calls: [["t", {}]] });
    const { messages } = await send("go");
    expect(toolMessages(messages)).toMatchObject([{ content: "masked", name: "t" }]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  test("calls belong to the thread, or to the session if it has an id", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.pre_execute", ({ payload: { session_id, tool_use_id } }) => {
      seen.push([session_id, tool_use_id]);
    });
    const calls: Call[] = [
      ["t", {}],
      ["t", {}],
    ];
    await agentOf(orcs.session({ agent_id: "a" }), { tools: [noting("t")], calls }).send("go");
    await agentOf(orcs.session({ session_id: "s" }), { tools: [noting("t")], calls }).send("go");
    expect(seen).toEqual([
      ["t", "call-0"],
      ["t", "call-1"],
      ["s", "call-0"],
      ["s", "call-1"],
    ]);
  });

  test("a hook may replace the text of a tool's error", async () => {
    const orcs = await open();
    orcs.on("tool.on_failure", ({ payload }) => void (payload.error = "masked"));
    const fails = () => Promise.reject(new Error("TOKEN"));
    const agent = agentOf(orcs, { tools: [noting("t", fails)], calls: [["t", {}]] });
    const { messages } = await agent.send("go");
    expect(toolMessages(messages)).toMatchObject([
      { content: "Error: masked\n Please fix your mistakes.", status: "error" },
    ]);
  });

  test("an error of a tool is told to the model, as without hooks, and to the hooks of failures", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.on_failure", ({ payload }) => void seen.push(payload.error));
    const fails = () => {
      throw new Error("no disk");
    };
    const agent = agentOf(orcs, { tools: [noting("t", fails)], calls: [["t", {}]] });
    const { messages } = await agent.send("go");
    expect(toolMessages(messages)).toMatchObject([
      { content: "Error: no disk\n Please fix your mistakes.", status: "error" },
    ]);
    expect(seen).toEqual(["no disk"]);
  });

  test("arguments that hooks made invalid are told to the model as the library does", async () => {
    const orcs = await openWith("ctx.payload.args.path = 5");
    const read = noting("read", "ran", { schema: z.object({ path: z.string() }) });
    const { send } = agentOf(orcs, { tools: [read], calls: [["read", { path: "a" }]] });
    expect(toolMessages((await send("go")).messages)).toMatchObject([
      { status: "error", content: expect.stringMatching(/^Error invoking tool 'read'/) as string },
    ]);
    expect(read.calls).toEqual([]);
  });

  test("an error of the engine ends the run, and the tool does not run", async () => {
    const orcs = await open();
    const t = noting("t");
    const { send } = agentOf(orcs, { tools: [t], calls: [["t", {}]] });
    await orcs.close();
    await expect(send("go")).rejects.toThrow(/closed/);
    expect(t.calls).toEqual([]);
  });

  test("an interrupt of a tool is no failure, and its answer reaches the tool", async () => {
    const orcs = await open();
    const seen: string[] = [];
    orcs.on("tool.on_failure", () => void seen.push("failure"));
    orcs.on("tool.post_execute", () => void seen.push("post"));
    const t = noting("t", () => `color ${String(interrupt("which color?"))}`);
    const { send, resume } = agentOf(orcs, { tools: [t], calls: [["t", {}]], saves: true });
    const first = await send("go");
    expect(first).toMatchObject({ __interrupt__: [{ value: "which color?" }] });
    expect(seen).toEqual([]);
    expect(toolMessages((await resume("red")).messages)[0]?.content).toBe("color red");
    expect(seen).toEqual(["post"]);
  });

  test("an aborted run reaches the tool's hooks no more", async () => {
    const orcs = await open();
    const abort = new AbortController();
    orcs.on("tool.pre_execute", () => abort.abort());
    const t = noting("t");
    const { agent } = agentOf(orcs, { tools: [t], calls: [["t", {}]] });
    const run = agent.invoke({ messages: [new HumanMessage("go")] }, { signal: abort.signal });
    await expect(run).rejects.toThrow(/abort/i);
    expect(t.calls).toEqual([]);
  });

  test("stream: the updates are those that the hooks left", async () => {
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "replace", result: "masked" }));
    const { agent } = agentOf(orcs, { tools: [noting("t", "secret")], calls: [["t", {}]] });
    const updates: string[] = [];
    const input = { messages: [new HumanMessage("go")] };
    for await (const update of await agent.stream(input, { streamMode: "updates" })) {
      updates.push(JSON.stringify(update));
    }
    expect(updates.join()).toContain("masked");
    expect(updates.join()).not.toContain("secret");
  });
});

describe("questions", () => {
  const asking = () => openWith('return orcs.ask("it deletes")', { match: { tool: "rm" } });
  const rmAgent = (orcs: OrcsSession, more: Agent = {}) => {
    const rm = noting("rm");
    const calls: Call[] = [["rm", { path: "a" }]];
    return { rm, ...agentOf(orcs, { tools: [rm], calls, saves: true, ...more }) };
  };

  test("are an interrupt in the form of the library; approved, the tool runs once", async () => {
    const { rm, send, resume } = rmAgent(await asking());
    const request: HITLRequest = {
      actionRequests: [{ name: "rm", args: { path: "a" }, description: "it deletes" }],
      reviewConfigs: [{ actionName: "rm", allowedDecisions: ["approve", "reject"] }],
    };
    expect(await send("go")).toMatchObject({ __interrupt__: [{ value: request }] });
    expect(rm.calls).toEqual([]);
    const { messages } = await resume(approve);
    expect(rm.calls).toEqual([{ path: "a" }]);
    expect(messages.map(({ text }) => text)).toEqual(["go", expect.any(String), "ran", "done"]);
  });

  test.each([
    ["rejected", reject, "not approved: it deletes\n\nask me tomorrow"],
    ["edited", { decisions: [{ type: "edit" }] }, "not approved"],
    ["answered with something else", "yes", "not approved"],
    ["answered twice", { decisions: [{ type: "approve" }, { type: "approve" }] }, "not approved"],
  ])("%s, the tool does not run, and the model is told", async (_, answer, told) => {
    const { rm, send, resume } = rmAgent(await asking());
    await send("go");
    const { messages } = await resume(answer);
    expect(rm.calls).toEqual([]);
    expect(toolMessages(messages)).toMatchObject([
      { status: "error", content: expect.stringContaining(told) as string },
    ]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  test("a rejection holds if the hook does not ask again, however late it comes", async () => {
    const orcs = await open({ config: { hil: { timeout_ms: 1 } } });
    let asked = 0;
    orcs.on("tool.pre_execute", () =>
      asked++ === 0 ? { action: "continue", decision: "ask", reason: "it deletes" } : undefined,
    );
    const { rm, send, resume } = rmAgent(orcs);
    await send("go");
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { messages } = await resume(reject);
    expect(rm.calls).toEqual([]);
    expect(toolMessages(messages)[0]?.text).toMatch(/not approved: it deletes\n\nask me tomorrow$/);
  });

  test("the run can be resumed where nothing is known of the question", async () => {
    const saver = new MemorySaver();
    const fake = model(["rm", { path: "a" }]);
    const rm = noting("rm");
    const thread = { configurable: { thread_id: "t" } };
    const agent = async () =>
      createAgent({
        model: fake,
        tools: [rm.tool],
        middleware: [orcsMiddleware(await asking())],
        checkpointer: saver,
      });
    await (await agent()).invoke({ messages: [new HumanMessage("go")] }, thread);
    await (await agent()).invoke(new Command({ resume: approve }), thread);
    expect(rm.calls).toEqual([{ path: "a" }]);
  });

  test("a call that was approved has passed its pre hooks once", async () => {
    const orcs = await asking();
    let passed = 0;
    orcs.on("tool.pre_execute", () =>
      ++passed > 1 ? { action: "abort", reason: "one call only" } : undefined,
    );
    const { rm, send, resume } = rmAgent(orcs);
    await send("go");
    const { messages } = await resume(approve);
    expect(toolMessages(messages).map(({ text }) => text)).toEqual(["ran"]);
    expect([rm.calls, passed]).toEqual([[{ path: "a" }], 1]);
  });

  test("a call that a hook retries is asked about again: the first answer is not for it", async () => {
    const orcs = await asking();
    orcs.on("tool.post_execute", () => ({ action: "retry", reason: "again" }));
    const { rm, send, resume } = rmAgent(orcs);
    await send("go");
    expect(await resume(approve)).toMatchObject({ __interrupt__: [{}] });
    const { messages } = await resume(reject);
    expect(rm.calls).toHaveLength(1);
    expect(toolMessages(messages)[0]?.text).toContain("not approved");
  });

  test("other arguments than those asked about pass the hooks again", async () => {
    const { rm, send, resume, agent, thread } = rmAgent(await asking());
    const { messages } = await send("go");
    const last = messages.at(-1);
    if (!AIMessage.isInstance(last)) throw new Error("no call");
    const tool_calls = [{ id: "call-0", name: "rm", args: { path: "b" } }];
    const changed = new AIMessage({ content: "", id: last.id ?? "", tool_calls });
    await agent.graph.updateState(thread, { messages: [changed] }, "model_request");
    expect(await agent.graph.invoke(null, thread)).toMatchObject({
      __interrupt__: [{ value: { actionRequests: [{ args: { path: "b" } }] } }],
    });
    await resume(approve);
    expect(rm.calls).toEqual([{ path: "b" }]);
  });

  test("without a checkpointer they are a denial that says so", async () => {
    const { rm, send } = rmAgent(await asking(), { saves: false });
    const [answer] = toolMessages((await send("go")).messages);
    expect(answer?.text).toMatch(/^rm was denied by hook h: .*the agent has no checkpointer/);
    expect(rm.calls).toEqual([]);
  });

  test("of two parallel calls only the one that is asked about waits", async () => {
    const ls = noting("ls", "files");
    const rm = noting("rm");
    const calls: Call[] = [
      ["ls", {}],
      ["rm", {}],
    ];
    const { send, resume } = agentOf(await asking(), { tools: [ls, rm], calls, saves: true });
    expect(await send("go")).toMatchObject({ __interrupt__: [{}] });
    expect([ls.calls.length, rm.calls.length]).toEqual([1, 0]);
    const { messages } = await resume(approve);
    expect([ls.calls.length, rm.calls.length]).toEqual([1, 1]);
    expect(toolMessages(messages).map(({ text }) => text)).toEqual(["files", "ran"]);
  });

  test("two questions at a time are answered by their ids", async () => {
    const calls: Call[] = [
      ["rm", { path: "a" }],
      ["rm", { path: "b" }],
    ];
    const { rm, send, resume } = rmAgent(await asking(), { calls });
    const { __interrupt__: questions = [] } = (await send("go")) as unknown as {
      __interrupt__?: readonly { id: string; value: HITLRequest }[];
    };
    const paths = questions.map(({ value }) => value.actionRequests[0]?.args["path"] as string);
    expect(paths).toEqual(["a", "b"]);
    const answers = questions.map(({ id }, i) => [id, i === 1 ? approve : reject] as const);
    await resume(Object.fromEntries(answers.slice(1)));
    expect(rm.calls).toEqual([{ path: "b" }]);
    const { messages } = await resume(Object.fromEntries(answers.slice(0, 1)));
    expect(rm.calls).toEqual([{ path: "b" }]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  test("an approval is not the answer to a question of the tool", async () => {
    const orcs = await asking();
    const rm = noting("rm", () => `color ${String(interrupt("which color?"))}`);
    const { send, resume } = agentOf(orcs, { tools: [rm], calls: [["rm", {}]], saves: true });
    await send("go");
    expect(await resume(approve)).toMatchObject({ __interrupt__: [{ value: "which color?" }] });
    const { messages } = await resume("red");
    expect(toolMessages(messages)[0]?.text).toBe("color red");
  });

  test("are denied where all calls are one task, because answers could be mistaken", async () => {
    const { rm, send } = rmAgent(await asking(), { version: "v1" });
    expect(toolMessages((await send("go")).messages)[0]?.text).toMatch(/version "v1"/);
    expect(rm.calls).toEqual([]);
  });

  test('approval "engine": onAsk answers, and the graph is not interrupted', async () => {
    const session = (await asking()).session({ onAsk: ({ tool: name }) => name === "rm" });
    const { rm, send } = rmAgent(session, { approval: "engine", saves: false });
    expect((await send("go")).messages.at(-1)?.text).toBe("done");
    expect(rm.calls).toHaveLength(1);
  });
});

describe("calls of the model", () => {
  const answering = (message: AIMessage | string) =>
    fakeModel().respond(typeof message === "string" ? new AIMessage(message) : message);

  test("pass unchanged where no hook is", async () => {
    const seen: unknown[] = [];
    const inner = createMiddleware({
      name: "inner",
      wrapModelCall: (request, handler) => {
        seen.push(request.messages, request.systemPrompt);
        return handler(request);
      },
    });
    const answer = new AIMessage("hi");
    const { send } = agentOf(await open(), { fake: answering(answer), others: [inner] });
    const { messages } = await send("go");
    expect(messages.at(-1)?.text).toBe("hi");
    expect(seen).toEqual([[expect.objectContaining({ content: "go" })], ""]);
  });

  test("a replaced response is what the program, the state and the next call see", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("llm.post_generate", ({ payload }) => {
      seen.push(payload.response_text, payload.tool_calls, payload.usage, payload.session_id);
      return { action: "replace", result: "the key is ***" };
    });
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const answer = new AIMessage({
      content: [
        { type: "text", text: "the key " },
        { type: "text", text: "is secret" },
      ],
      tool_calls: [{ name: "t", args: { a: 1 }, id: "call-0" }],
      // The library derives its type from that of the messages.
      usage_metadata: usage_metadata as never,
    });
    const t = noting("t");
    const fake = answering(answer).respond(new AIMessage("the key is secret"));
    const { send } = agentOf(orcs, { fake, tools: [t] });
    const { messages } = await send("go");
    expect(seen.slice(0, 4)).toEqual([
      expect.stringContaining("secret"),
      [{ name: "t", args: { a: 1 }, id: "call-0" }],
      { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      "t",
    ]);
    expect(t.calls).toEqual([{ a: 1 }]);
    expect(messages[1]).toMatchObject({ usage_metadata });
    expect(messages.at(-1)?.text).toBe("the key is ***");
    expect(JSON.stringify(messages)).not.toContain("secret");
  });

  test.each([
    ["a hook may change responses", false, ["masked"]],
    ["hooks only observe", true, ["a", " secret"]],
  ])("streamed messages, where %s", async (_, observe, streamed) => {
    const orcs = await open();
    orcs.hook({
      point: "llm.post_generate",
      observe,
      async: observe,
      handler: () => ({ action: "replace", result: "masked" }),
    });
    const fake = new FakeStreamingChatModel({
      chunks: ["a", " secret"].map((content) => new AIMessageChunk(content)),
    });
    fake.bindTools = () => fake.withConfig({});
    const agent = createAgent({ model: fake, tools: [], middleware: [orcsMiddleware(orcs)] });
    const input = { messages: [new HumanMessage("go")] };
    const texts: string[] = [];
    for await (const [message] of await agent.stream(input, { streamMode: "messages" })) {
      texts.push(message.text);
    }
    expect(texts).toEqual(streamed);
  });

  test("a changed prompt, changed instructions and a removed tool are those of this call", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("llm.pre_generate", ({ payload }) => {
      seen.push(payload.messages, payload.available_tools, payload.system_prompt);
      payload.prompt = `${payload.prompt} briefly`;
      payload.system_prompt = "Be kind.";
      payload.available_tools = [];
    });
    const offered: unknown[] = [];
    const inner = createMiddleware({
      name: "inner",
      wrapModelCall: (request, handler) => {
        offered.push(request.tools.length);
        return handler(request);
      },
    });
    const tools = [noting("t")];
    const { send, fake } = agentOf(orcs, { tools, fake: answering("hi"), others: [inner] });
    const { messages } = await send("go");
    expect(fake.calls[0]?.messages.map(({ text }) => text)).toEqual(["Be kind.", "go briefly"]);
    expect(messages[0]?.text).toBe("go");
    expect(seen).toEqual([[{ role: "user", content: "go" }], ["t"], ""]);
    expect(offered).toEqual([0]);
  });

  test("a question about a call of the model, or about a prompt, interrupts the run", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", () => ({ action: "continue", decision: "ask", reason: "p" }));
    orcs.on("llm.pre_generate", () => ({ action: "continue", decision: "ask", reason: "m" }));
    const { send, resume } = agentOf(orcs, { fake: answering("hi"), saves: true });
    expect(JSON.stringify(await send("go"))).toContain('"description":"p"');
    expect(JSON.stringify(await resume(approve))).toContain('"description":"m"');
    expect((await resume(approve)).messages.at(-1)?.text).toBe("hi");
    const other = agentOf(orcs, { fake: answering("hi"), saves: true });
    await other.send("go");
    expect((await other.resume(reject)).messages.at(-1)?.text).toMatch(/not approved: p$/);
    expect(other.fake.callCount).toBe(0);
  });

  test("a denial ends the run with an error that names the hook", async () => {
    const orcs = await openWith('orcs.deny("too expensive")', { point: "llm.pre_generate" });
    const { send, fake } = agentOf(orcs, { fake: answering("hi") });
    await expect(send("go")).rejects.toThrow(/the model call was denied by hook h: too expensive/);
    expect(fake.callCount).toBe(0);
  });

  test("the result of skip is the response, and the model is not called", async () => {
    const orcs = await openWith('return orcs.skip("cached")', { point: "llm.pre_generate" });
    const { send, fake } = agentOf(orcs, { fake: answering("hi") });
    expect((await send("go")).messages.at(-1)?.text).toBe("cached");
    expect(fake.callCount).toBe(0);
  });

  test("a structured response passes, but a change of it is an error", async () => {
    const orcs = await open();
    let change: string | undefined;
    orcs.on("llm.post_generate", () =>
      change === undefined ? undefined : { action: "replace", result: change },
    );
    const schema = z.object({ n: z.number() }).meta({ title: "answer" });
    const run = () =>
      createAgent({
        model: fakeModel().respondWithTools([{ name: "answer", args: { n: 1 }, id: "1" }]),
        tools: [],
        responseFormat: toolStrategy(schema),
        middleware: [orcsMiddleware(orcs)],
      }).invoke({ messages: [new HumanMessage("go")] });
    expect((await run()).structuredResponse).toEqual({ n: 1 });
    change = "masked";
    await expect(run()).rejects.toThrow(/structured response/);
  });
});

describe("prompts", () => {
  const talking = () =>
    fakeModel()
      .respondWithTools([{ name: "t", args: {}, id: "call-0" }])
      .respond(new AIMessage("done"))
      .respond(new AIMessage("again"));

  test("their hooks run once for each message of the user; a rewrite reaches the model", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("prompt.pre_submit", ({ payload }) => {
      seen.push(payload.prompt, payload.session_id);
      payload.prompt = payload.prompt.replace("secret", "***");
    });
    const agent = agentOf(orcs, { fake: talking(), tools: [noting("t")], saves: true });
    await agent.send("a secret");
    const { messages } = await agent.send("more");
    expect(seen).toEqual(["a secret", "t", "more", "t"]);
    expect(messages.flatMap((said) => (HumanMessage.isInstance(said) ? [said.text] : []))).toEqual([
      "a ***",
      "more",
    ]);
    expect(JSON.stringify(agent.fake.calls)).not.toContain("secret");
  });

  test("a denial ends the run with a message, and the model never gets what was denied", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", ({ payload }) =>
      payload.prompt.includes("secret") ? { action: "abort", reason: "it has a key" } : undefined,
    );
    const stops: unknown[] = [];
    orcs.on("agent.pre_stop", ({ payload }) => void stops.push(payload.message));
    const fake = fakeModel().respond(new AIMessage("hi"));
    const { send } = agentOf(orcs, { fake, saves: true });
    const { messages } = await send("a secret");
    expect(messages.at(-1)?.text).toMatch(/^the message was denied by hook \S+: it has a key$/);
    expect([fake.callCount, stops]).toEqual([0, []]);
    expect((await send("hello")).messages.at(-1)?.text).toBe("hi");
    expect(JSON.stringify(fake.calls)).not.toContain("secret");
    expect(stops).toEqual(["hi"]);
  });

  test("texts of hooks for the model are behind the message", async () => {
    const orcs = await open();
    orcs.on("prompt.pre_submit", () => ({ action: "continue", inject: "It is Monday." }));
    const { send, fake } = agentOf(orcs, { fake: fakeModel().respond(new AIMessage("hi")) });
    await send("go");
    expect(fake.calls[0]?.messages[0]?.text).toBe("go\n\nIt is Monday.");
  });

  test("a denied end makes the agent go on; the hook is told that it did", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("agent.pre_stop", ({ payload }) => {
      seen.push([payload.message, payload.stop_hook_active]);
      if (payload.stop_hook_active !== true) return { action: "abort", reason: "run the tests" };
      return undefined;
    });
    const fake = fakeModel().respond(new AIMessage("done")).respond(new AIMessage("tested"));
    const { messages } = await agentOf(orcs, { fake }).send("go");
    expect(seen).toEqual([
      ["done", false],
      ["tested", true],
    ]);
    expect(messages.map(({ text }) => text)).toEqual(["go", "done", "run the tests", "tested"]);
  });
});
