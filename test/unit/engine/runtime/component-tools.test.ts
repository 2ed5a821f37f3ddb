import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf, folder } from "../orcs/engine.ts";
import { stage } from "./acting.ts";

/** A component in Lua that offers tools. */
const WEATHER = `
  local asked = 0
  return {
    id = "weather",
    on_request = function(request) return request.operation .. " of " .. request.category end,
    tools = {
      forecast = function(args)
        asked = asked + 1
        return { city = args.city, asked = asked }
      end,
      fails = function() error("no wind") end,
      writes = function(args) return orcs.exec("echo " .. args.value) end,
      loops = function() while true do end end,
      itself = function() return orcs.get("forecast", { city = "here" }) end,
    },
  }`;

async function weather(options: Parameters<typeof stage>[0] = {}) {
  const set = await stage({ cwd: folder({ "weather.lua": WEATHER }), ...options });
  await set.lua("weather.lua");
  return set;
}

describe("a tool that a component in Lua defines", () => {
  test("is called by the program, by hooks and by components, and keeps the state of the component", async () => {
    const { orcs, runtime, actor } = await weather();
    expect(await orcs.get("forecast", { city: "Rome" })).toEqual({
      ok: true,
      city: "Rome",
      asked: 1,
    });
    const boss = await actor("lua::boss");
    const answer = await boss((context) => context.get("forecast", { city: "Oslo" }));
    expect(answer).toEqual({ ok: true, city: "Oslo", asked: 2 });
    orcs.on("prompt.pre_submit", async (ctx, scope) => {
      const { asked } = (await scope.get("forecast", {})) as unknown as { asked: number };
      ctx.payload.prompt = `${asked}`;
    });
    const outcome = await orcs.dispatch("prompt.pre_submit", { prompt: "?" });
    expect(outcome.ctx.payload.prompt).toBe("3");
    // Its other requests are as before.
    expect(await runtime.request("lua::weather", "x")).toBe("x of Request");
  });

  test("passes the hooks of tools, which see its caller and can deny, rewrite and replace", async () => {
    const { orcs, actor } = await weather();
    const seen: unknown[] = [];
    orcs.hook({
      point: "tool.pre_execute",
      match: { tool: "forecast" },
      handler(ctx) {
        const { tool_name, args } = ctx.payload;
        seen.push([ctx.component_id, tool_name, { ...(args as object) }]);
        if ((args as { city?: string }).city === "Atlantis")
          return { action: "abort", reason: "sunk" };
        (ctx.payload.args as { city: string }).city += "!";
        return undefined;
      },
    });
    orcs.on("tool.post_execute", (ctx) => ({
      action: "replace",
      result: { ...(ctx.payload.result as object), checked: true },
    }));
    const boss = await actor("lua::boss");
    const ask = (city: string) => boss((context) => context.get("forecast", { city }));
    expect(await ask("Rome")).toEqual({ ok: true, city: "Rome!", asked: 1, checked: true });
    expect(await ask("Atlantis")).toMatchObject({
      ok: false,
      error: expect.stringContaining("sunk"),
    });
    expect(seen).toEqual([
      ["lua::boss", "forecast", { city: "Rome" }],
      ["lua::boss", "forecast", { city: "Atlantis" }],
    ]);
  });

  test("an error it raises is a result; the component goes on", async () => {
    const { orcs } = await weather();
    expect(await orcs.get("fails")).toMatchObject({
      ok: false,
      error: expect.stringContaining("no wind"),
    });
    expect(await orcs.get("forecast", {})).toMatchObject({ ok: true });
  });

  test("it acts with the permissions of the component, not of its caller", async () => {
    const set = await stage({ cwd: folder({ "weather.lua": WEATHER }) });
    await set.lua("weather.lua", { capabilities: ["READ"] });
    expect(await set.orcs.get("writes", "x")).toMatchObject({
      ok: false,
      error: expect.stringContaining("needs the capability EXECUTE"),
    });
  });

  test("a component that calls its own tool is told so at once, also through another one's", async () => {
    const { orcs, actor } = await weather();
    expect(await orcs.get("itself")).toMatchObject({
      ok: false,
      error: expect.stringContaining("would wait for itself"),
    });
    const boss = await actor("lua::boss", {}, { tools: ["back"] });
    expect(await boss((context) => context.get("back"))).toMatchObject({
      ok: false,
      error: expect.stringContaining("lua::boss → lua::boss"),
    });
  });

  test("it ends with the component", async () => {
    const { orcs, runtime } = await weather();
    await runtime.stop("lua::weather");
    expect(await orcs.get("forecast")).toEqual({ ok: false, error: 'unknown tool "forecast"' });
    await runtime.spawnScript("weather.lua");
    expect(await orcs.get("forecast", {})).toMatchObject({ ok: true, asked: 1 });
  });

  test("a component that lost its state in a tool offers it again", async () => {
    const { orcs } = await weather({ overrides: { lua: { max_run_ms: 30 } } });
    expect(await orcs.get("forecast", {})).toMatchObject({ asked: 1 });
    expect(await orcs.get("loops")).toMatchObject({ ok: false });
    expect(await orcs.get("forecast", {})).toMatchObject({ ok: true, asked: 1 });
  });
});

