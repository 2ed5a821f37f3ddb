import type { Model, ModelRequest, ModelResponse, Tool } from "@openai/agents-core";
import {
  Agent,
  handoff,
  InputGuardrailTripwireTriggered,
  OutputGuardrailTripwireTriggered,
  run,
  RunState,
  setTracingDisabled,
  tool,
  toolNamespace,
  Usage,
} from "@openai/agents-core";
import { describe, expect, test, vi } from "vitest";
import { governed } from "../../../../src/agents/adapters/openai-agents.ts";
import { open, openWith } from "../../engine/orcs/engine.ts";

setTracingDisabled(true);

type Items = ModelResponse["output"];
type Events = ReturnType<Model["getStreamedResponse"]>;
type Event = Events extends AsyncIterable<infer One> ? One : never;
type Done = Extract<Event, { type: "response_done" }>;
type Input = Exclude<ModelRequest["input"], string>;

const anything = {
  type: "object" as const,
  properties: {},
  required: [],
  additionalProperties: true as const,
};

function said(text: string): Items & Input {
  const content = [{ type: "output_text" as const, text }];
  return [{ type: "message", role: "assistant", status: "completed", content }];
}

/** The calls of one response. */
function calling(...calls: readonly [name: string, args: unknown][]): Items {
  return calls.map(([name, args]) => ({
    type: "function_call",
    callId: "",
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  }));
}

/**
 * A model that gives these responses, one after the other, and then says "done". It counts its calls, and keeps what it
 * was sent.
 */
class FakeModel implements Model {
  readonly #responses: Items[];
  #calls = 0;
  readonly inputs: ModelRequest["input"][] = [];

  constructor(...responses: Items[]) {
    this.#responses = responses;
  }

  /** What the model has read of the outputs of tools. */
  get outputs(): unknown[] {
    const last = this.inputs.at(-1) ?? [];
    if (typeof last === "string") return [];
    return last.flatMap((item) => {
      if (item.type !== "function_call_result") return [];
      const { output } = item;
      return [typeof output === "object" && "text" in output ? output.text : output];
    });
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    this.inputs.push(input);
    const output = this.#responses.shift() ?? said("done");
    for (const item of output) {
      if (item.type === "function_call") item.callId = `${item.name}-${this.#calls++}`;
    }
    return { usage: new Usage(), output };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncGenerator<Event> {
    const { output } = await this.getResponse(request);
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: "response_started" };
    const response = { id: "r", usage, output: output as Done["response"]["output"] };
    yield { type: "response_done", response };
  }
}

/** A tool that notes the arguments that it gets. */
function noting(
  name: string,
  result: unknown = "ran",
  more: Partial<Parameters<typeof tool>[0]> = {},
) {
  const calls: unknown[] = [];
  const made = tool({
    name,
    description: name,
    strict: false,
    parameters: anything,
    execute: (args: unknown) => {
      calls.push(args);
      return result;
    },
    ...more,
  } as Parameters<typeof tool>[0]);
  return { tool: made as Tool, calls };
}

function agentOf(model: Model, ...tools: Tool[]) {
  return new Agent({ name: "helper", model, tools });
}

