import { describe, expectTypeOf, test } from "vitest";
import type {
  CallFrom,
  CallScope,
  Channel,
  CheckedPermission,
  Child,
  ChildContext,
  Component,
  CreateOrcsOptions,
  Event,
  GrantKind,
  HookContext,
  HookDefinition,
  InvokeOutcome,
  Json,
  JsonObject,
  Llm,
  LlmAnswer,
  LlmRequest,
  OperationName,
  Orcs,
  Outcome,
  PayloadOf,
  Permission,
  PointName,
  Request,
  RequestOptions,
  RunnerResult,
  Runtime,
  RuntimeLimits,
  RuntimeOptions,
  RuntimeVerb,
  Signal,
  SignalKind,
  SignalResponse,
  Spawned,
  SpawnOptions,
  SpawnScriptOptions,
  ToolAnswer,
  WrappedTool,
} from "../../src/index.ts";

declare const orcs: Orcs;

describe("dispatch", () => {
  test("knows what the payload of a point must hold", () => {
    expectTypeOf<PayloadOf<"tool.pre_execute">["tool_name"]>().toEqualTypeOf<string>();
    expectTypeOf<PayloadOf<"tool.pre_execute">["args"]>().toEqualTypeOf<JsonObject>();
    expectTypeOf<PayloadOf<"tool.pre_execute">["capabilities"]>().toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf<PayloadOf<"llm.pre_generate">["available_tools"]>().toEqualTypeOf<
      string[] | undefined
    >();
    expectTypeOf<PayloadOf<"request.pre_dispatch">["payload"]>().toEqualTypeOf<Json | undefined>();
    void orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { command: "ls" } });
    // @ts-expect-error args is missing
    void orcs.dispatch("tool.pre_execute", { tool_name: "exec" });
    // @ts-expect-error a tool's name is a string
    void orcs.dispatch("tool.pre_execute", { tool_name: 5, args: {} });
    // @ts-expect-error the list of tools holds strings
    void orcs.dispatch("llm.pre_generate", { available_tools: [5] });
  });

  test("takes further keys, which hosts add", () => {
    void orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {}, host: { name: "x" } });
  });

  test("leaves the payload of aliases and of a program's own points open", () => {
    expectTypeOf<PayloadOf<"PreToolUse">>().toEqualTypeOf<Record<string, unknown>>();
    void orcs.dispatch("deploy.pre_push", { branch: "main" });
  });

  test("gives an outcome of the same point, told apart by its action", async () => {
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
    expectTypeOf(outcome).toEqualTypeOf<Outcome<"tool.pre_execute">>();
    expectTypeOf(outcome.action).toEqualTypeOf<"continue" | "skip" | "abort" | "retry">();
    expectTypeOf(outcome.ctx.payload.args).toEqualTypeOf<JsonObject>();
    expectTypeOf(outcome.ctx.hook_point).toEqualTypeOf<"tool.pre_execute">();
    if (outcome.action === "abort") {
      expectTypeOf(outcome.reason).toEqualTypeOf<string>();
      expectTypeOf(outcome.hook).toEqualTypeOf<string>();
    } else if (outcome.action === "skip") {
      expectTypeOf(outcome.result).toEqualTypeOf<Json>();
    } else if (outcome.action === "continue") {
      expectTypeOf(outcome.decision).toEqualTypeOf<"allow" | "ask" | "defer" | undefined>();
    }
    // @ts-expect-error only a refusal has a reason for certain
    expectTypeOf(outcome.reason).toBeString();
  });
});

describe("invoke", () => {
  test("takes operations that have a pre and a post point", () => {
    expectTypeOf<OperationName>().toEqualTypeOf<
      | "component.init"
      | "component.shutdown"
      | "request.dispatch"
      | "signal.dispatch"
      | "child.spawn"
      | "child.run"
      | "channel.create"
      | "channel.destroy"
      | "tool.execute"
      | "auth.check"
      | "bus.broadcast"
      | "prompt.submit"
      | "llm.generate"
      | "context.compact"
    >();
    // @ts-expect-error no such operation
    void orcs.invoke("tool.exec", {}, () => 1);
    // @ts-expect-error agent.pre_stop has no post point
    void orcs.invoke("agent.stop", {}, () => 1);
  });

  test("types the payload on both ways", () => {
    const outcome = orcs.invoke("llm.generate", { prompt: "hi" }, (payload, ctx) => {
      expectTypeOf(payload).toEqualTypeOf<PayloadOf<"llm.pre_generate">>();
      expectTypeOf(ctx).toEqualTypeOf<HookContext<"llm.pre_generate">>();
      return "text";
    });
    expectTypeOf(outcome).resolves.toEqualTypeOf<InvokeOutcome>();
    // @ts-expect-error a prompt is a string
    void orcs.invoke("llm.generate", { prompt: 5 }, () => "text");
  });
});