describe("a tool cannot be imitated or passed by", () => {
  test.each(["exec", "read", "llm"])(
    "the name %s is taken: the component does not start",
    async (name) => {
      const { orcs, runtime } = await stage();
      const spawned = runtime.spawn({
        id: "lua::a",
        tools: ["mine", name],
        onRequest: () => "mine",
      });
      expect(await errorOf(spawned)).toMatchObject({
        code: "ORCS6002",
        message: expect.stringContaining(`already a tool "${name}"`),
      });
      expect(runtime.channels).toEqual([]);
      expect(await orcs.get("mine")).toEqual({ ok: false, error: 'unknown tool "mine"' });
    },
  );

  test("the program's own tool replaces it, and stays when the component ends", async () => {
    const { orcs, runtime } = await stage();
    await runtime.spawn({ id: "lua::a", tools: ["t"], onRequest: () => "component" });
    orcs.addTool("t", () => "program");
    await runtime.stop("lua::a");
    expect(await orcs.get("t")).toEqual({ ok: true, result: "program" });
  });

  test.each<[string, Json]>([
    ["request", ["lua::weather", "forecast", {}, { category: "Tool" }]],
    ["request_batch", [[{ target: "lua::weather", operation: "forecast", category: "Tool" }]]],
    ["emit_event", ["Tool", "forecast"]],
  ])("a component cannot call it as a %s, past the hooks of tools", async (verb, args) => {
    const { actor } = await weather();
    const boss = await actor("lua::boss");
    const answer = await boss((context) =>
      context.verb?.(verb as "request", args as Json[], new AbortController().signal),
    );
    expect(JSON.stringify(answer)).toContain("only the runtime may call a tool");
  });

  test.each<[string, Record<string, string>]>([
    ["another tool", { operation: "writes" }],
    ["a request", { category: "Request" }],
  ])("a hook cannot make %s of the call", async (_, change) => {
    const { orcs } = await weather();
    orcs.on("request.pre_dispatch", (ctx) => void Object.assign(ctx.payload, change));
    expect(await orcs.get("forecast", {})).toMatchObject({
      ok: false,
      error: expect.stringContaining("only its arguments can be changed"),
    });
  });

  test("a hook cannot make a call of a request", async () => {
    const { orcs, runtime } = await weather();
    orcs.on("request.pre_dispatch", (ctx) => void Object.assign(ctx.payload, { category: "Tool" }));
    const error = await errorOf(runtime.request("lua::weather", "forecast"));
    expect(error).toMatchObject({ message: expect.stringContaining("which tool a request calls") });
  });
});

test.each([
  ["tools = { a = 1 }", "its tools must be functions by name"],
  ["tools = { 'a' }", "its tools must be functions by name"],
  ["tools = { print, b = print }", "must be a table of functions by name"],
  ["tools = { a = print, b = 1 }", "must be a table of functions by name"],
  ["tool = { }", "did you mean tools?"],
])("a component with %s does not start", async (key, why) => {
  const code = `return { id = "a", on_request = function() end, ${key} }`;
  const { runtime } = await stage({ cwd: folder({ "a.lua": code }) });
  const error = await errorOf(runtime.spawnScript("a.lua"));
  expect(String(error)).toContain(why);
});
