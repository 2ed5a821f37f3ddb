import { describe, expect } from "vitest";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { call, line, rig, textResult } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { quickTest as it, slowTest } from "../../../slow-test.ts";

type Message = Record<string, any>;

const mask: HookDefinition = {
  id: "mask",
  point: "tool.post_execute",
  handler: () => ({ action: "replace", result: "clean" }),
};
const refuse: HookDefinition = {
  id: "refuse",
  point: "tool.pre_execute",
  handler: () => ({ action: "abort", reason: "no" }),
};
const request = (id: unknown, method = "resources/read", token?: unknown): Message => ({
  jsonrpc: "2.0",
  id,
  method,
  params: token === undefined ? {} : { _meta: { progressToken: token } },
});
const progress = (token: unknown, message = "secret"): Message => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: token, progress: 1, message },
});
const cancel = (id: unknown): Message => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: id },
});
const withToken = (asked: Message, token: unknown): Message => ({
  ...asked,
  params: { ...asked["params"], _meta: { progressToken: token } },
});
const SECRET = { content: [{ type: "text", text: "secret" }] };

describe("an unsolicited MCP response is dropped and counted", () => {
  const held = async (): Promise<Rig> => {
    const made = await rig([mask, { id: "thinks", point: "tool.pre_execute", handler: never }]);
    return made.client(call(2, "read")).quiet();
  };
  const asked = async (id: unknown = 2): Promise<Rig> => {
    const made = await rig([mask]);
    return made.client(call(id, "read")).quiet();
  };
  const plain = async (): Promise<Rig> => (await rig([mask])).client(request(2)).quiet();

  it.each<[string, () => Promise<Rig>, Message | string]>([
    ["before there is a request", () => rig([mask]), textResult(2, "secret")],
    ["while the call is with its hooks", held, textResult(2, "secret")],
    ["an error, while the call is with its hooks", held, { id: 2, error: { message: "secret" } }],
    ["as a text, where a number was asked", asked, textResult("2", "secret")],
    ["as a number, where a text was asked", () => asked("2"), textResult(2, "secret")],
    ["as a text, where no hook waits", plain, textResult("2", "secret")],
    ["as a list that some read as its only item", asked, textResult([2], "secret")],
    ["with an id that is null", asked, textResult(null, "secret")],
    ["with an id that is true", asked, textResult(true, "secret")],
    ["without an id", asked, { jsonrpc: "2.0", result: SECRET }],
    ["an error without an id", asked, { jsonrpc: "2.0", error: { code: 1, message: "secret" } }],
    ["a result that says a method, too", asked, { id: 3, method: "x", result: SECRET }],
    [
      "with another id that rounds to nothing",
      asked,
      '{"id":9007199254740993,"result":"secret"}\n',
    ],
    ["with neither result nor error", asked, { jsonrpc: "2.0", id: 3, content: "secret" }],
    ["in a batch", asked, line([textResult(3, "secret"), textResult("2", "secret")])],
  ])("%s", async (_, before, answer) => {
    const made = await before();
    await made.server(answer).quiet();
    expect(made.toClient).toEqual([]);
    const count = typeof answer === "string" && answer.startsWith("[") ? 2 : 1;
    expect(made.proxy.dropped).toEqual({ answers: count, progress: 0, unreadable: 0 });
    expect(made.log.filter((text) => text.startsWith("warn: dropped"))).toHaveLength(count);
    expect(made.log.join()).not.toContain("secret");
    expect(made.refused).toMatchObject(
      Array.from({ length: count }, () => ({
        host: "mcp",
        event: "server:answers",
        session: "s1",
      })),
    );
  });

  it("to a call that a hook denied", async () => {
    const made = await rig([mask, refuse]);
    await made.client(call(2, "rm")).quiet();
    await made.server(textResult(2, "secret")).quiet();
    expect(made.clientGot).toHaveLength(1);
    expect(made.proxy.dropped.answers).toBe(1);
  });

  it("after the real response, which passes the hooks", async () => {
    const made = await asked();
    await made.server(textResult(2, "a")).server(textResult(2, "b")).quiet();
    await made.server(textResult(2, "c")).quiet();
    expect(made.clientGot).toEqual([textResult(2, "clean")]);
    expect(made.proxy.dropped.answers).toBe(2);
  });

  it("before the call reached the server; the later real response passes the hooks", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([mask, { id: "p", point: "tool.pre_execute", handler: () => thinks }]);
    made.client(call(2, "read")).server(textResult(2, "early"));
    go();
    await made.quiet();
    await made.server(textResult(2, "asked")).quiet();
    expect(made.clientGot).toEqual([textResult(2, "clean")]);
  });

  it.each([
    ["a call", call(2, "read")],
    ["another request", request(2)],
    ["a list", request(2, "tools/list")],
  ])("after cancellation: %s", async (_, message) => {
    const made = await rig([mask]);
    await made.client(message).quiet();
    await made.client(cancel(2)).server(textResult(2, "late")).quiet();
    expect(made.toClient).toEqual([]);
    expect(made.proxy.dropped.answers).toBe(1);
  });

  it.each([
    ["a list", request(2, "tools/list")],
    ["another request", request(2)],
  ])("the second response to %s", async (_, message) => {
    const made = await rig([mask]);
    made.client(message);
    const answer = { jsonrpc: "2.0", id: 2, result: { tools: [] } };
    await made.server(answer).server(answer).quiet();
    expect(made.clientGot).toEqual([answer]);
    expect(made.proxy.dropped.answers).toBe(1);
  });

  it("to another request with the id of a call that is in its hooks", async () => {
    const made = await held();
    await made.client(request(2)).server(textResult(2, "secret")).quiet();
    expect(made.toClient).toEqual([]);
  });

  it("in a batch; the rest of the batch passes", async () => {
    const made = await plain();
    const notice = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } };
    const answer = { jsonrpc: "2.0", id: 2, result: {} };
    await made.server(line([textResult(9, "secret"), notice, answer])).quiet();
    expect(made.clientGot).toEqual([notice, answer]);
  });

  it.each([
    ["both a result and an error", { id: 2, result: SECRET, error: { message: "secret" } }],
    ["a batch in a batch", [[{ id: 2, result: SECRET }]]],
    ["no valid JSON", '{"id":2,"result":"secret",}\n'],
    ["no valid JSON, to nobody's request", '{"id":7,"result":"secret",}\n'],
  ])("if it cannot be parsed as one response: %s", async (_, answer) => {
    const made = await asked();
    await made.server(typeof answer === "string" ? answer : line(answer)).quiet();
    expect(made.toClient.join()).not.toContain("secret");
    expect(made.proxy.dropped.unreadable).toBe(1);
  });

  it("a request with an unreadable response gets an error, without hooks too", async () => {
    const made = await plain();
    await made.server('{"id":2,"result":NaN}\n').quiet();
    expect(made.clientGot).toMatchObject([{ id: 2, error: { code: -32000 } }]);
    expect(made.proxy.isIdle).toBe(true);
  });

  it.each([
    ["a number written as a fraction", '{"id":2.0,"result":{}}\n'],
    ["and as a power", '{"id":2e0,"result":{}}\n'],
    ["an error that is null beside a result", '{"id":2,"result":{},"error":null}\n'],
  ])("but not %s, which is the same id", async (_, answer) => {
    const made = await plain();
    await made.server(answer).quiet();
    expect(made.toClient).toEqual([answer]);
    expect(made.proxy.dropped.answers).toBe(0);
  });

  it("hooks of the original request see the response, whatever its form", async () => {
    const made = await rig([
      { ...mask, match: { tool: "read" } },
      { id: "list", point: "tool.on_list", handler: () => ({ action: "replace", result: [] }) },
    ]);
    made.client(request(1, "tools/list"));
    await made.client(call(2, "read")).client(call(3, "other")).quiet();
    // Each is answered with what another one would get.
    made.server({ jsonrpc: "2.0", id: 1, result: { ...SECRET, tools: [{ name: "rm" }] } });
    made.server({ jsonrpc: "2.0", id: 2, result: { tools: [{ name: "secret" }] } });
    await made.quiet();
    const byId = Object.fromEntries(made.clientGot.map(({ id, result }) => [id, result]));
    expect(byId[1].tools).toEqual([]);
    expect(byId[2]).toEqual({ content: [{ type: "text", text: "clean" }] });
  });

  it("two requests with one id and no waiting hooks get two responses", async () => {
    const made = await rig([mask]);
    const id = "9007199254740993";
    made
      .client(`{"id":${id},"method":"ping"}\n`)
      .client(`{"id":9007199254740992,"method":"ping"}\n`);
    for (let i = 0; i < 3; i++) made.server(`{"id":${id},"result":{}}\n`);
    expect(made.toClient).toHaveLength(2);
  });
});

