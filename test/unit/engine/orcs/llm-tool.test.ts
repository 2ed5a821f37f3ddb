import { describe, expect, test } from "vitest";
import type { HookContext } from "../../../../src/core/context.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import type { LlmAnswer, LlmRequest } from "../../../../src/engine/orcs/options.ts";
import { folder, open } from "./engine.ts";

/** An engine whose model answers so, and what it was asked. */
async function openLlm(
  answer: (request: LlmRequest) => LlmAnswer | Promise<LlmAnswer>,
  config: Readonly<Record<string, unknown>> = {},
) {
  const asked: LlmRequest[] = [];
  const orcs = await open({
    cwd: folder(),
    config,
    llm: (request) => {
      asked.push(request);
      return answer(request);
    },
  });
  return { orcs, asked };
}

type ToolAnswerLike = { readonly ok: boolean } & Readonly<Record<string, unknown>>;

/** A context as it is now. */
function copyOf(ctx: object): HookContext {
  return JSON.parse(JSON.stringify(ctx)) as HookContext;
}

const pre = (handler_inline: string) => ({ id: "pre", point: "llm.pre_generate", handler_inline });
const post = (handler_inline: string) => ({
  id: "post",
  point: "llm.post_generate",
  handler_inline,
});

test("the llm tool without a model function returns an error, and no llm point is dispatched", async () => {
  const orcs = await open();
  const points: string[] = [];
  for (const point of ["llm.pre_generate", "llm.post_generate", "tool.pre_execute"])
    orcs.on(point, (ctx) => void points.push(ctx.hook_point));
  expect(await orcs.get("llm", "hi")).toEqual({
    ok: false,
    error: "llm: there is no model function: pass one to createOrcs({ llm })",
  });
  expect(points).toEqual(["tool.pre_execute"]);
});

describe("the request passed to the llm function", () => {
  test("has the prompt only, if nothing else was given", async () => {
    const { orcs, asked } = await openLlm(({ prompt }) => `echo ${prompt}`);
    expect(await orcs.get("llm", "hi")).toEqual({ ok: true, text: "echo hi" });
    expect(asked).toEqual([{ prompt: "hi" }]);
  });

  test("has all arguments", async () => {
    const { orcs, asked } = await openLlm(() => "ok");
    const args = {
      prompt: "hi",
      system_prompt: "be brief",
      messages: [{ role: "user", content: "before" }],
      available_tools: ["read"],
      max_tokens: 5,
      stop: null,
    };
    await orcs.get("llm", { ...args, model: { provider: "p", name: "large", temperature: null } });
    const { stop: _left_out, ...given } = args;
    expect(asked).toEqual([{ ...given, model: { provider: "p", name: "large" } }]);
  });

  test("has the values that pre hooks set", async () => {
    const rewrite = `
      local p = ctx.payload
      p.prompt = p.prompt .. "!"
      p.system_prompt = nil
      p.messages = { { role = "user", content = "other" } }
      p.model_name = "large"
      p.model_temperature = 1.5
      p.seed = 7
    `;
    const { orcs, asked } = await openLlm(() => "ok", {
      hooks: [pre(rewrite)],
    });
    const args: JsonObject = { prompt: "hi", system_prompt: "x" };
    await orcs.get("llm", args);
    expect(asked).toEqual([
      {
        prompt: "hi!",
        messages: [{ role: "user", content: "other" }],
        model: { name: "large", temperature: 1.5 },
        seed: 7,
      },
    ]);
    expect(args).toEqual({ prompt: "hi", system_prompt: "x" });
  });

  const argument = (key: string, is: string) => `argument "${key}" ${is}`;
  const mistakes: [string, Json | undefined, string][] = [
    ["no prompt", undefined, argument("prompt", "is missing")],
    ["null for it", { prompt: null }, argument("prompt", "is missing")],
    ["a prompt of another type", 5, argument("prompt", "is not a string")],
    ["messages", { prompt: "", messages: {} }, argument("messages", "is not a list")],
    [
      "tools",
      { prompt: "", available_tools: [1] },
      argument("available_tools", "is not a list of strings"),
    ],
    [
      "a name for a model",
      { prompt: "", model: "x" },
      argument("model", "is not { provider, name, temperature }"),
    ],
    ["a key of the model", { prompt: "", model: { nam: "x" } }, 'unknown key "nam" of "model"'],
    [
      "its temperature",
      { prompt: "", model: { temperature: "hot" } },
      'model "temperature" is not a number',
    ],
    ..."session_id agent_id model_name model_temperature response_text usage tool_calls elapsed_ms error"
      .split(" ")
      .map((key): [string, Json, string] => [
        `${key}, which is not the caller's`,
        { prompt: "", [key]: "x" },
        argument(key, "cannot be set by the caller"),
      ]),
  ];
  test.each(mistakes)("is rejected: %s", async (_name, arg, error) => {
    const { orcs, asked } = await openLlm(() => "ok");
    expect(await orcs.get("llm", arg)).toEqual({ ok: false, error: `llm: ${error}` });
    expect(asked).toEqual([]);
  });

  test("fails when a hook removed the prompt or set an invalid model", async () => {
    const gone = await openLlm(() => "ok", { hooks: [pre("ctx.payload.prompt = nil")] });
    expect(await gone.orcs.get("llm", "hi")).toEqual({
      ok: false,
      error: "llm: a hook removed the prompt",
    });
    const none = await openLlm(() => "ok", { hooks: [pre('ctx.payload.model_temperature = "x"')] });
    expect(await none.orcs.get("llm", "hi")).toMatchObject({ ok: false });
    expect([...gone.asked, ...none.asked]).toEqual([]);
  });
});

