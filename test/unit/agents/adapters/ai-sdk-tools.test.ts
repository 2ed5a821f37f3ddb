import { Readable } from "node:stream";
import { createMCPClient } from "@ai-sdk/mcp";
import type { MCPTransport } from "@ai-sdk/mcp";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { ToolSet } from "ai";
import { dynamicTool, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { governed } from "../../../../src/agents/adapters/ai-sdk.ts";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import type { OrcsSession } from "../../../../src/engine/orcs/orcs.ts";
import { folder, open, openWith } from "../../engine/orcs/engine.ts";
import { scripted, toolCall } from "./ai-sdk-models.ts";

const anything = jsonSchema<Record<string, string>>({ type: "object" });
type Call = readonly [tool: string, input: object];

/** What the model was sent in its second call, and what the program got, of an agent that makes these calls. */
async function run(orcs: OrcsSession, tools: ToolSet, ...calls: readonly Call[]) {
  const asked = calls.map(([name, input], i) => toolCall(`call-${i}`, name, input));
  const { mock, sent } = scripted(asked, "done");
  const result = await generateText({
    model: mock,
    tools: governed(orcs, tools),
    messages: [{ role: "user", content: "go" }],
    stopWhen: stepCountIs(3),
  });
  const content = result.steps.flatMap((step) => step.content);
  return { content, told: JSON.stringify(sent[1]?.prompt.filter(({ role }) => role === "tool")) };
}

/** A tool of each kind that the SDK can execute, with the same result. */
const KINDS: Readonly<Record<string, (execute: (input: unknown) => unknown) => Promise<ToolSet>>> =
  {
    "a tool": async (execute) => ({ read: tool({ inputSchema: anything, execute }) }),
    "a dynamic tool": async (execute) => ({
      read: dynamicTool({ inputSchema: anything, execute: async (input) => execute(input) }),
    }),
    "a generator": async (execute) => ({
      read: tool({
        inputSchema: anything,
        async *execute(input) {
          yield "…";
          yield execute(input);
        },
      }),
    }),
    "a generator, compiled to older JavaScript": async (execute) => ({
      read: tool({
        inputSchema: anything,
        execute: (input) =>
          (async function* () {
            yield "…";
            yield execute(input);
          })(),
      }),
    }),
    "a tool of an MCP server": (execute) => mcpTools(execute),
  };

async function mcpTools(execute: (input: unknown) => unknown): Promise<ToolSet> {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.registerTool("read", { inputSchema: { path: z.string() } }, (input) => ({
    content: [{ type: "text", text: String(execute(input)) }],
  }));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = await createMCPClient({ transport: ours as MCPTransport });
  onTestFinished(() => client.close());
  return (await client.tools()) as ToolSet;
}

describe.each(Object.entries(KINDS))("%s of the AI SDK", (kind, made) => {
  const noting = async () => {
    const calls: unknown[] = [];
    const tools = await made((input) => {
      calls.push(input);
      return "a secret";
    });
    return { calls, tools };
  };

  test("works as before where no hook minds", async () => {
    const { calls, tools } = await noting();
    const { told } = await run(await open(), tools, ["read", { path: "a" }]);
    expect(told).toContain("a secret");
    expect(calls).toEqual([{ path: "a" }]);
  });

  test("does not run when a hook denies, and the model reads why", async () => {
    const { calls, tools } = await noting();
    const { told } = await run(await openWith('orcs.deny("private")'), tools, [
      "read",
      { path: "a" },
    ]);
    expect(told).toContain("read was denied by hook h: private");
    expect(calls).toEqual([]);
  });

  test("gets rewritten arguments", async () => {
    const { calls, tools } = await noting();
    const orcs = await openWith("ctx.payload.args.path = 'b'");
    await run(orcs, tools, ["read", { path: "a" }]);
    expect(calls).toEqual([{ path: "b" }]);
  });

  test("its result is masked for the model and the program", async () => {
    const { tools } = await noting();
    const orcs = await openWith(
      `local text = orcs.json_encode(ctx.payload.result):gsub("secret", "***")
       return orcs.replace(orcs.json_decode(text))`,
      { point: "tool.post_execute" },
    );
    const { content, told } = await run(orcs, tools, ["read", { path: "a" }]);
    expect(told).toContain("***");
    expect(told + JSON.stringify(content)).not.toContain("secret");
  });

  test("the same in a stream, with parallel calls", async () => {
    const { calls, tools } = await noting();
    const orcs = await open();
    orcs.on("tool.pre_execute", ({ payload }) =>
      payload.args["path"] === "b" ? { action: "abort", reason: "private" } : undefined,
    );
    orcs.on("tool.post_execute", ({ payload: { result } }) => ({
      action: "replace",
      result: JSON.parse(JSON.stringify(result).replaceAll("secret", "***")) as never,
    }));
    const asked = ["a", "b", "c"].map((path, i) => toolCall(`call-${i}`, "read", { path }));
    const { mock, sent } = scripted(asked, "done");
    const result = streamText({
      model: mock,
      prompt: "go",
      tools: governed(orcs, tools),
      stopWhen: stepCountIs(3),
    });
    const parts: unknown[] = [];
    for await (const part of result.fullStream) parts.push(part);
    const text = JSON.stringify([parts, sent]);
    expect(text).not.toContain("secret");
    expect(text).toContain("***");
    expect(calls).toEqual([{ path: "a" }, { path: "c" }]);
    const kinds = parts.map((part) => (part as { type: string }).type);
    expect(kinds.filter((type) => type === "tool-error")).toHaveLength(1);
    if (kind !== "a generator") {
      expect(kinds.filter((type) => type === "tool-result")).toHaveLength(2);
    }
  });
});

describe("what a generator tool yields", () => {
  const yields = async function* () {
    yield "first secret";
    yield "last secret";
  };
  const older = (): AsyncIterable<string> => yields();
  const masking = (stream: boolean, seen: unknown[]): HookDefinition<"tool.post_execute"> => ({
    point: "tool.post_execute",
    stream,
    handler: ({ payload: { result } }) => {
      seen.push(result);
      return { action: "replace", result: (result as string).replace("secret", "***") };
    },
  });

  test.each([
    ["with stream, each value", yields, true, ["first ***", "last ***", "last ***"]],
    ["without stream, the last value", yields, false, ["last ***", "last ***"]],
    ["with stream, compiled to older JavaScript", older, true, ["last ***"]],
    ["without stream, compiled to older JavaScript", older, false, ["last ***"]],
  ])("is one result that grows: hooks %s", async (_, execute, stream, expected) => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.hook(masking(stream, seen));
    const tools = governed(orcs, { watch: tool({ inputSchema: anything, execute }) });
    const { mock, sent } = scripted([toolCall("call-0", "watch", {})], "done");
    const result = streamText({ model: mock, prompt: "go", tools, stopWhen: stepCountIs(3) });
    const outputs: unknown[] = [];
    for await (const part of result.fullStream) {
      if (part.type === "tool-result") outputs.push(part.output);
    }
    expect(outputs).toEqual(expected);
    expect(seen).toEqual(stream ? ["first secret", "last secret"] : ["last secret"]);
    const told = JSON.stringify(sent[1]?.prompt);
    expect(told).toContain("last ***");
    expect(told).not.toMatch(/secret|first/);
  });

  test("nothing, is no result that hooks could be passed", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.hook(masking(false, seen));
    const none = async function* (): AsyncGenerator<string> {};
    const { content } = await run(orcs, { none: tool({ inputSchema: anything, execute: none }) }, [
      "none",
      {},
    ]);
    expect(content).not.toContainEqual(expect.objectContaining({ type: "tool-error" }));
  });
});

