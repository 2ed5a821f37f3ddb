import type { ModelMessage, ToolSet } from "ai";
import {
  generateText,
  jsonSchema,
  simulateReadableStream,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test, vi } from "vitest";
import { governed } from "../../../../src/agents/adapters/ai-sdk.ts";
import type { OrcsSession } from "../../../../src/engine/orcs/orcs.ts";
import { open, openWith } from "../../engine/orcs/engine.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const anything = jsonSchema<Record<string, string>>({ type: "object" });

type Streamed = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/** A model that calls these tools at once, and then says "done". It keeps what it was sent. */
function model(...calls: readonly [tool: string, input: Readonly<Record<string, unknown>>][]) {
  const seen: unknown[] = [];
  const parts = calls.map(([toolName, input], i) => ({
    type: "tool-call" as const,
    toolCallId: `call-${i}`,
    toolName,
    input: JSON.stringify(input),
  }));
  const isFirst = (prompt: readonly { role: string }[]) =>
    prompt.every(({ role }) => role !== "tool");
  const finish = (unified: "tool-calls" | "stop") => ({ unified, raw: undefined });
  const mock = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      seen.push(...prompt.filter(({ role }) => role === "tool"));
      return isFirst(prompt)
        ? { content: parts, finishReason: finish("tool-calls"), usage, warnings: [] }
        : {
            content: [{ type: "text", text: "done" }],
            finishReason: finish("stop"),
            usage,
            warnings: [],
          };
    },
    doStream: async ({ prompt }) => {
      const chunks: StreamPart[] = isFirst(prompt)
        ? [...parts, { type: "finish", finishReason: finish("tool-calls"), usage }]
        : [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "done" },
            { type: "text-end", id: "1" },
            { type: "finish", finishReason: finish("stop"), usage },
          ];
      return {
        stream: simulateReadableStream({ initialDelayInMs: null, chunkDelayInMs: null, chunks }),
      };
    },
  });
  return { mock, seen };
}

/** What the tools of an agent ended with, and what the model saw of it. */
async function run(
  tools: ToolSet,
  calls: readonly [string, Readonly<Record<string, unknown>>][],
  messages: ModelMessage[] = [{ role: "user", content: "go" }],
) {
  const { mock, seen } = model(...calls);
  const result = await generateText({ model: mock, tools, messages, stopWhen: stepCountIs(3) });
  const content = result.steps.flatMap((step) => step.content);
  return { result, content, seen: JSON.stringify(seen) };
}

/** A tool that notes how it was called. */
function noting(result: unknown = "ran") {
  const calls: unknown[] = [];
  const made = tool({
    inputSchema: anything,
    execute: async (input, { toolCallId, messages, abortSignal }) => {
      calls.push([input, toolCallId, messages.length, abortSignal]);
      return result;
    },
  });
  return { tool: made, calls };
}