describe("wrapTool", () => {
  test("keeps the function's arguments and result", () => {
    const add = orcs.wrapTool("add", ({ a, b }: { a: number; b: number }) => a + b);
    expectTypeOf(add).toEqualTypeOf<WrappedTool<[{ a: number; b: number }], number>>();
    expectTypeOf(add({ a: 1, b: 2 })).resolves.toBeNumber();
    // @ts-expect-error b is missing
    void add({ a: 1 });
  });

  test("of an async function: its result once, not a promise of a promise", () => {
    const read = orcs.wrapTool("read", async ({ path }: { path: string }) => ({ text: path }));
    expectTypeOf(read({ path: "a" })).resolves.toEqualTypeOf<{ text: string }>();
  });

  test("keeps several parameters, none, and optional ones", () => {
    const add = orcs.wrapTool("add", (a: number, b?: string) => `${a}${b}`, { params: ["a", "b"] });
    expectTypeOf<Parameters<typeof add>>().toEqualTypeOf<[a: number, b?: string | undefined]>();
    expectTypeOf(add.with({ session_id: "s" })(1)).resolves.toBeString();
    void orcs.wrapTool("now", () => 1)();
  });
});

describe("addTool", () => {
  test("hands the call to the function", () => {
    orcs.addTool("seen", (args, call) => {
      expectTypeOf(args).toEqualTypeOf<JsonObject>();
      expectTypeOf(call.ctx).toEqualTypeOf<HookContext>();
    });
  });
});

describe("call", () => {
  test("gives the result of the function, or who denied it", async () => {
    const called = await orcs.call("add", { a: 1 }, { fn: async ({ a }) => a + 1 });
    if (called.ok) expectTypeOf(called.result).toBeNumber();
    else
      expectTypeOf(called.denied).toEqualTypeOf<{
        readonly hook: string;
        readonly reason: string;
      }>();
  });
});

describe("hooks", () => {
  test("see the payload of their point, and a scope for calls of their own", () => {
    orcs.on("tool.pre_execute", (ctx, scope) => {
      expectTypeOf(ctx.payload.args).toEqualTypeOf<JsonObject>();
      expectTypeOf(scope).toEqualTypeOf<CallScope>();
    });
    orcs.on("llm.post_generate", { agent: "reviewer" }, (ctx) => {
      expectTypeOf(ctx.payload.response_text).toEqualTypeOf<string | undefined>();
    });
    orcs.hook({
      point: "prompt.pre_submit",
      handler: (ctx) => {
        expectTypeOf(ctx.payload.prompt).toEqualTypeOf<string>();
      },
    });
  });

  test("of several points can be in one list", () => {
    const guard: HookDefinition<"tool.pre_execute"> = {
      point: "tool.pre_execute",
      handler: (ctx) => void ctx.payload.args,
    };
    const mask: HookDefinition<"tool.post_execute"> = {
      point: "tool.post_execute",
      handler: (ctx) => void ctx.payload.result,
    };
    expectTypeOf({ hooks: [guard, mask] }).toExtend<CreateOrcsOptions>();
  });

  test("what they may say of themselves", () => {
    const handler = (): void => undefined;
    expectTypeOf(orcs.hook({ point: "PreToolUse", handler })).toEqualTypeOf<() => void>();
    // @ts-expect-error no such key
    orcs.hook({ point: "PreToolUse", handler, priorty: 5 });
    // @ts-expect-error open or closed
    orcs.hook({ point: "PreToolUse", handler, onError: "close" });
    // @ts-expect-error no such condition
    orcs.on("PreToolUse", { tol: "exec" }, handler);
  });

  test("cannot change what is read-only", () => {
    orcs.on("tool.pre_execute", (ctx) => {
      // @ts-expect-error read-only
      ctx.component_id = "other::one";
      ctx.metadata["note"] = 1;
    });
  });
});

test("get answers ok with anything, or not ok with an error", async () => {
  const answer = await orcs.get("read", "a.txt");
  expectTypeOf(answer).toEqualTypeOf<ToolAnswer>();
  if (!answer.ok) expectTypeOf(answer.error).toEqualTypeOf<string>();
  // @ts-expect-error arguments are JSON
  void orcs.get("read", () => 1);
});

describe("llm", () => {
  test("is asked with a prompt and what else was given", () => {
    const options = {
      llm: async (request, { signal, ctx }) => {
        expectTypeOf(request).toEqualTypeOf<LlmRequest>();
        expectTypeOf(request.prompt).toEqualTypeOf<string>();
        expectTypeOf(request.system_prompt).toEqualTypeOf<string | undefined>();
        expectTypeOf(request.messages).toEqualTypeOf<Json[] | undefined>();
        expectTypeOf(request.model?.temperature).toEqualTypeOf<number | undefined>();
        expectTypeOf(request["max_tokens"]).toEqualTypeOf<Json | undefined>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
        expectTypeOf(ctx).toEqualTypeOf<HookContext>();
        return "text";
      },
    } satisfies CreateOrcsOptions;
    expectTypeOf(options.llm).toExtend<Llm>();
  });

  test("answers a text or an object with one, such as a client's own", () => {
    interface Completion {
      text: string;
      usage: { tokens: number };
    }
    expectTypeOf<string>().toExtend<LlmAnswer>();
    expectTypeOf<{ text: string; usage: Completion["usage"] }>().toExtend<LlmAnswer>();
    expectTypeOf<{ text: string; tool_calls: Completion[] }>().toExtend<LlmAnswer>();
    expectTypeOf<{ content: string }>().not.toExtend<LlmAnswer>();
    expectTypeOf<() => number>().not.toExtend<Llm>();
  });
});