describe("an agent of OpenAI Agents, governed", () => {
  test("works as before where no hook minds", async () => {
    const { tool: search, calls } = noting("search", { found: 1 });
    const model = new FakeModel(calling(["search", { q: "x" }]));
    const result = await run(governed(await open(), agentOf(model, search)), "go");
    expect(result.finalOutput).toBe("done");
    expect(calls).toEqual([{ q: "x" }]);
    expect(model.outputs).toEqual(['{"found":1}']);
  });

  test("a denial is the output that the model reads, and the tool does not run", async () => {
    const { tool: rm, calls } = noting("rm");
    const model = new FakeModel(calling(["rm", { path: "a" }]));
    await run(governed(await openWith('orcs.deny("use git rm")'), agentOf(model, rm)), "go");
    expect(calls).toEqual([]);
    expect(model.outputs).toEqual(["rm was denied by hook h: use git rm"]);
  });

  test("a rewrite reaches the tool, a masked result the model", async () => {
    const orcs = await openWith("ctx.payload.args.path = 'safe'");
    orcs.on("tool.post_execute", () => ({ action: "replace", result: "masked" }));
    const { tool: read, calls } = noting("read", "secret");
    const model = new FakeModel(calling(["read", { path: "a", n: 1 }]));
    await run(governed(orcs, agentOf(model, read)), "go");
    expect(calls).toEqual([{ path: "safe", n: 1 }]);
    expect(model.outputs).toEqual(["masked"]);
  });

  test("arguments that no hook changes arrive as the model wrote them", async () => {
    const inputs: string[] = [];
    const { tool: made } = noting("t");
    const spy = { ...made, invoke: async (_: unknown, input: string) => void inputs.push(input) };
    const model = new FakeModel(calling(["t", '{ "a" : 1 }']));
    await run(governed(await open(), agentOf(model, spy as Tool)), "go");
    expect(inputs).toEqual(['{ "a" : 1 }']);
  });

  test("a Date stays one, and hooks see its text", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.post_execute", ({ payload: { result } }) => void seen.push(result));
    const date = new Date(0);
    const model = new FakeModel(calling(["now", {}]));
    const result = await run(governed(orcs, agentOf(model, noting("now", date).tool)), "go");
    expect(result.newItems).toContainEqual(expect.objectContaining({ output: date }));
    expect(seen).toEqual(["1970-01-01T00:00:00.000Z"]);
  });

  test("two calls at once are those of the session and of the agent, each with its id", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.pre_execute", async ({ payload }) => {
      const { tool_name, session_id, agent_id, tool_use_id } = payload;
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen.push([tool_name, session_id, agent_id, tool_use_id]);
    });
    const model = new FakeModel(calling(["a", {}], ["b", {}]));
    const agent = agentOf(model, noting("a").tool, noting("b").tool);
    await run(governed(orcs.session({ session_id: "s" }), agent), "go");
    expect(seen).toEqual([
      ["a", "s", "helper", "a-0"],
      ["b", "s", "helper", "b-1"],
    ]);
  });

  test("runs at once with the same ids do not mix", async () => {
    const orcs = await open();
    const { tool: t, calls } = noting("t");
    let pre = 0;
    orcs.on("tool.pre_execute", () => void pre++);
    const agent = governed(orcs, agentOf(new FakeModel(), t));
    await Promise.all(
      [1, 2, 3].map((n) => run(agent.clone({ model: new FakeModel(calling(["t", { n }])) }), "go")),
    );
    expect(calls).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(pre).toBe(3);
  });

  const image = { type: "image", image: "data:image/png;base64,AA==" };
  test.each([
    ["a text", "ran", "ran\n\nbe brief"],
    ["an object", { n: 1 }, '{"n":1}\n\nbe brief'],
    [
      "an image",
      image,
      [
        { type: "input_image", image: image.image },
        { type: "input_text", text: "be brief" },
      ],
    ],
  ])("texts of hooks are behind %s", async (_, result, shown) => {
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "continue", inject: "be brief" }));
    const model = new FakeModel(calling(["t", {}]));
    await run(governed(orcs, agentOf(model, noting("t", result).tool)), "go");
    expect(model.outputs).toEqual([shown]);
  });

  test("a tool with an output schema keeps to it: no texts, and a denial by its errorFunction", async () => {
    const orcs = await openWith('if ctx.payload.args.bad then return orcs.deny("no") end');
    orcs.on("tool.post_execute", () => ({ action: "continue", inject: "be brief" }));
    const { tool: t } = noting("t", { n: 1 }, {
      outputSchema: anything,
      errorFunction: (_: unknown, error: unknown) => ({ error: String(error) }),
    } as object);
    const model = new FakeModel(calling(["t", {}], ["t", { bad: true }]));
    await run(governed(orcs, agentOf(model, t)), "go");
    expect(model.outputs).toEqual([
      '{"n":1}',
      '{"error":"OrcsError: ORCS2001: t was denied by hook h: no"}',
    ]);
  });

  test("a streaming run passes the hooks", async () => {
    const orcs = await openWith("ctx.payload.args.path = 'safe'");
    const { tool: read, calls } = noting("read");
    const model = new FakeModel(calling(["read", { path: "a" }]));
    const result = await run(governed(orcs, agentOf(model, read)), "go", { stream: true });
    const events: string[] = [];
    for await (const event of result) {
      if (event.type === "run_item_stream_event") events.push(event.name);
    }
    await result.completed;
    expect(events).toEqual(["tool_called", "tool_output", "message_output_created"]);
    expect(calls).toEqual([{ path: "safe" }]);
    expect(result.finalOutput).toBe("done");
  });

  test("what a tool throws passes the hooks for failures, and goes on", async () => {
    const orcs = await open();
    const failed: unknown[] = [];
    orcs.on("tool.on_failure", ({ payload }) => void failed.push(payload.error));
    const { tool: t } = noting("t", "ran", {
      errorFunction: null,
      execute: () => {
        throw new Error("disk full");
      },
    });
    const running = run(governed(orcs, agentOf(new FakeModel(calling(["t", {}])), t)), "go");
    await expect(running).rejects.toThrow("disk full");
    expect(failed).toEqual([expect.stringContaining("disk full")]);
  });

  test("a call whose time is up ends; what its hooks still wait for does not start it", async () => {
    const orcs = await open({ onAsk: () => new Promise(() => undefined) });
    orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "ask" }));
    const { tool: t, calls } = noting("t", "ran", { timeoutMs: 20 });
    const model = new FakeModel(calling(["t", {}]));
    await run(governed(orcs, agentOf(model, t), { approval: "engine" }), "go");
    expect(model.outputs).toEqual([expect.stringContaining("timed out")]);
    expect(calls).toEqual([]);
  });

  test("arguments that are not JSON: the model reads it; the approval of the SDK asks", async () => {
    const orcs = await open();
    const runWith = async (approval: "sdk" | "engine") => {
      const model = new FakeModel(calling(["t", "{oops"]));
      const agent = governed(orcs, agentOf(model, noting("t").tool), { approval });
      const { interruptions } = await run(agent, "go");
      return [interruptions.length, model.outputs];
    };
    expect(await runWith("engine")).toEqual([0, [expect.stringContaining("valid JSON")]]);
    expect(await runWith("sdk")).toEqual([1, []]);
  });

  test("an aborted run does not start its tool", async () => {
    const orcs = await open();
    const stopped = new AbortController();
    orcs.on("tool.pre_execute", () => stopped.abort());
    const { tool: t, calls } = noting("t");
    const agent = governed(orcs, agentOf(new FakeModel(calling(["t", {}])), t), {
      approval: "engine",
    });
    await run(agent, "go", { signal: stopped.signal }).catch(() => undefined);
    expect(calls).toEqual([]);
  });

  test("what others run is named in a warning", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const inner = new Agent({ name: "inner" });
    const orcs = await open();
    const asked = inner.asTool({ toolName: "ask_inner" });
    const safe = governed(orcs, inner).asTool({ toolName: "ask_safe" });
    const search: Tool = { type: "hosted_tool", name: "web_search" };
    governed(orcs, agentOf(new FakeModel(), search, asked, safe, noting("t").tool));
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      expect.stringMatching(/^hooks cannot govern web_search of agent helper: /),
      expect.stringMatching(/^hooks cannot govern what ask_inner calls of agent helper: /),
    ]);
    warned.mockRestore();
  });
});

