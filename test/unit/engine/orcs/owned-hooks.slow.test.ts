import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { childOf, stage, type Stage } from "../runtime/acting.ts";
import { errorOf, folder } from "./engine.ts";

/** A component that runs Lua it is sent, in its own state or as a child of that id. */
const REMOTE = `
  local fns = {}
  return {
    id = "remote",
    init = function() INIT end,
    on_request = function(r) return fns[r.operation](r.payload) end,
    on_signal = function() SIGNAL end,
    shutdown = function() SHUTDOWN end,
  }`;

/** Ids of the hooks that there are, in order. */
function ids({ orcs }: Stage): string[] {
  return orcs.registry.list().map(({ id }) => id);
}

/** A stage with a component made of pieces of Lua. */
async function remote(
  pieces: { top?: string; init?: string; fns?: string; signal?: string; shutdown?: string },
  limits: object = {},
): Promise<Stage> {
  const code = REMOTE.replace(
    "local fns = {}",
    () => `${pieces.top ?? ""} local fns = {${pieces.fns ?? ""}}`,
  )
    .replace("INIT", () => pieces.init ?? "")
    .replace("SIGNAL", () => pieces.signal ?? "")
    .replace("SHUTDOWN", () => pieces.shutdown ?? "");
  return stage({ cwd: folder({ "c.lua": code }), overrides: LOOPS_END }, limits);
}

/** Long for what ends, and not too long for what does not. */
const LOOPS_END = { lua: { max_run_ms: 800, max_chain_ms: 20_000 } };

const HOOK = (id: string, body = "") =>
  `orcs.hook { id = "${id}", point = "tool.pre_execute", handler = function(ctx) ${body} end }`;

describe("hooks of a component", () => {
  test("are registered from its init to its end, in any way of defining them", async () => {
    const set = await remote({
      top: HOOK("top"),
      init: HOOK("init"),
      fns: `more = function() ${HOOK("more")} end`,
    });
    const before: string[] = [];
    set.orcs.on("component.pre_init", () => void before.push(...ids(set)));
    await set.lua("c.lua");
    expect(before).toEqual(["code:component.pre_init:1"]);
    expect(ids(set)).toEqual(expect.arrayContaining(["top", "init"]));
    await set.runtime.request("lua::remote", "more");
    expect(ids(set)).toEqual(expect.arrayContaining(["top", "init", "more"]));
    await set.runtime.stop("lua::remote");
    expect(ids(set)).toEqual(["code:component.pre_init:1"]);
  });

  test("are removed when its start fails", async () => {
    for (const init of ["error('kaput')", "while true do end", HOOK("top")]) {
      const set = await remote({ top: HOOK("top"), init: `${HOOK("other")} ${init}` });
      await expect(set.lua("c.lua"), init).rejects.toThrow();
      expect(ids(set), init).toEqual([]);
      expect(set.runtime.channels).toEqual([]);
    }
  });

  test.each(["channel.pre_create", "component.pre_init"])(
    "are removed when a hook at %s denies the start",
    async (point) => {
      const set = await remote({ top: HOOK("top") });
      const remove = set.orcs.on(point, () => ({ action: "abort", reason: "no" }));
      expect((await errorOf(set.lua("c.lua"))).code).toBe("ORCS2001");
      remove();
      expect(ids(set)).toEqual([]);
      await set.lua("c.lua");
      expect(ids(set)).toEqual(["top"]);
    },
  );

  test("with an id in use prevent the start, and none of them is registered", async () => {
    const set = await remote({ top: `${HOOK("a")} ${HOOK("taken")} ${HOOK("b")}` });
    set.orcs.hook({ id: "taken", point: "tool.pre_execute", handler: () => undefined });
    await expect(set.lua("c.lua")).rejects.toThrow(/taken/);
    expect(ids(set)).toEqual(["taken"]);
  });

  test("need SPAWN at run time, not while loading or in init", async () => {
    const set = await remote({
      top: HOOK("top"),
      init: HOOK("init"),
      fns: `more = function() return { pcall(function() ${HOOK("more")} end) } end,
            less = function() return { pcall(orcs.unhook, "top") } end`,
    });
    await set.lua("c.lua", { capabilities: ["READ"] });
    expect(ids(set)).toEqual(["top", "init"]);
    for (const operation of ["more", "less"]) {
      expect(await set.runtime.request("lua::remote", operation)).toEqual([
        false,
        expect.stringContaining("needs the capability SPAWN"),
      ]);
    }
    expect(ids(set)).toEqual(["top", "init"]);
  });

  test("are removed when its Lua state is killed, and registered again at the restart", async () => {
    const set = await remote({
      top: HOOK("top"),
      fns: "spin = function() while true do end end, ok = function() return 1 end",
    });
    await set.lua("c.lua");
    expect((await errorOf(set.runtime.request("lua::remote", "spin"))).code).toBe("ORCS6005");
    // A guard that is not there must refuse.
    expect(await set.orcs.get("read", "c.lua")).toMatchObject({ ok: false });
    expect(await set.runtime.request("lua::remote", "ok")).toBe(1);
    expect(ids(set)).toEqual(["top"]);
    expect(await set.orcs.get("read", "c.lua")).toMatchObject({ ok: true });
  });

  test("cannot be added after its end", async () => {
    const set = await remote({
      top: HOOK(
        "late",
        'orcs.exec("sleep 0.05") orcs.hook("*::*:tool.post_execute", function() end)',
      ),
    });
    set.orcs.wrapTool("look", () => "seen");
    await set.lua("c.lua");
    const looking = set.orcs.get("look");
    await sleep(10);
    await set.runtime.stop("lua::remote");
    await looking;
    await sleep(80);
    expect(ids(set)).toEqual([]);
  });

  test("of two instances are independent", async () => {
    const code = `
      local instance = orcs.options.n
      orcs.hook { id = "h" .. instance, point = "tool.pre_execute", handler = function() end }
      return { id = "twin", on_request = function() end }`;
    const set = await stage({ cwd: folder({ "c.lua": code }) });
    for (const n of ["one", "two"])
      await set.runtime.spawnScript("c.lua", { instance: n, options: { n } });
    expect(ids(set)).toEqual(["hone", "htwo"]);
    await set.runtime.stop("lua::twin#one");
    expect(ids(set)).toEqual(["htwo"]);
  });
});

