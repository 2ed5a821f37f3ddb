import { describe, expect, test } from "vitest";
import { both, call, rig } from "./both.ts";

const metadata = async (result: Promise<Record<string, unknown>>) => (await result)["metadata"];

describe("worker and thread isolation: edits and results", () => {
  both(
    "each kind of result arrives",
    {
      hooks: [
        `function(ctx)
          local kind = ctx.payload.args.kind
          if kind == "deny" then return orcs.deny("no") end
          if kind == "ask" then return orcs.ask("why") end
          if kind == "skip" then return orcs.skip({ 1, orcs.null, "x" }) end
          if kind == "retry" then return orcs.retry(5) end
          if kind == "inject" then return orcs.inject("text") end
          return ctx
        end`,
      ],
    },
    async (it) => {
      const answers = [];
      for (const kind of "deny ask skip retry inject ctx".split(" ")) {
        answers.push(await call(it, { kind }));
      }
      return answers;
    },
    [
      { action: "abort", reason: "no", hook: "h1" },
      { action: "continue", decision: "ask", reason: "why", hook: "h1", args: { kind: "ask" } },
      { action: "skip", result: [1, null, "x"], hook: "h1" },
      { action: "retry", delay_ms: 5, max_retries: 3, hook: "h1" },
      { action: "continue", inject: ["text"], args: { kind: "inject" } },
      { action: "continue", args: { kind: "ctx" } },
    ],
  );
});

describe("worker and thread isolation: consecutive hooks", () => {
  both(
    "hooks see the changes of earlier hooks, also of a TypeScript hook; a context ends with its call",
    {
      hooks: [
        { handler_inline: `ctx.payload.args.never = true`, priority: 3, match: { command: "rm" } },
        {
          handler_inline: `ctx.payload.args.matched = true`,
          priority: 5,
          match: { command: "rm" },
        },
      ],
      // Globals are a script's; each inline handler has its own.
      script: `
        local function at(priority, handler)
          return { point = "tool.pre_execute", priority = priority, handler = handler }
        end
        return {
          at(1, function(ctx) ctx.payload.args.n = 1; kept = ctx.payload.args end),
          at(2, function(ctx) ctx.payload.args.same = rawequal(kept, ctx.payload.args) end),
          at(4, function(ctx) ctx.payload.args.command = "rm " .. kept.n end),
          at(7, function(ctx) ctx.payload.args.dead = not pcall(function() return kept.n end) end),
        }`,
      options: {
        hooks: [
          {
            point: "tool.pre_execute",
            priority: 6,
            handler: (ctx) => void ((ctx.payload as { args: { ts?: number } }).args.ts = 6),
          },
        ],
      },
    },
    (it) => call(it, { command: "ls" }),
    {
      action: "continue",
      args: { command: "rm 1", n: 1, same: true, matched: true, ts: 6, dead: true },
    },
  );

  both(
    "after replace at a post point, the next hook sees the new result",
    {
      hooks: [
        {
          point: "tool.post_execute",
          handler_inline: `orcs.replace({ list = ctx.payload.result.list })`,
        },
        { point: "tool.post_execute", handler_inline: `ctx.metadata.n = #ctx.payload.result.list` },
      ],
    },
    async ({ orcs }) => {
      const payload = { tool_name: "x", args: {}, result: { list: [1, 2], secret: 1 } };
      const { ctx } = await orcs.dispatch("tool.post_execute", payload);
      return [(ctx.payload as Record<string, unknown>)["result"], ctx.metadata];
    },
    [{ list: [1, 2] }, { n: 2 }],
  );

  both(
    "`stop` ends the chain, and `once` runs a hook once",
    {
      hooks: [
        { handler_inline: `ctx.metadata.first = true`, once: true },
        `return { action = "continue", stop = true }`,
        `ctx.metadata.third = true`,
      ],
    },
    async (it) => [await call(it), await call(it)],
    [
      { action: "continue", args: {}, metadata: { first: true } },
      { action: "continue", args: {} },
    ],
  );
});

