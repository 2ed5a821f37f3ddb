import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { Servers } from "../handlers/webhook-rig.ts";
import { call, folder, Lines, open } from "./engine.ts";

/** `async = true` through the whole engine. What the queue does by itself: test/unit/engine/registry/async-hooks.test.ts. */

const servers = new Servers();
afterEach(() => servers.close());

const PRE = "tool.pre_execute";
/** Milliseconds; what would go wrong otherwise takes a minute. */
const PROMPT = 15_000;

async function load(
  toml: string,
  files: Record<string, string> = {},
  options: CreateOrcsOptions = {},
) {
  const cwd = folder({ "orcs.toml": toml, ...files });
  const logger = new Lines();
  const output: string[] = [];
  const orcs = await open({
    cwd,
    config: "orcs.toml",
    logger,
    output: (text) => void output.push(text),
    ...options,
  });
  return { orcs, logger, output, cwd };
}

const hook = (lines: string): string => `[[hooks]]\npoint = "${PRE}"\n${lines}\n`;
const later = (lines: string): string => hook(`async = true\n${lines}`);
const errors = ({ lines }: Lines): string[] => lines.filter((line) => line.startsWith("error"));

/** A tool call with a number, and its number again. */
const nth = (n: number) => call("t", { n });

/** A promise and what settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  onTestFinished(() => open());
  return { opened, open };
}

/** One dispatch with a hook of this kind at the front, which notes what it saw; close waits for it. */
interface Kind {
  readonly toml: string;
  readonly files?: Record<string, string>;
  /** The numbers that the hook saw. */
  seen(cwd: string): number[];
}

const numbers = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
/** The tools that it calls itself are none of its business. */
const OWN = `id = "h"\nmatch = { tool = "t" }`;
const inLog = (cwd: string): number[] => numbers(join(cwd, "log"));

const KINDS: Record<string, () => Promise<Kind>> = {
  "a Lua script": async () => ({
    toml: later(`${OWN}\nscript = "a.lua"`),
    files: {
      "hooks/a.lua": `return function(ctx) orcs.sleep(20) orcs.exec("echo " .. ctx.payload.args.n .. " >> log")
        ctx.payload.args.n = 99 return { action = "abort", reason = "late" } end`,
    },
    seen: inLog,
  }),
  "an inline handler": async () => ({
    toml: later(
      `${OWN}\nhandler_inline = 'orcs.exec("echo " .. ctx.payload.args.n .. " >> log") return orcs.deny("late")'`,
    ),
    seen: inLog,
  }),
  "a command": async () => ({
    toml: later(
      `${OWN}\nshell = 'sed "s/.*\\"n\\":\\([0-9]*\\).*/\\1/" >> log; echo >> log; exit 2'`,
    ),
    seen: inLog,
  }),
  "a webhook": async () => {
    const server = await servers.http((response) =>
      response.end('{"action":"abort","reason":"late"}'),
    );
    return {
      toml: later(`${OWN}\nwebhook = { url = "${server.url}", allow_hosts = ["${server.host}"] }`),
      seen: () =>
        server.got.map(({ body }) => {
          const { payload } = JSON.parse(body) as { payload: { args: { n: number } } };
          return payload.args.n;
        }),
    };
  },
  "a module": async () => ({
    toml: later(`${OWN}\nmodule = "./m.mjs"`),
    files: {
      "m.mjs": `import { appendFileSync } from "node:fs";
        import { fileURLToPath } from "node:url";
        export default async ({ payload }) => {
          const { n } = payload.args;
          payload.args.n = 99;
          await new Promise((resolve) => setTimeout(resolve, 20));
          appendFileSync(fileURLToPath(new URL("log", import.meta.url)), n + "\\n");
          return { action: "abort", reason: "late" };
        };`,
    },
    seen: inLog,
  }),
};

describe.each(Object.keys(KINDS))("an async hook: %s", (name) => {
  const make = async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    return { kind, ...(await load(kind.toml, kind.files)) };
  };

  test("is not awaited, cannot deny, and gets a copy of the context", async () => {
    const { kind, orcs, logger, cwd } = await make();
    const seen: unknown[] = [];
    orcs.on(PRE, (ctx) => void seen.push((ctx.payload["args"] as { n: number }).n));
    const payload = nth(1);
    const outcome = await orcs.dispatch(PRE, payload, { trace: true });
    expect(outcome.trace?.[0]).toMatchObject({ id: "h", status: "queued" });
    expect(outcome).toMatchObject({ action: "continue", ctx: { payload } });
    expect(kind.seen(cwd)).toEqual([]);
    payload.args = { n: 2 };
    await orcs.close();
    expect(kind.seen(cwd)).toEqual([1]);
    // The first call is the dispatch's; others are the hook's own.
    expect(seen[0]).toBe(1);
    // Whoever denies and is not waited for believes that it guards something.
    const told =
      /^error: hook h failed at tool\.pre_execute: \S+:\d+: returned abort \(.*\), which is ignored because the hook is asynchronous/;
    expect(errors(logger)).toEqual([expect.stringMatching(told)]);
  });

  test("runs in the order of the dispatches, and close waits for all runs", async () => {
    const { kind, orcs, cwd } = await make();
    const due = Array.from({ length: 6 }, (_, n) => n + 1);
    await Promise.all(due.map((n) => orcs.dispatch(PRE, nth(n))));
    await orcs.close();
    expect(kind.seen(cwd)).toEqual(due);
  });
});