describe("the return value of the llm function", () => {
  test("may be a string or an object with text, usage and tool_calls; other keys are dropped", async () => {
    const { orcs } = await openLlm(async () => ({
      text: "hello",
      usage: { tokens: 3 },
      tool_calls: [{ name: "read" }],
      ok: false,
      raw: "secret",
    }));
    expect(await orcs.get("llm", "hi")).toEqual({
      ok: true,
      text: "hello",
      usage: { tokens: 3 },
      tool_calls: [{ name: "read" }],
    });
    const bare = await openLlm(() => ({ text: "", usage: null, tool_calls: undefined }));
    expect(await bare.orcs.get("llm", "hi")).toEqual({ ok: true, text: "" });
  });

  const NEITHER = "the model function returned neither a string nor an object with a text";
  const inResult = "in the result of the model function is not";
  const date = new Date();
  const odd: [string, unknown, string][] = [
    ["nothing", undefined, NEITHER],
    ["a number", 5, NEITHER],
    ["a list", ["text"], NEITHER],
    ["no text", { usage: {} }, "the model function returned an object without a text"],
    ["usage of another type", { text: "", usage: 5 }, `usage ${inResult} an object`],
    ["one tool call", { text: "", tool_calls: {} }, `tool_calls ${inResult} a list`],
    [
      "no JSON",
      { text: "", tool_calls: [{ date }] },
      "/tool_calls/0/date is an instance of a class",
    ],
  ];
  test.each(odd)("is rejected: %s", async (_name, answer, error) => {
    const { orcs } = await openLlm(() => answer as LlmAnswer);
    expect(await orcs.get("llm", "hi")).toEqual({ ok: false, error: `llm: ${error}` });
  });

  test.each([
    ["at once", () => Promise.reject(new RangeError("kaput"))],
    [
      "later",
      () => {
        throw new RangeError("kaput");
      },
    ],
  ])(
    "an error thrown %s becomes ok = false and is passed to llm.post_generate",
    async (_name, fail) => {
      const { orcs } = await openLlm(fail);
      const told: unknown[] = [];
      orcs.on("llm.post_generate", ({ payload }) => void told.push(payload));
      expect(await orcs.get("llm", "hi")).toEqual({ ok: false, error: "llm: kaput" });
      expect(told).toEqual([{ prompt: "hi", error: "kaput", elapsed_ms: expect.any(Number) }]);
    },
  );
});