describe("an agent of the AI SDK, its tools governed", () => {
  test("works as before where no hook minds; the tool gets the SDK's own options", async () => {
    const { tool: search, calls } = noting({ found: 1 });
    const { result, content } = await run(governed(await open(), { search }), [
      ["search", { q: "x" }],
    ]);
    expect(result.text).toBe("done");
    expect(content).toContainEqual(
      expect.objectContaining({ type: "tool-result", output: { found: 1 } }),
    );
    expect(calls).toEqual([[{ q: "x" }, "call-0", 1, undefined]]);
  });

  test("a denial is a tool error that the model reads, and the tool does not run", async () => {
    const orcs = await openWith('orcs.deny("use git rm")');
    const { tool: rm, calls } = noting();
    const { content, seen } = await run(governed(orcs, { rm }), [["rm", { path: "a" }]]);
    expect(calls).toEqual([]);
    expect(content.filter(({ type }) => type === "tool-error")).toHaveLength(1);
    expect(seen).toContain("rm was denied by hook h: use git rm");
  });

  test("a rewrite reaches the tool, a replaced result the model", async () => {
    const orcs = await openWith("ctx.payload.args.path = 'safe'");
    orcs.on("tool.post_execute", () => ({ action: "replace", result: "masked" }));
    const { tool: read, calls } = noting("secret");
    const { seen } = await run(governed(orcs, { read }), [["read", { path: "a" }]]);
    expect(calls).toEqual([[{ path: "safe" }, "call-0", 1, undefined]]);
    expect(seen).toContain("masked");
    expect(seen).not.toContain("secret");
  });

  test("parallel calls are those of the session, each with its id", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.pre_execute", async ({ payload: { tool_name, session_id, tool_use_id } }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen.push([tool_name, session_id, tool_use_id]);
    });
    const tools = { a: noting().tool, b: noting().tool };
    await run(governed(orcs.session({ session_id: "s" }), tools), [
      ["a", {}],
      ["b", {}],
    ]);
    expect(seen).toEqual([
      ["a", "s", "call-0"],
      ["b", "s", "call-1"],
    ]);
  });

  test.each([
    ["a text", "ran", undefined, "ran"],
    ["an object", { n: 1 }, undefined, '{\\"n\\":1}'],
    ["its own output", "ran", () => ({ type: "text", value: "own" }) as const, "own"],
  ])("texts of hooks are behind %s", async (_, result, toModelOutput, shown) => {
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "continue", inject: "be brief" }));
    const made = { ...noting(result).tool, ...(toModelOutput && { toModelOutput }) };
    const { seen, content } = await run(governed(orcs, { t: made }), [["t", {}]]);
    expect(seen).toContain("be brief");
    expect(seen).toContain(shown);
    expect(content).toContainEqual(expect.objectContaining({ output: result }));
  });

  test("streamText: what a generator tool yields arrives piece by piece, as the hooks left it", async () => {
    const orcs = await open();
    orcs.hook({
      point: "tool.post_execute",
      stream: true,
      handler: ({ payload: { result } }) => ({
        action: "replace",
        result: { ...(result as object), seen: true },
      }),
    });
    const steps = tool({
      inputSchema: anything,
      async *execute() {
        yield { at: 1 };
        yield { at: 2 };
      },
    });
    const { mock } = model(["steps", {}]);
    const result = streamText({
      model: mock,
      prompt: "go",
      tools: governed(orcs, { steps }),
      stopWhen: stepCountIs(2),
    });
    const outputs: unknown[] = [];
    for await (const part of result.fullStream) {
      if (part.type === "tool-result") outputs.push([part.preliminary === true, part.output]);
    }
    expect(outputs).toEqual([
      [true, { at: 1, seen: true }],
      [true, { at: 2, seen: true }],
      [false, { at: 2, seen: true }],
    ]);
  });

  test("a tool that runs elsewhere stays as it is, and a warning names it", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const client = tool({ inputSchema: anything, outputSchema: anything });
    expect(governed(await open(), { client }).client).toBe(client);
    expect(warned).toHaveBeenCalledWith(
      expect.stringMatching(/^hooks cannot govern client:/),
      "OrcsWarning",
    );
    warned.mockRestore();
  });
});