test("async = true in orcs.hook and in the returned table of a script makes the hook async", async () => {
  const { orcs, output } = await load(`[[hooks]]\nscript = "a.lua"\n`, {
    "hooks/a.lua": `
      orcs.hook({ id = "one", point = "${PRE}", async = true, handler = function(ctx)
        orcs.emit_output("one") orcs.deny("late") end })
      orcs.hook({ id = "two", point = "${PRE}", handler = function(ctx) orcs.emit_output("two") end })
      orcs.hook({ id = "three", point = "${PRE}", async_execution = true,
        handler = function(ctx) orcs.emit_output("three") end })`,
  });
  expect(orcs.registry.list().map(({ id, async }) => [id, async])).toEqual([
    ["one", true],
    ["two", false],
    ["three", true],
  ]);
  expect((await orcs.dispatch(PRE, nth(1))).action).toBe("continue");
  expect(output).toEqual(["two"]);
  await orcs.close();
  expect(output.toSorted()).toEqual(["one", "three", "two"]);
});

test("async in orcs.toml overrides async in the script", async () => {
  const script = (async: boolean): string =>
    `return { point = "${PRE}", async = ${async}, handler = function() return orcs.deny("no") end }`;
  const { orcs } = await load(
    `[[hooks]]\nid = "a"\nscript = "a.lua"\nasync = true\n[[hooks]]\nid = "b"\nscript = "b.lua"\nasync = false\n`,
    { "hooks/a.lua": script(false), "hooks/b.lua": script(true) },
  );
  expect(await orcs.dispatch(PRE, nth(1))).toMatchObject({ action: "abort", hook: "b" });
});

test("async: true of a hook in code makes the hook async", async () => {
  const { opened, open: let_ } = gate();
  const orcs = await open();
  const seen: string[] = [];
  orcs.hook({
    point: PRE,
    async: true,
    handler: async () => {
      await opened;
      seen.push("late");
      return { action: "abort", reason: "late" };
    },
  });
  expect((await orcs.dispatch(PRE, nth(1))).action).toBe("continue");
  expect(seen).toEqual([]);
  let_();
  await orcs.close();
  expect(seen).toEqual(["late"]);
});

test("a denial in the chain keeps later async hooks from being queued", async () => {
  const { orcs, output } = await load(
    later(`handler_inline = 'orcs.emit_output("before")'`) +
      hook(`handler_inline = 'return orcs.deny("no")'`) +
      later(`handler_inline = 'orcs.emit_output("behind")'`),
  );
  expect((await orcs.dispatch(PRE, nth(1))).action).toBe("abort");
  await orcs.close();
  expect(output).toEqual(["before"]);
});