describe("hooks of a child", () => {
  /** A component that spawns the child it is sent. */
  const PARENT = `return { id = "p", on_request = function(r)
    if r.operation == "spawn" then return orcs.spawn_child(r.payload) end
    if r.operation == "run" then return orcs.send_to_child(r.payload, 1) end
    if r.operation == "stop" then return orcs.stop_child(r.payload) end
  end }`;
  const parent = async () => {
    const set = await stage({ cwd: folder({ "p.lua": PARENT }) });
    await set.lua("p.lua");
    const ask = (operation: string, payload: JsonObject | string) =>
      set.runtime.request("lua::p", operation, payload) as Promise<JsonObject>;
    return { ...set, ask };
  };

  test("are registered as long as the child exists", async () => {
    const set = await parent();
    const code = `${HOOK("mine")} return function() ${HOOK("more")} return 1 end`;
    expect(await set.ask("spawn", { id: "a", code })).toMatchObject({ ok: true });
    expect(ids(set)).toEqual(["mine"]);
    expect(await set.ask("run", "a")).toEqual({ ok: true, result: 1 });
    expect(ids(set)).toEqual(["mine", "more"]);
    await set.ask("stop", "a");
    expect(ids(set)).toEqual([]);
    await set.ask("spawn", { id: "a", code });
    await set.runtime.stop("lua::p");
    expect(ids(set)).toEqual([]);
  });

  test("need SPAWN, at load and at run time", async () => {
    const set = await parent();
    const top = { id: "a", code: `${HOOK("x")} return print`, capabilities: ["READ"] };
    expect(await set.ask("spawn", top)).toMatchObject({
      ok: false,
      code: "ORCS6007",
      error: expect.stringContaining(
        "lua::p/a registers hooks, which requires the capability SPAWN",
      ),
    });
    const code = `return function() ${HOOK("x")} end`;
    await set.ask("spawn", { id: "a", code, capabilities: ["READ"] });
    expect(await set.ask("run", "a")).toMatchObject({
      ok: false,
      code: "ORCS6005",
      error: expect.stringContaining("needs the capability SPAWN"),
    });
    expect(ids(set)).toEqual([]);
  });

  test("need SPAWN, also when a hook at child.pre_spawn removed it", async () => {
    const set = await parent();
    set.orcs.on("child.pre_spawn", (ctx) => void (ctx.payload["capabilities"] = 1));
    const answer = await set.ask("spawn", { id: "a", code: `${HOOK("x")} return print` });
    expect(answer).toMatchObject({ ok: false, code: "ORCS6007" });
  });

  test("with an id in use prevent the spawn, and the child's id can be reused", async () => {
    const set = await parent();
    set.orcs.hook({ id: "x", point: "tool.pre_execute", handler: () => undefined });
    const code = `${HOOK("y")} ${HOOK("x")} return print`;
    expect(await set.ask("spawn", { id: "a", code })).toMatchObject({
      ok: false,
      code: "ORCS2007",
    });
    expect(ids(set)).toEqual(["x"]);
    expect(await set.ask("spawn", { id: "a", code: "return print" })).toMatchObject({ ok: true });
  });

  test("are removed when the child is killed", async () => {
    const set = await parent();
    await set.ask("spawn", {
      id: "a",
      code: `${HOOK("x")} return function() while true do end end`,
    });
    expect(await set.ask("run", "a")).toMatchObject({ ok: false, code: "ORCS6005" });
    expect(ids(set)).toEqual([]);
  });

  test("of a new child with the same id stay when the previous one has ended", async () => {
    const set = await stage();
    const boss = await set.actor("lua::boss");
    await boss(async (context) => {
      const slow = { run: () => new Promise<void>(() => undefined), dispose: () => sleep(30) };
      await context.spawnChild({ id: "a" }, slow);
      const stopping = context.stopChild("a");
      const code = `${HOOK("guard")} return print`;
      await vi.waitFor(async () => {
        await context.spawnChild({ id: "a", code });
      });
      await stopping;
      await sleep(50);
    });
    expect(ids(set)).toEqual(["guard"]);
  });

  test("have the capabilities of the call they serve, not of the child", async () => {
    const set = await stage({ cwd: folder() });
    set.orcs.wrapTool("look", () => "seen");
    const boss = await set.actor("lua::boss");
    const code = `
      orcs.hook("lua::boss/low:tool.pre_execute", function(ctx)
        if ctx.payload.tool_name ~= "look" then return end
        ctx.metadata.answer = orcs.exec("true").error or "it ran"
        ctx.metadata.hooked = pcall(orcs.hook, "*::*:tool.pre_execute", function() end)
      end)
      return print`;
    const told: JsonObject[] = [];
    set.orcs.on(
      "tool.post_execute",
      { tool: "look" },
      (ctx) => void told.push(ctx.metadata as JsonObject),
    );
    await boss(async (context) => {
      await context.spawnChild({ id: "guard", code });
      const low = await childOf(context, { id: "low", capabilities: ["READ"] });
      await low((own) => own.get("look"));
    });
    expect(told).toEqual([
      {
        answer: expect.stringContaining("needs the capability EXECUTE; this call has READ"),
        hooked: false,
      },
    ]);
  });
});