describe("hooks at llm.pre_generate and llm.post_generate", () => {
  test("see the documented payload keys and share metadata", async () => {
    const model = { provider: "p", name: "n", temperature: 1 };
    const { orcs } = await openLlm(() => ({
      text: "hello",
      usage: { tokens: 3 },
      tool_calls: [{ name: "read" }],
    }));
    const seen: HookContext[] = [];
    orcs.on("llm.pre_generate", (ctx) => {
      seen.push(copyOf(ctx));
      ctx.metadata["noted"] = true;
    });
    orcs.on("llm.post_generate", (ctx) => void seen.push(copyOf(ctx)));
    await orcs.get("llm", { prompt: "hi", system_prompt: "s", messages: [], model });
    const before = {
      prompt: "hi",
      system_prompt: "s",
      messages: [],
      model_provider: "p",
      model_name: "n",
      model_temperature: 1,
    };
    expect(seen.map(({ payload }) => payload)).toEqual([
      before,
      {
        ...before,
        response_text: "hello",
        usage: { tokens: 3 },
        tool_calls: [{ name: "read" }],
        elapsed_ms: expect.any(Number),
      },
    ]);
    expect(seen[1]?.metadata).toEqual({ noted: true });
  });

  test("have the call's component, child, channel, principal and metadata", async () => {
    const { orcs } = await openLlm(() => "ok", {
      hooks: [
        {
          point: "tool.pre_execute",
          match: { tool: "llm" },
          handler_inline:
            'ctx.metadata.from = "tool" ctx.payload.args.prompt = "rewritten" return ctx',
        },
        { ...pre('orcs.deny("that child")'), fql: "plugin::writer/drafts/*#2" },
      ],
    });
    const seen: HookContext[] = [];
    orcs.on("llm.pre_generate", (ctx) => void seen.push(copyOf(ctx)));
    const call = {
      component: "plugin::writer",
      channel: "c-1",
      principal: { type: "Component", id: "w" },
      metadata: { trail: 1 },
    };
    expect(await orcs.get("llm", "hi", call)).toEqual({ ok: true, text: "ok" });
    expect(seen).toMatchObject([
      {
        component_id: "plugin::writer",
        channel_id: "c-1",
        principal: { type: "Component", id: "w" },
        metadata: { trail: 1, from: "tool" },
        depth: 0,
        payload: { prompt: "rewritten" },
      },
    ]);
    expect(await orcs.get("llm", "hi", { ...call, child: "drafts/a", instance: "2" })).toEqual({
      ok: false,
      error: "denied by hook pre: that child",
    });
    expect(await orcs.get("llm", "hi", { ...call, child: "drafts/a", instance: "3" })).toEqual({
      ok: true,
      text: "ok",
    });
  });

  test("have the session and agent of the call", async () => {
    const { orcs } = await openLlm(() => "ok");
    const seen: unknown[] = [];
    orcs.on("llm.pre_generate", { session: "s-1" }, ({ payload }) => void seen.push(payload));
    const call = { session_id: "s-1", agent_id: "a-1", cwd: "/" };
    expect(await orcs.get("llm", { prompt: "hi" }, call)).toEqual({ ok: true, text: "ok" });
    expect(seen).toEqual([{ prompt: "hi", session_id: "s-1", agent_id: "a-1" }]);
  });

  test("run one level deeper when a hook calls llm; recursion ends at max_depth", async () => {
    const { orcs, asked } = await openLlm(() => "ok", {
      hooks: [pre('local a = orcs.llm("again") if not a.ok then return orcs.deny(a.error) end')],
    });
    const depths: number[] = [];
    orcs.events.on("dispatched", ({ point, outcome }) => {
      if (point === "llm.pre_generate") depths.push(outcome.ctx.depth);
    });
    const answer = await orcs.get("llm", "hi");
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("4 levels deep") });
    expect(depths.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect(asked).toEqual([]);
  });

  const before: [string, string, ToolAnswerLike][] = [
    ["skip with a text", 'orcs.skip("cached")', { ok: true, text: "cached" }],
    [
      "skip with an answer",
      'orcs.skip({ text = "cached", usage = { tokens = 0 } })',
      { ok: true, text: "cached", usage: { tokens: 0 } },
    ],
    [
      "skip with what is none",
      "orcs.skip(5)",
      {
        ok: false,
        error: "llm: the model function returned neither a string nor an object with a text",
      },
    ],
    ["abort", 'orcs.deny("no")', { ok: false, error: "denied by hook pre: no" }],
    [
      "ask, with nobody there",
      'orcs.ask("may I")',
      { ok: false, error: expect.stringContaining("denied by hook pre: ") as string },
    ],
    [
      "defer",
      '{ decision = "defer", reason = "later" }',
      { ok: false, error: "denied by hook pre: deferred, but nobody decided it: later" },
    ],
    [
      "a failure",
      'error("broken")',
      { ok: false, error: expect.stringContaining("broken") as string },
    ],
  ];
  test.each(before)("a pre hook prevents the model call: %s", async (_name, handler, answer) => {
    const { orcs, asked } = await openLlm(() => "ok", { hooks: [pre(handler)] });
    expect(await orcs.get("llm", "hi")).toEqual(answer);
    expect(asked).toEqual([]);
  });

  test("a pre hook can ask for approval", async () => {
    const prompts: unknown[] = [];
    const orcs = await open({
      config: { hooks: [pre('orcs.ask("may I")')] },
      llm: () => "ok",
      approve: ({ tool, reason, ctx }) => {
        prompts.push(tool, reason, ctx.payload["prompt"]);
        return true;
      },
    });
    expect(await orcs.get("llm", "hi")).toEqual({ ok: true, text: "ok" });
    expect(prompts).toEqual(["llm.generate", "may I", "hi"]);
  });

  const after: [string, string, ToolAnswerLike][] = [
    ["replace", 'orcs.replace("***")', { ok: true, text: "***", tool_calls: ["a"] }],
    [
      "tool calls taken out",
      "ctx.payload.tool_calls = orcs.array()",
      { ok: true, text: "secret", tool_calls: [] },
    ],
    ["tool calls taken away", "ctx.payload.tool_calls = nil", { ok: true, text: "secret" }],
    [
      "an edit of the text",
      'ctx.payload.response_text = "other"',
      { ok: true, text: "other", tool_calls: ["a"] },
    ],
  ];
  test.each(after)(
    "a post hook changes the caller's result: %s",
    async (_name, handler, answer) => {
      const model = (): LlmAnswer => ({ text: "secret", tool_calls: ["a"] });
      const { orcs } = await openLlm(model, { hooks: [post(handler)] });
      expect(await orcs.get("llm", "hi")).toEqual(answer);
    },
  );

  test("a post hook's replacement without text is a failure of the hook", async () => {
    const replace = post("orcs.replace({ 1 })");
    const opened = await openLlm(() => "secret", { hooks: [replace] });
    expect(await opened.orcs.get("llm", "hi")).toEqual({ ok: true, text: "secret" });
    const closed = await openLlm(() => "secret", { hooks: [{ ...replace, on_error: "closed" }] });
    expect(await closed.orcs.get("llm", "hi")).toEqual({
      ok: false,
      error: expect.stringContaining("response_text must be a string"),
    });
  });

  test("retry calls the model again and discards the first response", async () => {
    let round = 0;
    const { orcs, asked } = await openLlm(
      () => (++round === 1 ? { text: "", usage: { tokens: 1 } } : "full"),
      { hooks: [post('if ctx.payload.response_text == "" then return orcs.retry(1) end')] },
    );
    expect(await orcs.get("llm", "hi")).toEqual({ ok: true, text: "full" });
    expect(asked).toHaveLength(2);
  });

  test("tool hooks wrap the llm call and see its result", async () => {
    const { orcs } = await openLlm(() => "hello", {
      hooks: [
        {
          point: "tool.post_execute",
          match: { tool: "llm" },
          handler_inline: "orcs.replace({ ok = true, text = ctx.payload.result.text:upper() })",
        },
      ],
    });
    expect(await orcs.get("llm", "hi")).toEqual({ ok: true, text: "HELLO" });
  });
});