describe("worker and thread isolation: calls to the engine", () => {
  both(
    "values are compared and set",
    {
      hooks: [
        `function(ctx)
          local swap = orcs.state.compare_and_set
          ctx.metadata.did = {
            swap("k", nil, { a = 1, b = { 2 } }), swap("k", nil, 1), swap("k", { b = { 2 }, a = 1 }, orcs.null),
            swap("k", orcs.null), orcs.state.get("k") == nil,
          }
        end`,
      ],
    },
    async (it) => (await call(it))["metadata"],
    { did: [true, false, true, true, true] },
  );

  both(
    "orcs.get returns results, denials and errors of a tool; arguments and metadata arrive unchanged",
    {
      hooks: [
        `function(ctx)
          if ctx.depth > 0 then
            if ctx.payload.tool_name == "secret" then return orcs.deny("not you") end
            return
          end
          local a = orcs.get("echo", { list = { 1, orcs.null }, part = ctx.payload.args }, { metadata = { m = 1 } })
          ctx.metadata.answer = a
          ctx.metadata.refused = orcs.get("secret").error
          ctx.metadata.thrown = orcs.get("throws").error
          ctx.metadata.unknown = orcs.get("nothing").error
        end`,
      ],
    },
    async (it) => {
      it.orcs.addTool("echo", (args, { ctx }) => ({
        args,
        depth: ctx.depth,
        m: ctx.metadata["m"],
      }));
      it.orcs.wrapTool("secret", () => 1);
      it.orcs.wrapTool("throws", () => {
        throw new Error("broken");
      });
      return metadata(call(it, { x: [{}] }));
    },
    {
      answer: { ok: true, args: { list: [1, null], part: { x: [{}] } }, depth: 1, m: 1 },
      refused: "denied by hook h1: not you",
      thrown: "broken",
      unknown: 'unknown tool "nothing"',
    },
  );

  both(
    "orcs.state is shared with the engine and atomic; an invalid value is an error of the script",
    {
      hooks: [
        `function(ctx)
          local s = orcs.state
          s.set("k", { 1, { a = orcs.null } })
          ctx.metadata.k = s.get("k")
          ctx.metadata.none = s.get("none") == nil
          ctx.metadata.deleted = { s.delete("k"), s.delete("k") }
          ctx.metadata.n = { s.incr("n"), s.incr("n", 2.5) }
          s.set("text", "x")
          local ok, why = pcall(s.incr, "text")
          ctx.metadata.why = tostring(why)
        end`,
      ],
    },
    (it) => metadata(call(it)),
    {
      k: [1, { a: null }],
      none: true,
      deleted: [true, false],
      n: [1, 3.5],
      why: expect.stringContaining('state "text" is not a number') as string,
    },
  );

  both(
    "a call ends at the hook's timeout, and the tool is aborted",
    { hooks: [{ handler_inline: `orcs.get("slow")`, timeout_ms: 80, match: { tool: "x" } }] },
    async (it) => {
      let told!: (what: string) => void;
      const aborted = new Promise<string>((resolve) => (told = resolve));
      it.orcs.addTool(
        "slow",
        (_, { signal }) =>
          new Promise(() => signal?.addEventListener("abort", () => told("aborted"))),
      );
      return [(await call(it))["reason"], await aborted];
    },
    ["hook h1 failed: timed out after 80 ms; shorten it or raise timeout_ms", "aborted"],
  );

  both(
    "logs and output keep their order, before the report of the failure",
    {
      hooks: [
        `function(ctx)
          orcs.log("warn", "one") orcs.emit_output("two") print("three", 4)
          for i = 1, 100 do orcs.log("x" .. i) end
        end`,
      ],
    },
    async (it) => {
      await call(it);
      return [it.lines.slice(0, 4), it.lines.length, it.lines.at(-1)];
    },
    [
      ["warn: one", "output: two", "info: three\t4", "info: x1"],
      64,
      "info: … further lines of this call are dropped",
    ],
  );

  both(
    "secrets are masked in texts, tables and the log",
    {
      hooks: [
        `function(ctx)
          local m, args = ctx.metadata, ctx.payload.args
          m.text, m.all, m.own = orcs.redact("password=hunter2"), orcs.redact(args), args.password
          m.rest = orcs.json_encode(orcs.redact({ orcs.null, orcs.array(), { token = "x" } }))
          m.fails = not pcall(orcs.redact, print)
          print("password=hunter2")
        end`,
      ],
    },
    async (it) => [await metadata(call(it, { password: "hunter2", n: 1 })), it.lines],
    [
      {
        text: "password=[redacted]",
        all: { password: "[redacted]", n: 1 },
        own: "hunter2",
        rest: '[null,[],{"token":"[redacted]"}]',
        fails: true,
      },
      ["info: password=[redacted]"],
    ],
  );

  both(
    "orcs.glob works from the first call on; an invalid pattern is an error of the script",
    {
      hooks: [
        `function(ctx)
          local m = ctx.metadata
          m.yes, m.no = orcs.glob_match("src/**", "src/a/b.ts"), orcs.glob_match("*.rs", "a.ts")
          m.why = select(2, pcall(orcs.glob_match, "[", "x"))
        end`,
      ],
    },
    async (it) => {
      const first = await metadata(call(it));
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await metadata(call(it))).toEqual(first);
      return first;
    },
    { yes: true, no: false, why: expect.stringContaining("ORCS1012") as string },
  );

  both(
    "scripts use the engine's clock, also a custom one",
    () => {
      let now = 5000;
      return {
        hooks: [`ctx.metadata.late = orcs.now_ms() - ctx.timestamp_ms`],
        options: { clock: { now: () => (now += 1000), sleep: async () => undefined } },
      };
    },
    async (it) => {
      const { late } = (await metadata(call(it))) as { late: number };
      // One or two readings further on, and a moment for the message.
      return late >= 1000 && late < 3500;
    },
    true,
  );
});

