import { describe, expect, it } from "vitest";
import type { TraceContext } from "../../../../src/core/trace-context.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { call, initialized, line, Rig, rig, textResult } from "./rig.ts";

type Handler = HookDefinition["handler"];
const hook =
  (id: string, point: string) =>
  (handler: Handler, more: Partial<HookDefinition> = {}): HookDefinition => ({
    id,
    point,
    handler,
    ...more,
  });
const pre = hook("pre", "tool.pre_execute");
const post = hook("post", "tool.post_execute");
const onList = hook("list", "tool.on_list");
const refused = (id: unknown, text: unknown, more = {}) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }], isError: true, ...more },
});

describe("the trace of an MCP call", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const other = "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01";

  /** What the hooks' dispatch belongs to, and what the server gets. */
  async function traced(meta: unknown, trace?: TraceContext) {
    const seen: unknown[] = [];
    const made = await rig([], false, trace);
    const orcs = await made.engine();
    orcs.events.on("dispatch_started", (event) => seen.push(event.trace_context?.traceparent));
    const asked = call(1, "read", { path: "a" });
    if (meta !== undefined) asked["params"]._meta = meta;
    await made.client(asked).quiet();
    expect(made.serverGot).toHaveLength(1);
    return { seen, sent: made.serverGot[0]?.["params"]._meta as unknown };
  }

  it.each([
    ["named by the client", { traceparent: other, x: 1 }, undefined, other],
    ["named by the client and by the environment", { traceparent: other }, { traceparent }, other],
    ["of the client that is invalid", { traceparent: 1 }, undefined, undefined],
  ])("%s is passed on unchanged", async (_, meta, trace, expected) => {
    expect(await traced(meta, trace)).toEqual({ seen: [expected], sent: meta });
  });

  it.each([
    ["no parameters of its own", undefined, {}],
    ["a progress token", { progressToken: 3 }, { progressToken: 3 }],
  ])("of the environment is handed on to the server with %s", async (_, meta, kept) => {
    const trace = { traceparent, tracestate: "a=b" };
    expect(await traced(meta, trace)).toEqual({ seen: [traceparent], sent: { ...kept, ...trace } });
  });
});