describe("an llm call", () => {
  test("requires the capability LLM", async () => {
    const { orcs, asked } = await openLlm(() => "ok", { permissions: { capabilities: ["READ"] } });
    expect(await orcs.get("llm", "hi")).toEqual({
      ok: false,
      error: "llm needs the capability LLM; this call has READ",
    });
    expect(asked).toEqual([]);
  });

  test("is cancelled by its signal, even if the function ignores the signal", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const orcs = await open({
      llm: (_request, { signal }) => {
        signals.push(signal);
        return new Promise<string>(() => undefined);
      },
    });
    const cancelled = { ok: false, error: "llm: the request was cancelled" };
    expect(await orcs.get("llm", "hi", { signal: AbortSignal.abort() })).toEqual(cancelled);
    expect(signals).toEqual([]);
    const controller = new AbortController();
    const asking = orcs.get("llm", "hi", { signal: controller.signal });
    const closing = orcs.get("llm", "hi");
    await expect.poll(() => signals.length).toBe(2);
    controller.abort();
    expect(await asking).toEqual(cancelled);
    expect(signals[0]?.aborted).toBe(true);
    await orcs.close();
    expect(await closing).toEqual(cancelled);
  });
});

test("scripts call the model with orcs.llm, or with orcs.get for more options", async () => {
  const orcs = await open({
    cwd: folder({
      "agent.lua": `
        local short = orcs.llm("hi")
        local long = orcs.get("llm", { prompt = "hi", model = { name = "large" } })
        return { short.text, long.text, long.usage.tokens }
      `,
    }),
    llm: ({ prompt, model }) => ({ text: `${prompt} ${model?.name ?? "-"}`, usage: { tokens: 2 } }),
  });
  expect(await orcs.run("agent.lua")).toEqual(["hi -", "hi large", 2]);
});

test("a wrapped tool named llm replaces the built-in one", async () => {
  const orcs = await open({ llm: () => "mine" });
  orcs.addTool("llm", ({ value }) => ({ text: `own ${JSON.stringify(value)}` }));
  expect(await orcs.get("llm", "hi")).toEqual({ ok: true, text: 'own "hi"' });
});