describe("failures of async hooks", () => {
  test("of every kind are logged with the hook's id, emitted as events, and deny nothing", async () => {
    const server = await servers.http((response) => response.end("not JSON"));
    const { orcs, logger } = await load(
      `[engine]\non_error = "closed"\n` +
        later(`id = "lua"\non_error = "closed"\nhandler_inline = 'error("boom")'`) +
        later(`id = "answer"\nhandler_inline = 'return { action = "explode" }'`) +
        later(`id = "shell"\non_error = "closed"\nshell = "exit 7"`) +
        later(`id = "slow"\ntimeout_ms = 200\non_timeout = "closed"\nshell = "sleep 60"`) +
        later(`id = "webhook"\nwebhook = { url = "${server.url}", allow_hosts = ["127.0.0.1"] }`) +
        later(`id = "module"\nmodule = "./m.mjs"`),
      { "m.mjs": `export default async () => { throw new Error("bang"); };` },
    );
    const told: string[] = [];
    orcs.events.on("failed", ({ hook: id }) => void told.push(id));
    expect((await orcs.dispatch(PRE, nth(1))).action).toBe("continue");
    await orcs.close();
    const ids = ["lua", "answer", "shell", "slow", "webhook", "module"];
    expect(told.toSorted()).toEqual(ids.toSorted());
    expect(errors(logger)).toHaveLength(ids.length);
    for (const id of ids) {
      const line = errors(logger).find((found) => found.includes(`hook ${id} failed at ${PRE}: `));
      expect(line, id).toMatch(/; the hook is skipped$/);
    }
  });

  test("do not keep the next run of the same hook from running", async () => {
    const { orcs, output, logger } = await load(
      later(
        `handler_inline = 'if ctx.payload.args.n == 1 then error("boom") end orcs.emit_output("ran")'`,
      ),
    );
    for (const n of [1, 2]) await orcs.dispatch(PRE, nth(n));
    await orcs.close();
    expect(output).toEqual(["ran"]);
    expect(errors(logger)).toHaveLength(1);
  });

  test("a Lua hook that loops is killed; the engine and the script keep working", async () => {
    const { orcs, output, logger } = await load(
      `[lua]\nmax_run_ms = 400\n[[hooks]]\nscript = "a.lua"\n`,
      {
        "hooks/a.lua": `
          orcs.hook({ id = "loops", point = "${PRE}", async = true, match = { tool = "loop" },
            handler = function(ctx) while true do pcall(function() while true do end end) end end })
          orcs.hook({ id = "guard", point = "${PRE}", handler = function(ctx)
            orcs.emit_output("guard " .. ctx.payload.tool_name)
            if ctx.payload.tool_name == "bad" then return orcs.deny("no") end end })`,
      },
      { overrides: {} },
    );
    expect((await orcs.dispatch(PRE, call("loop"))).action).toBe("continue");
    await vi.waitFor(() => expect(errors(logger)).toHaveLength(1), PROMPT);
    expect(errors(logger)[0]).toContain("hook loops failed");
    expect((await orcs.dispatch(PRE, call("fine"))).action).toBe("continue");
    expect(await orcs.dispatch(PRE, call("bad"))).toMatchObject({ action: "abort", reason: "no" });
    expect((await orcs.dispatch(PRE, call("loop"))).action).toBe("continue");
    await orcs.close();
    expect(errors(logger)).toHaveLength(2);
    expect(output).toEqual(["guard loop", "guard fine", "guard bad", "guard loop"]);
  });

  test("a synchronous guard that waits in a Lua state killed for another hook's loop denies", async () => {
    const { orcs, logger } = await load(
      `[lua]\nmax_run_ms = 400\n[[hooks]]\nscript = "a.lua"\n`,
      {
        "hooks/a.lua": `
          orcs.hook({ id = "loops", point = "${PRE}", async = true, handler = function() while true do end end })
          orcs.hook({ id = "guard", point = "${PRE}", handler = function() orcs.sleep(4000) end })`,
      },
      { overrides: {} },
    );
    expect(await orcs.dispatch(PRE, nth(1))).toMatchObject({ action: "abort", hook: "guard" });
    expect(errors(logger)).toHaveLength(2);
  });
});

describe("async and synchronous hooks in one script", () => {
  test("interleave: each run has its own context, globals are shared", async () => {
    const { orcs, output } = await load(`[[hooks]]\nscript = "a.lua"\n`, {
      "hooks/a.lua": `
        count = 0
        orcs.hook({ id = "late", point = "${PRE}", priority = 1, async = true, handler = function(ctx)
          local n = ctx.payload.args.n
          orcs.sleep(n % 3)
          assert(ctx.payload.args.n == n, "another's context")
          ctx.payload.args.n = -1
          orcs.sleep(1)
          assert(ctx.payload.args.n == -1)
          count = count + 1
          orcs.emit_output("late " .. n)
        end })
        orcs.hook({ id = "now", point = "${PRE}", priority = 2, handler = function(ctx)
          local n = ctx.payload.args.n
          orcs.sleep((n + 1) % 3)
          assert(ctx.payload.args.n == n, "another's context")
          ctx.metadata.n = n
          count = count + 1
        end })
        orcs.hook({ id = "count", point = "tool.on_list", handler = function() return orcs.replace(count) end })`,
    });
    const all = Array.from({ length: 40 }, (_, n) => n);
    const outcomes = await Promise.all(all.map((n) => orcs.dispatch(PRE, nth(n))));
    for (const [n, outcome] of outcomes.entries()) {
      expect(outcome).toMatchObject({
        action: "continue",
        ctx: { payload: { args: { n } }, metadata: { n } },
      });
    }
    await vi.waitFor(() => expect(output).toHaveLength(40), PROMPT);
    expect(output).toEqual(all.map((n) => `late ${n}`));
    const { ctx } = await orcs.dispatch("tool.on_list", {});
    expect(ctx.payload["result"]).toBe(80);
  });

  test("an async run between two synchronous hooks does not change their context", async () => {
    const { orcs, output } = await load(`[[hooks]]\nscript = "a.lua"\n`, {
      "hooks/a.lua": `
        local kept
        orcs.hook({ id = "1", point = "${PRE}", handler = function(ctx) ctx.payload.args.by = "1" kept = ctx end })
        orcs.hook({ id = "2", point = "${PRE}", async = true, handler = function(ctx)
          ctx.payload.args.by = ctx.payload.args.by .. "2" orcs.emit_output(ctx.payload.args.by) end })
        orcs.hook({ id = "3", point = "${PRE}", handler = function(ctx)
          ctx.payload.args.by = ctx.payload.args.by .. "3" end })`,
    });
    const { ctx } = await orcs.dispatch(PRE, nth(1));
    expect(ctx.payload["args"]).toEqual({ n: 1, by: "13" });
    await orcs.close();
    expect(output).toEqual(["12"]);
  });

  test("tool calls of an async hook pass the hooks one level deeper and end at the depth limit", async () => {
    const { orcs, logger } = await load(
      later(`id = "again"\nhandler_inline = 'orcs.get("echo", { from = ctx.depth })'`),
    );
    const depths: unknown[] = [];
    orcs.addTool("echo", (args, { ctx }) => {
      depths.push([ctx.depth, args]);
      return { ok: true };
    });
    await orcs.dispatch(PRE, nth(1));
    await vi.waitFor(
      () => expect(logger.lines.join("\n")).toContain("nested 4 levels deep"),
      PROMPT,
    );
    await orcs.close();
    expect(depths).toEqual([1, 2, 3].map((depth) => [depth, { from: depth - 1 }]));
  });
});