describe("more than one agent", () => {
  /** Every hook call as agent and tool. */
  const watched = async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on(
      "tool.pre_execute",
      ({ payload }) => void seen.push([payload.agent_id, payload.tool_name]),
    );
    return { orcs, seen };
  };

  test("the agents that an agent hands off to are governed, also in a circle", async () => {
    const { orcs, seen } = await watched();
    const { tool: t } = noting("t");
    const model = new FakeModel(
      calling(["transfer_to_second", {}]),
      calling(["t", {}]),
      calling(["back", {}]),
      calling(["t", {}]),
    );
    const first: Agent = new Agent({ name: "first", model, tools: [t] });
    const second: Agent = new Agent({ name: "second", model, tools: [t] });
    first.handoffs.push(second);
    second.handoffs.push(handoff(first, { toolNameOverride: "back" }));
    const agent = governed(orcs, first);
    const result = await run(agent, "go");
    expect(result.finalOutput).toBe("done");
    expect(result.lastAgent).toBe(agent);
    expect(seen).toEqual([
      ["second", "t"],
      ["first", "t"],
    ]);
    expect(first.handoffs).toEqual([second]);
  });

  test("an agent that is governed already is not governed twice by the same engine", async () => {
    const { orcs, seen } = await watched();
    const model = new FakeModel(calling(["transfer_to_second", {}]), calling(["t", {}]));
    const second = new Agent({ name: "second", model, tools: [noting("t").tool] });
    const first = new Agent({ name: "first", model, handoffs: [governed(orcs, second)] });
    await run(governed(orcs, first), "go");
    expect(seen).toEqual([["second", "t"]]);
  });

  test("another engine governs it as well", async () => {
    const [one, two] = [await watched(), await watched()];
    const agent = agentOf(new FakeModel(calling(["t", {}])), noting("t").tool);
    await run(governed(two.orcs, governed(one.orcs, agent)), "go");
    expect([one.seen, two.seen]).toEqual([[["helper", "t"]], [["helper", "t"]]]);
  });

  test.each([
    ["at once", false],
    ["in another process", true],
  ])("an agent as a tool: its questions reach the outer run, answered %s", async (_, isSaved) => {
    const { orcs, seen } = await watched();
    const { tool: rm, calls } = noting("rm");
    orcs.on("tool.pre_execute", { tool: "rm" }, () => ({ action: "continue", decision: "ask" }));
    const inner = new Agent({
      name: "inner",
      model: new FakeModel(calling(["rm", {}])),
      tools: [rm],
    });
    const model = new FakeModel(calling(["ask", { input: "x" }]));
    const make = () =>
      governed(orcs, agentOf(model, governed(orcs, inner).asTool({ toolName: "ask" })));
    let agent = make();
    let { state } = await run(agent, "go");
    if (isSaved) {
      agent = make();
      state = await RunState.fromString(agent, state.toString());
    }
    const questions = state.getInterruptions();
    expect(questions.map(({ name }) => name)).toEqual(["rm"]);
    for (const question of questions) state.approve(question);
    await run(agent, state);
    expect(calls).toHaveLength(1);
    expect(model.outputs).toEqual(["done"]);
    expect(new Set(seen.map(String))).toEqual(new Set(["helper,ask", "inner,rm"]));
  });

  test("the tools of MCP servers are governed", async () => {
    const orcs = await openWith('orcs.deny("no")');
    let count = 0;
    const server = {
      name: "files",
      cacheToolsList: false,
      connect: async () => undefined,
      close: async () => undefined,
      invalidateToolsCache: async () => undefined,
      listTools: async () => [{ name: "write", inputSchema: anything }],
      callTool: async () => {
        count++;
        return [];
      },
    };
    const model = new FakeModel(calling(["write", {}]));
    await run(governed(orcs, new Agent({ name: "helper", model, mcpServers: [server] })), "go");
    expect(count).toBe(0);
    expect(model.outputs).toEqual(["write was denied by hook h: no"]);
  });
});

