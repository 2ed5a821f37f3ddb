import { describe, expect, test } from "vitest";
import { heard, held, inTime, recorder, rig, settle, type RigOptions } from "../runtime/rig.ts";
import { errorOf, folder } from "./engine.ts";
import { tryPart } from "../../../slow-test.ts";

const ISOLATIONS = ["thread", "worker"] as const;
type Isolation = (typeof ISOLATIONS)[number];

/** A component in Lua that is only asked, with what else it has. */
const lua = (more: string, body = "return request.operation"): string => `
  local count = 0
  local M = { id = "one", on_request = function(request) ${body} end }
  ${more}
  return M`;

/** A runtime beside files of Lua. */
async function beside(
  files: Readonly<Record<string, string>>,
  isolation: Isolation = "thread",
  options: RigOptions & { readonly maxRunMs?: number } = {},
) {
  const cwd = folder(files);
  const { maxRunMs = 5000, ...rest } = options;
  const limits = { isolation, max_run_ms: maxRunMs, max_chain_ms: 20_000 };
  return rig({ realTime: true, cwd, overrides: { lua: limits }, ...rest });
}

describe.each(ISOLATIONS)("a component in Lua (%s)", (isolation) => {
  tryPart(isolation);
  test("goes through the component lifecycle and keeps its state", async () => {
    const more = `
      local log = {}
      M.subscriptions = { "A" }
      M.init = function() log[#log + 1] = "init"; return { begun = true } end
      M.on_signal = function(signal) log[#log + 1] = signal.kind; return "handled" end
      M.shutdown = function(status) log[#log + 1] = "shutdown " .. status end
      M.snapshot = function() return { count = count, log = log } end
      M.restore = function(from) count = from.count; log[#log + 1] = "restore" end`;
    const { runtime } = await beside(
      { "c.lua": lua(more, "count = count + 1; return count") },
      isolation,
    );
    const channel = await runtime.spawnScript("c.lua");
    expect(channel?.component).toBe("lua::one");
    expect(await runtime.request("lua::one", "x")).toBe(1);
    expect(await runtime.broadcast({ category: "A", operation: "x", payload: null })).toBe(1);
    expect(await runtime.request("lua::one", "x")).toBe(3);
    expect(await runtime.signal("lua::one", "resume")).toBe("handled");
    const result = await runtime.stop("lua::one");
    expect(result).toMatchObject({
      errors: [],
      snapshot: { count: 3, log: ["init", "resume", "shutdown running"] },
    });
    await runtime.spawnScript("c.lua", { snapshot: result?.snapshot });
    expect(await runtime.request("lua::one", "x")).toBe(4);
    expect((await runtime.stop("lua::one"))?.snapshot).toMatchObject({
      log: ["restore", "init", "shutdown running"],
    });
  });

  test("receives the request as sent, and its options", async () => {
    const { runtime } = await beside(
      { "c.lua": lua("", "request.of = orcs.options; return request") },
      isolation,
    );
    await runtime.spawnScript("c.lua", { options: { n: 1 } });
    expect(await runtime.request("lua::one", "ask", { a: [1] }, { timeout_ms: 9000 })).toEqual({
      id: "req-1",
      category: "Request",
      operation: "ask",
      source: "host::main",
      target: "lua::one",
      payload: { a: [1] },
      timeout_ms: 9000,
      of: { n: 1 },
    });
  });

  test("an error raised in a request is returned to the caller; the component keeps running", async () => {
    const { runtime } = await beside(
      { "c.lua": lua("", 'if request.operation == "bad" then error("kaput") end return 1') },
      isolation,
    );
    await runtime.spawnScript("c.lua");
    const error = await errorOf(runtime.request("lua::one", "bad"));
    expect(error.code).toBe("ORCS6005");
    expect(error.message).toContain("kaput");
    expect(await runtime.request("lua::one", "x")).toBe(1);
  });

  test.each([
    ["a function", "return print"],
    ["a function inside", "return { a = { print } }"],
    ["NaN", "return 0/0"],
    ["a cycle", "local t = {}; t.t = t; return t"],
  ])(
    "a request that returns %s fails with ORCS6005; the component keeps running",
    async (_, body) => {
      const { runtime } = await beside(
        { "c.lua": lua("", `if request.operation == "ok" then return 1 end ${body}`) },
        isolation,
      );
      await runtime.spawnScript("c.lua");
      expect((await errorOf(runtime.request("lua::one", "x"))).code).toBe("ORCS6005");
      expect(await runtime.request("lua::one", "ok")).toBe(1);
    },
  );

  test.each(["init", "restore"])("an error raised in %s prevents the start", async (method) => {
    const hook = `orcs.hook("*::*:tool.pre_execute", function() end)`;
    const { runtime, orcs } = await beside(
      { "c.lua": lua(`${hook}; M.${method} = function() error("kaput") end`) },
      isolation,
    );
    for (const _ of [1, 2, 3]) {
      const error = await errorOf(runtime.spawnScript("c.lua", { snapshot: 1 }));
      expect(error.message).toContain(`${method} of lua::one failed`);
      expect(error.message).toContain("kaput");
    }
    expect(runtime.channels).toEqual([]);
    expect(orcs.registry.size).toBe(0);
  });

  test.each(["shutdown", "snapshot"])(
    "an error raised in %s does not prevent the stop",
    async (method) => {
      const { runtime } = await beside(
        { "c.lua": lua(`M.${method} = function() error("kaput") end`) },
        isolation,
      );
      await runtime.spawnScript("c.lua");
      const result = await runtime.stop("lua::one");
      expect(result?.errors).toEqual([expect.stringContaining(`${method} of lua::one failed`)]);
      expect(runtime.channels).toEqual([]);
    },
  );

  test("an error raised in on_signal does not prevent the veto", async () => {
    const { runtime } = await beside(
      { "c.lua": lua('M.on_signal = function() error("kaput") end') },
      isolation,
    );
    const channel = await runtime.spawnScript("c.lua");
    const error = await errorOf(runtime.signal("lua::one", "veto"));
    expect(error.message).toContain("onSignal of lua::one failed");
    expect(await channel?.ended).toMatchObject({ exit_reason: "veto" });
  });

  test("a loop in a request is killed and fails; the component restarts and others are not affected", async () => {
    const more = `
      M.restore = function(from) count = from.count end
      if orcs.options.hooks then orcs.hook("*::*:tool.pre_execute", function() end) end`;
    const body = `
      if request.operation == "loop" then while true do end end
      count = count + 1
      return count`;
    const { runtime, log, orcs } = await beside({ "c.lua": lua(more, body) }, isolation, {
      maxRunMs: 500,
    });
    await runtime.spawnScript("c.lua", { snapshot: { count: 10 }, options: { hooks: true } });
    const neighbour = recorder("builtin::neighbour");
    await runtime.spawn(neighbour);
    await runtime.spawnScript("c.lua", { instance: "2", options: {} });
    expect(await runtime.request("lua::one", "x")).toBe(11);
    expect(await runtime.request("lua::one#2", "x")).toBe(1);
    const [loop, next] = [
      heard(runtime.request("lua::one", "loop")),
      runtime.request("lua::one", "x"),
    ];
    expect(await runtime.request("builtin::neighbour", "x")).toBe("x");
    expect((await errorOf(loop)).code).toBe("ORCS6005");
    expect(await next).toBe(11);
    expect(await runtime.request("lua::one#2", "x")).toBe(2);
    expect(log.lines).toContain("warn: lua::one was killed and is restarted");
    // Its hook is there once, as it was before.
    expect(orcs.registry.size).toBe(1);
  });

  test("a loop in init prevents the start; a loop in init at a restart ends the component", async () => {
    const { runtime, orcs, log } = await beside(
      {
        "loops.lua": lua("M.init = function() while true do end end"),
        "relapses.lua": lua(
          `M.init = function() if orcs.get("lives").result > 1 then while true do end end end`,
          "while true do end",
        ),
      },
      isolation,
      { maxRunMs: 500 },
    );
    let lives = 0;
    orcs.wrapTool("lives", () => ++lives);
    expect((await errorOf(runtime.spawnScript("loops.lua"))).code).toBe("ORCS6005");
    const channel = await runtime.spawnScript("relapses.lua");
    const asked = [1, 2, 3].map(() => heard(runtime.request("lua::one", "x")));
    const codes = [];
    for (const each of asked) codes.push((await errorOf(each)).code);
    expect(codes[0]).toBe("ORCS6005");
    expect(codes[2]).toBe("ORCS6006");
    expect((await channel?.ended)?.exit_reason).toMatch(/^failed: /);
    expect(log.lines).toContain("warn: lua::one was killed and is restarted");
    expect(runtime.channels).toEqual([]);
  });

  test("a request that waits for a tool call is abandoned at its timeout; the component keeps running", async () => {
    const { runtime, orcs } = await beside(
      { "c.lua": lua("", 'if request.operation == "wait" then orcs.get("forever") end return 1') },
      isolation,
    );
    orcs.wrapTool("forever", () => new Promise(() => undefined));
    await runtime.spawnScript("c.lua");
    const asked = runtime.request("lua::one", "wait", null, { timeout_ms: 100 });
    expect((await errorOf(asked)).code).toBe("ORCS6003");
    expect(await runtime.request("lua::one", "x")).toBe(1);
  });
});