describe("MCP progress notifications", () => {
  const seen = (made: Rig): unknown[] =>
    made.clientGot
      .filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => params.progressToken);

  it.each([
    ["a call", withToken(call(1, "read"), 7)],
    ["a list", request(1, "tools/list", 7)],
    ["another request", request(1, "resources/read", 7)],
  ])("pass while %s is at the server, not before or after", async (_, message) => {
    const made = await rig([mask]);
    made.server(progress(7));
    await made.client(message).quiet();
    made.server(progress(7)).server(progress("7")).server(progress(8));
    await made.server({ jsonrpc: "2.0", id: 1, result: { tools: [] } }).quiet();
    made.server(progress(7));
    expect(seen(made)).toEqual([7]);
    expect(made.proxy.dropped).toEqual({ answers: 0, progress: 4, unreadable: 0 });
  });

  it("are dropped for calls that are in hooks, denied or cancelled", async () => {
    const made = await rig([
      { ...refuse, match: { tool: "rm" } },
      { id: "thinks", point: "tool.pre_execute", match: { tool: "held" }, handler: never },
    ]);
    made.client(withToken(call(1, "rm"), "a")).client(withToken(call(2, "held"), "b"));
    await made
      .client(withToken(call(3, "x"), "c"))
      .client(cancel(3))
      .quiet();
    for (const token of ["a", "b", "c"]) made.server(progress(token));
    expect(seen(made)).toEqual([]);
    expect(made.proxy.dropped.progress).toBe(3);
  });

  it("pass while one of several requests has the token", async () => {
    const made = await rig();
    made.client(request(1, "x", "t")).client(request(2, "x", "t"));
    made.server({ id: 1, result: {} }).server(progress("t"));
    made.server({ id: 2, result: {} }).server(progress("t"));
    expect(seen(made)).toEqual(["t"]);
  });

  it("pass while a task that was the result continues", async () => {
    const made = await rig();
    await made.client(withToken(call(1, "x"), "t")).quiet();
    await made.server({ id: 1, result: { task: { taskId: "k", status: "working" } } }).quiet();
    made.server(progress("t"));
    expect(seen(made)).toEqual(["t"]);
  });

  it.each<[string, string]>([
    ["null", line(progress(null))],
    ["a list", line(progress([7]))],
    ["in other letters", line(progress(7)).replace("progressToken", "ProgressToken")],
    ["the key escaped", line(progress(8)).replace("progressToken", "progress\\u0054oken")],
    ["the method escaped", line(progress(8)).replace("notifications/", "notifications\\/")],
    [
      "a method that ends early for readers in C",
      line(progress(8)).replace('progress"', 'progress\\u0000"'),
    ],
    [
      "twice",
      line(progress(7)).replace('"progressToken":7', '"progressToken":7,"progressToken":8'),
    ],
    ["in a batch", line([progress(8)])],
    ["in what is no JSON", line(progress(7)).replace("}\n", ",}\n")],
  ])("do not pass with a token that is %s", async (_, text) => {
    const made = await rig([mask]);
    await made.client(withToken(call(1, "x"), 7)).quiet();
    made.server(text);
    expect(made.toClient).toEqual([]);
    const { progress: told, unreadable } = made.proxy.dropped;
    expect(told + unreadable).toBe(1);
  });
});

