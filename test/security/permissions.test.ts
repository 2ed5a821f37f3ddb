import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../src/engine/orcs/options.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { built } from "../dist/both.ts";
import { tryPart } from "../slow-test.ts";
import { folder } from "../unit/engine/orcs/engine.ts";
import type { Isolation } from "./attack.ts";

/** What a script was answered. */
type Answers = Record<string, unknown>;

type Runtime = ReturnType<Orcs["runtime"]>;

interface Stage {
  readonly orcs: Orcs;
  readonly runtime: Runtime;
  readonly lines: string[];
  readonly cwd: string;
}

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly limits?: Parameters<Orcs["runtime"]>[0];
  readonly options?: CreateOrcsOptions;
}

/** A parent that spawns children and hands their answers on; it never comes to harm by them. */
const PARENT = `
  local SPAWN = function(config) return orcs.spawn_child(config) end
  return {
    id = "parent",
    on_request = function(r)
      local p = r.payload
      if r.operation == "spawn" then return SPAWN(p) end
      if r.operation == "send" then return orcs.send_to_child(p.id, p.input) end
      if r.operation == "tell" then return orcs.send_to_child(p.id, p.input, { wait = false }) end
      if r.operation == "stop" then return orcs.stop_child(p.id) end
      if r.operation == "alive" then return "yes" end
    end,
  }`;

/** A component that keeps what it is told, and says it when it is asked. */
const EAR = `
  local heard = {}
  return {
    id = "ear",
    subscriptions = { "News" },
    on_request = function(r)
      if r.operation == "heard" then return orcs.array(heard) end
      heard[#heard + 1] = { r.category, r.operation, r.source }
      return r.source
    end,
    on_signal = function(s) heard[#heard + 1] = { "signal", s.kind, s.source } end,
  }`;

/** Makes engines; as built for worker mode, since a thread cannot start from TypeScript. */
async function engine(isolation: Isolation): Promise<typeof createOrcs> {
  if (isolation === "thread") return createOrcs;
  return (await built()).createOrcs;
}