describe("close with async hooks", () => {
  const isRunning = (pid: number): boolean => {
    try {
      return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  };

  /** Closes, and how long that took. */
  async function closing(orcs: Orcs): Promise<number> {
    const started = performance.now();
    await orcs.close();
    return performance.now() - started;
  }

  test("waits up to its limit, then stops what still runs", async () => {
    const { opened, open: answer } = gate();
    const server = await servers.http((response) => void opened.then(() => response.end()));
    const { orcs, logger, cwd } = await load(
      later(`id = "lua"\nhandler_inline = "orcs.sleep(60000)"`) +
        later(`id = "shell"\nshell = "echo $$ > pid; sleep 300"`) +
        later(`id = "webhook"\nwebhook = { url = "${server.url}", allow_hosts = ["127.0.0.1"] }`) +
        later(`id = "module"\nmodule = "./m.mjs"`),
      { "m.mjs": "export default () => new Promise(() => {});" },
    );
    await orcs.dispatch(PRE, nth(1));
    const pid = await vi.waitFor(() => {
      const text = readFileSync(join(cwd, "pid"), "utf8");
      expect(text).toMatch(/^\d+\n$/);
      return Number(text);
    }, PROMPT);
    const took = await closing(orcs);
    expect(took).toBeGreaterThan(4000);
    expect(took).toBeLessThan(PROMPT);
    expect(logger.lines).toContain(
      "warn: closed while 4 runs of asynchronous hooks were unfinished",
    );
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
    answer();
  });

  test("returns at once when nothing runs, else when the runs have ended", async () => {
    const { orcs, output } = await load(
      later(`handler_inline = 'orcs.sleep(300) orcs.emit_output("done")'`),
    );
    await orcs.dispatch(PRE, nth(1));
    expect(await closing(orcs)).toBeLessThan(4000);
    expect(output).toEqual(["done"]);
    const idle = await open();
    expect(await closing(idle)).toBeLessThan(2000);
  });

  test("waits for async hooks that the awaited hooks start", async () => {
    const { orcs, output } = await load(
      later(`match = { tool = "t" }\nhandler_inline = 'orcs.sleep(50) orcs.get("inner")'`) +
        later(
          `match = { tool = "inner" }\nhandler_inline = 'orcs.sleep(50) orcs.emit_output("inner")'`,
        ),
    );
    orcs.wrapTool("inner", () => ({ ok: true }));
    await orcs.dispatch(PRE, nth(1));
    await orcs.close();
    expect(output).toEqual(["inner"]);
  });

  test("leaves nothing that keeps the process alive or rejects later", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const orcs = await createOrcs({ config: false, logger: new Lines() });
    const { opened, open: let_ } = gate();
    orcs.hook({
      point: PRE,
      async: true,
      timeoutMs: 50,
      handler: async () => {
        await opened;
        throw new Error("after its time");
      },
    });
    await orcs.dispatch(PRE, nth(1));
    await orcs.close();
    let_();
    await sleep(20);
    expect(rejections).toEqual([]);
  });
});