describe("questions", () => {
  const asking = async () => {
    const orcs = await openWith('return orcs.ask("it deletes")', { match: { tool: "rm" } });
    let pre = 0;
    orcs.on("tool.pre_execute", () => void pre++);
    return { orcs, pre: () => pre };
  };

  test.each([
    ["approved, the tool runs", true, ["ran"]],
    [
      "rejected, it does not, and the model reads it",
      false,
      [expect.stringContaining("not approved")],
    ],
  ])("become interruptions of the run: %s", async (_, isApproved, outputs) => {
    const { orcs, pre } = await asking();
    const { tool: rm, calls } = noting("rm");
    const model = new FakeModel(calling(["rm", { path: "a" }]));
    const agent = governed(orcs, agentOf(model, rm));
    const first = await run(agent, "go");
    const [question] = first.interruptions;
    expect([question?.name, question?.arguments, calls.length]).toEqual(["rm", '{"path":"a"}', 0]);
    if (question) first.state[isApproved ? "approve" : "reject"](question);
    const { finalOutput } = await run(agent, first.state);
    expect(finalOutput).toBe("done");
    expect(model.outputs).toEqual(outputs);
    expect([calls.length, pre()]).toEqual([isApproved ? 1 : 0, 1]);
  });

  test("an approved call is one call of a budget", async () => {
    const options = { session: { calls: 2 }, warn_at: 1 };
    const ask = { point: "tool.pre_execute", handler_inline: 'orcs.ask("sure?")', priority: 1 };
    const orcs = await open({ config: { hooks: [{ script: "orcs:budget", options }, ask] } });
    const { tool: rm, calls } = noting("rm");
    const model = new FakeModel(...["a", "b", "c"].map((path) => calling(["rm", { path }])));
    const agent = governed(orcs.session({ session_id: "s" }), agentOf(model, rm));
    let result = await run(agent, "go");
    while (result.interruptions.length > 0) {
      for (const question of result.interruptions) result.state.approve(question);
      result = await run(agent, result.state);
    }
    expect(calls).toEqual([{ path: "a" }, { path: "b" }]);
    expect(model.outputs.at(-1)).toMatch(/denied by hook budget/);
  });

  test("can be answered in another process", async () => {
    const { orcs } = await asking();
    const { tool: rm, calls } = noting("rm");
    const first = await run(governed(orcs, agentOf(new FakeModel(calling(["rm", {}])), rm)), "go");
    const later = governed(orcs, agentOf(new FakeModel(), rm));
    const state = await RunState.fromString(later, first.state.toString());
    for (const question of state.getInterruptions()) state.approve(question);
    expect((await run(later, state)).finalOutput).toBe("done");
    expect(calls).toHaveLength(1);
  });

  test("hold for a tool of a namespace", async () => {
    const { orcs } = await asking();
    const { tool: rm, calls } = noting("rm");
    const [inside] = toolNamespace({
      name: "files",
      description: "files",
      tools: [rm as Parameters<typeof toolNamespace>[0]["tools"][number]],
    });
    const [call] = calling(["rm", {}]);
    const model = new FakeModel([{ ...call, namespace: "files" } as Items[number]]);
    const agent = governed(orcs, agentOf(model, inside as Tool));
    const first = await run(agent, "go");
    for (const question of first.interruptions) first.state.approve(question);
    await run(agent, first.state);
    expect(calls).toHaveLength(1);
  });

  test("an approval is for one call: the next is asked about again", async () => {
    const { orcs } = await asking();
    const { tool: rm, calls } = noting("rm");
    const model = new FakeModel(calling(["rm", { path: "a" }]), calling(["rm", { path: "b" }]));
    const agent = governed(orcs, agentOf(model, rm));
    const first = await run(agent, "go");
    for (const question of first.interruptions) first.state.approve(question);
    const second = await run(agent, first.state);
    expect(calls).toEqual([{ path: "a" }]);
    expect(second.interruptions.map((question) => question.arguments)).toEqual(['{"path":"b"}']);
  });

  test("alwaysApprove is for all calls of the tool in this run, and no reason to run what is denied", async () => {
    const orcs = await openWith(
      'if ctx.payload.args.path == "/" then return orcs.deny("no") else return orcs.ask("sure?") end',
    );
    const { tool: rm, calls } = noting("rm");
    const paths = ["a", "b", "/"];
    const model = new FakeModel(...paths.map((path) => calling(["rm", { path }])));
    const agent = governed(orcs, agentOf(model, rm));
    const first = await run(agent, "go");
    for (const question of first.interruptions) {
      first.state.approve(question, { alwaysApprove: true });
    }
    await run(agent, first.state);
    expect(calls).toEqual([{ path: "a" }, { path: "b" }]);
  });

  test("a call that nobody asks about passes the hooks once, beside one that is asked about", async () => {
    const { orcs, pre } = await asking();
    const { tool: ls, calls } = noting("ls");
    const model = new FakeModel(calling(["ls", {}], ["rm", {}]));
    const result = await run(governed(orcs, agentOf(model, ls, noting("rm").tool)), "go");
    expect(result.interruptions).toHaveLength(1);
    expect([pre(), calls.length]).toEqual([2, 1]);
  });

  test("the tool's own needsApproval still holds, but not for what is denied anyway", async () => {
    const orcs = await openWith('orcs.deny("no")', { match: { tool: "no" } });
    const needsApproval = { needsApproval: true };
    const agent = agentOf(
      new FakeModel(calling(["yes", {}], ["no", {}])),
      noting("yes", "ran", needsApproval).tool,
      noting("no", "ran", needsApproval).tool,
    );
    const { interruptions } = await run(governed(orcs, agent), "go");
    expect(interruptions.map(({ name }) => name)).toEqual(["yes"]);
  });

  test("what the SDK takes for a yes is one: any value that counts as true", async () => {
    const needsApproval = async (): Promise<boolean> => "yes" as never;
    const tools = [noting("yes", "ran", { needsApproval }).tool];
    const agent = agentOf(new FakeModel(calling(["yes", {}])), ...tools);
    const { interruptions } = await run(governed(await open(), agent), "go");
    expect(interruptions.map(({ name }) => name)).toEqual(["yes"]);
  });

  test("a question after the SDK has executed the call is a denial, not a call that hangs", async () => {
    const orcs = await open();
    let runs = 0;
    orcs.on("tool.post_execute", () =>
      runs++ === 0 ? { action: "retry", delay_ms: 1 } : undefined,
    );
    orcs.on("tool.pre_execute", (ctx) =>
      runs > 0 ? { action: "continue", decision: "ask", reason: "again?" } : ctx,
    );
    const { tool: t, calls } = noting("t");
    const model = new FakeModel(calling(["t", {}]));
    await run(governed(orcs, agentOf(model, t)), "go");
    expect(calls).toHaveLength(1);
    expect(model.outputs).toEqual([expect.stringContaining("not approved: again?")]);
  });

  test('approval "engine": what the SDK was asked for the tool itself is no answer to a hook', async () => {
    const { orcs } = await asking();
    const { tool: rm, calls } = noting("rm", "ran", { needsApproval: true });
    const model = new FakeModel(calling(["rm", {}]));
    const agent = governed(orcs, agentOf(model, rm), { approval: "engine" });
    const { state } = await run(agent, "go");
    for (const question of state.getInterruptions()) state.approve(question);
    await run(agent, state);
    expect(calls).toEqual([]);
    expect(model.outputs).toEqual([expect.stringContaining("nobody is available to ask")]);
  });

  test('approval "engine": onAsk answers; without it the call is denied; the SDK is not asked', async () => {
    const { orcs, pre } = await asking();
    const { tool: rm, calls } = noting("rm");
    const runWith = async (session: Parameters<typeof governed>[0]) => {
      const model = new FakeModel(calling(["rm", {}]));
      const agent = governed(session, agentOf(model, rm), { approval: "engine" });
      const { interruptions } = await run(agent, "go");
      expect(interruptions).toEqual([]);
      return model.outputs;
    };
    const session = orcs.session({ onAsk: ({ tool: name }) => name === "rm" });
    expect(await runWith(session)).toEqual(["ran"]);
    expect(await runWith(orcs)).toEqual([expect.stringContaining("nobody is available to ask")]);
    expect([pre(), calls.length]).toEqual([2, 1]);
  });
});

