import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { call, rig } from "./both.ts";
import type { Rig, Setup } from "./both.ts";
import { folder, ROOT, start } from "./orcs.ts";
import { sabotaged } from "./sabotage.ts";

/** The package with a worker that fails for the hooks of those names, and when it loads its third script. */
function sabotagedHooks(): string {
  return sabotaged(`message.type === "turn"
    ? message.hook.id
    : message.type === "load" && message.script === 3
      ? "hang"
      : ""`);
}

/** One for all tests: to copy and to load it takes longer than most of them. */
const ROOT_WITH_FAULTS = sabotagedHooks();

const HANDLER = `function(ctx)
  n = (n or 0) + 1
  ctx.payload.args.n = n
  if ctx.payload.args.wait then orcs.sleep(60000) end
end`;

/** An engine whose hooks run for the tool of their name, \`wait\` and \`fine\` among them. */
function faulty(more: Setup = {}): Promise<Rig> {
  const hook = (id: string) => ({ id, handler_inline: HANDLER, match: { command: id } });
  return rig("worker", {
    root: ROOT_WITH_FAULTS,
    hooks: ["hang", "exit", "throw", "memory", "fine"].map(hook),
    ...more,
  });
}

const settled = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a Lua worker thread that fails", () => {
  test.for([
    ["hang", /did not respond for \d+ ms/],
    ["exit", /ended with code 3/],
    ["throw", /failed: broken/],
    ["memory", /failed: .*memory/],
  ] as const)("%s: running hooks fail, the next call works", async ([what, why]) => {
    // A hang is noticed after a multiple of this; to run out of memory takes seconds, in which nothing is heard.
    const max_run_ms = what === "memory" ? 5000 : 200;
    const it = await faulty({ lua: { max_run_ms } });
    expect(await call(it, { command: "fine" })).toMatchObject({ args: { n: 1 } });
    const waiting = call(it, { command: "fine", wait: true });
    await settled(50);
    const began = performance.now();
    const failed = await call(it, { command: what });
    expect(failed).toMatchObject({ action: "abort", hook: what });
    expect(failed["reason"]).toMatch(why);
    // How soon Node notices that it runs out of memory is not up to orcs.
    if (what !== "memory") expect(performance.now() - began).toBeLessThan(20_000);
    expect((await waiting)["reason"]).toMatch(why);
    expect(it.lines.find((line) => line.startsWith("error: lua: "))).toMatch(why);
    // Loaded again from source: the script begins afresh.
    expect(await call(it, { command: "fine" })).toMatchObject({
      action: "continue",
      args: { n: 1 },
    });
  });

  test("fails hooks with the kind killed; the chain continues on another thread", async () => {
    const it = await faulty({
      hooks: [
        { handler_inline: `ctx.payload.args.first = true` },
        { id: "exit", handler_inline: "ctx", on_error: "open" },
        {
          handler_inline: `ctx.payload.args.third = ctx.payload.args.first and ctx.payload.args.ts`,
        },
      ],
      options: {
        hooks: [
          {
            point: "tool.pre_execute",
            priority: 100,
            handler: (ctx) => void ((ctx.payload as { args: { ts?: boolean } }).args.ts = true),
          },
        ],
      },
    });
    const kinds: string[] = [];
    it.orcs.events.on("failed", ({ hook, failure }) => void kinds.push(`${hook} ${failure.kind}`));
    // The hooks of code come last at the same priority; a turn that begins with `exit` is needed.
    it.orcs.registry.setEnabled("h1", false);
    const outcome = await call(it, { first: true, ts: 1 });
    expect(outcome).toMatchObject({
      action: "continue",
      args: { first: true, third: 1, ts: true },
    });
    expect(kinds).toEqual(["exit killed"]);
  });

  test("200 concurrent calls all settle", async () => {
    const it = await faulty({ lua: { max_run_ms: 200 } });
    const all = Array.from({ length: 200 }, (_, i) =>
      call(it, { command: i === 100 ? "hang" : "fine", wait: i % 2 === 0 && i !== 100 }),
    );
    const outcomes = await Promise.all(all);
    expect(outcomes.filter(({ action }) => action === "continue").length).toBeGreaterThan(40);
    expect(outcomes.filter(({ action }) => action === "abort").length).toBeGreaterThanOrEqual(100);
    expect(await call(it, { command: "fine" })).toMatchObject({ action: "continue" });
  });

  test("loses hooks registered at run time; the script's hooks run their own handlers", async () => {
    const it = await faulty({
      hooks: [{ id: "exit", handler_inline: "ctx", match: { command: "exit" } }],
      script: `
        if orcs.state.incr("loads") == 1 then
          orcs.hook { id = "once", point = "tool.pre_execute", handler = function() error("once") end,
            match = { command = "once" } }
        end
        orcs.hook { id = "add", point = "tool.pre_execute", match = { command = "add" }, handler = function()
          orcs.hook { id = "late", point = "tool.pre_execute", match = { command = "late" },
            handler = function() return orcs.deny("late") end }
        end }
        orcs.hook { id = "own", point = "tool.pre_execute", match = { command = "own" }, handler = function()
          return orcs.deny("own")
        end }`,
    });
    const reason = async (command: string) => (await call(it, { command }))["reason"];
    await call(it, { command: "add" });
    expect([await reason("own"), await reason("late")]).toEqual(["own", "late"]);
    expect(await reason("once")).toMatch(/: once$/);
    await call(it, { command: "exit" });
    expect(await reason("own")).toBe("own");
    expect(await reason("late")).toMatch(/its handler no longer exists/);
    expect(await reason("once")).toMatch(/its handler no longer exists/);
  });

  test("by hanging while a script loads: the load fails", async () => {
    await expect(
      faulty({ script: "return { point = 'PreToolUse', handler = print }" }),
    ).resolves.toBeDefined();
    const files = { "hooks/t.lua": "return { point = 'PreToolUse', handler = print }" };
    const third = { hooks: [{ script: "t.lua" }, "ctx"], script: files["hooks/t.lua"], files };
    // The watchdog waits for as long as a first load may take: a multiple of this.
    const slow = faulty({ ...third, lua: { max_run_ms: 100 } });
    await expect(slow).rejects.toThrow(/did not respond/);
  });

  test("by not starting: the load fails", async () => {
    const root = sabotagedHooks();
    writeFileSync(join(root, "build/engine/lua/worker/entry.js"), "throw new Error('no')");
    await expect(rig("worker", { root, hooks: ["ctx"] })).rejects.toThrow(
      /the worker thread failed: no/,
    );
  });
});