test.each([
  ["texts", () => ReadableStream.from(["a se", "cret"]), "a ***"],
  ["bytes", () => Readable.from([Buffer.from("ä se"), Buffer.from("cret")]), "ä ***"],
  ["other chunks", () => ReadableStream.from([1, "a secret"]), [1, "a ***"]],
])("a stream of %s that a tool returns is one result", async (_, execute, expected) => {
  const orcs = await openWith(
    `local text = orcs.json_encode(ctx.payload.result):gsub("secret", "***")
     return orcs.replace(orcs.json_decode(text))`,
    { point: "tool.post_execute" },
  );
  const read = tool({ inputSchema: anything, execute: (): unknown => execute() });
  const { content, told } = await run(orcs, { read }, ["read", {}]);
  expect(content).toContainEqual(expect.objectContaining({ output: expected }));
  expect(told).not.toContain("cret");
});

test("a stream that a function resolves to stays a stream, as the hooks left it", async () => {
  const orcs = await openWith(`return orcs.replace((ctx.payload.result:gsub("secret", "***")))`, {
    point: "tool.post_execute",
  });
  const read = tool({
    inputSchema: anything,
    execute: async (): Promise<unknown> => ReadableStream.from(["a se", "cret"]),
    // The SDK cannot copy a stream into a message.
    toModelOutput: () => ({ type: "text", value: "a stream" }),
  });
  const { content } = await run(orcs, { read }, ["read", {}]);
  const ended = content.find((part) => part.type === "tool-result");
  const chunks: string[] = [];
  if (ended) for await (const chunk of ended.output as AsyncIterable<string>) chunks.push(chunk);
  expect(chunks.join("")).toBe("a ***");
});