describe("runtime", () => {
  test("a component says what it is, and may leave out all but id and onRequest", async () => {
    const counter = {
      id: "builtin::counter",
      onRequest: (request, context) => {
        expectTypeOf(request).toEqualTypeOf<Request>();
        expectTypeOf(request.payload).toEqualTypeOf<Json>();
        expectTypeOf(context).toEqualTypeOf<ChildContext>();
        return 1;
      },
      onSignal: (signal) => {
        expectTypeOf(signal).toEqualTypeOf<Signal>();
        return signal.kind === "veto" ? "handled" : "ignored";
      },
      restore: (snapshot) => expectTypeOf(snapshot).toEqualTypeOf<Json>(),
    } satisfies Component;
    const runtime = orcs.runtime({ limits: { mailbox: 10 } });
    expectTypeOf(runtime).toEqualTypeOf<Runtime>();
    expectTypeOf(runtime.spawn(counter)).resolves.toEqualTypeOf<Channel | undefined>();
    expectTypeOf(runtime.request("builtin::counter", "count")).resolves.toEqualTypeOf<Json>();
    expectTypeOf(runtime.stop("builtin::counter")).resolves.toEqualTypeOf<
      RunnerResult | undefined
    >();
    expectTypeOf(runtime.run("agent.lua")).resolves.toEqualTypeOf<Json | undefined>();
    // @ts-expect-error it has no onRequest
    void runtime.spawn({ id: "builtin::counter" });
    // @ts-expect-error no such signal
    void runtime.signal("*", "stop");
    // @ts-expect-error no such limit
    orcs.runtime({ limits: { mailboxes: 10 } });
    // @ts-expect-error no such capability
    void runtime.spawn(counter, { capabilities: ["SHOOT"] });
  });

  test("its options", () => {
    expectTypeOf<RuntimeOptions["limits"]>().toEqualTypeOf<Partial<RuntimeLimits> | undefined>();
    expectTypeOf<SpawnScriptOptions>().toExtend<SpawnOptions>();
    expectTypeOf<RequestOptions["timeout_ms"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<CallFrom["metadata"]>().toEqualTypeOf<
      Readonly<Record<string, unknown>> | undefined
    >();
    expectTypeOf<Parameters<Runtime["broadcast"]>[0]["payload"]>().toEqualTypeOf<
      Event["payload"]
    >();
    expectTypeOf<SignalKind>().toEqualTypeOf<
      "veto" | "cancel" | "pause" | "resume" | "approve" | "reject"
    >();
    expectTypeOf<SignalResponse>().toEqualTypeOf<"handled" | "ignored" | "abort">();
    expectTypeOf<RuntimeVerb>().toExtend<string>();
  });

  test("what a component may do", async () => {
    const context = {} as ChildContext;
    const child = { run: (input) => input } satisfies Child;
    const spawned = await context.spawnChild({ id: "kid", capabilities: ["READ"] }, child);
    expectTypeOf(spawned).toEqualTypeOf<Spawned>();
    if ("child_id" in spawned) expectTypeOf(spawned.capabilities).toBeNumber();
    else expectTypeOf(spawned.skipped).toEqualTypeOf<Json>();
    expectTypeOf(context.runChild("kid", { n: 1 })).resolves.toEqualTypeOf<Json>();
    const checked = await context.checkCommand("git status");
    expectTypeOf(checked).toEqualTypeOf<CheckedPermission>();
    expectTypeOf(checked).toExtend<Permission>();
    if (checked.status === "requires_approval") {
      expectTypeOf(checked.grant_pattern).toBeString();
    }
    expectTypeOf<"one_time">().toExtend<GrantKind>();
    // @ts-expect-error no such kind of grant
    void context.grantCommand("git status", "forever");
  });
});

test("events are typed by their name", () => {
  orcs.events.on("called", (event) => {
    expectTypeOf(event.tool).toBeString();
    expectTypeOf(event.outcome).toEqualTypeOf<InvokeOutcome>();
  });
  orcs.events.on("failed", (event) => expectTypeOf(event.hook).toBeString());
  // @ts-expect-error no such event
  orcs.events.on("nothing", () => undefined);
});

test("a point's name is one of the table's", () => {
  expectTypeOf<"tool.pre_execute">().toExtend<PointName>();
  expectTypeOf<"tool.pre_execut">().not.toExtend<PointName>();
});