describe("an integer beyond 2^53", () => {
  const BIG = "1915883588174806058";
  const set = (key: string) => (ctx: Parameters<Handler>[0]) => {
    const args = ctx.payload["args"] as Record<string, unknown>;
    args[key] = typeof args["id"] === "string" ? args["id"].length : "not a text";
  };

  it("reaches the server as the client sent it, although a hook has changed something else", async () => {
    const made = await rig([pre(set("note") as never)]);
    const params = `{"name":"delete","arguments":{"id":${BIG},"note":""}}`;
    await made
      .client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}\n`)
      .quiet();
    expect(made.toServer.join("")).toContain(`"arguments":{"id":${BIG},"note":19}`);
  });

  it("reaches the client as the server sent it, although a hook has changed something else", async () => {
    const mask = post((ctx) => {
      const result = ctx.payload["result"] as { content: { text: string }[] };
      (result.content[0] ?? { text: "" }).text = "masked";
    });
    const made = await rig([mask]);
    await made.client(call(1, "read", { path: "a" })).quiet();
    const result = `{"content":[{"type":"text","text":"x"}],"_meta":{"id":${BIG}}}`;
    await made.server(`{"jsonrpc":"2.0","id":1,"result":${result}}\n`).quiet();
    expect(made.toClient.join("")).toContain(`"text":"masked"}],"_meta":{"id":${BIG}}}`);
  });
});

describe("MCP proxy, before a tool call", () => {
  it("hooks see server, tool and arguments", async () => {
    const seen: unknown[] = [];
    const made = await rig([
      pre((ctx) => void seen.push({ component: ctx.component_id, payload: { ...ctx.payload } })),
    ]);
    const asked = call(1, "read", { path: "a" });
    asked["params"]._meta = { progressToken: 3 };
    await made.client(asked).quiet();
    expect(seen).toEqual([
      {
        component: "mcp::files",
        payload: {
          tool_name: "read",
          tool: "read",
          args: { path: "a" },
          session_id: "s1",
          cwd: "/work",
          host: { server: "files", tool_name: "read", _meta: { progressToken: 3 } },
        },
      },
    ]);
    expect(made.serverGot).toEqual([asked]);
  });

  it("other request params cannot change the server and tool that hooks see", async () => {
    const seen: unknown[] = [];
    const made = await rig([pre((ctx) => void seen.push(ctx.payload["host"]))]);
    const asked = call(1, "rm", {});
    Object.assign(asked["params"], { server: "trusted", tool_name: "ls", x: 1 });
    await made.client(asked).quiet();
    expect(seen).toEqual([{ server: "files", tool_name: "rm", x: 1 }]);
  });

  it.each([undefined, null])("arguments that are %s are treated as absent", async (args) => {
    const seen: unknown[] = [];
    const made = await rig([pre((ctx) => void seen.push(ctx.payload["args"]))]);
    const asked = { ...call(1, "x"), params: { name: "x", arguments: args } };
    await made.client(asked).quiet();
    expect([made.toServer, seen]).toEqual([[line(asked)], [{}]]);
  });

  it("arguments changed by hooks are sent to the server, the rest of the request unchanged", async () => {
    const made = await rig([
      pre((ctx) => {
        (ctx.payload["args"] as Record<string, unknown>)["path"] = "/safe/a";
      }),
    ]);
    const asked = call("a", "read", { path: "../a", n: 1 });
    asked["params"]._meta = { progressToken: "t" };
    await made.client(asked).quiet();
    expect(made.serverGot).toEqual([
      {
        ...asked,
        params: {
          name: "read",
          arguments: { path: "/safe/a", n: 1 },
          _meta: { progressToken: "t" },
        },
      },
    ]);
  });

  it("a denial is returned as a result for the model; nothing is sent to the server", async () => {
    const made = await rig([pre(() => ({ action: "abort", reason: "no" }))]);
    await made.client(call(1, "rm")).quiet();
    expect(made.toServer).toEqual([]);
    expect(made.clientGot).toEqual([refused(1, "denied by hook pre: no")]);
  });

  it.each([
    ["ask, with nobody to ask", { action: "continue", decision: "ask" }, /approval/],
    ["defer", { action: "continue", decision: "defer" }, /deferred/],
    ["a retry too many", { action: "retry", delay_ms: 0 }, /more than 3 retries/],
  ] as const)("%s, is a denial", async (_, answer, reason) => {
    const made = await rig([pre(() => answer)]);
    await made.client(call(1, "rm")).quiet();
    await expect.poll(() => made.clientGot).toEqual([refused(1, expect.stringMatching(reason))]);
    expect(made.toServer).toEqual([]);
  });

  it("a hook that throws denies", async () => {
    const made = await rig([
      pre(() => {
        throw new Error("oh");
      }),
    ]);
    await made.client(call(1, "rm")).quiet();
    expect(made.clientGot).toEqual([refused(1, expect.stringContaining("hook pre failed: oh"))]);
    expect(made.toServer).toEqual([]);
  });

  it.each([
    ["a text", "hi", { content: [{ type: "text", text: "hi" }] }],
    ["null", null, { content: [{ type: "text", text: "null" }] }],
    ["a list", [1], { content: [{ type: "text", text: "[1]" }] }],
    [
      "an object",
      { a: 1 },
      { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } },
    ],
    ["a tool result", { content: [], isError: true }, { content: [], isError: true }],
  ])("skip with %s is returned as the result", async (_, result, expected) => {
    const made = await rig([pre(() => ({ action: "skip", result: result as never }))]);
    await made.client(call(1, "x")).quiet();
    expect(made.clientGot).toEqual([{ jsonrpc: "2.0", id: 1, result: expected }]);
    expect(made.toServer).toEqual([]);
  });

  it("a denial without initialize (newer protocol revision) is a complete result", async () => {
    const made = await rig([pre(() => ({ action: "abort", reason: "no" }))]);
    const modern = call(1, "rm");
    modern["params"]._meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    await made.client(modern).quiet();
    expect(made.clientGot).toEqual([
      refused(1, "denied by hook pre: no", { resultType: "complete" }),
    ]);
  });

  it("a call before initialize is treated as the newer protocol revision", async () => {
    const made = await rig([pre(() => ({ action: "skip", result: "hi" }))]);
    const bare = new Rig(() => Promise.reject(new OrcsError("ORCS1015", "no")));
    await bare.client(call(1, "rm")).quiet();
    expect(bare.clientGot).toEqual([
      refused(1, expect.stringContaining("ORCS1015: no"), { resultType: "complete" }),
    ]);
    await made.client(call(1, "rm")).quiet();
    expect(made.clientGot[0]?.["result"]).not.toHaveProperty("resultType");
  });
});

describe("MCP proxy, after a tool call", () => {
  const mask = post((ctx) => {
    const result = ctx.payload["result"] as { content: { text: string }[] };
    for (const block of result.content) block.text = block.text.replaceAll("secret", "***");
  });

  it("hooks change the result in content and structuredContent", async () => {
    const made = await rig([mask]);
    await made.client(call(1, "read")).quiet();
    made.server(textResult(1, '{"a":"secret"}', { structuredContent: { a: "secret" }, _meta: {} }));
    await made.quiet();
    expect(made.clientGot).toEqual([
      textResult(1, '{"a":"***"}', { structuredContent: { a: "***" }, _meta: {} }),
    ]);
  });

  it("a replaced result is returned in full", async () => {
    const made = await rig([post(() => ({ action: "replace", result: "short" }))]);
    await made.client(call(1, "read")).quiet();
    await made.server(textResult(1, "long", { structuredContent: { a: 1 } })).quiet();
    expect(made.clientGot).toEqual([textResult(1, "short")]);
  });

  it("injected texts are appended to the content", async () => {
    const made = await rig([
      pre(() => ({ action: "continue", inject: ["careful"] })),
      post(() => ({
        action: "continue",
        inject: [{ content: "and slow", strategy: "user_message" }],
      })),
    ]);
    await made.client(call(1, "read")).quiet();
    await made.server(textResult(1, "x")).quiet();
    expect(made.clientGot[0]?.["result"].content.map(({ text }: any) => text)).toEqual([
      "x",
      "careful",
      "and slow",
    ]);
  });

  it("tool.on_failure gets error results and protocol errors", async () => {
    const told: unknown[] = [];
    const made = await rig([
      {
        point: "tool.on_failure",
        handler: ({ payload, component_id }) =>
          void told.push([component_id, payload["tool_name"], payload["error"]]),
      },
    ]);
    made.client(call(1, "a")).client(call(2, "b"));
    await made.quiet();
    const error = { jsonrpc: "2.0", id: 2, error: { code: -32602, message: "bad", data: 1.5 } };
    await made
      .server(textResult(1, "broke", { isError: true }))
      .server(error)
      .quiet();
    expect(told).toHaveLength(2);
    expect(told).toContainEqual(["mcp::files", "a", "broke"]);
    expect(told).toContainEqual(["mcp::files", "b", "bad"]);
    const broke = textResult(1, "broke", { isError: true });
    expect(made.toClient.toSorted()).toEqual([line(broke), line(error)].toSorted());
  });

  it.each([
    ["a question back", { resultType: "input_required", inputRequests: {}, requestState: "s" }],
    ["a task of the newer revision", { resultType: "task", taskId: "t" }],
    ["a task of the older one", { task: { taskId: "t", status: "working" } }],
  ])("post hooks do not see %s", async (_, result) => {
    let seen = 0;
    const made = await rig([post(() => void seen++)]);
    await made.client(call(1, "x")).quiet();
    const answer = { jsonrpc: "2.0", id: 1, result };
    await made.server(answer).quiet();
    expect([made.toClient, seen]).toEqual([[line(answer)], 0]);
  });

  it("post hooks see any result with content, whatever its resultType", async () => {
    const made = await rig([mask]);
    await made.client(call(1, "x")).quiet();
    await made.server(textResult(1, "secret", { resultType: "task" })).quiet();
    expect(made.toClient.join()).not.toContain("secret");
  });

  it("retry sends the call to the server again with a new id", async () => {
    let left = 2;
    const made = await rig([
      post(() => (left-- > 0 ? { action: "retry", delay_ms: 0 } : undefined)),
    ]);
    await made.client(call(1, "x", { a: 1 })).quiet();
    made.server(textResult(1, "first"));
    await expect.poll(() => made.serverGot.length).toBe(2);
    const second = made.serverGot[1]?.["id"];
    made.server(textResult(second, "second"));
    await expect.poll(() => made.serverGot.length).toBe(3);
    const third = made.serverGot[2]?.["id"];
    expect(new Set([1, second, third]).size).toBe(3);
    expect(made.serverGot[2]).toEqual(call(third, "x", { a: 1 }));
    await made.server(textResult(third, "third")).quiet();
    expect(made.clientGot).toEqual([textResult(1, "third")]);
  });
});

describe("MCP proxy, request ids", () => {
  it('1 and "1" are two calls, in any order of responses', async () => {
    const made = await rig([post((ctx) => void (ctx.metadata as object))]);
    await made.client(call(1, "a")).client(call("1", "b")).quiet();
    await made.server(textResult("1", "text")).server(textResult(1, "number")).quiet();
    expect(made.clientGot).toEqual([textResult("1", "text"), textResult(1, "number")]);
  });

  it("a second response to a call is dropped", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([post(() => thinks)]);
    await made.client(call(1, "a")).quiet();
    await made.server(textResult(1, "first")).server(textResult(1, "second")).quiet();
    go();
    await made.quiet();
    await made.server(textResult(1, "third")).server(textResult("1", "fourth")).quiet();
    expect(made.clientGot).toEqual([textResult(1, "first")]);
    expect(made.log.filter((text) => text.includes("answered"))).toHaveLength(3);
  });

  it("the id of a finished call can be reused", async () => {
    const made = await rig();
    await made.client(call(1, "a")).quiet();
    await made.server(textResult(1, "x")).quiet();
    made.client({ jsonrpc: "2.0", id: 1, method: "resources/read", params: {} });
    made.server({ jsonrpc: "2.0", id: 1, result: { contents: [] } });
    expect(made.clientGot.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: { contents: [] } });
  });

  it("a second call with a pending id is an error", async () => {
    const made = await rig();
    await made.client(call(1, "a")).client(call(1, "b")).quiet();
    expect(made.serverGot).toEqual([call(1, "a")]);
    expect(made.clientGot).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  it("another request with a pending call's id cannot bypass the post hooks", async () => {
    const made = await rig([post(() => ({ action: "replace", result: "clean" }))]);
    await made.client(call(1, "a")).quiet();
    made.client({ jsonrpc: "2.0", id: 1, method: "resources/read" });
    await made.server(textResult(1, "dirty")).server(textResult(1, "dirty")).quiet();
    expect(made.clientGot).toEqual([textResult(1, "clean")]);
  });

  it("tools/list with a pending call's id cannot bypass the post hooks", async () => {
    const made = await rig([post(() => ({ action: "replace", result: "clean" }))]);
    await made.client(call(1, "a")).quiet();
    await made.client({ jsonrpc: "2.0", id: 1, method: "tools/list" }).quiet();
    expect(made.serverGot).toEqual([call(1, "a")]);
    await made.server(textResult(1, "dirty")).quiet();
    expect(made.clientGot).toEqual([
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32600 }) }),
      textResult(1, "clean"),
    ]);
    expect(made.proxy.isIdle).toBe(true);
  });

  it("responses in a batch pass the hooks one by one", async () => {
    const made = await rig([post(() => ({ action: "replace", result: "clean" }))]);
    made.client({ jsonrpc: "2.0", id: 2, method: "ping" });
    await made.client(call(1, "a")).quiet();
    await made
      .server(line([textResult(1, "dirty"), { jsonrpc: "2.0", id: 2, result: {} }]))
      .quiet();
    expect(made.clientGot).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }, textResult(1, "clean")]);
  });
});

describe("MCP proxy, cancelling", () => {
  const cancel = (id: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id, reason: "x" },
  });

  it("a call that is in pre hooks: the server receives neither call nor cancellation", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([pre(() => thinks)]);
    made.client(call(1, "a")).client(cancel(1));
    go();
    await made.quiet();
    expect([made.toServer, made.toClient]).toEqual([[], []]);
    // The id is free again.
    await made.client(call(1, "b")).quiet();
    expect(made.serverGot).toEqual([call(1, "b")]);
  });

  it("a call at the server: the cancellation is forwarded, and nothing is returned", async () => {
    const made = await rig();
    await made.client(call(1, "a")).quiet();
    await made.client(cancel(1)).server(textResult(1, "too late")).quiet();
    expect(made.serverGot).toEqual([call(1, "a"), cancel(1)]);
    expect(made.toClient).toEqual([]);
  });

  it("a call that is in post hooks: nothing is returned", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([post(() => thinks)]);
    await made.client(call(1, "a")).quiet();
    await made.server(textResult(1, "x")).quiet();
    made.client(cancel(1));
    go();
    await made.quiet();
    expect(made.toClient).toEqual([]);
  });

  it("a retried call is cancelled under the id sent to the server", async () => {
    let left = 1;
    const made = await rig([
      post(() => (left-- > 0 ? { action: "retry", delay_ms: 0 } : undefined)),
    ]);
    await made.client(call(1, "x")).quiet();
    made.server(textResult(1, "first"));
    await expect.poll(() => made.serverGot.length).toBe(2);
    made.client(cancel(1));
    expect(made.serverGot[2]).toEqual(cancel(made.serverGot[1]?.["id"]));
  });

  it("other cancellations pass through in both directions", async () => {
    const made = await rig();
    made.client({ jsonrpc: "2.0", id: 5, method: "resources/read" }).client(cancel(5));
    made.client(cancel("unknown")).server(cancel(9));
    expect(made.toServer.slice(1)).toEqual([line(cancel(5)), line(cancel("unknown"))]);
    expect(made.toClient).toEqual([line(cancel(9))]);
  });
});

describe("MCP proxy, tools/list", () => {
  const list = (id: unknown, params = {}) => ({ jsonrpc: "2.0", id, method: "tools/list", params });
  const tools = [{ name: "read" }, { name: "rm" }];

  it("what the server says of a tool is known to the hooks of its calls", async () => {
    const seen: unknown[] = [];
    const made = await rig([pre((ctx) => void seen.push(ctx.payload["annotations"]))]);
    const annotations = { readOnlyHint: false, destructiveHint: true };
    const said = (id: number, tool: unknown): Rig =>
      made
        .client(list(id))
        .server({ jsonrpc: "2.0", id, result: { tools: [tool, { name: 7 }, null] } });
    said(1, { name: "rm", annotations });
    await made.quiet();
    await made.client(call(2, "rm")).quiet();
    await made.client(call(3, "read")).quiet();
    said(4, { name: "rm", annotations: "all" });
    await made.quiet();
    await made.client(call(5, "rm")).quiet();
    expect(seen).toEqual([annotations, undefined, undefined]);
  });

  it("hooks filter the list; cursors are kept", async () => {
    const queries: unknown[] = [];
    const made = await rig([
      onList((ctx) => {
        queries.push(ctx.payload["query"]);
        const all = ctx.payload["result"] as { name: string }[];
        return { action: "replace", result: all.filter(({ name }) => name !== "rm") as never };
      }),
    ]);
    made.client(list(1, { cursor: "c" })).server({
      jsonrpc: "2.0",
      id: 1,
      result: { tools, nextCursor: "d", ttlMs: 5, resultType: "complete" },
    });
    await made.quiet();
    expect(queries).toEqual([{ server: "files", cursor: "c" }]);
    expect(made.clientGot[0]?.["result"]).toEqual({
      tools: [{ name: "read" }],
      nextCursor: "d",
      ttlMs: 5,
      resultType: "complete",
    });
  });

  it.each([
    ["no hook", []],
    ["a hook that changes nothing", [onList(() => undefined)]],
    [
      "a hook that fails",
      [
        onList(() => {
          throw new Error("oh");
        }),
      ],
    ],
    ["a hook that leaves no list", [onList(() => ({ action: "replace", result: "x" }))]],
    ["a hook that leaves no tools", [onList(() => ({ action: "replace", result: [1] }))]],
  ])("passes unchanged with %s", async (_, hooks) => {
    const made = await rig(hooks);
    const answer = `{"result":{"tools":[{"name":"a", "n":1.0}]},"id":1,"jsonrpc":"2.0"}\n`;
    await made.client(list(1)).server(answer).quiet();
    expect(made.toClient).toEqual([answer]);
  });

  it("is an error if a hook with onError closed fails", async () => {
    const made = await rig([
      onList(
        () => {
          throw new Error("oh");
        },
        { onError: "closed" },
      ),
    ]);
    await made.client(list(1)).server({ jsonrpc: "2.0", id: 1, result: { tools } }).quiet();
    expect(made.clientGot).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });
});

describe("MCP proxy, error cases", () => {
  it("if the configuration fails to load, calls are denied and lists pass", async () => {
    const made = initialized(
      new Rig(() => Promise.reject(new OrcsError("ORCS1015", "2 mistakes: token=abc1234xyz"))),
    );
    made.client(call(1, "x")).client({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    made.server({ jsonrpc: "2.0", id: 2, result: { tools: [] } });
    await made.quiet();
    expect(made.clientGot).toContainEqual(refused(1, expect.stringContaining("2 mistakes")));
    expect(made.toClient.join()).not.toContain("abc1234xyz");
    expect(made.clientGot).toContainEqual({ jsonrpc: "2.0", id: 2, result: { tools: [] } });
    expect(made.serverGot).toHaveLength(1);
    expect(made.refused).toEqual([
      {
        host: "mcp",
        event: "tools/call",
        component: "mcp::files",
        session: "s1",
        tool: "x",
        reason: expect.stringContaining("2 mistakes"),
      },
    ]);
  });

  it("a call over max_payload_mb is denied", async () => {
    const made = await rig([], { engine: { max_payload_mb: 1 } });
    await made.client(call(1, "x", { text: "x".repeat(2 ** 20) })).quiet();
    expect(made.toServer).toEqual([]);
    expect(made.clientGot).toEqual([refused(1, expect.stringContaining("max_payload_mb"))]);
    expect(made.refused).toMatchObject([
      { tool: "x", reason: expect.stringContaining("max_payload_mb") },
    ]);
  });

  it.each([
    ["refused where hooks would look at it", {}, [post(() => undefined)], true],
    ["delivered where there are none", {}, [pre(() => undefined)], false],
    ["delivered where failures are open", { on_error: "open" }, [post(() => undefined)], false],
  ])("a result over max_payload_mb is %s", async (_, engine, hooks, isRefused) => {
    const made = await rig(hooks, { engine: { max_payload_mb: 1, ...engine } });
    await made.client(call(1, "x")).quiet();
    const big = textResult(1, "x".repeat(2 ** 20));
    await made.server(big).quiet();
    if (isRefused) {
      expect(made.clientGot).toEqual([refused(1, expect.stringContaining("max_payload_mb"))]);
    } else expect(made.toClient).toEqual([line(big)]);
  });

  it.each([29, 31, 40, 5000])(
    "a result nested %i levels deep is seen by hooks or rejected",
    async (levels) => {
      const seen: unknown[] = [];
      const made = await rig([
        post((ctx) => void seen.push(JSON.stringify(ctx.payload["result"]))),
      ]);
      await made.client(call(1, "x")).quiet();
      const deep = `${"[".repeat(levels - 2)}"secret"${"]".repeat(levels - 2)}`;
      const answer = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"d":${deep}}}}\n`;
      await made.server(answer).quiet();
      if (levels < 30) expect(seen.join()).toContain("secret");
      else expect(made.clientGot).toEqual([refused(1, expect.stringContaining("nested deeper"))]);
    },
  );

  it("a response that is not valid JSON becomes an error", async () => {
    const made = await rig([post(() => undefined)]);
    await made.client(call(1, "x")).quiet();
    const bad = line(textResult(1, "secret", { structuredContent: { n: "N" } })).replace(
      '"N"',
      "NaN",
    );
    await made.server(bad).server("a line of a log\n").quiet();
    expect(made.toClient[0]).toBe("a line of a log\n");
    expect(made.clientGotAfter(1)).toMatchObject([{ id: 1, error: { code: -32000 } }]);
    await made.server(bad).quiet();
    expect(made.toClient.join()).not.toContain("secret");
  });

  describe("an ambiguous response", () => {
    const SECRET = '{"content":[{"type":"text","text":"secret"}]}';
    const clean = '{"content":[]}';
    // The hooks find nothing to change in what they see.
    const hooks = [post(() => undefined)];
    const from = async (answer: string | Buffer) => {
      const made = await rig(hooks);
      await made.client(call(1, "x")).quiet();
      made.proxy.fromServer(Buffer.from(answer as string));
      return made.quiet();
    };

    it.each([
      ["the result twice", `{"id":1,"result":${SECRET},"result":${clean}}\n`],
      ["the content twice", '{"id":1,"result":{"content":["secret"],"content":[]}}\n'],
      ["the result twice, in a batch", `[{"id":1,"result":${SECRET},"result":${clean}}]\n`],
    ])("is rewritten to the form that the hooks saw: %s", async (_, answer) => {
      const made = await from(answer);
      expect(made.clientGot).toHaveLength(1);
      expect(made.toClient.join()).not.toContain("secret");
    });

    it("is rewritten without a bare carriage return", async () => {
      const made = await from(`{"x":\r{"id":1,"result":${SECRET}}\r}\n`);
      expect(made.toClient.join()).not.toContain("\r");
    });

    it("is rewritten without invalid UTF-8", async () => {
      const made = await from(
        Buffer.from('{"id":1,"result":{"content":["sec\xffret"]}}\n', "latin1"),
      );
      expect(made.last?.includes(0xff)).toBe(false);
      expect(made.clientGot).toEqual([{ id: 1, result: { content: ["sec\ufffdret"] } }]);
    });

    it.each([
      ["Result", `{"id":1,"Result":${SECRET}}\n`],
      ["ID", `{"ID":1,"result":${SECRET}}\n`],
      ["a spelling that Go reads", `{"id":1,"re\u017fult":${SECRET}}\n`],
      ["the same in an escape", `{"id":1,"re\\u017fult":${SECRET}}\n`],
      ["another id in other letters", `{"id":77,"ID":1,"result":${SECRET}}\n`],
      ["another type of id", `{"id":"1","Result":${SECRET}}\n`],
      ["ERROR", '{"id":1,"ERROR":{"code":1,"message":"secret"}}\n'],
    ])("becomes an error: %s", async (_, answer) => {
      const made = await from(answer);
      expect(made.toClient.join()).not.toContain("secret");
      expect(made.log).toContainEqual(expect.stringMatching(/^warn: .*dropped/));
    });

    it("nested too deep in a batch becomes an error", async () => {
      const deep = "[".repeat(50_000) + "]".repeat(50_000);
      const made = await from(`[{"id":1,"result":{"x":${deep}}}]\n`);
      expect(made.clientGot).toMatchObject([{ id: 1, error: { code: -32000 } }]);
    });

    it("an error response nested too deep is returned without details", async () => {
      const deep = "[".repeat(50_000) + "]".repeat(50_000);
      const made = await rig(hooks);
      made.client({ jsonrpc: "2.0", id: 1, method: "ping" });
      await made.client(call(1, "x")).quiet();
      await made
        .server({ id: 1, result: {} })
        .server(`{"id":"orcs-1","error":{"code":7,"message":"no","data":${deep}}}\n`)
        .quiet();
      expect(made.clientGotAfter(1)).toMatchObject([{ id: 1, error: { message: "no" } }]);
    });

    it("a server request in a batch with a call's id is not a response", async () => {
      const made = await rig(hooks);
      await made.client(call(1, "x")).quiet();
      const asks = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage" };
      await made.server(line([asks, { jsonrpc: "2.0", id: 9, result: {} }])).quiet();
      await made.server(textResult(1, "done")).quiet();
      expect(made.clientGotAfter(1)).toEqual([textResult(1, "done")]);
    });

    it.each([
      ["while a call waits", true],
      ["where nothing waits", false],
    ])("with two ids, the last unknown, is dropped, %s", async (_, waits) => {
      const made = await rig(hooks);
      if (waits) await made.client(call(1, "x")).quiet();
      await made.server(`{"id":1,"result":${SECRET},"id":77}\n`).quiet();
      expect([made.toClient, made.proxy.dropped.answers]).toEqual([[], 1]);
    });

    it("with two ids is dropped without pending hooks too", async () => {
      const made = await rig(hooks);
      made.server(`{"id":1,"Result":${SECRET},"id":2}\n`);
      expect([made.toClient, made.proxy.dropped.unreadable]).toEqual([[], 1]);
    });
  });

  it("when the server exits, pending and later requests get an error", async () => {
    const made = await rig([]);
    made.client({ jsonrpc: "2.0", id: "p", method: "ping" });
    made.client({ jsonrpc: "2.0", id: "l", method: "tools/list" });
    await made.client(call(1, "x")).quiet();
    expect(made.proxy.serverGone("it is gone")).toBe(3);
    await made.quiet();
    made.client({ jsonrpc: "2.0", id: "q", method: "ping" }).client(call(2, "x"));
    made.client({ jsonrpc: "2.0", id: "m", method: "tools/list" });
    await made.quiet();
    const answers = made.clientGot.map(({ id, error }) => [id, error?.message]);
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(["p", "l", 1, "q", 2, "m"].map((id) => [id, "it is gone"])),
    );
    expect(made.proxy.isIdle).toBe(true);
  });

  it("when the server exits, a call that is in hooks gets an error", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([pre(() => thinks)]);
    made.client(call(1, "x"));
    made.proxy.serverGone("it is gone");
    go();
    await made.quiet();
    expect(made.clientGot).toMatchObject([{ id: 1, error: { message: "it is gone" } }]);
    expect(made.toServer).toEqual([]);
  });
});