describe("questions", () => {
  const counting = async () => {
    const orcs = await openWith('return orcs.ask("it deletes")', { match: { tool: "rm" } });
    let pre = 0;
    orcs.on("tool.pre_execute", () => void pre++);
    return { orcs, pre: () => pre };
  };

  /** Answer the open question of a run, and go on. */
  const answer = async (
    orcs: OrcsSession,
    tools: ToolSet,
    first: Awaited<ReturnType<typeof run>>,
    approved: boolean,
  ) => {
    const request = first.content.find((part) => part.type === "tool-approval-request");
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      ...first.result.response.messages,
      {
        role: "tool",
        content: [
          { type: "tool-approval-response", approvalId: request?.approvalId ?? "", approved },
        ],
      },
    ];
    // As in a server: nothing is left of the first request.
    return run(governed(orcs, tools), [], messages);
  };

  test("become the SDK's own: approved, the tool runs; the hooks have seen it each time", async () => {
    const { orcs } = await counting();
    const { tool: rm, calls } = noting();
    const first = await run(governed(orcs, { rm }), [["rm", { path: "a" }]]);
    expect(calls).toEqual([]);
    expect(first.content.map(({ type }) => type)).toContain("tool-approval-request");
    const { result } = await answer(orcs, { rm }, first, true);
    expect(result.text).toBe("done");
    expect(calls).toEqual([[{ path: "a" }, "call-0", 3, undefined]]);
  });

  test("refused, the tool does not run", async () => {
    const { orcs } = await counting();
    const { tool: rm, calls } = noting();
    const first = await run(governed(orcs, { rm }), [["rm", {}]]);
    await answer(orcs, { rm }, first, false);
    expect(calls).toEqual([]);
  });

  test("an approval is for one call: another with the same id is asked about again", async () => {
    const orcs = await openWith('return orcs.ask("it deletes")');
    const { tool: rm, calls } = noting();
    const governedTool = governed(orcs, { rm }).rm;
    const options = { toolCallId: "call-0", messages: [] };
    const { needsApproval } = governedTool;
    const asks = (input: Record<string, string>) =>
      typeof needsApproval === "function" && needsApproval(input, options);
    expect(await asks({ path: "a" })).toBe(true);
    await governedTool.execute?.({ path: "a" }, options);
    const again = Promise.resolve(governedTool.execute?.({ path: "b" }, options));
    await expect(again).rejects.toThrow(/needs approval, but nobody is available to ask/);
    expect(calls).toHaveLength(1);
  });

  test("a question after the SDK has executed the call is a denial, not a call that hangs", async () => {
    const orcs = await openWith('if ctx.payload.args.again then return orcs.ask("again?") end');
    let runs = 0;
    orcs.on("tool.post_execute", () =>
      runs++ === 0 ? { action: "retry", delay_ms: 1 } : undefined,
    );
    orcs.on("tool.pre_execute", (ctx) => {
      if (runs > 0) return { action: "continue", decision: "ask", reason: "again?" };
      return ctx;
    });
    const { tool: t, calls } = noting();
    const { content } = await run(governed(orcs, { t }), [["t", {}]]);
    expect(calls).toHaveLength(1);
    expect(content.filter(({ type }) => type === "tool-error")).toHaveLength(1);
  });

  test("a retry that nobody asks about executes the tool again", async () => {
    const orcs = await open();
    let ended = 0;
    orcs.on("tool.post_execute", () =>
      ended++ === 0 ? { action: "retry", delay_ms: 1 } : undefined,
    );
    const { tool: t, calls } = noting();
    const { content } = await run(governed(orcs, { t }), [["t", {}]]);
    expect(calls).toHaveLength(2);
    expect(content).toContainEqual(expect.objectContaining({ type: "tool-result", output: "ran" }));
  });

  test("a call that the SDK never executes ends with the engine", async () => {
    const orcs = await open();
    const { tool: t, calls } = noting();
    const { needsApproval } = governed(orcs, { t }).t;
    const options = { toolCallId: "call-0", messages: [] };
    const ended = new Promise((resolve) => orcs.events.on("called", resolve));
    const failed = new Promise((resolve) => void orcs.on("tool.on_failure", resolve));
    expect(typeof needsApproval === "function" && (await needsApproval({}, options))).toBe(false);
    await orcs.close();
    await Promise.race([ended, failed]);
    expect(calls).toEqual([]);
  });

  test("a call that nobody asks about passes the hooks once", async () => {
    const { orcs, pre } = await counting();
    const { tool: ls, calls } = noting();
    await run(governed(orcs, { ls }), [["ls", {}]]);
    expect([pre(), calls.length]).toEqual([1, 1]);
  });

  test("the tool's own needsApproval still holds, but not for what is denied anyway", async () => {
    const orcs = await openWith('orcs.deny("no")', { match: { tool: "no" } });
    const { tool: made, calls } = noting();
    const asking = { ...made, needsApproval: true };
    const { content } = await run(governed(orcs, { yes: asking, no: asking }), [
      ["yes", {}],
      ["no", {}],
    ]);
    const asked = content.flatMap((part) =>
      part.type === "tool-approval-request" ? [part.toolCall.toolName] : [],
    );
    expect(asked).toEqual(["yes"]);
    expect(calls).toEqual([]);
  });

  test('approval "engine": onAsk answers, and the SDK is not asked', async () => {
    const { orcs, pre } = await counting();
    const { tool: rm, calls } = noting();
    const session = orcs.session({ onAsk: ({ tool: name }) => name === "rm" });
    await run(governed(session, { rm }, { approval: "engine" }), [["rm", {}]]);
    expect([pre(), calls.length]).toEqual([1, 1]);
  });
});
