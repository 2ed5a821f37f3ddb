import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, vi } from "vitest";
import { childOf, stage } from "../runtime/acting.ts";
import { errorOf, folder } from "./engine.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

describe("runtime.run", () => {
  test("runs a plain script as the init of lua::main, with calls by that component", async () => {
    const set = await stage({
      cwd: folder({ "p.lua": 'orcs.get("look") return orcs.emit_event("News", "op").delivered' }),
    });
    const seen: unknown[] = [];
    set.orcs.addTool("look", (_, { ctx }) => void seen.push(ctx.component_id, ctx.channel_id));
    set.orcs.on("bus.pre_broadcast", (ctx) => void seen.push(ctx.payload["event"]));
    expect(await set.runtime.run("p.lua")).toBe(0);
    expect(seen).toEqual([
      "lua::main",
      expect.stringMatching(/^[\da-f-]{36}$/),
      { category: "News", operation: "op", source: "lua::main", payload: null },
    ]);
    expect(set.runtime.channels).toEqual([]);
  });

  test("a plain script has the configured capabilities and grants only", async () => {
    const code = `
      local a = orcs.exec("echo x")
      local b = orcs.grant_command("echo")
      local c = orcs.spawn_child { id = "a", code = "return print" }
      return { a.ok, b.code, c.code }`;
    const set = await stage({
      cwd: folder({ "p.lua": code }),
      config: { permissions: { grants: [], capabilities: ["READ", "EXECUTE"] } },
    });
    expect(await set.runtime.run("p.lua")).toEqual([false, "ORCS6008", "ORCS6007"]);
  });

  slowTest("its hooks and children end with it, also when it fails", async () => {
    for (const end of ["return 1", 'error("kaput")', "while true do end"]) {
      const code = `
        orcs.spawn_child { id = "a", code = [[
          orcs.hook { id = "child", point = "tool.pre_execute", handler = function() end }
          return print
        ]] }
        orcs.hook { id = "own", point = "tool.pre_execute", handler = function() end }
        orcs.get("look")
        ${end}`;
      const overrides = { lua: { max_run_ms: 800, max_chain_ms: 20_000 } };
      const set = await stage({ cwd: folder({ "p.lua": code }), overrides });
      const seen: unknown[] = [];
      set.orcs.wrapTool("look", () => {
        seen.push(...set.orcs.registry.list().map(({ id }) => id));
      });
      await set.runtime.run("p.lua").catch(() => undefined);
      expect(seen, end).toEqual(["child", "own"]);
      expect(set.orcs.registry.size, end).toBe(0);
      expect(set.runtime.channels, end).toEqual([]);
    }
  });

  test.each(["channel.pre_create", "component.pre_init"])(
    "a script denied by a hook at %s leaves no hook behind",
    async (point) => {
      const code = `orcs.hook { id = "own", point = "tool.pre_execute", handler = function() end }
        orcs.get("look")`;
      const set = await stage({ cwd: folder({ "p.lua": code }) });
      const remove = set.orcs.on(point, () => ({ action: "abort", reason: "no" }));
      await expect(set.runtime.run("p.lua")).rejects.toThrow(/no/);
      remove();
      expect(set.orcs.registry.size).toBe(0);
      expect(set.runtime.channels).toEqual([]);
    },
  );

  test("a second concurrent run is rejected and does not end the first", async () => {
    const set = await stage({
      cwd: folder({ "p.lua": 'orcs.get("look") return orcs.get("look").ok' }),
    });
    let look = (): void => undefined;
    const looked = new Promise<void>((resolve) => (look = resolve));
    set.orcs.wrapTool("look", () => looked);
    const first = set.runtime.run("p.lua");
    await vi.waitFor(() => expect(set.runtime.channels).toHaveLength(1), { timeout: 10_000 });
    await expect(set.runtime.run("p.lua")).rejects.toThrow(/lua::main already exists/);
    look();
    expect(await first).toBe(true);
    expect(set.runtime.channels).toEqual([]);
  });

  test("sends a component the request run", async () => {
    const code = `return { id = "c", on_request = function(r) return { r.operation, r.source } end }`;
    const set = await stage({ cwd: folder({ "c.lua": code }) });
    expect(await set.runtime.run("c.lua")).toEqual(["run", "host::main"]);
    expect(set.runtime.channels).toEqual([]);
  });

  test("rejects a component that calls the engine before it returns its functions", async () => {
    const code = `orcs.get("look") return { id = "c", on_request = print }`;
    const set = await stage({ cwd: folder({ "c.lua": code }) });
    set.orcs.wrapTool("look", () => "seen");
    expect((await errorOf(set.runtime.run("c.lua"))).code).toBe("ORCS6010");
    expect(set.runtime.channels).toEqual([]);
  });
});

describe("closing a runtime", () => {
  test("closing the engine ends the runtime, its children and their pending calls", async () => {
    const set = await stage({ cwd: folder() }, { graceMs: 20 });
    const boss = await set.actor("lua::boss");
    const dispose = vi.fn();
    const running = boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      await context.spawnChild({ id: "b" }, { run: () => null, dispose });
      return child((own) => own.get("exec", "sleep 60"));
    }).catch((thrown: unknown) => thrown);
    await sleep(30);
    await set.orcs.close();
    expect(await running).toMatchObject({ code: "ORCS6006" });
    expect(dispose).toHaveBeenCalledTimes(1);
    expect(set.runtime.channels).toEqual([]);
    expect((await errorOf(set.actor("lua::late"))).code).toBe("ORCS2006");
  });

  test("a closed runtime sends no more approval requests to components", async () => {
    const config = { permissions: { grants: [] }, hil: { timeout_ms: 5000 } };
    const set = await stage({ cwd: folder(), config }, { graceMs: 20 });
    await set.runtime.spawn({
      id: "lua::judge",
      subscriptions: ["Approval"],
      onRequest: () => null,
    });
    await set.runtime.close();
    expect(await set.orcs.get("exec", "echo x")).toMatchObject({
      ok: false,
      error: expect.stringContaining("nobody is available to ask"),
    });
  });

  test("two runtimes of one engine are isolated from each other", async () => {
    const set = await stage({ cwd: folder() });
    const other = set.orcs.runtime();
    const boss = await set.actor("lua::boss");
    await other.spawn({ id: "lua::ear", subscriptions: ["News"], onRequest: () => null });
    await other.spawn({ id: "lua::boss", onRequest: () => "the other" });
    await boss(async (context) => {
      expect(await context.emit("News", "op")).toBe(0);
      expect((await errorOf(context.request("lua::ear", "op"))).code).toBe("ORCS6001");
    });
    expect(await other.request("lua::boss", "op")).toBe("the other");
  });

  test("closing one leaves the hooks of a same-named component in the other", async () => {
    const hook = (id: string) =>
      `orcs.hook { id = "${id}", point = "tool.pre_execute", handler = function() end }
       return { id = "c", on_request = print }`;
    const set = await stage({ cwd: folder({ "a.lua": hook("a"), "b.lua": hook("b") }) });
    const other = set.orcs.runtime();
    await set.lua("a.lua");
    await other.spawnScript("b.lua");
    await set.runtime.stop("lua::c");
    expect(set.orcs.registry.list().map(({ id }) => id)).toEqual(["b"]);
  });
});