describe("orcs.unhook", () => {
  test("removes the component's own hook, in every state", async () => {
    const set = await remote({
      top: `${HOOK("a")} ${HOOK("b")} GONE = orcs.unhook("a")`,
      fns: `unhook = function(id) return orcs.unhook(id) end, gone = function() return GONE end`,
    });
    await set.lua("c.lua");
    expect(ids(set)).toEqual(["b"]);
    expect(await set.runtime.request("lua::remote", "gone")).toBe(true);
    expect(await set.runtime.request("lua::remote", "unhook", "b")).toBe(true);
    expect(await set.runtime.request("lua::remote", "unhook", "b")).toBe(false);
    expect(ids(set)).toEqual([]);
  });

  test("does not remove another owner's hook", async () => {
    const set = await remote({ fns: "unhook = function(id) return orcs.unhook(id) end" });
    set.orcs.hook({ id: "guard", point: "tool.pre_execute", handler: () => undefined });
    await set.lua("c.lua");
    expect(await set.runtime.request("lua::remote", "unhook", "guard")).toBe(false);
    expect(ids(set)).toEqual(["guard"]);
  });

  const ONCE = `orcs.hook { id = "guard", point = "tool.pre_execute", once = true, handler = function() end }`;

  test("does not remove another owner's hook that reuses an id", async () => {
    const set = await remote({
      top: ONCE,
      fns: "unhook = function(id) return orcs.unhook(id) end",
    });
    set.orcs.wrapTool("look", () => "seen");
    await set.lua("c.lua");
    await set.orcs.get("look");
    expect(ids(set)).toEqual([]);
    set.orcs.hook({ id: "guard", point: "tool.pre_execute", handler: () => undefined });
    expect(await set.runtime.request("lua::remote", "unhook", "guard")).toBe(false);
    expect(ids(set)).toEqual(["guard"]);
  });

  test("does not remove another owner's hook that reuses an id, after a restart", async () => {
    const set = await remote({
      top: `local lives = orcs.state.incr("lives") if lives == 1 then ${ONCE} end`,
      fns: "spin = function() while true do end end, ok = function() return 1 end",
    });
    set.orcs.wrapTool("look", () => "seen");
    await set.lua("c.lua");
    await set.orcs.get("look");
    set.orcs.hook({ id: "guard", point: "tool.pre_execute", handler: () => undefined });
    await errorOf(set.runtime.request("lua::remote", "spin"));
    expect(await set.runtime.request("lua::remote", "ok")).toBe(1);
    expect(ids(set)).toEqual(["guard"]);
  });

  test("does not remove another owner's hook from a program outside the runtime", async () => {
    const code = `${ONCE} orcs.get("look") orcs.get("swap") return orcs.unhook("guard")`;
    const set = await stage({ cwd: folder({ "p.lua": code }) });
    set.orcs.wrapTool("look", () => "seen");
    set.orcs.wrapTool("swap", () => {
      set.orcs.hook({ id: "guard", point: "tool.post_execute", handler: () => undefined });
    });
    expect(await set.orcs.run("p.lua")).toBe(false);
    expect(ids(set)).toEqual(["guard"]);
  });
});