describe("the conversation of a tool call", () => {
  test("is messages of the payload, for hooks in Lua and in JavaScript, at all its points", async () => {
    const orcs = await openWith("ctx.metadata.first = ctx.payload.messages[1].content");
    const seen: unknown[] = [];
    orcs.on("tool.pre_execute", ({ metadata, payload: { messages } }) => {
      seen.push([metadata["first"], messages]);
    });
    orcs.on("tool.post_execute", ({ payload: { messages } }) => void seen.push(messages));
    const t = tool({ inputSchema: anything, execute: () => "ran" });
    await run(orcs, { t }, ["t", {}]);
    const messages = [{ role: "user", content: "go" }];
    expect(seen).toEqual([["go", messages], messages]);
  });

  test("costs nothing to a hook that does not read it: nothing in it is looked at", async () => {
    const orcs = await openWith("ctx.payload.args.seen = 'yes'");
    const looked: string[] = [];
    const watched = new Proxy({ role: "user", content: "go" } as const, {
      get: (message, key) => {
        looked.push(String(key));
        return Reflect.get(message, key) as unknown;
      },
      getOwnPropertyDescriptor: (message, key) => {
        looked.push(String(key));
        return Reflect.getOwnPropertyDescriptor(message, key);
      },
      ownKeys: (message) => {
        looked.push("keys");
        return Reflect.ownKeys(message);
      },
    });
    const calls: unknown[] = [];
    const { t } = governed(orcs, {
      t: tool({ inputSchema: anything, execute: (input) => void calls.push(input) }),
    });
    await t.execute?.({}, { toolCallId: "1", messages: [watched] });
    expect(calls).toEqual([{ seen: "yes" }]);
    expect(looked).toEqual([]);
  });

  test("files in it are no obstacle", async () => {
    const orcs = await openWith("ctx.metadata.last = ctx.payload.messages[1].content[1].image");
    const { t } = governed(orcs, { t: tool({ inputSchema: anything, execute: () => "ran" }) });
    const image = new Uint8Array([80, 78, 71]);
    const messages = [{ role: "user" as const, content: [{ type: "image" as const, image }] }];
    expect(await t.execute?.({}, { toolCallId: "1", messages })).toBe("ran");
  });

  test("is not written to the audit log", async () => {
    const auditDir = folder();
    const orcs = await open({ auditDir });
    orcs.on("tool.pre_execute", () => ({ action: "abort", reason: "no" }));
    const t = tool({ inputSchema: anything, execute: () => "ran" });
    const { told } = await run(orcs, { t }, ["t", {}]);
    expect(told).toContain("denied");
    await orcs.close();
    const { readFileSync, readdirSync } = await import("node:fs");
    const log = readdirSync(auditDir).map((name) => readFileSync(`${auditDir}/${name}`, "utf8"));
    expect(log.join()).toContain('"tool":"t"');
    expect(log.join()).not.toContain('"go"');
  });
});

describe("a tool that hooks cannot govern", () => {
  test.each([
    ["the provider runs", { type: "provider", id: "mock.search", args: {} }],
    ["the client runs", {}],
    ["the client runs, known at run time only", { type: "dynamic" }],
  ])("because %s it stays as it is, and a warning names it", async (_, more) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const search = { inputSchema: anything, outputSchema: anything, ...more };
    const tools = { search } as unknown as ToolSet;
    expect(governed(await open(), tools)["search"]).toBe(search);
    expect(warned).toHaveBeenCalledWith(
      expect.stringMatching(/^hooks cannot govern search:/),
      "OrcsWarning",
    );
    warned.mockRestore();
  });
});

test("two runs with equal ids of calls do not take each other's", async () => {
  const orcs = await open();
  const ended: string[] = [];
  const t = tool({ inputSchema: anything, execute: ({ of }) => void ended.push(String(of)) });
  const tools = governed(orcs, { t });
  const one = async (of: string) => {
    const { mock } = scripted([toolCall("call-0", "t", { of })], "done");
    await generateText({ model: mock, tools, prompt: "go", stopWhen: stepCountIs(3) });
  };
  await Promise.all(["a", "b", "c"].map(one));
  expect(ended.toSorted()).toEqual(["a", "b", "c"]);
});