describe("other MCP server messages", () => {
  it.each([
    ["a log message", { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } }],
    ["progress without a token", { jsonrpc: "2.0", method: "notifications/progress", params: {} }],
    ["a changed list", { jsonrpc: "2.0", method: "notifications/tools/list_changed" }],
    ["a question", { jsonrpc: "2.0", id: 2, method: "sampling/createMessage", params: {} }],
    ["a question whose params have a result", { id: 2, method: "x", params: { result: 1 } }],
    ["an object of no protocol", { level: "info", message: "up" }],
  ])("pass unchanged: %s", async (_, message) => {
    const made = await rig([mask]);
    made.server(message);
    expect(made.toClient).toEqual([line(message)]);
    expect(made.proxy.dropped).toEqual({ answers: 0, progress: 0, unreadable: 0 });
  });

  slowTest("ten dropped messages are logged one by one, and the total at the end", async () => {
    const made = await rig([mask]);
    for (let id = 0; id < 5000; id++) made.server(textResult(id, "secret"));
    for (let id = 0; id < 7; id++) made.server(progress(id));
    await made.quiet();
    await made.proxy.end();
    expect(made.toClient).toEqual([]);
    expect(made.log).toHaveLength(11);
    expect(made.log.at(-1)).toMatch(/5000 responses and 7 progress notifications/);
    expect(made.refused).toHaveLength(11);
    expect(made.refused.at(-1)).toMatchObject({ event: "server:session" });
  });

  it("nothing is logged at the end if nothing was dropped", async () => {
    const made = await rig([mask]);
    await made.proxy.end();
    expect([made.log, made.refused]).toEqual([[], []]);
  });
});

function never(): Promise<never> {
  return new Promise(() => undefined);
}