describe("guardrails", () => {
  test.each([
    ["a text", "my password"],
    ["a text of a streaming run", "my password", true],
    [
      "the last message of a conversation",
      [
        { role: "user" as const, content: "hello" },
        ...said("hello"),
        { role: "user" as const, content: [{ type: "input_text" as const, text: "my password" }] },
        { role: "system" as const, content: "be brief" },
      ],
    ],
  ])("a denied prompt does not reach the model: %s", async (_, input, stream = false) => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("prompt.pre_submit", ({ payload: { prompt, agent_id } }) => {
      seen.push([prompt, agent_id]);
      return { action: "abort", reason: "no secrets" };
    });
    const model = new FakeModel();
    const agent = governed(orcs, agentOf(model));
    const running = stream
      ? run(agent, input, { stream: true }).then((result) => result.completed)
      : run(agent, input);
    const error = await running.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputGuardrailTripwireTriggered);
    expect(String(error)).toContain("no secrets");
    expect(seen).toEqual([["my password", "helper"]]);
    expect(model.inputs).toEqual([]);
  });

  test("a denied answer does not leave the run", async () => {
    const orcs = await open();
    orcs.on("llm.post_generate", ({ payload: { response_text } }) =>
      response_text === "done" ? { action: "abort", reason: "not yet" } : undefined,
    );
    const running = run(governed(orcs, agentOf(new FakeModel())), "go");
    await expect(running).rejects.toThrow(OutputGuardrailTripwireTriggered);
  });

  test("a text that a hook changes goes on as it was, with a warning", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const orcs = await open();
    orcs.on("prompt.pre_submit", (ctx) => void (ctx.payload.prompt = "changed"));
    orcs.on("llm.post_generate", () => ({ action: "replace", result: "changed" }));
    const model = new FakeModel();
    const { finalOutput } = await run(governed(orcs, agentOf(model)), "go");
    expect(finalOutput).toBe("done");
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      "orcs prompt.pre_submit: a guardrail cannot change a text",
      "orcs llm.post_generate: a guardrail cannot change a text",
    ]);
    warned.mockRestore();
  });
});