describe.each<Isolation>(["thread", "worker"])("permissions of a child in %s mode", (isolation) => {
  tryPart(isolation);

  async function stage({ files = {}, config = {}, limits, options }: Given = {}): Promise<Stage> {
    const lines: string[] = [];
    const keep = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
    const cwd = folder({ "parent.lua": PARENT, "ear.lua": EAR, ...files });
    const orcs = await (
      await engine(isolation)
    )({
      cwd,
      config: {
        ...config,
        lua: { isolation, max_run_ms: 1000, ...(config["lua"] as object | undefined) },
      },
      logger: {
        debug: keep("debug"),
        info: keep("info"),
        warn: keep("warn"),
        error: keep("error"),
      },
      ...options,
    });
    onTestFinished(() => orcs.close());
    const runtime = orcs.runtime(limits);
    await runtime.spawnScript("parent.lua");
    await runtime.spawnScript("ear.lua");
    return { orcs, runtime, lines, cwd };
  }

  const ask = ({ runtime }: Stage, operation: string, payload: object) =>
    runtime.request("lua::parent", operation, payload as never) as Promise<Answers>;

  /** Spawn a child of a body and run it: what it returned. */
  async function child(
    set: Stage,
    body: string,
    config: Readonly<Record<string, unknown>> = {},
  ): Promise<unknown> {
    const { top = "", id = "evil", ...more } = config;
    const code = `${String(top)} return function(input) ${body} end`;
    const spawned = await ask(set, "spawn", {
      id,
      code,
      capabilities: ["READ", "EXECUTE"],
      ...more,
    });
    expect(spawned).toMatchObject({ ok: true });
    const answer = await ask(set, "send", { id, input: null });
    expect(answer).toMatchObject({ ok: true });
    return answer["result"];
  }

  /** Nothing of what was tried has harmed those who had nothing to do with it. */
  async function unharmed({ runtime, orcs }: Stage): Promise<void> {
    expect(await runtime.request("lua::parent", "alive", {})).toBe("yes");
    expect(await runtime.request("lua::ear", "heard")).toBeInstanceOf(Array);
    expect(runtime.channels.map(({ component, state }) => [component, state])).toEqual(
      expect.arrayContaining([
        ["lua::parent", "running"],
        ["lua::ear", "running"],
      ]),
    );
    expect(orcs.registry.list().filter(({ id }) => id.includes("evil"))).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  }

  describe("its identity", () => {
    test("it cannot send as another component", async () => {
      const set = await stage();
      const answers = (await child(
        set,
        `
        local claims = { source = "builtin::root", principal = { type = "User", id = "root" },
          component = "builtin::root", id = "req-1", target = "lua::parent" }
        local refused = {}
        for key, value in pairs(claims) do
          refused[key] = orcs.request("lua::ear", "op", nil, { [key] = value }).code
        end
        local heard = orcs.request("lua::ear", "op", claims).response
        local told = orcs.emit_event("News", "op", claims)
        return { refused = refused, heard = heard, told = told.delivered }`,
      )) as Answers;
      expect(answers).toEqual({
        refused: {
          source: "ORCS6010",
          principal: "ORCS6010",
          component: "ORCS6010",
          id: "ORCS6010",
          target: "ORCS6010",
        },
        heard: "lua::parent/evil",
        told: 1,
      });
      await vi.waitFor(async () => {
        const heard = (await set.runtime.request("lua::ear", "heard")) as unknown[];
        expect(heard.at(-1)).toEqual(["News", "op", "lua::parent/evil"]);
      });
      await unharmed(set);
    });

    test("its claims about itself do not affect a tool call", async () => {
      const set = await stage();
      const seen: unknown[] = [];
      set.orcs.addTool("look", (_, { ctx }) => {
        const { component_id, principal, depth } = ctx;
        seen.push([component_id, principal, depth]);
      });
      set.orcs.on("tool.pre_execute", (ctx) => void seen.push(ctx.payload["capabilities"]));
      await child(
        set,
        `
        local claims = { component = "builtin::root", component_id = "builtin::root", depth = -9, capabilities = 127,
          principal = { type = "User", id = "root" }, authority = { capabilities = 127 }, sandbox_root = "/" }
        local options = { metadata = claims }
        for key, value in pairs(claims) do options[key] = value end
        orcs.get("look", claims, options)
        return 1`,
      );
      expect(seen).toEqual([9, ["lua::parent", { type: "Host", id: "main" }, 0]]);
      await unharmed(set);
    });

    test("metadata cannot pollute prototypes", async () => {
      const set = await stage();
      set.orcs.wrapTool("look", () => "seen");
      await child(
        set,
        `
        local bad = orcs.json_decode('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')
        pcall(orcs.get, "look", bad, { metadata = bad })
        pcall(orcs.emit_event, "News", "op", bad)
        pcall(orcs.request, "lua::ear", "op", bad)
        pcall(orcs.spawn_child, bad)
        return 1`,
      );
      await unharmed(set);
    });
  });

  describe("without SPAWN", () => {
    test("it cannot signal another, all, or its own component", async () => {
      const set = await stage();
      const codes = await child(
        set,
        `
        local codes = {}
        for _, target in ipairs { "lua::ear", "*", "lua::parent", "lua::parent/evil", "lua::parent#x", "" } do
          for _, kind in ipairs { "veto", "cancel", "pause", "approve", "reject" } do
            codes[#codes + 1] = orcs.send_signal(target, kind, { approval_id = "x" }).code
          end
        end
        return codes`,
      );
      expect(codes).toEqual(Array(30).fill("ORCS6007"));
      await unharmed(set);
    });

    test("it cannot spawn", async () => {
      const set = await stage();
      const code = await child(
        set,
        'return orcs.spawn_child({ id = "b", code = "return print", capabilities = { "SPAWN" } }).code',
      );
      expect(code).toBe("ORCS6007");
    });

    test("it cannot register a hook in any way", async () => {
      const set = await stage();
      const outcomes = (await child(
        set,
        `
        local spec = { id = "evil", point = "tool.pre_execute", handler = function() return orcs.allow() end }
        local out = {}
        out[1] = pcall(orcs.hook, spec)
        out[2] = pcall(orcs.hook, "*::*:auth.pre_check", function() return orcs.skip(true) end)
        out[3] = coroutine.resume(coroutine.create(function() orcs.hook(spec) end))
        out[4] = pcall(string.gsub, "a", "a", function() orcs.hook(spec) end)
        out[5] = pcall(table.sort, { 2, 1 }, function() orcs.hook(spec) return true end)
        out[6] = pcall(function() return setmetatable({}, { __index = function() orcs.hook(spec) end }).x end)
        out[7] = pcall(saved, spec)
        out[8] = pcall(orcs.unhook, "guard")
        return out`,
        { top: "saved = orcs.hook" },
      )) as unknown[];
      expect(outcomes).toEqual(Array(8).fill(false));
      await unharmed(set);
    });

    test("it cannot register a hook while loading", async () => {
      const set = await stage();
      for (const top of [
        'orcs.hook("*::*:tool.pre_execute", function() return orcs.allow() end)',
        'pcall(orcs.hook, "*::*:tool.pre_execute", function() return orcs.allow() end)',
      ]) {
        const code = `${top} return function() return 1 end`;
        const answer = await ask(set, "spawn", { id: "evil", code, capabilities: ["READ"] });
        expect(answer).toMatchObject({ ok: false, code: "ORCS6007" });
      }
      expect(set.orcs.registry.size).toBe(0);
      await unharmed(set);
    });
  });

  describe("commands", () => {
    const LOW = { permissions: { grants: ["echo ok"] } };

    test("a grant covers only its command prefix", async () => {
      const set = await stage({ config: LOW });
      const ran = await child(
        set,
        `
        local ran = {}
        for _, command in ipairs {
          "touch evil", "echo ok; touch evil", "echo ok && touch evil", "echo ok | tee evil", "echo ok > evil",
          "echo ok $(touch evil)", "echo ok \`touch evil\`", "echo ok\\ntouch evil", "echo ok & touch evil",
          "echo okay", "ech[o] ok", "echo o?", "A=1 echo ok", "\\\\echo o'k", "echo ok <(touch evil)",
          "echo ok\\0; touch evil", "echo ok\\r\\ntouch evil", "(echo ok)", "{ echo ok; }", "! echo ok", "eval echo ok",
        } do
          ran[#ran + 1] = orcs.exec(command).ok
        end
        ran[#ran + 1] = orcs.exec("echo ok").ok
        return ran`,
      );
      expect(ran).toEqual([...Array<boolean>(21).fill(false), true]);
      expect(existsSync(join(set.cwd, "evil"))).toBe(false);
    });

    test.each([
      ["PATH", 'env = { PATH = "./bin:/usr/bin:/bin" }'],
      ["LD_PRELOAD", 'env = { LD_PRELOAD = "./evil.so" }'],
      ["a function of the shell", 'env = { ["BASH_FUNC_ls%%"] = "() { touch evil; }" }'],
      ["a start-up file", 'env = { ENV = "./start.sh", BASH_ENV = "./start.sh" }'],
    ])("a grant does not cover a changed environment: %s", async (_, env) => {
      const set = await stage({
        config: { permissions: { grants: ["ls"] } },
        files: { "bin/ls": "#!/bin/sh\ntouch evil\n", "start.sh": "touch evil\n" },
      });
      chmodSync(join(set.cwd, "bin/ls"), 0o755);
      const answer = (await child(set, `return orcs.exec { command = "ls", ${env} }`)) as Answers;
      expect(answer["ok"]).toBe(false);
      expect(answer["error"]).toMatch(/nobody is available to ask/);
      expect(existsSync(join(set.cwd, "evil"))).toBe(false);
      const plain = (await child(set, 'return orcs.exec { command = "ls", env = {} }', {
        id: "b",
      })) as Answers;
      expect(plain["ok"]).toBe(true);
    });

    test("an approval request shows the environment", async () => {
      const asked: unknown[] = [];
      const approve = ({ args }: { args: unknown }) => (asked.push(args), false);
      const set = await stage({ config: LOW, options: { approve } });
      const commands: unknown[] = [];
      set.orcs.on("auth.pre_check", (ctx) => void commands.push(ctx.payload["command"]));
      await child(set, `return orcs.exec { command = "echo ok", env = { X = "it's", Y = "2" } }`);
      expect(asked).toEqual([{ command: "echo ok", env: { X: "it's", Y: "2" } }]);
      // Or a hook that looks for the command at its beginning would pass it over.
      expect(commands).toEqual(["echo ok"]);
    });

    test("it cannot use a directory outside the sandbox", async () => {
      const outside = folder();
      const set = await stage({ config: LOW });
      const answers = (await child(
        set,
        `
        local out = {}
        for _, cwd in ipairs { "..", "/", "/tmp", "a/../..", ${JSON.stringify(outside)} } do
          out[#out + 1] = orcs.exec({ command = "echo ok", cwd = cwd }).ok
        end
        return out`,
      )) as unknown[];
      expect(answers).toEqual(Array(5).fill(false));
    });

    test("it cannot grant to itself, request elevation, or use a sibling's grant", async () => {
      const set = await stage({ config: LOW });
      const config = { id: "high", code: "return function() end", elevated: true };
      expect(await ask(set, "spawn", config)).toMatchObject({ ok: false, code: "ORCS6015" });
      const answers = await child(
        set,
        `
        local a = orcs.grant_command("touch")
        local b = orcs.check_command("touch evil")
        local c = orcs.exec("touch evil")
        return { a.code, b.status, c.ok }`,
      );
      expect(answers).toEqual(["ORCS6008", "requires_approval", false]);
      expect(existsSync(join(set.cwd, "evil"))).toBe(false);
    });

    test("a one-time grant covers one of many concurrent commands", async () => {
      const approve = ({ tool }: { tool: string }) => tool === "grant_command";
      const code = `
        local n = 0
        return { id = "boss", on_request = function(r)
          if r.operation == "grant" then return orcs.grant_command("echo", { kind = "one_time" }) end
          for i = 1, 8 do
            orcs.spawn_child { id = "c" .. i, code = [[return function() orcs.state.incr("ran", orcs.exec("echo x").ok and 1 or 0) end]] }
          end
          for i = 1, 8 do orcs.send_to_child("c" .. i, nil, { wait = false }) end
          for i = 1, 8 do orcs.send_to_child("c" .. i) end
          return orcs.state.get("ran")
        end }`;
      const set = await stage({
        files: { "boss.lua": code },
        config: { permissions: { grants: [] } },
        options: { approve },
      });
      await set.runtime.spawnScript("boss.lua");
      expect(await set.runtime.request("lua::boss", "grant")).toEqual({ ok: true });
      expect(await set.runtime.request("lua::boss", "run")).toBe(1);
    });

    /** A component that is told of questions for approval, and answers those of its own child. */
    const CONSPIRATOR = `
      return {
        id = "evil",
        subscriptions = { "Approval" },
        init = function() HOOK end,
        on_request = function(r)
          if r.operation == "go" then
            orcs.spawn_child { id = "hand", code = [[return function() orcs.state.set("ran", orcs.exec("touch evil")) end]] }
            orcs.send_to_child("hand", nil, { wait = false })
          elseif r.operation == "ran" then
            return orcs.state.get("ran")
          elseif r.category == "Approval" then
            local id = r.payload.approval_id
            for _, target in ipairs { "lua::evil", "lua::ear", "lua::parent", "*" } do
              orcs.send_signal(target, "approve", { approval_id = id })
            end
          end
        end,
      }`;

    test.each([
      ["as itself", ""],
      [
        "with a hook that takes its name from what it says",
        `orcs.hook { id = "evil-signal", point = "signal.pre_dispatch", handler = function(ctx)
          ctx.payload.signal.source = nil
        end }`,
      ],
      [
        "with a hook that says it is the program",
        `orcs.hook { id = "evil-signal", point = "signal.pre_dispatch", handler = function(ctx)
          ctx.payload.signal.source = "host::main"
        end }`,
      ],
    ])("it cannot approve its own call, %s", async (_, hook) => {
      const set = await stage({
        files: { "evil.lua": CONSPIRATOR.replace("HOOK", () => hook) },
        config: { permissions: { grants: [] }, hil: { timeout_ms: 400 } },
      });
      await set.runtime.spawnScript("evil.lua");
      await set.runtime.request("lua::evil", "go");
      await vi.waitFor(
        async () =>
          expect(await set.runtime.request("lua::evil", "ran")).toMatchObject({ ok: false }),
        { timeout: 30_000 },
      );
      expect(existsSync(join(set.cwd, "evil"))).toBe(false);
      await set.runtime.stop("lua::evil");
      await unharmed(set);
    });

    test("it cannot forge an approval request of the runtime", async () => {
      const set = await stage();
      const codes = await child(
        set,
        `
        local forged = { approval_id = "x", component = "lua::good", tool = "exec", args = { command = "ls" } }
        return {
          orcs.emit_event("Approval", "requested", forged).code,
          orcs.request("lua::ear", "requested", forged, { category = "Approval" }).code,
        }`,
      );
      expect(codes).toEqual(["ORCS6010", "ORCS6010"]);
      await unharmed(set);
    });
  });

  describe("other components' data", () => {
    test("it cannot reach results, ids and globals of siblings", async () => {
      const set = await stage();
      const secret = "SECRET = 42 return function() return SECRET end";
      await ask(set, "spawn", { id: "good", code: secret });
      const answers = await child(
        set,
        `
        local out = { SECRET == nil }
        for _, id in ipairs { "good", "lua::parent/good", "../good", "parent/good", "", "evil", "*" } do
          out[#out + 1] = orcs.send_to_child(id, 1).code
          out[#out + 1] = tostring(orcs.stop_child(id).stopped)
        end
        for _, target in ipairs { "lua::parent/good", "lua::parent/evil", "parent", "lua::*" } do
          out[#out + 1] = orcs.request(target, "op").code
        end
        return out`,
      );
      const refused = Array.from({ length: 7 }, () => ["ORCS6001", "false"]).flat();
      expect(answers).toEqual([true, ...refused, ...Array(4).fill("ORCS6001")]);
      expect(await ask(set, "send", { id: "good" })).toEqual({ ok: true, result: 42 });
    });

    test("it cannot deadlock its parent", async () => {
      const set = await stage();
      const answer = await child(set, 'return orcs.request("lua::parent", "alive", {}).code');
      expect(answer).toBe("ORCS6011");
    });

    test("it cannot load files outside the script folders", async () => {
      const outside = folder({ "x.lua": "return function() return 'out' end" });
      const set = await stage({ files: { "hooks/in.lua": "return function() return 'in' end" } });
      const answers = (await child(
        set,
        `
        local out = {}
        for i, script in ipairs { "../x.lua", ${JSON.stringify(join(outside, "x.lua"))}, "/etc/passwd", "hooks/../../x.lua",
          "\\0in.lua", "in.lua\\0", "file:///etc/passwd", "C:\\\\x.lua" } do
          out[#out + 1] = orcs.spawn_child({ id = "p" .. i, script = script }).code
        end
        for i, code in ipairs { "\\27Lua", "\\27LuaT\\0\\25", string.char(27) .. "Lua" } do
          out[#out + 1] = orcs.spawn_child({ id = "b" .. i, code = code }).code
        end
        return out`,
        { capabilities: ["SPAWN"] },
      )) as unknown[];
      expect(answers).toEqual([...Array(8).fill("ORCS1009"), ...Array(3).fill("ORCS3001")]);
      await unharmed(set);
    });
  });

  describe("its end", () => {
    test("it ends with its parent, and so do its calls", async () => {
      const set = await stage({ limits: { limits: { graceMs: 50 } } });
      const code = `return function()
        pcall(function() for i = 1, 1e6 do orcs.sleep(5) orcs.state.incr("beats") end end)
        while true do orcs.sleep(5) orcs.state.incr("beats") end
      end`;
      const run = "return { id = 'w', on_request = function() return orcs.state.get('beats') end }";
      await ask(set, "spawn", { id: "evil", code });
      await ask(set, "tell", { id: "evil" });
      writeFileSync(join(set.cwd, "w.lua"), run);
      await set.runtime.spawnScript("w.lua");
      const beats = () => set.runtime.request("lua::w", "beats") as Promise<number>;
      await vi.waitFor(async () => expect(await beats()).toBeGreaterThan(2));
      await set.runtime.stop("lua::parent");
      const last = await beats();
      await sleep(100);
      expect(await beats()).toBe(last);
    });

    test.each([
      ["loops", "while true do end"],
      [
        "loops where pcall would catch it",
        "while true do pcall(function() while true do end end) end",
      ],
      ["takes all memory", 'local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end'],
      ["recurses", "local function f() return f() + 1 end return f()"],
      ["raises something long", 'error(("x"):rep(5e6))'],
      [
        "raises a table that lies",
        "error(setmetatable({}, { __tostring = function() while true do end end }))",
      ],
      ["answers something endless", "local t = {} t.t = t return t"],
      ["answers a function", "return function() end"],
    ])("one that %s is reported, its id is free, and others are not affected", async (_, body) => {
      const set = await stage({ config: { lua: { max_run_ms: 300 } } });
      await ask(set, "spawn", { id: "good", code: "return function() return 'good' end" });
      await ask(set, "spawn", { id: "evil", code: `return function() ${body} end` });
      const answer = await ask(set, "send", { id: "evil" });
      expect(answer).toMatchObject({ ok: false, code: "ORCS6005" });
      expect(String(answer["error"]).length).toBeLessThan(20_000);
      await ask(set, "stop", { id: "evil" });
      const again = { id: "evil", code: "return function() return 'again' end" };
      expect(await ask(set, "spawn", again)).toMatchObject({ ok: true });
      expect(await ask(set, "send", { id: "evil" })).toEqual({ ok: true, result: "again" });
      expect(await ask(set, "send", { id: "good" })).toEqual({ ok: true, result: "good" });
      expect(Math.max(...set.lines.map((line) => line.length))).toBeLessThan(20_000);
      await unharmed(set);
    });
  });

  describe("floods", () => {
    test("of events: mailboxes and logs are bounded", async () => {
      const set = await stage({ limits: { limits: { mailbox: 16 } } });
      const deaf =
        "return { id = 'deaf', subscriptions = { 'News' }, on_request = function() orcs.sleep(60000) end }";
      writeFileSync(join(set.cwd, "deaf.lua"), deaf);
      await set.runtime.spawnScript("deaf.lua");
      const before = set.lines.length;
      const delivered = await child(
        set,
        `
        local n = 0
        for i = 1, 2000 do n = n + orcs.emit_event("News", "op", ("x"):rep(1000)).delivered end
        return n`,
      );
      expect(delivered).toBeGreaterThanOrEqual(17);
      expect(set.lines.length - before).toBeLessThan(200);
      await unharmed(set);
      await set.runtime.kill("lua::deaf");
    });

    test("of runs: the queue is bounded", async () => {
      const set = await stage({ limits: { limits: { mailbox: 8 } } });
      const answer = await child(
        set,
        `
        orcs.spawn_child { id = "slow", code = "return function() orcs.sleep(60000) end" }
        for i = 1, 500 do orcs.send_to_child("slow", i, { wait = false }) end
        return orcs.send_to_child("slow", 0).code`,
        { capabilities: ["SPAWN"] },
      );
      expect(answer).toBe("ORCS6004");
      expect(set.lines.length).toBeLessThan(200);
      await ask(set, "stop", { id: "evil" });
      await unharmed(set);
    });

    test("of children: their number is bounded, per parent and in total", async () => {
      const set = await stage({
        limits: { limits: { children: 8, childDepth: 4, descendants: 40 } },
      });
      const bomb = `
        local code = ...
        return function(code)
          local n = 0
          for i = 1, 20 do
            local spawned = orcs.spawn_child { id = "c" .. i, code = code, options = orcs.options }
            if spawned.ok then
              n = n + 1
              local answer = orcs.send_to_child(spawned.child_id, code)
              n = n + (answer.result or 0)
            end
          end
          return n
        end`;
      await ask(set, "spawn", { id: "evil", code: bomb });
      const answer = await ask(set, "send", { id: "evil", input: bomb });
      expect(answer).toEqual({ ok: true, result: 39 });
      expect(set.lines.length).toBeLessThan(200);
      await ask(set, "stop", { id: "evil" });
      await unharmed(set);
      // All of them are gone: as many can be spawned again.
      await ask(set, "spawn", { id: "evil", code: bomb });
      expect(await ask(set, "send", { id: "evil", input: bomb })).toEqual({ ok: true, result: 39 });
    });

    test("of hooks that call each other: bounded by depth, also through a component", async () => {
      const loop = `
        return {
          id = "loop",
          init = function()
            orcs.hook("*::*:tool.pre_execute", function()
              orcs.state.incr("hooked")
              orcs.get("look")
              orcs.request("lua::ear", "op")
            end)
            orcs.hook("*::*:request.pre_dispatch", function()
              orcs.state.incr("hooked")
              orcs.get("look")
            end)
          end,
          on_request = function() return orcs.state.get("hooked") end,
        }`;
      const set = await stage({ files: { "loop.lua": loop } });
      set.orcs.wrapTool("look", () => "seen");
      await set.runtime.spawnScript("loop.lua");
      await set.orcs.get("look");
      await set.runtime.stop("lua::loop");
      await unharmed(set);
    });
  });
});