describe("loading a script as a component", () => {
  test("an empty list of subscriptions is accepted", async () => {
    const { runtime } = await beside({
      "c.lua": 'return { id = "a", on_request = function() end, subscriptions = {} }',
    });
    expect(await runtime.spawnScript("c.lua")).toMatchObject({ component: "lua::a" });
  });

  test.each([
    ["does not parse", "return {", "ORCS3001"],
    ["raises an error", 'error("kaput")', "ORCS3002"],
    ["loops", "while true do end", "ORCS3005"],
  ])("a script that %s is rejected with the matching error", async (_, code, expected) => {
    const { runtime } = await beside({ "c.lua": code }, "thread", { maxRunMs: 500 });
    expect((await errorOf(runtime.spawnScript("c.lua"))).code).toBe(expected);
  });
});

describe("hooks defined by a component script", () => {
  const stating = lua('orcs.hook("*::*:tool.pre_execute", function() end)');

  test("are registered while the component runs", async () => {
    const { runtime, orcs } = await beside({ "c.lua": stating });
    await runtime.spawnScript("c.lua");
    expect(orcs.registry.size).toBe(1);
    await runtime.stop("lua::one");
    expect(orcs.registry.size).toBe(0);
  });

  test.each(["channel.pre_create", "component.pre_init"] as const)(
    "are never registered when a hook aborts %s, even in repeated attempts",
    async (point) => {
      const { runtime, orcs, hook } = await beside({ "c.lua": stating });
      hook({ id: "guard", point, handler: () => ({ action: "abort", reason: "not today" }) });
      let most = 0;
      const look = (): void => void (most = Math.max(most, orcs.registry.size));
      hook({ id: "look", point: "bus.on_register", handler: look });
      const before = orcs.registry.size;
      for (let n = 0; n < 50; n++)
        expect((await errorOf(runtime.spawnScript("c.lua"))).message).toContain("not today");
      expect(orcs.registry.size).toBe(before);
      expect(most).toBe(point === "channel.pre_create" ? 0 : before);
      expect(runtime.channels).toEqual([]);
    },
  );
});