describe("a program that blocks its own thread", () => {
  const block = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until;);
  };

  test("does not make the worker or the script exceed its limits", async () => {
    const it = await rig("worker", {
      hooks: [`for i = 1, 3 do orcs.state.incr("n") end ctx.metadata.n = orcs.state.get("n")`],
    });
    const running = call(it);
    await settled(0);
    block(3000);
    expect(await running).toMatchObject({ action: "continue", metadata: { n: 3 } });
    const again = Array.from({ length: 3 }, () => call(it));
    for (let i = 0; i < 3; i++) {
      block(300);
      await settled(1);
    }
    expect((await Promise.all(again)).map(({ action }) => action)).toEqual(
      Array.from({ length: 3 }, () => "continue"),
    );
  });
});

describe("ending a Lua worker", () => {
  test("close fails waiting hooks, and nothing runs after it", async () => {
    const it = await rig("worker", {
      hooks: [
        { handler_inline: `orcs.sleep(60000)`, on_error: "open" },
        { handler_inline: `orcs.emit_output("never")` },
      ],
    });
    const waiting = call(it);
    await settled(50);
    await it.orcs.close();
    expect((await waiting)["reason"]).toBe("hook h2 failed: its script was unloaded");
    expect(it.lines.join("\n")).toContain("hook h1 failed at tool.pre_execute");
    expect(it.lines.join("\n")).toContain("its script was unloaded while it was waiting");
    expect(it.lines.join("\n")).not.toContain("never");
    await expect(call(it)).rejects.toThrow("ORCS2006");
    await it.orcs.close();
  });

  test("close from within a failure listener", async () => {
    const it = await rig("worker", {
      hooks: [{ handler_inline: `error("first")`, on_error: "open" }, `ctx.metadata.second = true`],
    });
    it.orcs.events.on("failed", () => void it.orcs.close());
    expect(await call(it)).toMatchObject({ action: "abort", hook: "h2" });
  });

  /** A program that uses the package; its output. */
  const program = async (code: string) => {
    const from = pathToFileURL(join(ROOT, "dist/index.js")).href;
    const cwd = folder({ "program.mjs": `import { createOrcs } from "${from}";\n${code}` });
    // It is killed after a minute.
    return start(process.execPath, ["program.mjs"], { cwd });
  };
  const create = (handler: string): string =>
    `const orcs = await createOrcs({ config: { lua: { isolation: "worker", max_run_ms: 1000 }, hooks: [{ point: "tool.pre_execute", handler_inline: ${JSON.stringify(handler)} }] } });`;

  test("a program ends by itself without close when nothing is left to do", async () => {
    const { code, stdout } = await program(`${create("ctx.metadata.x = 1")}
      const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
      console.log(ctx.metadata.x);`);
    expect([code, stdout]).toEqual([0, "1\n"]);
  });

  test("a running hook keeps the program alive", async () => {
    const { code, stdout } = await program(`${create(
      "local t = orcs.now_ms() while orcs.now_ms() - t < 400 do end ctx.metadata.x = 1",
    )}
      const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
      console.log(ctx.metadata.x);`);
    expect([code, stdout]).toEqual([0, "1\n"]);
  });
});