describe("worker and thread isolation: scripts", () => {
  both(
    "require loads a module below the roots once, and none outside",
    {
      script: `local m = require("lib.words")
        orcs.hook { id = "s", point = "tool.pre_execute", handler = function(ctx)
          ctx.metadata.word = m.word .. (require("lib.words") == m and "!" or "?")
          ctx.metadata.why = select(2, pcall(require, "../secret"))
        end }`,
      files: { "hooks/lib/words.lua": `return { word = "hi" }`, "secret.lua": "return 1" },
    },
    (it) => metadata(call(it)),
    { word: "hi!", why: expect.stringContaining("module '../secret' not found") as string },
  );

  both(
    "hooks are registered and removed at run time; an invalid one is an error of the script",
    {
      script: `orcs.hook { id = "s", point = "tool.pre_execute", priority = 1, handler = function(ctx)
        local what = ctx.payload.args.what
        if what == "add" then
          ctx.metadata.id = orcs.hook { id = "late", point = "tool.pre_execute", handler = function(c)
            c.payload.args.late = true
          end }
        elseif what == "remove" then
          ctx.metadata.removed = { orcs.unhook("late"), orcs.unhook("late"), orcs.unhook("other") }
        elseif what == "wrong" then
          ctx.metadata.why = select(2, pcall(orcs.hook, { point = "tool.pre_execut", handler = print }))
        end
      end }`,
    },
    async (it) => {
      it.orcs.hook({ id: "other", point: "tool.pre_execute", handler: () => undefined });
      const results = [];
      for (const what of ["add", "none", "remove", "none", "wrong"])
        results.push(await call(it, { what }));
      return results;
    },
    [
      { action: "continue", args: { what: "add" }, metadata: { id: "late" } },
      { action: "continue", args: { what: "none", late: true } },
      expect.objectContaining({ metadata: { removed: [true, false, false] } }),
      { action: "continue", args: { what: "none" } },
      {
        action: "continue",
        args: { what: "wrong" },
        metadata: { why: expect.stringContaining("tool.pre_execut") as string },
      },
    ],
  );

  test("a script that cannot load gives the same errors", async () => {
    const of = async (isolation: "thread" | "worker", script: string) => {
      try {
        // A load may take ten times as long as a run. Both limits are reached in both modes, and soon.
        const lua = { max_run_ms: 50, memory_mb: 4 };
        // The limit of all scripts together is another error, which a busy machine must not add.
        await rig(isolation, { script, lua, engine: { load_ms: 60_000 } });
        return "loaded";
      } catch (thrown) {
        return (thrown as Error).message.replace(/\d+(?= ms (?:elapsed|of))/g, "…");
      }
    };
    for (const script of [
      "return function(",
      "\n\nerror('boom')",
      "while true do end",
      "local t = {} while true do t[#t + 1] = ('x'):rep(10000) end",
      "return 5",
      "orcs.sleep(5)",
    ]) {
      const said = await of("thread", script);
      expect(said).toContain("s.lua");
      expect(await of("worker", script)).toBe(said);
    }
  });

  both(
    "run executes a program with hooks of its own and returns its result; its errors have a position",
    {
      hooks: [{ handler_inline: `orcs.deny("no secrets")`, match: { tool: "secret" } }],
      files: {
        "main.lua": `orcs.hook { id = "own", point = "tool.post_execute", handler = function(ctx)
            return orcs.replace({ ok = true, n = ctx.payload.result.n + 1 })
          end }
          orcs.sleep(1)
          return { orcs.get("count").n, orcs.get("secret").error, orcs.state.incr("k") }`,
        "wrong.lua": "\nlocal x = nil + 1",
        "loop.lua": "while true do pcall(orcs.now_ms) end",
      },
    },
    async (it) => {
      it.orcs.wrapTool("count", () => ({ n: 1 }));
      it.orcs.wrapTool("secret", () => 1);
      const errorOf = (file: string) =>
        it.orcs.run(file).catch((thrown: Error) => thrown.message) as Promise<string>;
      return [
        await it.orcs.run("main.lua"),
        await it.orcs.get("count"),
        await errorOf("wrong.lua"),
        await errorOf("loop.lua"),
      ];
    },
    [
      [2, "denied by hook h1: no secrets", 1],
      { ok: true, n: 2 },
      expect.stringContaining("wrong.lua:2: attempt to perform arithmetic") as string,
      expect.stringContaining("ran longer than 400 ms") as string,
    ],
  );
});

