import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { official } from "./mcp/official.ts";
import { PATIENT } from "./orcs.ts";

/** What a call gave, as the model reads it. */
function read(result: unknown): { text: string; isError: boolean; structured: unknown } {
  const { content, isError = false, structuredContent } = result as CallToolResult;
  const text = content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  return { text, isError, structured: structuredContent };
}

describe("orcs mcp with server-filesystem", () => {
  const HOOKS = `
[[hooks]]
id = "no-private"
fql = "mcp::server-filesystem"
point = "tool.pre_execute"
match = { path = "**/private/**" }
handler_inline = 'return orcs.deny("that folder is private")'

[[hooks]]
id = "notes-go-elsewhere"
point = "tool.pre_execute"
match = { tool = "write_file" }
handler_inline = '''
ctx.payload.args.path = ctx.payload.args.path:gsub("notes%.txt$", "orcs-notes.txt")
return ctx
'''

[[hooks]]
id = "mask"
point = "tool.post_execute"
match = { tool = "read_*|search_files" }
handler_inline = '''
for _, block in ipairs(ctx.payload.result.content) do
  if block.text then block.text = block.text:gsub("sk%-%d+", "sk-***") end
end
return ctx
'''

[[hooks]]
id = "no-moving"
point = "tool.on_list"
handler_inline = '''
local left = orcs.array {}
for _, tool in ipairs(ctx.payload.result) do
  if tool.name ~= "move_file" then left[#left + 1] = tool end
end
return orcs.replace(left)
'''
${PATIENT}`;

  test("lists, calls, denies, rewrites and masks", async () => {
    const { client, dir, stderr } = await official("filesystem", HOOKS);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("read_text_file");
    expect(names).not.toContain("move_file");

    const path = (name: string): string => join(dir, name);
    const call = async (name: string, args: Record<string, unknown>) =>
      read(await client.callTool({ name, arguments: args }));

    expect(await call("read_text_file", { path: path("public/a.txt") })).toEqual({
      text: "a\n",
      isError: false,
      structured: { content: "a\n" },
    });
    expect(await call("read_text_file", { path: path("private/key.txt") })).toEqual({
      text: "denied by hook no-private: that folder is private",
      isError: true,
      structured: undefined,
    });
    const written = await call("write_file", { path: path("notes.txt"), content: "sk-777 x" });
    expect(written.text).toContain("orcs-notes.txt");
    expect(existsSync(path("notes.txt"))).toBe(false);
    expect(readFileSync(path("orcs-notes.txt"), "utf8")).toBe("sk-777 x");
    // The server says the same in both halves of its result; neither may let the secret out.
    expect(await call("read_text_file", { path: path("orcs-notes.txt") })).toEqual({
      text: "sk-*** x",
      isError: false,
      structured: { content: "sk-*** x" },
    });
    const missing = await call("read_text_file", { path: path("public/none.txt") });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining("ENOENT") });
    await expect(client.listResources()).rejects.toThrow(/-32601/);
    expect(stderr()).toContain("running on stdio");
  });

  test("passes the client's roots to the server", async () => {
    const roots: string[] = [];
    const { client, dir } = await official(
      "filesystem",
      HOOKS,
      { roots: { listChanged: true } },
      (client, dir) => {
        client.setRequestHandler(ListRootsRequestSchema, () => {
          roots.push(dir);
          return { roots: [{ uri: `file://${dir}/public`, name: "public" }] };
        });
      },
    );
    await expect.poll(() => roots, { timeout: 10_000 }).toEqual([dir]);
    await expect
      .poll(async () => read(await client.callTool({ name: "list_allowed_directories" })).text, {
        timeout: 10_000,
      })
      .toContain(join(dir, "public"));
  });
});

describe("orcs mcp with server-everything", () => {
  const HOOKS = `
[[hooks]]
id = "no-env"
point = "tool.pre_execute"
match = { tool = "get-env" }
handler_inline = 'return orcs.deny("the environment is private")'

[[hooks]]
id = "colder"
point = "tool.post_execute"
match = { tool = "get-structured-content" }
handler_inline = '''
ctx.payload.result.structuredContent.temperature = -1
return ctx
'''
${PATIENT}`;

  test("passes progress, cancellation and other features", async () => {
    const { client } = await official("everything", HOOKS);
    expect(read(await client.callTool({ name: "echo", arguments: { message: "hi" } })).text).toBe(
      "Echo: hi",
    );
    const env = read(await client.callTool({ name: "get-env" }));
    expect(env).toMatchObject({ isError: true, text: expect.stringContaining("no-env") });
    // The client checks structuredContent against the schema that the server gave.
    await client.listTools();
    const weather = await client.callTool({
      name: "get-structured-content",
      arguments: { location: "Chicago" },
    });
    const { text, structured } = read(weather);
    expect(structured).toMatchObject({ temperature: -1, humidity: 82 });
    expect(JSON.parse(text)).toEqual(structured);

    const progress: number[] = [];
    const long = { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } };
    const done = read(
      await client.callTool(long, undefined, {
        onprogress: (step) => void progress.push(step.progress),
      }),
    );
    expect(done.text).toContain("completed");
    // The client is done with a call at its result: what comes right before that may still be on its way.
    expect(progress.slice(0, 2)).toEqual([1, 2]);

    const cancel = new AbortController();
    const given = client.callTool(
      { name: long.name, arguments: { duration: 20, steps: 20 } },
      undefined,
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort("enough"), 200);
    await expect(given).rejects.toThrow(/enough/);
    expect(read(await client.callTool({ name: "echo", arguments: { message: "on" } })).text).toBe(
      "Echo: on",
    );

    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    const [first] = resources;
    if (!first) throw new Error("it has no resources");
    expect((await client.readResource({ uri: first.uri })).contents).toHaveLength(1);
    await client.ping();
  });

  test("passes sampling and elicitation requests to the client", async () => {
    const { client } = await official(
      "everything",
      HOOKS,
      { sampling: {}, elicitation: {} },
      (client) => {
        client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
          role: "assistant",
          model: "m",
          content: { type: "text", text: `asked ${params.messages.length}, tools/call` },
        }));
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
      },
    );
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), {
        timeout: 10_000,
      })
      .toContain("trigger-sampling-request");
    const sampled = await client.callTool({
      name: "trigger-sampling-request",
      arguments: { prompt: "hello" },
    });
    expect(read(sampled).text).toContain("asked 1, tools/call");
    const elicited = await client.callTool({ name: "trigger-elicitation-request" });
    expect(read(elicited).text).toContain("declined");
  });
});