test("a component killed while its init waits does not start, and its name can be reused", async () => {
  const { runtime, orcs } = await beside({
    "c.lua": lua('M.init = function() orcs.get("forever") end'),
  });
  const begun = held<void>();
  let calls = 0;
  orcs.wrapTool("forever", () => {
    begun.resolve();
    return ++calls === 1 ? new Promise(() => undefined) : null;
  });
  const spawned = heard(runtime.spawnScript("c.lua"));
  await begun.promise;
  const ended = await runtime.kill("lua::one");
  expect(ended?.exit_reason).toBe("killed");
  expect((await errorOf(spawned)).code).toBe("ORCS6006");
  expect(await runtime.spawnScript("c.lua")).toMatchObject({ component: "lua::one" });
});

test("closing the runtime ends every pending request of a waiting script", async () => {
  const { runtime, orcs, clock } = await beside({ "c.lua": lua("", 'return orcs.get("forever")') });
  orcs.wrapTool("forever", () => new Promise(() => undefined));
  await runtime.spawnScript("c.lua");
  const asked = [1, 2, 3].map(() => heard(runtime.request("lua::one", "x")));
  await settle();
  await inTime(clock, runtime.shutdownParallel(50));
  for (const each of asked) expect((await errorOf(each)).code).toBe("ORCS6006");
});