describe("worker and thread isolation: limits", () => {
  both(
    "an endless loop ends its state: pending calls in it fail; other scripts and the next call work",
    {
      hooks: [
        {
          handler_inline: `function(ctx)
            count = (count or 0) + 1
            ctx.metadata.count = count
            if ctx.payload.args.loop then while true do pcall(function() while true do end end) end end
            if ctx.payload.args.wait then orcs.sleep(5000) end
          end`,
        },
      ],
      script: `other = 0
        return { id = "other", point = "tool.pre_execute", priority = 1, handler = function(ctx)
          other = other + 1
          ctx.metadata.other = other
        end }`,
    },
    async (it) => {
      const waiting = call(it, { wait: true });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const loop = await call(it, { loop: true });
      return [(await waiting)["reason"], loop["reason"], await call(it)];
    },
    [
      expect.stringMatching(
        /^hook h1 failed: its Lua state was killed while it was waiting: it ran longer than 400 ms without waiting; it was at /,
      ) as string,
      expect.stringMatching(
        /^hook h1 failed: it ran longer than 400 ms without waiting; it was at \S+:4 \(\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms\)$/,
      ) as string,
      { action: "continue", args: {}, metadata: { count: 1, other: 3 } },
    ],
  );
});

describe("worker and thread isolation: conversion", () => {
  /** What reads of fields come to, by their names. */
  const reads = (...fields: string[]): string => `function(ctx)
    for _, name in ipairs { ${fields.map((field) => `"${field}"`).join(", ")} } do
      local ok, value = pcall(function() return ctx.payload.args[name] end)
      ctx.metadata[name] = ok and type(value) ~= "table" and tostring(value) or ok or value
    end
    local seen = pcall(function() for _ in pairs(ctx.payload.args) do end end)
    ctx.metadata.pairs = seen
    ctx.metadata.moved = select(2, pcall(function() orcs.state.set("k", ctx.payload.args) end))
  end`;

  test("a value that cannot be read raises the same error when read, and none of its code runs", async () => {
    let touched = 0;
    const touch = (): never => {
      touched++;
      throw new Error("touched");
    };
    const traps = new Proxy({}, { get: () => touch });
    const named = (name: string): object =>
      Object.create({ constructor: { [name]() {} }[name] }) as object;
    const own = Object.defineProperty({}, "constructor", { get: touch });
    const odd = {
      plain: 1,
      date: new Date(),
      map: new Map(),
      func: touch,
      symbol: Symbol("s"),
      bigint: 5n,
      proxy: new Proxy({}, traps),
      list: new Proxy([], traps),
      instance: named("Thing"),
      own: Object.create(own) as object,
      behind: Object.create(new Proxy({}, traps)) as object,
      bytes: new Uint8Array(3),
      nan: NaN,
      undefined,
      get getter() {
        return touch();
      },
      set setter(_: unknown) {
        touch();
      },
      items: [1, new Date(), { fine: true }],
    };
    Object.defineProperty(odd.items, 3, { get: touch, enumerable: true });
    Object.defineProperty(odd, "hidden", { value: 1, enumerable: false });
    const of = async (isolation: "thread" | "worker") => {
      const it = await rig(isolation, {
        hooks: [
          reads(...Object.keys(odd), "hidden", "toString"),
          `function(ctx)
            local items, m = ctx.payload.args.items, ctx.metadata
            m.first, m.length, m.third = items[1], #items, items[3].fine
            m.second = select(2, pcall(function() return items[2] end))
            m.fourth = select(2, pcall(function() return items[4] end))
          end`,
        ],
      });
      const { ctx } = await it.orcs.dispatch("tool.pre_execute", {
        tool_name: "x",
        args: odd as never,
      });
      const after = (ctx.payload as { args: Record<string, unknown> }).args;
      // What no hook replaced is the very thing that was given.
      expect(after["date"]).toBe(odd.date);
      return [ctx.metadata, it.lines];
    };
    const said = await of("thread");
    expect(said[0]).toMatchObject({
      plain: "1",
      date: odd.date.toISOString(),
      getter: expect.stringContaining("ctx/payload/args/getter is an accessor") as string,
      proxy: expect.stringContaining("ctx/payload/args/proxy is a Proxy") as string,
      pairs: false,
      first: 1,
      second: (odd.items[1] as Date).toISOString(),
      fourth: expect.stringContaining("ctx/payload/args/items/4 is an accessor") as string,
      length: 4,
    });
    expect(await of("worker")).toEqual(said);
    expect(touched).toBe(0);
  });

  test("unchanged elements of a changed list are returned as the same objects", async () => {
    const when = new Date();
    const act = (): number => 5;
    const message = { role: "user", when, parts: [act] };
    for (const isolation of ["thread", "worker"] as const) {
      const it = await rig(isolation, {
        hooks: [
          `function(ctx)
            local args = ctx.payload.args
            table.insert(args.list, { mine = { 1 } })
            args.list[1].role = "system"
            args.untouched.n = 1
          end`,
          `table.insert(ctx.payload.args.list, ctx.payload.args.list[4].mine)`,
          {
            handler_inline: `table.insert(ctx.payload.args.odd, 1)`,
            on_error: "open",
          },
        ],
      });
      const odd = Object.defineProperty([0], 0, { get: act, enumerable: true });
      const given = { list: [message, when, act], untouched: { when }, odd };
      const { args } = (await call(it, given)) as { args: typeof given };
      const [first, second, third, ...more] = args.list as [typeof message, ...unknown[]];
      expect(first.role).toBe("system");
      expect(first.when).toBe(when);
      expect(first.parts).toBe(message.parts);
      expect([second, third]).toEqual([when, act]);
      expect(second).toBe(when);
      expect(more).toEqual([{ mine: [1] }, [1]]);
      expect(args.untouched).toEqual({ when, n: 1 });
      expect(args.untouched.when).toBe(when);
      expect(message.role).toBe("user");
      expect(args.odd).toBe(odd);
      expect(it.lines.join()).toContain("ctx/payload/args/odd/1 is an accessor");
    }
  });

  both(
    "shared and cyclic values, and values nested beyond the limit",
    {
      hooks: [
        `function(ctx)
          local args = ctx.payload.args
          local at, depth = args, 0
          local ok, why = pcall(function() while true do at = at.self depth = depth + 1 end end)
          ctx.metadata.depth, ctx.metadata.why = depth, why
          ctx.metadata.same = args.one.n + args.two.n
          local deep = args.deep
          ctx.metadata.deep = select(2, pcall(function() while true do deep = deep.d end end))
          ctx.metadata.chain = args.chain[5000].next.n
          args.one.n = 5
        end`,
      ],
    },
    async (it) => {
      const shared = { n: 2 };
      const deep = {};
      let at: { d?: object } = deep;
      for (let i = 0; i < 1000; i++) at = at.d = {};
      // Each is near the root, but a walk along `next` is 20,000 deep.
      const chain = Array.from({ length: 20_000 }, (_, n): { n: number; next?: object } => ({ n }));
      chain.forEach((link, i) => (link.next = chain[i + 1] ?? {}));
      const args: Record<string, unknown> = { one: shared, two: shared, deep, chain };
      args["self"] = args;
      const result = await metadata(call(it, args));
      expect(shared).toEqual({ n: 2 });
      return result;
    },
    {
      depth: 30,
      why: expect.stringContaining("is nested deeper than 32 levels") as string,
      same: 4,
      deep: expect.stringContaining("is nested deeper than 32 levels") as string,
      chain: 5000,
    },
  );

  test("reading a context is rejected if too much would be copied", async () => {
    const text = "x".repeat(3e6);
    const play = async (isolation: "thread" | "worker", args: object, reads = "true") => {
      const it = await rig(isolation, {
        hooks: [`ctx.metadata.read = ${reads}`, { handler_inline: `ctx.metadata.second = true` }],
        engine: { max_payload_mb: 2 },
      });
      return call(it, args as Record<string, unknown>);
    };
    expect(await play("thread", { text })).toMatchObject({ action: "continue" });
    const before = process.cpuUsage();
    for (const [args, reads] of [
      [{ text }, "#ctx.payload.args.text"],
      [{ list: Object.assign([], { length: 2 ** 31 }) }, "#ctx.payload.args.list"],
      [{ many: Array(300_000).fill(0) }, "ctx.payload.args.many[1]"],
      [{ texts: Array(6).fill(text.slice(0, 5e5)) }, "table.concat(ctx.payload.args.texts)"],
    ] as const) {
      expect(await play("worker", args)).toMatchObject({ action: "continue" });
      expect(await play("worker", args, reads)).toEqual({
        action: "abort",
        hook: "h1",
        reason: expect.stringMatching(
          /^hook h1 failed: .*the part of the context that it reads is larger than 2 MB, too large for the worker thread; raise engine\.max_payload_mb$/,
        ) as string,
      });
    }
    // What crosses unasked with what was read takes no room from what is read later.
    const some = { texts: Array.from({ length: 40 }, (_, i) => `${i}`.padStart(2e5, "x")) };
    const few = `ctx.payload.args.texts[1] .. ctx.payload.args.texts[20] .. ctx.payload.args.texts[40]`;
    expect(await play("worker", some, `#(${few})`)).toMatchObject({ action: "continue" });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(8000);
    // The same text twice is one text, the same part one part.
    const part = { list: Array(100_000).fill(0) };
    expect(await play("worker", { parts: Array.from({ length: 50 }, () => part) })).toMatchObject({
      action: "continue",
    });
  });
});
